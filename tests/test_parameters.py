"""Typed values that users set: checked, and read from text."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, Literal

import pytest

from mderank import OptionError
from mderank.parameters import NGramRange, Param, Parameter, Params, unknown_name


@pytest.mark.parametrize(
    ("hint", "text", "value"),
    [
        (int, "10", 10),
        (float, "0.85", 0.85),
        (int | None, "none", None),
        (int | None, "3", 3),
        (bool, "yes", True),
        (bool, "false", False),
        (Literal["a", "b"], "b", "b"),
        (Path | None, "x/y.txt", Path("x/y.txt")),
        (str | None, "none", None),
        (str | None, "nones", "nones"),
        (NGramRange, "1-3", NGramRange(1, 3)),
        (NGramRange | None, "2", NGramRange(2, 2)),
    ],
)
def test_a_value_is_read_by_its_type(hint, text, value):
    parsed = Parameter("it", hint).parse(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("hint", "text", "complaint"),
    [
        (int, "ten", "it must be a whole number, not 'ten'"),
        (int | None, "1.5", "it must be a whole number or none, not '1.5'"),
        (bool, "1", "it must be true or false"),
        (Literal["a", "b"], "c", "it must be one of a, b"),
        (NGramRange, "3-1", "1 <= N <= M"),
        (NGramRange, "x", "a range N-M"),
        (float, "nan", "a number"),
    ],
)
def test_a_wrong_text_tells_the_right_ones(hint, text, complaint):
    with pytest.raises(OptionError, match=complaint):
        Parameter("it", hint).parse(text)


@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (int, 3, 3),
        (float, 3, 3),
        (float | None, None, None),
        (tuple[str, ...], ["a", "b"], ("a", "b")),
        (NGramRange, [1, 3], NGramRange(1, 3)),
        (NGramRange, 2, NGramRange(2, 2)),
        (Path, "a", Path("a")),
        (Params, {"file": Path("a")}, Params({"file": "a"})),
        (Params | None, Params(), Params()),
        (Any, print, print),
    ],
)
def test_a_value_is_checked_and_brought_to_its_normal_form(hint, value, expected):
    assert Parameter("it", hint).check(value) == expected


@pytest.mark.parametrize(
    ("hint", "value"),
    [
        (int, True), (int, 3.0), (int, "3"), (int, None), (float, True), (float, float("nan")), (float, float("inf")),
        (str, 3), (bool, 1), (tuple[str, ...], "one"), (tuple[str, ...], [1]), (tuple[str, ...], None),
        (Literal["a"], "b"), (Literal["a"], ["a"]), (NGramRange, (1, 2, 3)), (NGramRange, True), (NGramRange, 0),
        (Params, [1]), (Params, {"a": object()}), (Params, {1: 2}), (Path, 3), (Params, "a"),
    ],
)  # fmt: skip
def test_a_value_of_another_type_is_refused(hint, value):
    with pytest.raises(OptionError, match=r"it|params"):
        Parameter("it", hint).check(value)


def test_one_string_where_several_are_meant():
    with pytest.raises(OptionError, match=r"a list of texts, not 'deep learning': write \['deep learning'\]"):
        Parameter("exclude", tuple[str, ...]).check("deep learning")


@pytest.mark.parametrize(
    ("param", "right", "wrong", "words"),
    [
        (Param(ge=2), (2, 3), (1, -1), "a number of at least 2"),
        (Param(ge=0, le=1), (0, 0.5, 1), (-0.1, 1.1), "a number from 0 to 1"),
        (Param(gt=0, le=1), (0.1, 1), (0, 1.1), "a number above 0 and of at most 1"),
        (Param(gt=-1), (0,), (-1,), "a number above -1"),
    ],
)
def test_a_range_is_kept(param, right, wrong, words):
    parameter = Parameter("it", float | None, None, param)
    for value in (None, *right):
        assert parameter.check(value) == value
    for value in wrong:
        with pytest.raises(OptionError, match=f"it must be {words} or none, not {value}"):
            parameter.check(value)
        with pytest.raises(OptionError, match=words):
            parameter.parse(str(value))


@pytest.mark.parametrize(
    ("default", "shown"), [(None, "none"), (True, "yes"), (False, "no"), (0, "0"), (0.85, "0.85"), ("stem", "stem")]
)
def test_a_default_is_shown_as_it_is_written(default, shown):
    assert Parameter("it", object, default).default_text() == shown


def test_parameters_can_be_hashed_pickled_and_compared():
    params = Params({"a": 1, "b": None})
    assert hash(params) == hash(Params({"b": None, "a": 1}))
    assert pickle.loads(pickle.dumps(params)) == params == {"a": 1, "b": None}
    assert params != Params({"a": 2})


def test_an_unknown_name_is_met_with_the_nearest():
    assert str(unknown_name("option", "topk", {"top_k": 1, "model": 2})) == "unknown option 'topk': did you mean top_k?"
    assert str(unknown_name("option", "x", {"top_k": 1})) == "unknown option 'x': it is one of top_k"
    assert str(unknown_name("option", "x", {})) == "unknown option 'x': there are none"
