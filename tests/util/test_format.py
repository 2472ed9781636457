from __future__ import annotations

import json

import pytest

from mderank.util.format import format_duration, format_number, json_text, replace_unprintable, round_number


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0, "0 s"),
        (0.6, "1 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (3599, "59 min 59 s"),
        (3600, "1 h 0 min"),
        (86_399, "23 h 59 min"),
        (86_400, "1 d 0 h"),
        (10 * 86_400 + 7200, "10 d 2 h"),
    ],
)
def test_a_duration_has_its_two_largest_units(seconds, shown):
    assert format_duration(seconds) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(0.12345678, "0.123457"), (1, "1"), (-2.5e-9, "-2.5e-09"), (1234567.8, "1.23457e+06")]
)
def test_a_number_has_six_digits(value, shown):
    assert format_number(value) == shown
    assert round_number(value) == float(shown)


def test_text_that_a_terminal_would_obey_is_replaced_one_for_one():
    assert replace_unprintable("a\x1b[0m\nb\tc\x7f") == "a�[0m�b�c�"
    assert replace_unprintable("Bahía\u00a0日本 – 𝛼") == "Bahía\u00a0日本 – 𝛼"
    assert replace_unprintable("\ud800\u202e") == "��"


def test_json_is_readable_and_can_be_encoded():
    data = {"b": "Kärnten", "a": "\ud800 reef \\ud800"}
    assert json_text(data, sort_keys=True) == '{"a": "\\ud800 reef \\\\ud800", "b": "Kärnten"}'
    assert json.loads(json_text(data, 2).encode("utf-8")) == data
