from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from mderank import OptionError
from mderank.methods.registry import METHODS, get_method
from mderank.options import Options


@pytest.mark.parametrize("name", METHODS)
def test_all_options_of_a_method_are_in_its_signature(name):
    """`help` and editors show them by name, and the registry reads them from there."""
    parameters = inspect.signature(METHODS[name].load()).parameters
    assert all(each.kind is not each.VAR_KEYWORD for each in parameters.values())
    assert {"tagger", "candidates", "dedupe", "overlap", "min_score", "max_words", "exclude"} <= parameters.keys()
    assert tuple(parameters) == METHODS[name].options
    assert ("diversity" in parameters) == METHODS[name].load().has_vectors


def test_defaults_of_a_class_come_before_those_of_its_base():
    assert METHODS["textrank"].parameters()["window"].default == 2
    assert METHODS["singlerank"].parameters()["window"].default == 10
    assert "pooling" not in METHODS["attentionrank"].options  # which its base class has


@pytest.mark.parametrize("name", METHODS)
def test_parameters_are_described_and_are_no_options(name):
    parameters = METHODS[name].parameters()
    assert not parameters.keys() & Options.parameters().keys()
    for parameter in parameters.values():
        assert parameter.describe()


def test_parameters_are_read_from_text_and_checked():
    textrank = get_method("textrank")
    assert textrank.parse("window=5") == ("window", 5)
    assert textrank.parse("top_words=none") == ("top_words", None)
    assert get_method("embedrank-vectors").parse("vectors=a/b.txt") == ("vectors", Path("a/b.txt"))
    assert get_method("fusion").parse("norm=0.3") == ("norm", 0.3)
    assert textrank.check_params({"window": 5, "tags": "NN"}) == {"window": 5, "tags": "NN"}
    with pytest.raises(OptionError, match="window must be a whole number of at least 2, not 1"):
        textrank.parse("window=1")
    with pytest.raises(OptionError, match="write NAME=VALUE"):
        textrank.parse("window")
    with pytest.raises(OptionError, match="did you mean window"):
        textrank.parse("windw=3")
    with pytest.raises(OptionError, match="there are none"):
        get_method("firstphrases").parse("windw=3")
