"""Phrases that are part of each other, worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank.document import Span
from mderank.ranking import OVERLAPS, family_members, family_order

UNIT, WORD, FRAGMENT = 0.0, -0.15, -1.0  # unithood


def order(scores, keys, overlap, unithood=None, spans=None):
    """The order alone; without ``spans`` every entry stands at a place of its own."""
    apart = [(Span(10 * index, 10 * index + 5),) for index in range(len(keys))]
    taken, _ = family_order(np.asarray(scores), keys, unithood or [UNIT] * len(keys), spans or apart, overlap)
    return taken


def test_what_is_moved_down_says_what_it_lost():
    keys = ["total eclipse", "eclipse", "moon"]
    spans = [(Span(0, 13),), (Span(6, 13), Span(20, 27)), (Span(30, 34),)]
    taken, lost = family_order(np.array([3.0, 1.01, 1.0]), keys, [UNIT] * 3, spans, "little")
    assert taken == [0, 2, 1]
    assert lost == {1: pytest.approx(0.9 * np.std([3.0, 1.01, 1.0]))}


def test_a_fragment_that_stands_only_where_a_better_phrase_does_is_left_out():
    keys = ["bracken society", "royal bracken", "moon"]  # of "royal bracken society"
    spans = [(Span(6, 21),), (Span(0, 13),), (Span(30, 34),)]
    assert order([3.0, 2.9, 1.0], keys, "little", [WORD, WORD, UNIT], spans) == [0, 2]
    elsewhere = [spans[0], (Span(0, 13), Span(40, 53)), spans[2]]
    assert order([3.0, 2.9, 1.0], keys, "little", [WORD, WORD, UNIT], elsewhere) == [0, 1, 2]


@pytest.mark.parametrize(("overlap", "expected"), [("any", [0, 1, 2]), ("little", [0, 2]), ("none", [0, 2])])
def test_a_phrase_that_contains_a_better_one_adds_a_detail_at_most(overlap, expected):
    assert order([3.0, 2.0, 1.0], ["eclipse", "total eclipse", "moon"], overlap) == expected


@pytest.mark.parametrize(("overlap", "expected"), [("any", [0, 1, 2]), ("little", [0, 1, 2]), ("none", [0, 2])])
def test_a_part_of_a_better_phrase_stays_if_it_is_far_better_than_the_rest(overlap, expected):
    # It loses a share of the standard deviation, 1.4, and is 2.9 better than the moon.
    assert order([3.0, 2.9, 0.0], ["total eclipse", "eclipse", "moon"], overlap) == expected


def test_a_part_of_a_better_phrase_comes_behind_what_is_as_good():
    assert order([3.0, 1.01, 1.0], ["total eclipse", "eclipse", "moon"], "little") == [0, 2, 1]


def test_a_part_that_is_not_a_unit_loses_more():
    keys = ["total eclipse", "eclipse", "moon"]
    assert order([3.0, 2.0, 1.35], keys, "little", [UNIT, UNIT, UNIT]) == [0, 1, 2]
    assert order([3.0, 2.0, 1.35], keys, "little", [UNIT, WORD, UNIT]) == [0, 2, 1]


def test_a_fragment_of_a_better_phrase_is_left_out():
    keys = ["general public license", "general public", "source"]
    assert order([3.0, 2.9, 0.0], keys, "little", [UNIT, FRAGMENT, UNIT]) == [0, 2]


def test_words_overlap_and_not_letters():
    assert order([3.0, 2.0, 1.0], ["art", "smart card", "party art work"], "none") == [0, 1]
    assert order([3.0, 2.0], ["mode control", "control mode"], "none") == [0, 1]


def test_what_a_phrase_that_was_left_out_overlaps_may_stay():
    # "deep sea" is not taken, and so does not keep "deep" from being taken.
    assert order([4.0, 3.0, 2.0], ["sea", "deep sea", "deep"], "none") == [0, 2]


def test_of_nothing_comes_nothing():
    for overlap in OVERLAPS:
        assert order([], [], overlap) == []
        assert order([1.0], ["eclipse"], overlap) == [0]


def test_members_of_a_family_are_named_under_the_first_that_they_overlap():
    keys = ["eclipse", "moon", "total eclipse", "partial eclipse", "moon eclipse", "sun"]
    assert family_members(keys, [0, 1]) == {0: [2, 3, 4]}
    assert family_members(keys, [1, 0]) == {1: [4], 0: [2, 3]}
    assert family_members(keys, [5]) == {}
    assert family_members(keys, range(6)) == {}


ENTRIES = st.lists(
    st.tuples(
        st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map(" ".join),
        st.floats(-100, 100),
        st.floats(-1, 0.2),
    ),
    max_size=12,
    unique_by=lambda entry: entry[0],
).map(lambda entries: sorted(entries, key=lambda entry: -entry[1]))


def overlapping(one, other):
    return f" {one} " in f" {other} " or f" {other} " in f" {one} "


@given(ENTRIES, st.sampled_from(OVERLAPS))
def test_whatever_the_phrases(entries, overlap):
    keys, scores, unithood = ([entry[place] for entry in entries] for place in range(3))
    taken = order(scores, keys, overlap, unithood)
    assert len(set(taken)) == len(taken)
    assert set(taken) <= set(range(len(keys)))
    assert taken[:1] == list(range(len(keys)))[:1], "the best one comes first"
    if overlap == "any":
        assert taken == list(range(len(keys)))
    if overlap == "none":
        assert taken == sorted(taken)
        assert not any(overlapping(keys[one], keys[other]) for one in taken for other in taken if one < other)
    for index in set(range(len(keys))) - set(taken):
        assert any(overlapping(keys[index], keys[other]) for other in taken)
    hidden = [index for others in family_members(keys, taken).values() for index in others]
    assert sorted(hidden) == sorted(set(range(len(keys))) - set(taken)), "what is left out is named, once"


def test_a_word_gives_way_to_a_phrase_that_recurs_and_is_nearly_as_good():
    keys = ["oil", "tanker", "oil spill", "beach"]
    places = [[Span(0, 3), Span(20, 23)], [Span(40, 46)], [Span(0, 9), Span(20, 29)], [Span(50, 55)]]
    order, lost = family_order(np.array([1.0, 0.9, 0.85, 0.1]), keys, [0.0] * 4, places, "little")
    assert [keys[index] for index in order] == ["tanker", "oil spill", "oil", "beach"]
    assert lost == {0: pytest.approx(0.9 * np.std([1.0, 0.9, 0.85, 0.1]))}

    far = family_order(np.array([1.0, 0.9, 0.2, 0.1]), keys, [0.0] * 4, places, "little")[0]
    assert [keys[index] for index in far] == ["oil", "tanker", "beach"]

    once = [places[0], places[1], places[2][:1], places[3]]
    order = family_order(np.array([1.0, 0.9, 0.85, 0.1]), keys, [0.0] * 4, once, "little")[0]
    assert [keys[index] for index in order] == ["oil", "tanker", "beach"]


def test_a_word_gives_way_once():
    keys = ["oil", "oil spill", "oil price", "sea", "gull"]
    places = [[Span(10 * index, 10 * index + 5), Span(100 + 10 * index, 105 + 10 * index)] for index in range(5)]
    taken, lost = family_order(np.array([1.0, 0.9, 0.5, 0.2, 0.0]), keys, [0.0] * 5, places, "little")
    assert [keys[index] for index in taken] == ["oil spill", "oil", "sea", "gull"]
    assert set(lost) == {0}


def test_of_two_phrases_the_part_of_the_better_is_left_out():
    assert order([3.0, 2.0], ["total eclipse", "eclipse"], "none") == [0]


def test_phrases_that_score_the_same_lose_nothing():
    taken, lost = family_order(
        np.ones(3), ["total eclipse", "eclipse", "moon"], [UNIT] * 3, [(Span(0, 13),), (Span(6, 13),), ()], "little"
    )
    assert taken == [0, 1, 2]
    assert lost == {}


RECURRING = [(Span(10 * index, 10 * index + 5), Span(100 + 10 * index, 105 + 10 * index)) for index in range(4)]


def test_a_word_that_is_not_a_unit_loses_more_when_it_gives_way():
    # "oil" gives way to the longest, which is then left out because it contains "spill response".
    keys, scores = ["oil", "spill response", "oil spill response", "gull"], np.array([1.0, 0.96, 0.95, 0.0])
    for unithood, share in ((UNIT, 0.9), (WORD, 1.4)):
        taken, lost = family_order(scores, keys, [unithood, UNIT, UNIT, UNIT], RECURRING, "little")
        assert taken == [1, 0, 3]
        assert lost == {0: pytest.approx(share * np.std(scores))}


def test_only_single_words_give_way():
    keys, scores = ["oil spill", "big oil spill", "sea", "gull"], np.array([1.0, 0.95, 0.2, 0.0])
    assert family_order(scores, keys, [UNIT] * 4, RECURRING, "little") == ([0, 2, 3], {})


def test_a_word_does_not_give_way_to_a_phrase_that_is_not_in_the_list():
    # "royal bracken" stands only where "bracken society" does, and is left out; "royal" also stands elsewhere.
    keys = ["bracken society", "royal bracken", "royal", "moon"]
    spans = [
        (Span(6, 21), Span(46, 61)),
        (Span(0, 13), Span(40, 53)),
        (Span(0, 5), Span(40, 45), Span(70, 75)),
        (Span(80, 84),),
    ]
    taken, lost = family_order(np.array([3.0, 2.9, 2.8, 0.0]), keys, [UNIT, WORD, WORD, UNIT], spans, "little")
    assert taken == [0, 2, 3]
    assert lost == {}


def test_a_phrase_just_at_a_threshold_of_unithood_meets_it():
    keys, scores = ["total eclipse", "eclipse", "moon"], np.array([3.0, 2.0, 1.35])
    least_unit, least_word = -0.1, -0.2
    assert order(scores, keys, "little", [UNIT, least_unit, UNIT]) == [0, 1, 2]  # it loses what a unit loses
    assert order(scores, keys, "little", [UNIT, least_word, UNIT]) == [0, 2, 1]  # it is moved down, not left out
    covered = [(Span(0, 13),), (Span(6, 13),), (Span(30, 34),)]
    assert order(scores, keys, "little", [UNIT, least_unit, UNIT], covered) == [0, 1, 2]  # it may stand where 0 does
    gives_way = family_order(
        np.array([1.0, 0.95, 0.2, 0.0]),
        ["oil", "oil spill", "sea", "gull"],
        [least_unit, least_word, UNIT, UNIT],
        RECURRING,
        "little",
    )
    assert gives_way == ([1, 0, 2, 3], {0: pytest.approx(0.9 * np.std([1.0, 0.95, 0.2, 0.0]))})


def test_a_word_gives_way_to_a_phrase_that_is_worse_by_half_a_deviation_and_not_to_a_worse_one():
    keys, places = ["oil", "oil spill", "sea", "gull", "sand"], [*RECURRING, (Span(50, 55),)]
    scores = np.array([11.0, 9.0, 7.0, 3.0, 0.0])  # their deviation is 4
    assert family_order(scores, keys, [UNIT] * 5, places, "little")[0] == [1, 0, 2, 3, 4]
    assert family_order(scores - [0, 0.1, 0, 0, 0], keys, [UNIT] * 5, places, "little")[0] == [0, 2, 3, 4]


def test_nothing_has_no_family():
    assert family_members([], []) == {}
