"""From options to extractors."""

from __future__ import annotations

import pytest

from mderank import (
    MMR,
    Concept,
    InputError,
    MaskSubset,
    MDERank,
    NGrams,
    NounPhrases,
    OptionError,
    PhraseList,
    Terms,
    Vocabulary,
)
from mderank.factory import build_extractor, with_threads
from mderank.methods import FusionRank, TextRank, TfIdf
from mderank.methods.registry import METHODS
from mderank.options import Options
from mderank.ranking import MaxSum
from mderank.testing import FakeEncoder, FakeTagger


def build(**values):
    return build_extractor(Options(**values), encoder=FakeEncoder(), tagger=FakeTagger())


def test_the_default_is_fusion():
    extractor = build()
    assert isinstance(extractor, FusionRank)
    assert extractor.candidates == Terms()


@pytest.mark.parametrize("name", [name for name in METHODS if not name.startswith(("embedrank-", "sifrank"))])
def test_every_method_is_built_with_its_own_defaults(name):
    extractor = build(method=name)
    by_hand = METHODS[name].load()
    assert type(extractor) is by_hand
    assert extractor.dedupe == "variant"
    assert type(extractor.candidates) is type(by_hand.default_candidates)


def test_options_become_objects():
    extractor = build(method="mderank", masking="subset", diversity=0.25, ngrams="1-2", exclude=["Old Dog"])
    assert isinstance(extractor, MDERank)
    assert (extractor.masking, extractor.candidates) == (MaskSubset(), NGrams(1, 2))
    assert isinstance(extractor.diversity, MMR)
    assert extractor.exclude == {"old dog"}
    assert build(method="mderank", max_sum=12).diversity == MaxSum(12)
    assert build(method="mderank", diversity=0).diversity is None
    assert build(phrases=["a", "b"]).candidates == PhraseList(["a", "b"])


def test_candidates_by_pattern_and_limits():
    assert build(method="mderank", max_phrase_words=0).candidates == NounPhrases(None, None)
    assert build(method="mderank", pattern="<NN>").candidates == NounPhrases("<NN>")
    assert build(method="keybert", stop_words=["x"]).candidates == NounPhrases(stop_words=frozenset({"x"}))
    assert build(max_phrase_words=3, stop_words=["X"]).candidates == Terms(3, frozenset({"x"}))
    assert build(pattern="<NN>", max_phrase_words=0).candidates == NounPhrases("<NN>", None)
    with pytest.raises(OptionError, match="give a limit of at least 1"):
        build(max_phrase_words=0)


def test_stop_words_of_a_method_that_has_its_own():
    extractor = build(method="yake", stop_words=["Sea"])
    assert extractor.stop_words == {"sea"}
    assert type(extractor.candidates).__name__ == "KeywordNGrams"


def test_parameters_of_a_method():
    extractor = build(method="textrank", params={"window": 5, "damping": 0.5})
    assert isinstance(extractor, TextRank)
    assert (extractor.word_rank.window, extractor.word_rank.damping) == (5, 0.5)
    with pytest.raises(OptionError, match="unknown parameter of 'textrank' 'windows': did you mean window"):
        build(method="textrank", params={"windows": 5})
    with pytest.raises(OptionError, match=r"window must be a whole number.*, not '5'"):
        build(method="textrank", params={"window": "5"})


@pytest.mark.parametrize(
    ("values", "name"),
    [
        ({"method": "textrank", "masking": "all"}, "masking"),
        ({"method": "textrank", "diversity": 0.5}, "diversity"),
        ({"method": "yake", "model": "minilm-l6"}, "model"),
        ({"method": "yake", "threads": 2}, "threads"),
        ({"method": "mderank", "min_confidence": 0.5}, "min_confidence"),
        ({"method": "mderank", "frequencies": "x"}, "frequencies"),
        ({"method": "fusion", "seed": 1}, "seed"),
    ],
)
def test_an_option_that_the_method_does_not_take(values, name):
    with pytest.raises(OptionError, match=f"the method '{values['method']}' does not take {name}"):
        build(**values)


def test_an_unknown_method():
    with pytest.raises(OptionError, match="'textrang'"):
        build(method="textrang")


def test_frequencies_are_counted_in_texts_or_loaded(tmp_path):
    (tmp_path / "a.txt").write_text("The coral reef is near the coast.")
    extractor = build(method="tfidf", frequencies=str(tmp_path / "a.txt"))
    assert isinstance(extractor, TfIdf)
    assert extractor.frequencies.documents == 1
    extractor.frequencies.save(tmp_path / "saved.json")
    again = build(method="tfidf", frequencies=str(tmp_path / "saved.json"))
    assert again.frequencies == extractor.frequencies


def test_threads_are_for_encoders_on_onnx_runtime():
    assert with_threads(Options(), 2).threads == 2
    assert with_threads(Options(), None).threads is None
    assert with_threads(Options(method="yake"), 2).threads is None
    assert with_threads(Options(model="bert-base-uncased"), 2).threads is None


def test_a_vocabulary_is_loaded_with_its_way_to_match(tmp_path):
    file = tmp_path / "v.csv"
    file.write_text("id,label\nt2,tide gauge\n")
    assert build(vocabulary=str(file)).candidates == Vocabulary([Concept("t2", "tide gauge")])
    assert build(vocabulary=str(file), match="exact").candidates.match == "exact"
    assert build(method="yake", vocabulary=str(file)).overlap == "any"
    with pytest.raises(InputError, match="there is no such file"):
        build(vocabulary=str(tmp_path / "none.csv"))
