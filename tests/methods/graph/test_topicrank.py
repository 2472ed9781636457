"""TopicRank on small texts, worked out by hand up to the linear equations, which are solved."""

from __future__ import annotations

import pytest
from tests.helpers import solve_pagerank, texts

from mderank import NounPhrases, OptionError, PhraseList
from mderank.methods import TopicRank
from mderank.testing import FakeTagger

TEXT = "The coral reef is near the old harbour. The reef is big."
# Its topics: {coral reef 1-2, reef 10}, {old harbour 6-7}, {big 12}, and the weights between them.
FIRST_SECOND, FIRST_THIRD, SECOND_THIRD = 1 / 4 + 1 / 3, 1 / 10 + 1 / 2, 1 / 5


def make(**options):
    return TopicRank(tagger=FakeTagger(), **options)


@pytest.mark.parametrize("damping", [0.85, 0.5])
def test_scores_of_topics_go_to_their_first_phrases(damping):
    weights = [[0, FIRST_SECOND, FIRST_THIRD], [FIRST_SECOND, 0, SECOND_THIRD], [FIRST_THIRD, SECOND_THIRD, 0]]
    reef, harbour, big = solve_pagerank(weights, damping)
    found = make(damping=damping).extract(TEXT)
    assert texts(found) == ["coral reef", "big", "old harbour", "reef"]
    assert [each.score for each in found] == pytest.approx([reef, big, harbour, 0], rel=1e-8)
    assert [each.raw_score for each in found] == [each.score for each in found]


def test_without_the_other_phrases_of_the_topics():
    assert texts(make(min_score=1e-9).extract(TEXT)) == ["coral reef", "big", "old harbour"]


def test_a_threshold_of_0_makes_every_phrase_a_topic():
    assert all(each.score > 0 for each in make(threshold=0).extract(TEXT))


def test_linkage_makes_other_topics():
    text = "The coral reef. The reef bay. The bay storm."
    assert texts(make(linkage="average", min_score=1e-9).extract(text)) == ["coral reef", "bay storm"]
    assert texts(make(linkage="single", min_score=1e-9).extract(text)) == ["coral reef"]


@pytest.mark.parametrize(
    ("representative", "expected"), [("first", "red coral reef"), ("frequent", "reef"), ("central", "coral reef")]
)
def test_what_stands_for_a_topic(representative, expected):
    text = "The red coral reef, the coral reef, the reef and the reef are near the harbour."
    found = make(representative=representative, min_score=1e-9).extract(text)
    assert sorted(texts(found)) == sorted([expected, "harbour"])


def test_of_equally_frequent_phrases_the_first_stands_for_the_topic():
    assert texts(make(representative="frequent").extract("The coral reef and the reef."))[0] == "coral reef"


def test_forms_of_a_word_are_one_phrase_even_if_shown_apart():
    found = make(dedupe="none").extract("Reefs are near the harbour. A reef, the Reefs.", top_k=None)
    assert {each.text: each.score > 0 for each in found} == {"Reefs": True, "harbour": True, "reef": False}


def test_one_topic_has_all_the_score():
    (found,) = make().extract("A reef, the reefs and a Reef.")
    assert found.score == pytest.approx(1)


def test_topics_that_only_overlap_are_equal():
    source = PhraseList(["big coral reef", "reef harbour bay"])
    found = make(candidates=source).extract("The big coral reef harbour bay.")
    assert [(each.text, each.score) for each in found] == [("big coral reef", 0.5), ("reef harbour bay", 0.5)]


def test_candidates_may_be_others():
    assert texts(make(candidates=NounPhrases()).extract(TEXT)) == ["coral reef", "old harbour", "reef"]


def test_long_texts():
    text = " ".join(f"The harbour{number % 70}x is near the reef{number % 90}y." for number in range(2_000))
    found = make().extract(text, top_k=None)
    assert len(found) == 160
    assert sum(each.score for each in found) == pytest.approx(1)


def test_options_are_checked():
    with pytest.raises(OptionError, match="representative must be one of first, frequent, central, not 'last'"):
        make(representative="last")
    with pytest.raises(OptionError, match="threshold must be"):
        make(threshold=1)
