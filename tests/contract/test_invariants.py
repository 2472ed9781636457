"""What holds for every text, tried on random ones. MDERANK_EXAMPLES sets how many (default 100 a test)."""

import os
import warnings
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mderank import (
    Concept,
    LanguageWarning,
    MaskAll,
    MaskHighest,
    MaskOnce,
    MaskSubset,
    MDERank,
    NGrams,
    NounPhrases,
    PhraseList,
    SpacyTagger,
    Vocabulary,
)
from mderank.document import Document
from mderank.encoding import EncoderInputs
from mderank.testing import FakeEncoder, FakeTagger

moderate = settings(
    max_examples=int(os.environ.get("MDERANK_EXAMPLES", "100")),
    deadline=None,
    suppress_health_check=list(HealthCheck),
)

WORDS = (
    "the of and is are has new old deep fast reef Reef REEFS reefs coral water harbour harbour-wall market salt fish "
    "town wall's U.S. e.g. C++ 42 3.5 neural networks network support vector machine "
    "Straße İzmir naïve 珊瑚 риф شعاب 🪸"
).split()
GAPS = [" ", "  ", "\n", "\n\n", "\t", "\u00a0", ", ", ". ", "-", "\x00", "\u200b", "", "; ", "\f"]

sentences = st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), max_size=60).map(
    lambda pairs: "".join(word + gap for word, gap in pairs)
)
unicode = st.text(st.characters(), max_size=120)  # surrogates and control characters too
scripts = st.text(
    st.one_of(
        st.sampled_from("aeinrst AEINRST.,-'’ \n"),
        st.characters(min_codepoint=0x80, max_codepoint=0x17F),
        st.characters(min_codepoint=0x370, max_codepoint=0x6FF),
        st.characters(min_codepoint=0x4E00, max_codepoint=0x4E80),
        st.characters(min_codepoint=0x1F300, max_codepoint=0x1F6FF),
        st.characters(categories=["Cs", "Cc", "Cf", "Mn", "Zs"]),
    ),
    max_size=120,
)
texts = st.one_of(sentences, unicode, scripts, st.tuples(sentences, unicode).map("".join))

TAGGERS = {"fake": FakeTagger(), "spacy": SpacyTagger()}


def extractor(tagger="fake", **options):
    # Few tokens a window, so that short texts have several.
    return MDERank(FakeEncoder(max_length=24), tagger=TAGGERS[tagger], **options)


def quiet(function, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LanguageWarning)
        return function(*arguments)


def assert_sound(keyphrases, text, same):
    """Every place, form and score is as it should be; ``same`` says what forms one entry may hold."""
    for keyphrase in keyphrases:
        shown = [Document(text, ()).surface_form(span) for span in keyphrase.spans]
        assert keyphrase.text == keyphrase.forms[0]
        assert sorted(keyphrase.forms) == sorted(set(shown))
        assert len({same(form) for form in shown}) == 1
        assert list(keyphrase.spans) == sorted(set(keyphrase.spans))
        assert all(0 <= start < end <= len(text) for start, end in keyphrase.spans)
        assert all(text[start:end] == text[start:end].strip() for start, end in keyphrase.spans)
        assert np.isfinite(keyphrase.score)
        assert keyphrase.score >= 0
        assert keyphrase.raw_score == pytest.approx(1 - keyphrase.score)
    scores = [keyphrase.score for keyphrase in keyphrases]
    assert all(one >= other * (1 - 1e-4) for one, other in pairwise(scores))
    shown_texts = [same(keyphrase.text) for keyphrase in keyphrases]
    assert len(shown_texts) == len(set(shown_texts))


@pytest.mark.slow
@pytest.mark.parametrize("tagger", TAGGERS)
@moderate
@given(text=texts)
def test_keyphrases_that_differ_in_more_than_case(tagger, text):
    assert_sound(quiet(extractor(tagger, dedupe="case").extract, text, None), text, str.lower)


@pytest.mark.slow
@pytest.mark.parametrize("tagger", TAGGERS)
@moderate
@given(text=texts)
def test_keyphrases_in_every_form(tagger, text):
    assert_sound(quiet(extractor(tagger, dedupe="none").extract, text, None), text, str)


@moderate
@given(
    text=texts,
    candidates=st.sampled_from(
        [
            NounPhrases(),
            NGrams(1, 2),
            PhraseList(["reef", "coral reef", "c++", "риф", "🪸"]),
            Vocabulary(
                [Concept("a", "coral reef", ["reef", "риф"]), Concept("b", "reef (fish)", ["c++", "water", "🪸"])]
            ),
        ]
    ),
    masking=st.sampled_from([MaskAll(), MaskOnce(), MaskHighest(), MaskSubset()]),
    pooling=st.sampled_from(["mean", "max"]),
    exact=st.booleans(),
    limit=st.one_of(st.none(), st.integers(1, 20)),
)
def test_whatever_the_options(text, candidates, masking, pooling, exact, limit):
    method = extractor(
        candidates=candidates, masking=masking, pooling=pooling, exact=exact, dedupe="case", max_words=limit
    )
    keyphrases = method.extract(text, None)
    for keyphrase in keyphrases:
        assert {Document(text, ()).surface_form(span) for span in keyphrase.spans} == set(keyphrase.forms)
    end = keyphrases.truncated.start if keyphrases.truncated else len(text)
    assert all(span.end <= end for keyphrase in keyphrases for span in keyphrase.spans)


@pytest.mark.parametrize("tagger", TAGGERS)
@moderate
@given(text=texts)
def test_words_slice_the_text(tagger, text):
    document = quiet(next, TAGGERS[tagger].tag([text]))
    assert len(document.text) == len(text)
    position = 0
    for token in document.tokens:
        assert position <= token.start < token.end
        assert document.text[token.start : token.end] == token.text
        position = token.end
    assert all(index < len(document.tokens) for index in document.paragraph_starts)


@cache
def embedded():
    return MDERank(tagger=TAGGERS["spacy"], dedupe="case")


class Watching(FakeEncoder):
    """Notes how long the variants are that it is given."""

    def __init__(self):
        super().__init__(max_length=24)
        self.batches = []

    def hidden_states(self, inputs: EncoderInputs, layer):
        self.batches.append(inputs.input_ids)
        return super().hidden_states(inputs, layer)


@moderate
@given(text=texts)
def test_masking_keeps_the_number_of_tokens(text):
    encoder = Watching()
    found = MDERank(encoder, tagger=FakeTagger(), exact=True).extract(text)
    window = None
    total = 0
    for ids in encoder.batches:
        if len(ids) == 1 and encoder.MASK not in ids:
            window = ids[0]
            total += len(window) - 2
        for variant in ids:
            assert len(variant) == len(window)
            assert ((variant == window) | (variant == encoder.MASK)).all()
            assert (variant[0], variant[-1]) == (encoder.CLS, encoder.SEP)
    assert total == (len(encoder.tokenize(text)) if found else 0)  # without candidates nothing is encoded


@pytest.mark.slow
@pytest.mark.parametrize("tagger", TAGGERS)
@moderate
@given(many=st.lists(texts, max_size=6), data=st.data())
def test_the_batch_and_its_order_change_nothing(tagger, many, data):
    order = data.draw(st.permutations(range(len(many))))
    method = extractor(tagger)
    alone = [quiet(method.extract, text, None) for text in many]
    together = quiet(list, method.extract_many([many[index] for index in order], None))
    for index, keyphrases in zip(order, together, strict=True):
        assert keyphrases.error is None
        assert [each.text for each in keyphrases] == [each.text for each in alone[index]]
        assert [each.spans for each in keyphrases] == [each.spans for each in alone[index]]
        scores = [each.score for each in alone[index]]
        assert [each.score for each in keyphrases] == pytest.approx(scores, rel=1e-4, abs=1e-12)


@settings(moderate, max_examples=max(10, moderate.max_examples // 10))
@given(text=texts)
def test_the_embedded_model(text):
    assert_sound(quiet(embedded().extract, text, None), text, str.lower)
