from itertools import combinations

import numpy as np
import pytest

from mderank import MaxSum, OptionError
from mderank.ranking import diversity

EAST, NORTH, WEST = [1.0, 0], [0, 2.0], [-3.0, 0]


def alike(vectors, chosen):
    """The sum of the cosines of all pairs, one by one."""
    return sum(
        vectors[one] @ vectors[other] / np.linalg.norm(vectors[one]) / np.linalg.norm(vectors[other])
        for one, other in combinations(chosen, 2)
    )


def least(vectors, count):
    return min(alike(vectors, chosen) for chosen in combinations(range(len(vectors)), count))


def cases(number, pool, seed=0):
    """Vectors in clusters around a common direction, as phrases of one document are."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        clusters = rng.normal(size=(4, 8))[rng.integers(0, 4, pool)]
        yield rng.normal(size=(pool, 8)) + rng.normal(size=8) + clusters


def test_by_hand():
    # Of east, east, north and west: east and west are opposite, -1; the first of the two easts is taken.
    vectors = np.array([EAST, EAST, NORTH, WEST])
    assert MaxSum(4).order(np.arange(4)[::-1], vectors, 2) == [0, 3]
    # Of three with west, both easts: 1 - 1 - 1, and one east and north: 0 - 1 + 0, are equal; the better-ranked come.
    assert MaxSum(4).order(np.arange(4)[::-1], vectors, 3) == [0, 1, 3]
    # West is not among the three best: east and north, 0.
    assert MaxSum(3).order(np.arange(4)[::-1], vectors, 2) == [0, 2]


@pytest.mark.parametrize(("pool", "count"), [(2, 2), (6, 2), (7, 3), (9, 5), (9, 8), (12, 6)])
def test_it_is_the_least_of_all_choices(pool, count):
    for vectors in cases(6, pool):
        chosen = MaxSum(pool).order(np.zeros(pool), vectors, count)
        assert len(set(chosen)) == count
        assert chosen == sorted(chosen)
        assert alike(vectors, chosen) == pytest.approx(least(vectors, count))


def test_a_pool_leaves_out_what_is_ranked_below_it():
    (vectors,) = cases(1, 30)
    assert MaxSum(9).order(np.zeros(30), vectors, 4) == MaxSum(9).order(np.zeros(9), vectors[:9], 4)


def test_the_default_pool_is_always_exact(monkeypatch):
    monkeypatch.setattr(diversity, "_greedy_choice", lambda unit, count: pytest.fail("greedy"))
    (vectors,) = cases(1, 20)
    for count in range(21):
        assert len(MaxSum().order(np.zeros(20), vectors, count)) == count


def test_large_pools_are_greedy_and_nearly_as_good(monkeypatch):
    exact, greedy, hits = [], [], 0
    for vectors in cases(50, 12):
        exact.append(alike(vectors, MaxSum(12).order(np.zeros(12), vectors, 5)))
        with monkeypatch.context() as patch:
            patch.setattr(diversity, "MOST_CHOICES", 0)
            chosen = MaxSum(12).order(np.zeros(12), vectors, 5)
        assert chosen == sorted(set(chosen))
        assert len(chosen) == 5
        greedy.append(alike(vectors, chosen))
        hits += greedy[-1] == pytest.approx(exact[-1])
    lost = (np.array(greedy) - exact) / 10  # a pair of phrases
    assert lost.min() > -1e-9
    assert lost.mean() < 0.01
    assert lost.max() < 0.1
    assert hits >= 35


def test_no_exchange_improves_the_greedy_choice():
    (vectors,) = cases(1, 60)
    chosen = MaxSum(60).order(np.zeros(60), vectors, 8)
    total = alike(vectors, chosen)
    for place in range(8):
        for other in set(range(60)) - set(chosen):
            assert alike(vectors, [*chosen[:place], other, *chosen[place + 1 :]]) >= total - 1e-5


@pytest.mark.parametrize("choices", [200_000, 0])
def test_equal_choices_take_the_better_ranked(monkeypatch, choices):
    monkeypatch.setattr(diversity, "MOST_CHOICES", choices)
    assert MaxSum(6).order(np.zeros(6), np.ones((6, 3)), 3) == [0, 1, 2]
    assert MaxSum(6).order(np.zeros(6), np.zeros((6, 3)), 3) == [0, 1, 2]
    rounding = np.repeat(np.array([EAST, NORTH]), 3, axis=0) + 1e-9 * np.arange(12).reshape(6, 2)
    assert MaxSum(6).order(np.zeros(6), rounding, 2) == [0, 3]


@pytest.mark.parametrize("choices", [200_000, 0])
def test_a_vector_of_zeros_is_like_none(monkeypatch, choices):
    monkeypatch.setattr(diversity, "MOST_CHOICES", choices)
    vectors = np.array([[1.0, 0.1], [1, 0.2], [0, 0], [1, 0.3], [0, 0]])
    assert MaxSum(5).order(np.zeros(5), vectors, 3) == [0, 2, 4]


def test_fewer_phrases_than_asked_for():
    assert MaxSum().order(np.zeros(3), np.eye(3), 10) == [0, 1, 2]
    assert MaxSum().order(np.zeros(0), np.zeros((0, 3)), 5) == []
    assert MaxSum().order(np.zeros(3), np.eye(3), 0) == []
    assert MaxSum().order(np.zeros(3), np.eye(3), 1) == [0]
    assert MaxSum(1).order(np.zeros(3), np.eye(3), 1) == [0]


def test_refused():
    with pytest.raises(OptionError, match="at least 1 phrase, not 0"):
        MaxSum(0)
    with pytest.raises(OptionError, match="cannot take 21 phrases from a pool of 20"):
        MaxSum().order(np.zeros(3), np.eye(3), 21)
    with pytest.raises(OptionError, match=r"say how many \(top_k, --top-k\)"):
        MaxSum().order(np.zeros(3), np.eye(3), None)


def test_the_best_of_very_many_choices_is_found():
    # 48,620 choices, of which the last is the best: nine phrases that are like no other.
    vectors = np.vstack([np.ones((9, 9)), np.eye(9)])
    assert MaxSum(18).order(np.zeros(18), vectors, 9) == list(range(9, 18))


def test_the_greedy_choice_by_hand(monkeypatch):
    # East first, then its opposite, 3. All others are now equally like both: the best-ranked, 1, is next. It is like 2
    # (.6) and unlike 4 (-.6).
    monkeypatch.setattr(diversity, "MOST_CHOICES", 0)
    monkeypatch.setattr(diversity, "_exchanged", lambda unit, taken: taken)
    vectors = np.array([[1.0, 0], [0.8, 0.6], [0, 1], [-1, 0], [0, -1]])
    assert MaxSum(5).order(np.zeros(5), vectors, 3) == [0, 1, 3]
    assert MaxSum(5).order(np.zeros(5), vectors, 4) == [0, 1, 3, 4]
