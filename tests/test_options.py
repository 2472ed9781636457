"""The list of options: types, ranges, exclusions, plain form."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace

import pytest

from mderank import OptionError
from mderank.encoding import POOLINGS
from mderank.masking import MASKINGS
from mderank.methods.registry import METHODS
from mderank.options import Options
from mderank.parameters import NGramRange
from mderank.ranking import DEDUPES, OVERLAPS, SIMILARITIES


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({"top_k": -1}, "top_k must be a whole number of at least 0, not -1"),
        ({"top_k": "10"}, "top_k must be a whole number of at least 0, not '10'"),
        ({"diversity": 1.5}, "diversity must be a number from 0 to 1, not 1.5"),
        ({"exact": 1}, "exact must be true or false"),
        ({"dedupe": "stems"}, "dedupe must be one of none, case, variant, stem"),
        ({"max_tokens": 2}, "at least 3"),
        ({"exclude": "one phrase"}, "exclude must be a list of texts"),
        ({"phrases": [1]}, "phrases must be a list of texts"),
        ({"ngrams": "3-1"}, "ngrams must be a range"),
        ({"params": ["a=1"]}, "params must be names with values"),
        ({"params": {"a": object()}}, "a parameter is a number"),
        ({"min_confidence": 2}, "min_confidence must be a number from 0 to 1"),
        ({"pattern": "<NN>", "ngrams": "1-2"}, "pattern and ngrams exclude each other: give one of them"),
        ({"ngrams": "1-2", "phrases": ["a"]}, "ngrams and phrases exclude each other"),
        ({"vocabulary": "v.csv", "phrases": ["a"]}, "phrases and vocabulary exclude each other: give one of them"),
        ({"vocabulary": "v.csv", "pattern": "<NN>"}, "pattern and vocabulary exclude each other"),
        ({"vocabulary": "v.csv", "stop_words": ["b"]}, "vocabulary and stop_words exclude each other"),
        ({"vocabulary": "v.csv", "max_phrase_words": 3}, "vocabulary and max_phrase_words exclude each other"),
        ({"match": "case"}, "match is for listed phrases: give phrases or vocabulary too, or leave match out"),
        ({"phrases": ["a"], "stop_words": ["b"]}, "phrases and stop_words exclude each other"),
        ({"ngrams": "1-2", "max_phrase_words": 3}, "ngrams and max_phrase_words exclude each other"),
        ({"diversity": 0.5, "max_sum": 20}, "diversity and max_sum exclude each other"),
        ({"max_sum": 5}, "max_sum=5 needs a top_k from 1 to 5, not 10"),
        ({"max_sum": 5, "top_k": 0}, "max_sum=5 needs a top_k from 1 to 5, not 0"),
    ],
)
def test_what_is_refused(values, complaint):
    with pytest.raises(OptionError, match=complaint):
        Options(**values)
    with pytest.raises(OptionError, match=complaint):
        Options.from_dict(values)


def test_no_limit_on_phrases_goes_with_everything():
    assert Options(ngrams="1-2", max_phrase_words=0).max_phrase_words == 0


def test_values_get_their_normal_form():
    options = Options(ngrams=[1, 3], exclude=["a", "b"], params={"window": 3})
    assert options.ngrams == NGramRange(1, 3)
    assert options.exclude == ("a", "b")
    assert options == Options(ngrams="1-3", exclude=("a", "b"), params={"window": 3})
    assert hash(options) == hash(replace(options))
    assert pickle.loads(pickle.dumps(options)) == options


def test_plain_values_there_and_back():
    options = Options(method="yake", ngrams="1-3", exclude=["a"], params={"window": 3}, min_score=0.5)
    plain = json.loads(json.dumps(options.to_dict()))
    assert plain["ngrams"] == "1-3"
    assert Options.from_dict(plain) == options
    assert Options.from_dict({"top-k": 3, "model": None, "exact": None}) == Options(top_k=3)
    assert options.given() == {
        "method": "yake", "ngrams": (1, 3), "exclude": ("a",), "params": {"window": 3}, "min_score": 0.5,
    }  # fmt: skip
    assert Options().given() == {}


def test_unknown_and_repeated_names():
    with pytest.raises(OptionError, match="unknown option 'top': did you mean top_k"):
        Options.from_dict({"top": 3})
    with pytest.raises(OptionError, match="the option top_k is given twice"):
        Options.from_dict({"top-k": 3, "top_k": 3})


def test_options_do_not_change():
    with pytest.raises(FrozenInstanceError):
        Options().top_k = 3


def test_choices_are_those_of_the_library():
    parameters = Options.parameters()
    assert set(parameters["dedupe"].choices) == set(DEDUPES)
    assert set(parameters["overlap"].choices) == set(OVERLAPS)
    assert set(parameters["masking"].choices) == set(MASKINGS)
    assert set(parameters["pooling"].choices) == set(POOLINGS)
    assert set(parameters["similarity"].choices) == set(SIMILARITIES)


def test_every_option_is_described_and_taken_by_some_method():
    from mderank.factory import takes

    for name, parameter in Options.parameters().items():
        assert parameter.param.help.endswith(".")
        assert any(takes(method, name) for method in METHODS.values()), name


def test_the_module_is_light():
    code = (
        "import sys, mderank.options; print([name for name in ('numpy', 'click', 'pydantic', 'spacy', "
        "'mderank.encoding', 'mderank.methods') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert shown.stdout.strip() == "[]"
