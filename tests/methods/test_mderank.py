import itertools

import numpy as np
import pytest
from tests.helpers import texts

from mderank import (
    MMR,
    Document,
    ExactFallbackWarning,
    InputError,
    MaskAll,
    MaskHighest,
    MaskOnce,
    MaskSubset,
    MDERank,
    ModelError,
    NGrams,
    OptionError,
    PhraseList,
)
from mderank.testing import FakeEncoder, FakeTagger

TEXT = (
    "The old harbour is near the reef. The reef has fish. The small boats of the harbour are slow. "
    "The town has a market, and the market has salt."
)


def make(weights=None, *, encoder=None, **options):
    return MDERank(encoder or FakeEncoder(weights), tagger=FakeTagger(), **options)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("pooling", ["mean", "max"])
@pytest.mark.parametrize("planted", ["salt", "town", "fish"])
def test_the_planted_keyphrase_comes_first(planted, exact, pooling):
    extractor = make({planted: 8.0}, exact=exact, pooling=pooling)
    assert texts(extractor.extract(TEXT))[0] == planted


def test_two_planted_keyphrases_in_their_order():
    assert texts(make({"salt": 5.0, "town": 9.0}).extract(TEXT))[:2] == ["town", "salt"]


def test_every_candidate_is_ranked_with_all_its_places():
    found = {each.text: each.spans for each in make().extract(TEXT, None)}
    assert found == {
        "old harbour": ((4, 15),),
        "reef": ((28, 32), (38, 42)),
        "fish": ((47, 51),),
        "small boats": ((57, 68),),
        "harbour": ((8, 15), (76, 83)),
        "town": ((98, 102),),
        "market": ((109, 115), (125, 131)),
        "salt": ((136, 140),),
    }


def masked_by_hand(encoder, text, *spans):
    """1 − cos of the document and its masked variant, both encoded whole."""
    from mderank.encoding import EncoderInputs

    pieces = encoder.tokenize(text)
    ids = np.array([encoder.CLS, *pieces.ids, encoder.SEP])
    masked = ids.copy()
    for row, (start, end) in enumerate(zip(pieces.starts, pieces.ends, strict=True), start=1):
        if any(start < last and end > first for first, last in spans):
            masked[row] = encoder.MASK
    before, after = (
        encoder.hidden_states(EncoderInputs(some[None]), encoder.spec.layers)[0].astype(np.float64).mean(axis=0)
        for some in (ids, masked)
    )
    return 1 - before @ after / np.linalg.norm(before) / np.linalg.norm(after)


@pytest.mark.parametrize("masking", [None, MaskOnce(), MaskHighest(), MaskSubset()])
def test_exact_scores_by_hand(masking):
    encoder = FakeEncoder()
    text = "The old harbour is near the reef. The reef has old harbour walls."
    found = {each.text: each for each in make(encoder=encoder, exact=True, masking=masking).extract(text, None)}
    reef = masked_by_hand(encoder, text, (28, 32)), masked_by_hand(encoder, text, (38, 42))
    both = masked_by_hand(encoder, text, (28, 32), (38, 42))
    expected = {None: both, MaskOnce(): reef[0], MaskHighest(): max(reef), MaskSubset(): both}[masking]
    assert found["reef"].score == pytest.approx(expected, rel=1e-4)
    assert found["reef"].raw_score == pytest.approx(1 - expected, rel=1e-6)
    walls = masked_by_hand(encoder, text, (47, 64))
    assert found["old harbour walls"].score == pytest.approx(walls, rel=1e-4)


class Nth:
    """Hides one place of every phrase: the n-th, or its last."""

    def __init__(self, number):
        self.number = number

    def masks(self, document, candidates):
        return [[(each.occurrences[min(self.number, len(each.occurrences) - 1)].span,)] for each in candidates]


def test_of_several_masks_the_strongest_counts():
    text = "The reef is near the harbour of the town, and the town is old. Divers love the reef."
    first, second, highest = (
        next(each for each in MDERank(masking=masking).extract(text, None) if each.text == "reef")
        for masking in (Nth(0), Nth(1), MaskHighest())
    )
    assert abs(first.score - second.score) > 0.01 * first.score
    assert highest.score == pytest.approx(max(first.score, second.score), rel=1e-4)
    assert highest.raw_score == pytest.approx(min(first.raw_score, second.raw_score), rel=1e-6)


def test_one_pass_orders_like_exact_where_the_difference_is_plain():
    extractors = make({"salt": 9.0, "town": 5.0}), make({"salt": 9.0, "town": 5.0}, exact=True)
    for extractor in extractors:
        assert texts(extractor.extract(TEXT, 2)) == ["salt", "town"]


def test_a_phrase_with_nothing_left_to_hide_ranks_last():
    # "harbour" stands only where "old harbour" does.
    text = "The old harbour is near the reef."
    phrases = PhraseList(["harbour", "old harbour", "reef"])
    found = make({"harbour": 50.0}, masking=MaskSubset(), candidates=phrases).extract(text)
    assert texts(found) == ["old harbour", "reef", "harbour"]
    assert (found[-1].score, found[-1].raw_score) == (0, 1)


def test_euclidean_scores_are_distances():
    found = make({"salt": 8.0}, similarity="euclidean").extract(TEXT)
    assert found[0].text == "salt"
    assert all(each.raw_score == -each.score for each in found)


def test_top_k():
    everything = make().extract(TEXT, None)
    assert len(everything) == 8
    assert make().extract(TEXT, 3) == everything[:3]
    assert make().extract(TEXT, 0) == []
    assert make().extract(TEXT, 100) == everything


def test_min_score():
    everything = make().extract(TEXT, None)
    third = everything[2].score
    assert make(min_score=third).extract(TEXT, None) == everything[:3]
    assert make(min_score=2.0).extract(TEXT, None) == []


def test_dedupe():
    text = "The reef is near the reefs. The Reef has fish."
    assert sorted(texts(make(dedupe="none").extract(text))) == ["Reef", "fish", "reef", "reefs"]
    assert sorted(texts(make(dedupe="case").extract(text))) == ["fish", "reef", "reefs"]
    (reef,) = [each for each in make().extract(text) if each.text == "reef"]
    assert reef.forms == ("reef", "reefs", "Reef")
    assert reef.spans == ((4, 8), (21, 26), (32, 36))


def test_diversity():
    everything = make().extract(TEXT, None)
    diverse = make(diversity=MMR(diversity=0.7)).extract(TEXT, None)
    assert texts(diverse) != texts(everything)
    assert sorted(texts(diverse)) == sorted(texts(everything))
    assert diverse[0] == everything[0]
    assert make(diversity=MMR(diversity=0)).extract(TEXT, None) == everything
    assert make(diversity=MMR(diversity=0.7)).extract(TEXT, 4) == diverse[:4]
    assert make(diversity=MMR(diversity=0.7)).extract("") == []


@pytest.mark.parametrize("excluded", ["reef", "REEF", " Reefs "])
def test_excluded_phrases_are_not_returned_in_any_form(excluded):
    text = "The reef is near the Reefs of the old reef."
    assert texts(make(exclude=[excluded]).extract(text)) == ["old reef"]
    assert texts(make(exclude=[excluded], dedupe="none").extract(text)) == ["old reef"]


def test_other_candidates():
    found = make(candidates=NGrams(2, 2)).extract("The old harbour wall fell.", None)
    assert sorted(texts(found)) == ["harbour wall", "old harbour", "wall fell"]


def test_a_document_that_was_tagged_before():
    document = Document.from_tagged([("coral", "NN"), ("reef", "NN"), ("feeds", "VBZ"), ("fish", "NN")])
    assert sorted(texts(make().extract(document))) == ["coral reef", "fish"]
    mixed = list(make().extract_many(["The reef.", document, "The fish."]))
    assert [sorted(texts(each)) for each in mixed] == [["reef"], ["coral reef", "fish"], ["fish"]]


def test_max_words():
    keyphrases = make(max_words=9).extract(TEXT)
    assert TEXT[: keyphrases.truncated.start].split() == TEXT.split()[:9]
    assert keyphrases.truncated.end == len(TEXT)
    assert sorted(texts(keyphrases)) == ["old harbour", "reef"]
    assert texts(keyphrases) == texts(make().extract(TEXT[: keyphrases.truncated.start]))


def test_max_words_of_a_tagged_document():
    document = next(FakeTagger().tag([TEXT]))
    keyphrases, from_text = make(max_words=9).extract(document), make(max_words=9).extract(TEXT)
    assert (keyphrases, keyphrases.truncated) == (from_text, from_text.truncated)


def test_max_tokens_counts_the_special_tokens():
    # [CLS] The old harbou ##r [SEP]: the last word is cut, so it is no candidate.
    keyphrases = make(max_tokens=6).extract("The old harbour")
    assert keyphrases.truncated is None
    assert texts(keyphrases) == ["old harbour"]
    cut = make(max_tokens=5).extract("The old harbour")
    assert (texts(cut), cut.truncated) == ([], (14, 15))


def test_nothing_unseen_where_the_limit_is_not_reached():
    assert make(max_words=1_000, max_tokens=1_000).extract(TEXT).truncated is None
    assert make(max_words=2).extract("coral reef \n ").truncated is None
    assert make().extract(TEXT).truncated is None


def test_a_long_text_is_read_to_its_end():
    # Windows of 62 pieces: the planted word stands in the last.
    text = "The town has a market. " * 100 + "The salt is near."
    found = make({"salt": 1_000.0}).extract(text)
    assert found[0].text == "salt"
    assert found[0].spans == ((2304, 2308),)
    assert found.truncated is None
    assert len(found[[each.text for each in found].index("market")].spans) == 100


@pytest.mark.parametrize("exact", [False, True])
def test_the_places_of_a_phrase_in_several_windows_add_up(exact):
    # Every window is one sentence, always the same: hidden in all, a phrase changes the mean as in one it changes one.
    sentence = "the market has salt of fish and the old town . "
    encoder = FakeEncoder(max_length=18)
    assert len(encoder.tokenize(sentence)) == 11
    one = {each.text: each.score for each in make(encoder=encoder, exact=exact).extract(sentence, None)}
    many = {each.text: each.score for each in make(encoder=encoder, exact=exact).extract(sentence * 7, None)}
    assert many == pytest.approx(one, rel=1e-6)


class Counting:
    """A generator that knows how far it was asked."""

    def __init__(self, items):
        self.given = 0
        self._items = items

    def __iter__(self):
        for item in self._items:
            self.given += 1
            yield item


def test_many_texts_are_read_as_they_are_asked_for():
    source = Counting(f"The reef {number} is old." for number in itertools.count())
    results = make().extract_many(source)
    assert source.given == 0
    next(results)
    assert source.given == 64
    for _ in range(63):
        next(results)
    assert source.given == 64
    next(results)
    assert source.given == 128


@pytest.mark.slow
def test_few_long_texts_are_read_at_a_time():
    source = Counting(["The reef is old. " * 20_000] * 4)
    tagged = Counting(list(FakeTagger().tag(["The reef is old. " * 20_000])) * 4)
    for each in (source, tagged):
        results = make(max_words=10).extract_many(each)
        next(results)
        assert each.given == 1


def test_many_texts_keep_their_order():
    words = ["reef", "town", "salt", "fish", "boat"]
    many = [f"The {words[number % 5]}{'s' * (number % 7)} is old." for number in range(150)]
    extractor = make()
    assert list(extractor.extract_many(many)) == [extractor.extract(text) for text in many]


class Fussy(FakeTagger):
    def tag(self, some):
        for text in some:
            if "bad" in text:
                raise RuntimeError("cannot tag this")
            yield from super().tag([text])


def test_a_text_that_fails_carries_its_error_and_the_rest_goes_on():
    extractor = MDERank(FakeEncoder(), tagger=Fussy())
    many = ["The reef.", 5, "The bad reef.", None, b"bytes", "The salt."]
    results = list(extractor.extract_many(many))
    assert [texts(each) for each in results] == [["reef"], [], [], [], [], ["salt"]]
    assert [type(each.error) for each in results] == [type(None), *[InputError] * 4, type(None)]
    assert str(results[1].error) == "a text must be a str, a MarkedUpText or a Document, not int"
    assert str(results[2].error) == "extraction failed: RuntimeError: cannot tag this"


def test_one_text_that_fails_raises():
    with pytest.raises(InputError, match="not int"):
        make().extract(5)
    with pytest.raises(RuntimeError, match="cannot tag this"):
        MDERank(FakeEncoder(), tagger=Fussy()).extract("bad")


def test_no_texts():
    assert list(make().extract_many([])) == []


def test_an_error_thrown_at_the_results_is_not_taken_for_a_text_s():
    results = make().extract_many(["The reef."] * 3)
    next(results)
    with pytest.raises(KeyError):
        results.throw(KeyError("mine"))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"pooling": "median"}, "pooling must be one of mean, max, cls or none, not 'median'"),
        ({"similarity": "dot"}, "similarity must be one of cosine, euclidean, not 'dot'"),
        ({"dedupe": "lemma"}, "dedupe must be one of none, case, variant, stem, not 'lemma'"),
        ({"pooling": "cls"}, "exact form only: add exact=True"),
        ({"batch_tokens": 100}, "batch_tokens is for the exact form only: add exact=True"),
        ({"batch_tokens": 0, "exact": True}, "batch_tokens must be a whole number of at least 1 or none, not 0"),
        ({"layer": 3}, "layer 3 does not exist: 'fake' has 0 to 2"),
        ({"max_words": 0}, "max_words must be a whole number of at least 1 or none, not 0"),
        ({"max_tokens": 2}, "max_tokens must be a whole number of at least 3 or none, not 2"),
        ({"exclude": "reef"}, "exclude takes several phrases"),
    ],
)
def test_options_that_cannot_be(options, message):
    with pytest.raises(OptionError, match=message.replace("(", r"\(")):
        make(**options)


@pytest.mark.parametrize("method", ["extract", "extract_many"])
def test_a_negative_top_k(method):
    with pytest.raises(OptionError, match="top_k must be a whole number of at least 0, or None for all, not -1"):
        getattr(make(), method)("The reef." if method == "extract" else ["The reef."], -1)


def test_an_unknown_tagger():
    with pytest.raises(ModelError, match="no_such_pipeline"):
        MDERank(FakeEncoder(), tagger="no_such_pipeline").extract("The reef.")


def test_an_encoder_that_cannot_do_one_pass():
    encoder = FakeEncoder({"salt": 8.0}, one_pass=False)
    with pytest.warns(ExactFallbackWarning, match="'fake' cannot do one-pass masking"):
        extractor = make(encoder=encoder)
    assert extractor.exact
    assert extractor.extract(TEXT) == make({"salt": 8.0}, exact=True).extract(TEXT)
    assert make(encoder=encoder, exact=True).exact


def test_a_tagger_that_cannot_be_loaded_fails_at_once_and_not_text_by_text():
    extractor = MDERank(FakeEncoder(), tagger="xx_nothing")
    with pytest.raises(ModelError, match="xx_nothing"):
        next(extractor.extract_many(["One text.", "Another."]))


@pytest.mark.parametrize("masking", ["all", MaskAll, 1])
def test_a_masking_is_an_object(masking):
    with pytest.raises(OptionError, match=r"masking must be a masking such as MaskAll\(\)"):
        make(masking=masking)
