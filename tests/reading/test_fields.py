"""A field is found by its name, in objects and lists; a key that has the dot itself comes first."""

from __future__ import annotations

import pytest

from mderank.reading.fields import MISSING, find_field, is_index, split_name

RECORD = {
    "text": "top",
    "document": {"body": {"text": "deep", "": "blank"}, "parts": [{"text": "first"}, None], "none": None},
    "a.b": {"c": "dotted"},
    "a": {"b": {"c": "nested", "d": "only here"}},
}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("text", "top"),
        ("document.body.text", "deep"),
        ("document.parts.0.text", "first"),
        ("document.parts.1", None),
        ("document.none", None),
        ("a.b.c", "dotted"),
        ("a.b", {"c": "dotted"}),
    ],
)
def test_fields_that_are_there(name, value):
    assert find_field(RECORD, name).value == value


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("body", ""),
        ("document.body.txt", "document.body"),
        ("document.parts.2.text", "document.parts"),
        ("document.parts.-1", "document.parts"),
        ("document.parts.text", "document.parts"),
        ("document.parts.1.text", "document.parts.1"),
        ("text.length", "text"),
        ("a.b.d", "a.b"),  # the key with the dot is the one that counts
        ("", ""),
        (".", ""),
        ("document.parts." + "9" * 5000, "document.parts"),
    ],
)
def test_fields_that_are_missing_say_how_far_the_name_leads(name, path):
    found = find_field(RECORD, name)
    assert found.value is MISSING
    assert found.path == path


def test_a_name_is_divided_after_its_longest_key():
    assert split_name("a.b.c", {"a", "a.b", "b"}) == ("a.b", "c")
    assert split_name("a.b.c", ["c"]) is None
    assert split_name("a.b.c", {"a.b.c"}) == ("a.b.c", "")


def test_indices():
    assert [is_index(text) for text in ("0", "12", "-1", "1.0", "²", "", "x", "1" * 10)] == [True, True] + [False] * 6
