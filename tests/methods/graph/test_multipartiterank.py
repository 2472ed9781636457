"""MultipartiteRank on small texts, worked out by hand up to the linear equations, which are solved."""

from __future__ import annotations

from math import exp

import pytest
from tests.helpers import solve_pagerank, texts

from mderank import OptionError
from mderank.methods import MultipartiteRank
from mderank.testing import FakeTagger

TEXT = "The coral reef is near the old harbour. The reef is big."
# coral reef 1-2 and reef 10 are one topic, old harbour 6-7 and big 12 topics of their own.
PHRASES = ["coral reef", "old harbour", "reef", "big"]
CORAL_HARBOUR, CORAL_BIG, HARBOUR_REEF, HARBOUR_BIG, REEF_BIG = 1 / 4, 1 / 10, 1 / 3, 1 / 5, 1 / 2


def make(**options):
    return MultipartiteRank(tagger=FakeTagger(), **options)


@pytest.mark.parametrize(("alpha", "damping"), [(1.1, 0.85), (0, 0.85), (3, 0.5)])
def test_edges_to_the_first_phrase_of_a_topic_are_heavier(alpha, damping):
    boost = alpha * exp(1 / (1 + 1))  # one word before "coral reef"
    weights = [  # from row to column
        [0, CORAL_HARBOUR, 0, CORAL_BIG],
        [CORAL_HARBOUR + boost * HARBOUR_REEF, 0, HARBOUR_REEF, HARBOUR_BIG],
        [0, HARBOUR_REEF, 0, REEF_BIG],
        [CORAL_BIG + boost * REEF_BIG, HARBOUR_BIG, REEF_BIG, 0],
    ]
    expected = dict(zip(PHRASES, solve_pagerank(weights, damping), strict=True))
    found = make(alpha=alpha, damping=damping).extract(TEXT)
    assert {each.text: each.score for each in found} == pytest.approx(expected, rel=1e-8)
    assert texts(found) == sorted(PHRASES, key=lambda phrase: -expected[phrase])


def test_the_preference_puts_the_first_phrase_first():
    assert texts(make(alpha=0).extract(TEXT))[0] == "reef"
    assert texts(make().extract(TEXT))[0] == "coral reef"


def test_the_first_of_a_topic_is_preferred_for_all_its_other_phrases():
    # reef 1, harbour 4, coral reef 7-8, red coral reef 11-13: one topic of three phrases, and harbour
    boost = 1.1 * exp(1 / 2)
    reef, coral, red = 1 / 3, 1 / 3, 1 / 7
    weights = [
        [0, reef, 0, 0],
        [reef + boost * (coral + red), 0, coral, red],
        [0, coral, 0, 0],
        [0, red, 0, 0],
    ]
    found = make().extract("The reef, the harbour of the coral reef and the red coral reef.")
    expected = solve_pagerank(weights)
    assert {each.text: each.score for each in found} == pytest.approx(
        dict(zip(["reef", "harbour", "coral reef", "red coral reef"], expected, strict=True)), rel=1e-8
    )


def test_every_phrase_is_a_topic_with_a_threshold_of_0():
    both = [each.score for each in make(threshold=0, alpha=0).extract(TEXT)]
    assert [each.score for each in make(threshold=0, alpha=5).extract(TEXT)] == both


def test_one_topic_has_no_edges():
    found = make().extract("The coral reef and the reef.")
    assert [(each.text, each.score) for each in found] == [("coral reef", 0.5), ("reef", 0.5)]


def test_forms_of_a_word_are_one_phrase_even_if_shown_apart():
    found = make(dedupe="case").extract("Reefs are near the harbour. A reef, the Reefs.", top_k=None)
    assert {each.text: each.score > 0 for each in found} == {"Reefs": True, "harbour": True, "reef": False}


def test_long_texts():
    text = " ".join(f"The harbour{number % 70}x is near the reef{number % 90}y." for number in range(2_000))
    found = make().extract(text, top_k=None)
    assert len(found) == 160
    assert sum(each.score for each in found) == pytest.approx(1)


@pytest.mark.parametrize("alpha", [-1, float("nan"), float("inf")])
def test_options_are_checked(alpha):
    with pytest.raises(OptionError, match="alpha must be a number of at least 0"):
        make(alpha=alpha)
    with pytest.raises(OptionError, match="linkage must be one of average, single, complete, not 'ward'"):
        make(linkage="ward")
