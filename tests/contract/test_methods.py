"""What every method must do, whatever it is."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from mderank import Extractor, InputError, OptionError, PhraseList
from mderank.methods.registry import METHODS, get_method
from mderank.methods.static import WordVectors
from mderank.testing import FakeEncoder, FakeTagger

TEXT = (
    "The coral reef is near the old harbour. The reef and the Reefs of the bay are big.\n\n"
    "Fishing boats of the old harbour, and a lighthouse, are near the coral reef."
)
TEXTS = [TEXT, "", "Of the and.", "A lazy dog is by the river.", TEXT.upper(), "one"]


WORDS = sorted({word.strip(".,").lower() for word in TEXT.split()})
VECTORS = WordVectors(
    {word: row for row, word in enumerate(WORDS)},
    np.random.default_rng(0).normal(size=(len(WORDS), 8)).astype(np.float32),
)


def make(name, **options):
    method = METHODS[name]
    for option in {"vectors", "sent2vec"}.intersection(method.options):
        options.setdefault(option, VECTORS)
    if "model" in method.options:
        options.setdefault("model", FakeEncoder({"reef": 3.0}))
    return method.make(**{"tagger": FakeTagger(), **options})


@pytest.fixture(params=sorted(METHODS))
def name(request):
    return request.param


def test_it_is_an_extractor(name):
    assert isinstance(make(name), Extractor)


def test_every_phrase_is_in_the_text_at_its_spans(name):
    found = make(name, overlap="any").extract(TEXT, top_k=None)
    assert {each.text.lower() for each in found} >= {"coral reef", "fishing boats", "lighthouse"}
    for each in found:
        assert {" ".join(TEXT[start:end].split()) for start, end in each.spans} == set(each.forms)
        assert each.text == each.forms[0]
        assert list(each.spans) == sorted(set(each.spans))


def test_scores_fall_and_variants_are_one(name):
    found = make(name).extract(TEXT, top_k=None)
    assert [each.score for each in found] == sorted((each.score for each in found), reverse=True)
    assert sum(each.text.lower() in ("reef", "reefs") for each in found) == 1


def test_top_k_is_the_beginning_of_all(name):
    extractor = make(name)
    everything = extractor.extract(TEXT, top_k=None)
    assert extractor.extract(TEXT, top_k=2) == everything[:2]
    assert extractor.extract(TEXT, top_k=0) == []


def test_batches_and_order_do_not_matter(name):
    extractor = make(name)
    alone = [extractor.extract(text) for text in TEXTS]
    assert list(extractor.extract_many(TEXTS)) == alone
    assert list(extractor.extract_many(TEXTS[::-1])) == alone[::-1]


@pytest.mark.parametrize(("many", "long"), [(1, 8_000), (3, 8_000), (64, 50)])
def test_results_do_not_depend_on_how_texts_are_divided(name, many, long, monkeypatch):
    extractor = make(name)
    alone = [extractor.extract(text) for text in TEXTS]
    monkeypatch.setattr("mderank.methods.chunks.CHUNK_TEXTS", many)
    monkeypatch.setattr("mderank.methods.chunks.LONG_TEXT", long)
    assert list(extractor.extract_many(TEXTS)) == alone


def test_a_bad_document_carries_its_error(name):
    good, bad, also_good = make(name).extract_many([TEXT, None, TEXT])
    assert isinstance(bad.error, InputError)
    assert good == also_good
    assert good.error is None


def test_limits_exclusions_and_missing_phrases(name):
    found = make(name, max_words=8).extract(TEXT, top_k=None)
    assert TEXT[found.truncated.start :].split()[:2] == ["The", "reef"]
    assert not any("lighthouse" in each.text for each in found)
    assert not any(
        "reef" in each.text.lower().split()
        for each in make(name, exclude=["reefs"]).extract(TEXT)
        if " " not in each.text
    )
    listed = make(name, candidates=PhraseList(["reef", "whale"])).extract(TEXT)
    assert [each.text.lower() for each in listed] == ["reef"]
    assert listed.missing_phrases == ("whale",)


def test_it_can_be_sent_to_another_process(name):
    extractor = make(name)
    assert pickle.loads(pickle.dumps(extractor)).extract(TEXT) == extractor.extract(TEXT)


def test_options_of_other_methods_are_refused(name):
    with pytest.raises(OptionError, match=f"'{name}' does not take colour"):
        make(name, colour="red")


def test_unknown_methods_list_the_known_ones():
    with pytest.raises(OptionError, match="mderank, fusion, embedrank"):
        get_method("bogus")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"tagger": 42},
            "tagger must be the name of a tagger or spaCy pipeline, a loaded pipeline, or a Tagger, not 42",
        ),
        ({"candidates": "reef"}, "candidates must be candidates such as .*, or a list of phrases, not 'reef'"),
        ({"candidates": [1]}, "or a list of phrases, not"),
        ({"candidates": 3}, "or a list of phrases, not 3"),
        ({"dedupe": "all"}, "dedupe must be one of none, case, variant, stem, not 'all'"),
        ({"overlap": True}, "overlap must be one of none, little, any or none, not True"),
        ({"min_score": "0.5"}, "min_score must be a number or none, not '0.5'"),
        ({"max_words": 0}, "max_words must be a whole number of at least 1"),
        ({"max_words": 3.5}, "max_words must be a whole number of at least 1 or none, not 3.5"),
        ({"exclude": "reef"}, r"exclude takes several phrases, not one string: exclude=\['reef'\]"),
        ({"exclude": 3}, "exclude must be a list of phrases, not 3"),
        ({"exclude": [3]}, "exclude must be a list of phrases"),
    ],
)
def test_wrong_options_are_refused_at_construction(name, options, message):
    with pytest.raises(OptionError, match=message):
        make(name, **options)


def test_diversity_is_an_object(name):
    if METHODS[name].load().has_vectors:
        with pytest.raises(OptionError, match=r"diversity must be MMR\(diversity=0.5\) or MaxSum\(20\), not 0.5"):
            make(name, diversity=0.5)


def test_the_model_is_a_name_a_folder_or_an_encoder(name):
    if "model" in METHODS[name].options:
        for model in (None, 3, ["minilm-l6"]):
            with pytest.raises(OptionError, match="model must be the name of a model, its folder"):
                make(name, model=model)


def test_a_list_of_phrases_is_a_source_of_candidates(name):
    assert make(name, candidates=["reef", "old harbour"]).candidates == PhraseList(["reef", "old harbour"])


def test_a_loaded_pipeline_is_a_tagger(name):
    import spacy

    nlp = spacy.blank("en")
    assert make(name, tagger=nlp).tagger.nlp is nlp


def test_one_text_is_not_several(name):
    with pytest.raises(OptionError, match=r"extract_many takes several texts, not one: use extract\(text\)"):
        make(name).extract_many("The reef.")
