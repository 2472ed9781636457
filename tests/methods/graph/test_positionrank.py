"""PositionRank on small texts, worked out by hand."""

from __future__ import annotations

import pytest
from tests.helpers import ranking

from mderank import Document
from mderank.methods import PositionRank
from mderank.methods.graph.word_graph import WordRank
from mderank.testing import FakeTagger


def scores(text, **options):
    return ranking(PositionRank(tagger=FakeTagger(), **options), text)


def test_the_papers_example_of_a_bias():
    words = ["reef" if place in (2, 5, 10) else "is" for place in range(1, 12)]
    document = Document.from_tagged([(word, "NN" if word == "reef" else "VBZ") for word in words])
    assert WordRank().graph(document).inverse_positions().tolist() == [pytest.approx(0.8)]


def test_a_walk_that_follows_no_edge_is_the_bias():
    """Coral is at 2 and 11, reef at 3, big at 5, boat at 8."""
    coral, reef, big, boat = 1 / 2 + 1 / 11, 1 / 3, 1 / 5, 1 / 8
    every = coral + reef + big + boat
    expected = [("coral reef", (coral + reef) / every), ("coral", coral / every), ("boat", boat / every)]
    assert scores("The coral reef is big. A boat near the coral.", damping=0) == expected


def test_words_that_stand_early_are_preferred():
    """Two words, linked once: reef at 1 and boat at 3, of bias 3/4 and 1/4.

    reef = 0.15 · 3/4 + 0.85 boat and boat = 0.15 / 4 + 0.85 reef.
    """
    reef = (0.15 * 3 / 4 + 0.85 * 0.15 / 4) / (1 - 0.85**2)
    assert scores("Reef of boat.") == [("Reef", reef), ("boat", 1 - reef)]
    assert [phrase for phrase, _ in scores("Boat of reef.")] == ["Boat", "reef"]


def test_phrases_are_adjectives_then_nouns_of_at_most_three_words():
    text = "The coral red fish is a big old reef boat. A long deep bay is near."
    found = {phrase for phrase, _ in scores(text)}
    assert found == {"coral", "red fish", "long deep bay"}
