"""From a place in the text to a phrase, and from a phrase to its places."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank.labelling.session import find_spans, whole_words

TEXT = "The “coral reefs”, C++ and .NET, of the U.S.\nTCP/IP, one-pass naïve_x (2024)!"


@pytest.mark.parametrize(
    ("selected", "phrase"),
    [
        ("oral ree", "coral reefs"),
        ("“coral reefs”, ", "coral reefs"),
        ("C++", "C++"),
        (" .NET,", ".NET"),
        ("U.S.\nTCP", "U.S. TCP"),
        ("TCP/IP", "TCP/IP"),
        ("one-pass", "one-pass"),
        ("aïve", "naïve_x"),
        ("(2024)!", "2024"),
        (", ", ""),
        ("”", ""),
    ],
)
def test_a_selection_becomes_whole_words(selected, phrase):
    start = TEXT.index(selected)
    assert whole_words(TEXT, start, start + len(selected)) == phrase


@given(st.text(max_size=40), st.integers(-5, 50), st.integers(-5, 50))
def test_any_selection_gives_words_of_the_text(text, start, end):
    phrase = whole_words(text, start, end)
    assert " ".join(phrase.split()) == phrase
    assert all(word in text for word in phrase.split())


@pytest.mark.parametrize(
    ("phrase", "places"),
    [
        ("Coral  Reefs", ["coral reefs"]),
        ("coral reef", []),
        ("u.s. tcp/ip", ["U.S.\nTCP/IP"]),
        ("C++", ["C++"]),
        ("", []),
        ("  ", []),
    ],
)
def test_the_places_of_a_phrase(phrase, places):
    assert [TEXT[start:end] for start, end in find_spans(TEXT, phrase)] == places
