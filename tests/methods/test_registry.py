from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest

from mderank import OptionError
from mderank.methods.registry import Setting


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
    ],
)
def test_a_setting_is_read_by_its_type(hint, text, value):
    parsed = Setting("it", hint, None).parse(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("hint", "text", "complaint"),
    [
        (int, "ten", "it is a whole number"),
        (int | None, "1.5", "it is a whole number or none"),
        (bool, "1", "it is yes or no"),
        (Literal["a", "b"], "c", "it is a, b"),
    ],
)
def test_a_wrong_value_tells_the_right_ones(hint, text, complaint):
    with pytest.raises(OptionError, match=complaint):
        Setting("it", hint, None).parse(text)


@pytest.mark.parametrize(
    ("default", "shown"), [(None, "none"), (True, "yes"), (False, "no"), (0, "0"), (0.85, "0.85"), ("stem", "stem")]
)
def test_a_default_is_shown_as_it_is_written(default, shown):
    assert Setting("it", object, default).shown() == shown
