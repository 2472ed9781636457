import numpy as np
import pytest

from mderank import MMR, OptionError

# Three phrases that move the document in nearly the same direction, and one across.
SCORES = np.array([1.0, 0.9, 0.8, 0.2, 0.0])
VECTORS = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 4.0], [0.0, 5.0], [-1.0, 0.0]])


def test_relevance_alone_keeps_the_order():
    assert MMR(1).order(SCORES, VECTORS) == [0, 1, 2, 3, 4]


def test_by_hand():
    # Relevance is the score, since scores run from 0 to 1. After 0 is taken the similarities are 1, .6, 0, -1:
    #   1: .45 - .5 = -.05   2: .4 - .3 = .1   3: .1 - 0 = .1   4: 0 + .5 = .5     -> 4
    # to 4 they are -1, -.6, 0: the largest of both 1, .6, 0: gains -.05, .1, .1   -> 2, the better-ranked
    # to 2 they are .6, -, .8: the largest 1, .8: gains -.05, .1 - .4 = -.3        -> 1, then 3
    assert MMR(0.5).order(SCORES, VECTORS) == [0, 4, 2, 1, 3]


def test_diversity_alone():
    # Nothing is similar to nothing: the best-ranked is taken first; then the opposite; then what is across both.
    assert MMR(0).order(SCORES, VECTORS)[:3] == [0, 4, 3]


def test_top_k():
    assert MMR(0.5).order(SCORES, VECTORS, 2) == [0, 4]
    assert MMR(0.5).order(SCORES, VECTORS, 0) == []
    assert MMR(0.5).order(SCORES, VECTORS, 99) == [0, 4, 2, 1, 3]


def test_equal_scores_are_equally_relevant():
    assert MMR(0.5).order(np.ones(3), np.array([[1.0, 0], [1, 0], [0, 1]])) == [0, 2, 1]


def test_a_phrase_that_moved_nothing_is_like_none():
    assert MMR(0.5).order(np.array([1.0, 0.9, 0.0]), np.array([[1.0, 0], [1, 0], [0, 0]])) == [0, 2, 1]


def test_none_to_take():
    assert MMR(0.5).order(np.zeros(0), np.zeros((0, 2))) == []


@pytest.mark.parametrize("relevance", [-0.1, 1.1, float("nan")])
def test_out_of_range(relevance):
    with pytest.raises(OptionError, match=r"from 0 \(diverse\) to 1 \(relevant\)"):
        MMR(relevance)
