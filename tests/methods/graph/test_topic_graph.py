"""Phrases, topics, the graph and PageRank, each against a plain computation."""

from __future__ import annotations

from itertools import combinations, count

import numpy as np
import pytest

from mderank import Document, OptionError, PhraseList
from mderank.methods import FirstPhrases, MultipartiteRank, TopicRank
from mderank.methods.graph import topic_graph
from mderank.methods.graph.pagerank import pagerank
from mderank.methods.graph.topic_graph import (
    NOUNS_AND_ADJECTIVES,
    NearnessGraph,
    Phrase,
    find_phrases,
    find_topics,
)
from mderank.testing import FakeTagger


def phrases(*texts):
    return [Phrase(tuple(text.split()), (index,), (range(index, index + 1),)) for index, text in enumerate(texts)]


def read(text, source=NOUNS_AND_ADJECTIVES):
    ranker = FirstPhrases(tagger=FakeTagger(), candidates=source)
    return ranker._find_candidates([text])[0]


def clusters_by_definition(given, threshold, linkage):
    """Compare all topics with all others, again and again."""
    combine = {"average": np.mean, "single": np.min, "complete": np.max}[linkage]
    made = {index: [index] for index in range(len(given))}
    numbers = count(len(given))

    def distance(pair):
        return round(
            float(combine([1 - given[one].similarity(given[two]) for one in made[pair[0]] for two in made[pair[1]]])), 8
        )

    while len(made) > 1:
        pairs = [tuple(sorted(pair)) for pair in combinations(made, 2)]
        nearest = min(pairs, key=lambda pair: (distance(pair), pair))
        if distance(nearest) > threshold:
            break
        made[next(numbers)] = made.pop(nearest[0]) + made.pop(nearest[1])
    return sorted(sorted(each) for each in made.values())


def matrix_by_definition(places, labels):
    """W, place by place."""
    weights = np.zeros((len(places), len(places)))
    for one, other in combinations(range(len(places)), 2):
        for left in places[one] if labels[one] != labels[other] else ():
            for right in places[other]:
                distance = max(left.start - right[-1], right.start - left[-1])
                if distance > 0:
                    weights[one, other] += 1 / distance
                    weights[other, one] += 1 / distance
    return weights


def random_places(rng, nodes, words=200):
    return [
        [range(start, start + int(rng.integers(1, 5))) for start in rng.choice(words, int(rng.integers(1, 8)), False)]
        for _ in range(nodes)
    ]


def test_nouns_and_adjectives_may_end_in_an_adjective():
    found = NOUNS_AND_ADJECTIVES.find(next(FakeTagger().tag(["The reef is big and the old reef is red."])))
    assert [each.key for each in found] == ["reef", "big", "old reef", "red"]
    tagged = [("deep", "ADJ"), ("Rhine", "PROPN"), ("flows", "VERB"), ("water", "NOUN")]
    found = NOUNS_AND_ADJECTIVES.find(Document.from_tagged(tagged, tagset="universal"))
    assert [each.key for each in found] == ["deep rhine", "water"]


def test_variants_of_the_same_stems_are_one_phrase():
    reading = read("Reefs are near the harbour. A reef, the Reefs.")
    found = [
        (each.stems, [reading.candidates[index].key for index in each.candidates], each.places)
        for each in find_phrases(reading)
    ]
    assert found == [
        (("reef",), ["reefs", "reef"], (range(1), range(7, 8), range(10, 11))),
        (("harbour",), ["harbour"], (range(4, 5),)),
    ]


def test_a_place_inside_a_longer_phrase_does_not_count():
    found = find_phrases(read("The coral reef is near the harbour. A reef."))
    assert [(each.stems, each.places) for each in found] == [
        (("coral", "reef"), (range(1, 3),)),
        (("harbour",), (range(6, 7),)),
        (("reef",), (range(9, 10),)),
    ]


def test_a_phrase_that_never_stands_by_itself_has_all_its_places():
    source = PhraseList(["reef", "coral reef", "reef shark"])
    found = find_phrases(read("The coral reef shark is by the coral reef.", source))
    assert {each.stems: each.places for each in found} == {
        ("coral", "reef"): (range(1, 3), range(7, 9)),
        ("reef", "shark"): (range(2, 4),),  # overlaps, but is not inside
        ("reef",): (range(2, 3), range(8, 9)),
    }


def test_no_candidates_are_no_phrases():
    assert find_phrases(read("Of the and.")) == []


@pytest.mark.parametrize(
    ("linkage", "threshold", "expected"),
    [
        # a b – b c: 1 of 3 stems in common, as b c – c d; a b – c d: none. The first two become one.
        ("average", 0.74, [[0, 1], [2], [3]]),  # then c d is (1 + 2/3) / 2 = 0.83 away
        ("average", 0.84, [[0, 1, 2], [3]]),
        ("single", 0.74, [[0, 1, 2], [3]]),
        ("complete", 0.74, [[0, 1], [2], [3]]),
        ("average", 2 / 3, [[0, 1], [2], [3]]),  # at the threshold, whatever the rounding
        ("average", 0.66, [[0], [1], [2], [3]]),
        ("average", 0, [[0], [1], [2], [3]]),
    ],
)
def test_topics_worked_out_by_hand(linkage, threshold, expected):
    assert find_topics(phrases("a b", "b c", "c d", "x"), threshold, linkage) == expected


def test_a_quarter_of_the_stems_is_too_little_and_a_third_enough():
    assert find_topics(phrases("a b", "a c d"), 0.74, "average") == [[0], [1]]
    assert find_topics(phrases("a b", "a c"), 0.74, "average") == [[0, 1]]


def test_repeated_stems_count_once_and_their_order_does_not_matter():
    assert find_topics(phrases("a b", "b a b"), 0.0, "average") == [[0, 1]]


@pytest.mark.parametrize("linkage", topic_graph.LINKAGES)
@pytest.mark.parametrize("threshold", [0.5, 0.74, 0.9])
def test_topics_are_those_of_the_definition(linkage, threshold):
    rng = np.random.default_rng(7)
    for _ in range(8):
        given = phrases(
            *dict.fromkeys(" ".join(rng.choice(list("abcdefghij"), int(rng.integers(1, 4)), False)) for _ in range(14))
        )
        assert find_topics(given, threshold, linkage) == clusters_by_definition(given, threshold, linkage)


def test_a_stem_of_very_many_phrases_tells_nothing(monkeypatch):
    monkeypatch.setattr(topic_graph, "_MOST_SHARING", 2)
    assert find_topics(phrases("a x", "a y"), 0.74, "average") == [[0, 1]]
    assert find_topics(phrases("a x", "a y", "a z"), 0.74, "average") == [[0], [1], [2]]


def test_pairs_of_phrases_are_bounded_and_the_commonest_stems_are_left_out(monkeypatch):
    monkeypatch.setattr(topic_graph, "_MOST_ALIKE", 2)
    monkeypatch.setattr(topic_graph, "_MOST_ALIKE_PER_PHRASE", 0)
    near = topic_graph._similarities([("a", "x"), ("a", "y"), ("b", "x"), ("b", "z"), ("b", "y")])
    pairs = {(one, other) for one in near for other in near[one]}
    assert pairs == {(0, 1), (1, 0), (0, 2), (2, 0)}


def test_a_topic_that_fills_the_text_costs_one_convolution(monkeypatch):
    """Once for all steps of PageRank, not once a step."""
    calls = []
    between = NearnessGraph._between
    monkeypatch.setattr(topic_graph, "_MOST_PAIRED", 3)
    monkeypatch.setattr(NearnessGraph, "_between", lambda *arguments: calls.append(1) or between(*arguments))
    places = [[range(number, number + 1) for number in range(node, 40, 4)] for node in range(4)]
    graph = NearnessGraph(places, range(4))
    assert len(calls) == 4
    for _ in range(5):
        graph @ np.ones(4)
    assert len(calls) == 9


def test_weights_worked_out_by_hand():
    # words 1-2, 6-7, 10, 12 (as in "The coral reef is near the old harbour. The reef is big.")
    graph = NearnessGraph([[range(1, 3), range(10, 11)], [range(6, 8)], [range(12, 13)]], [0, 1, 2])
    weights = np.stack([graph @ column for column in np.eye(3)])
    one, two, three = 1 / 4 + 1 / 3, 1 / 10 + 1 / 2, 1 / 5
    np.testing.assert_allclose(weights, [[0, one, two], [one, 0, three], [two, three, 0]], atol=1e-12)


# With 3, larger topics are taken off by convolution: once for topics of few phrases, else in each step.
@pytest.mark.parametrize(("paired", "few"), [(2_000, 32), (3, 32), (3, 4), (3, 0)])
def test_the_graph_is_that_of_the_definition(monkeypatch, paired, few):
    monkeypatch.setattr(topic_graph, "_MOST_PAIRED", paired)
    monkeypatch.setattr(topic_graph, "_FEW_PHRASES", few)
    rng = np.random.default_rng(3)
    for nodes in (1, 2, 9, 30):
        places = random_places(rng, nodes)
        for labels in (list(range(nodes)), rng.integers(0, 4, nodes).tolist(), [0] * nodes):
            graph = NearnessGraph(places, labels)
            expected = matrix_by_definition(places, labels)
            values = rng.random(nodes)
            np.testing.assert_allclose(graph @ values, expected @ values, atol=1e-11)
            leaving = graph.leaving(np.ones(nodes))
            np.testing.assert_allclose(leaving, expected.sum(axis=1), atol=1e-11)
            assert [value == 0 for value in leaving] == [not any(row) for row in expected]


def test_overlapping_places_are_not_joined():
    graph = NearnessGraph([[range(3)], [range(2, 5)]], [0, 1])
    assert graph.leaving(np.ones(2)).tolist() == [0, 0]


@pytest.mark.parametrize("damping", [0, 0.5, 0.85, 0.99])
def test_pagerank_is_the_solution_of_its_equation(damping):
    rng = np.random.default_rng(5)
    weights = rng.random((12, 12)) * (rng.random((12, 12)) < 0.4)  # from row to column
    weights[3] = 0  # no way out
    weights[:, 4] = 0  # no way in
    leaving = weights.sum(axis=1)
    scores = pagerank(lambda sent: weights.T @ sent, leaving, damping)
    moves = np.where(leaving[:, None] > 0, weights / np.where(leaving, leaving, 1)[:, None], 1 / 12)
    expected = np.linalg.solve(np.eye(12) - damping * moves.T, np.full(12, (1 - damping) / 12))
    np.testing.assert_allclose(scores, expected, atol=1e-9)
    assert scores.sum() == pytest.approx(1)


@pytest.mark.parametrize("method", [TopicRank, MultipartiteRank])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"threshold": 1.0}, "threshold must be a number of at least 0 and below 1, not 1.0"),
        ({"threshold": -0.1}, "threshold must be"),
        ({"threshold": float("nan")}, "threshold must be"),
        ({"linkage": "ward"}, "linkage must be one of average, single, complete, not 'ward'"),
        ({"damping": 1.0}, "damping must be a number from 0 to 0.99, not 1.0"),
    ],
)
def test_options_that_make_no_topics(method, options, message):
    with pytest.raises(OptionError, match=message):
        method(tagger=FakeTagger(), **options)
