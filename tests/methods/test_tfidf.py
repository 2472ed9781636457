"""Scores worked out by hand."""

from __future__ import annotations

from math import log2

import pytest
from tests.helpers import texts

from mderank.methods import DocumentFrequencies, TfIdf
from mderank.testing import FakeTagger

TAGGER = FakeTagger()
TEXT = "The old harbour is near the reef. A reef, a boat and reefs."


def test_tfidf():
    corpus = ["A reef is big.", "The reef, the boat.", "A boat is old.", "An old harbour.", "The reefs are big.", "Of."]
    frequencies = DocumentFrequencies.of(corpus, tagger=TAGGER)
    assert frequencies.documents == 6
    assert frequencies.counts == {"reef": 3, "boat": 2, "old harbour": 1, "old": 1, "harbour": 1}
    found = TfIdf(frequencies, tagger=TAGGER).extract(TEXT)
    assert {each.text: each.score for each in found} == pytest.approx(
        {"reef": 3 * log2(7 / 4), "old harbour": log2(7 / 2), "boat": log2(7 / 3)}
    )
    assert texts(found) == ["reef", "old harbour", "boat"]


def test_tfidf_without_a_corpus_counts_only():
    found = TfIdf(tagger=TAGGER).extract(TEXT)
    assert [(each.text, each.score) for each in found] == [("reef", 3.0), ("old harbour", 1.0), ("boat", 1.0)]


def test_tfidf_counts_what_stands_inside_longer_phrases_if_asked_to():
    text = "The coral reef is near the old coral reef. A reef."
    found = TfIdf(tagger=TAGGER).extract(text)
    assert [(each.text, each.score) for each in found] == [("coral reef", 1), ("reef", 1), ("old coral reef", 1)]
    found = TfIdf(tagger=TAGGER, nested=True).extract(text)
    assert [(each.text, each.score) for each in found] == [("reef", 3), ("coral reef", 2), ("old coral reef", 1)]
