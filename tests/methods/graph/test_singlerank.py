"""SingleRank on a small text, worked out by hand."""

from __future__ import annotations

import numpy as np
from tests.helpers import ranking

from mderank.methods import SingleRank
from mderank.testing import FakeTagger

TEXT = "A reef boat, a reef boat, the reef crab."


def scores(text=TEXT, **options):
    return ranking(SingleRank(tagger=FakeTagger(), **options), text)


def test_edges_are_weighted_by_how_often_words_meet():
    """In units of (1 - d) / 3: reef = 1 + 0.85 (boat + crab), boat = 1 + 0.85 · 2/3 reef, crab = 1 + 0.85 / 3 reef."""
    assert scores(window=2) == [("reef boat", (360 + 241) / 740), ("reef crab", (360 + 139) / 740)]


def test_a_window_of_ten_tokens():
    """Tokens 1, 5 and 9 are reef, 2 and 6 boat, 10 crab: at most 9 apart they meet 6, 3 and 2 times."""
    meetings = np.array([[0, 6, 3], [6, 0, 2], [3, 2, 0]])  # reef, boat, crab
    shares = meetings / meetings.sum(axis=1, keepdims=True)
    reef, boat, crab = np.linalg.solve(np.eye(3) - 0.85 * shares.T, np.full(3, 0.15 / 3))
    assert scores() == [("reef boat", reef + boat), ("reef crab", reef + crab)]


def test_phrases_may_begin_with_nouns_and_adjectives_in_any_order_and_end_in_a_noun():
    found = dict(scores("The coral red fish is big."))
    assert list(found) == ["coral red fish"]
