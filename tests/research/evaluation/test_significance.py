from __future__ import annotations

import itertools

import numpy as np
import pytest

from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.significance import Pair, compare, compare_average_ranks, compare_mean, holm, interval
from mderank.research.reports.summary import mean_ranks

F1 = Measure.parse("F1@5")


def judgements(rng, chance, count=60):
    return [Judgement(tuple(rng.random(5) < chance), 5, 6) for _ in range(count)]


def test_a_clear_difference_is_significant_and_its_interval_has_no_zero():
    rng = np.random.default_rng(1)
    good, bad = judgements(rng, 0.6), judgements(rng, 0.3)
    result = compare(good, bad, F1, "micro")
    assert result.difference == pytest.approx(F1.over(good, "micro") - F1.over(bad, "micro"))
    assert 0 < result.low < result.difference < result.high
    assert result.p < 0.001
    assert result.wins > result.losses
    assert result.wins + result.ties + result.losses == 60


def test_a_method_against_itself():
    rng = np.random.default_rng(2)
    same = judgements(rng, 0.4)
    result = compare(same, same, F1, "macro")
    assert (result.difference, result.low, result.high, result.p) == (0, 0, 0, 1)
    assert result.ties == 60


def test_swapping_the_methods_swaps_the_result():
    rng = np.random.default_rng(3)
    one, other = judgements(rng, 0.5), judgements(rng, 0.4)
    there, back = compare(one, other, F1, "macro"), compare(other, one, F1, "macro")
    assert back.difference == pytest.approx(-there.difference)
    assert back.p == pytest.approx(there.p, abs=0.02)
    assert (back.wins, back.losses) == (there.losses, there.wins)


@pytest.mark.parametrize("average", ["micro", "macro"])
def test_the_randomisation_test_agrees_with_all_permutations(average):
    rng = np.random.default_rng(4)
    one, other = judgements(rng, 0.6, 8), judgements(rng, 0.35, 8)
    observed = abs(F1.over(one, average) - F1.over(other, average))
    extreme = 0
    for swaps in itertools.product([False, True], repeat=8):
        a = [y if swap else x for x, y, swap in zip(one, other, swaps, strict=True)]
        b = [x if swap else y for x, y, swap in zip(one, other, swaps, strict=True)]
        extreme += abs(F1.over(a, average) - F1.over(b, average)) >= observed - 1e-12
    assert compare(one, other, F1, average).p == pytest.approx(extreme / 2**8, abs=0.02)


def test_the_bootstrap_agrees_with_a_plain_loop():
    rng = np.random.default_rng(5)
    some = judgements(rng, 0.5, 40)
    values = [F1.over([some[index] for index in rng.integers(0, 40, 40)], "micro") for _ in range(2000)]
    low, high = interval(some, F1, "micro")
    assert (low, high) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])), abs=0.01)


def test_no_documents():
    assert compare([], [], F1, "micro").p == 1
    assert interval([], F1, "micro") == (0, 0)


def test_different_documents_are_refused():
    with pytest.raises(ValueError, match="same documents"):
        compare(judgements(np.random.default_rng(6), 0.5), [], F1, "micro")


def test_holm_worked_out_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_means_over_sets():
    rng = np.random.default_rng(5)
    pairs = [Pair(judgements(rng, 0.6, n), judgements(rng, 0.3, n), F1, "micro") for n in (40, 90)]
    result = compare_mean(pairs)
    single = [compare(pair.first, pair.second, F1, "micro") for pair in pairs]
    assert result.difference == pytest.approx((single[0].difference + single[1].difference) / 2)
    assert result.low < result.difference < result.high
    # Two sets tell more than one: the interval is narrower than the mean of theirs.
    assert result.high - result.low < sum(each.high - each.low for each in single) / 2
    assert result.p < 0.001
    assert result.wins + result.ties + result.losses == 130
    assert compare_mean(pairs) == result


def test_the_mean_over_one_set_is_that_set():
    rng = np.random.default_rng(6)
    one, other = judgements(rng, 0.5), judgements(rng, 0.4)
    alone, mean = compare(one, other, F1, "micro"), compare_mean([Pair(one, other, F1, "micro")])
    assert mean.difference == pytest.approx(alone.difference)
    assert mean.p == pytest.approx(alone.p, abs=0.02)
    assert (mean.low, mean.high) == pytest.approx((alone.low, alone.high), abs=0.005)


def test_opposite_differences_cancel_and_are_not_significant():
    rng = np.random.default_rng(7)
    one, other = judgements(rng, 0.6), judgements(rng, 0.3)
    result = compare_mean([Pair(one, other, F1, "micro"), Pair(other, one, F1, "micro")])
    assert result.difference == pytest.approx(0)
    assert result.p > 0.9
    same = compare_mean([Pair(one, one, F1, "macro")])
    assert (same.difference, same.low, same.high, same.p) == (0, 0, 0, 1)


def test_a_mean_needs_documents_in_every_set():
    rng = np.random.default_rng(8)
    with pytest.raises(ValueError, match="documents in every dataset"):
        compare_mean([Pair(judgements(rng, 0.5), judgements(rng, 0.5), F1, "micro"), Pair([], [], F1, "micro")])
    with pytest.raises(ValueError, match="documents in every dataset"):
        compare_mean([])


@pytest.mark.slow
def test_weights_compare_a_gain_with_another_gain():
    rng = np.random.default_rng(9)
    large = Pair(judgements(rng, 0.7, 150), judgements(rng, 0.2, 150), F1, "micro")
    small = Pair(judgements(rng, 0.5, 150), judgements(rng, 0.4, 150), F1, "micro")
    gains = [compare(pair.first, pair.second, F1, "micro").difference for pair in (large, small)]
    result = compare_mean([large, small], weights=(1, -1))
    assert result.difference == pytest.approx(gains[0] - gains[1])
    assert result.low > 0
    assert result.p < 0.001
    # A gain that is the same everywhere is not larger in one place.
    assert compare_mean([large, large], weights=(1, -1)).p > 0.9


def test_pairs_of_a_group_share_the_documents_that_are_drawn():
    rng = np.random.default_rng(10)
    pair = Pair(judgements(rng, 0.7), judgements(rng, 0.2), F1, "micro")
    shared = compare_mean([pair, pair], weights=(1, -1), groups=("nus", "nus"))
    assert (shared.low, shared.high) == pytest.approx((0, 0), abs=1e-12)
    apart = compare_mean([pair, pair], weights=(1, -1))
    assert apart.low < -0.01 < 0.01 < apart.high
    with pytest.raises(ValueError, match="same documents"):
        compare_mean([pair, Pair(pair.first[:5], pair.second[:5], F1, "micro")], groups=("nus", "nus"))


def ranked(rng, chances, sizes=(60, 90)):
    return [[judgements(rng, chance, size) for chance in chances] for size in sizes]


def test_average_ranks_are_those_of_the_table_and_a_clear_lead_is_significant():
    rng = np.random.default_rng(11)
    datasets = ranked(rng, (0.3, 0.8, 0.5))
    ranks = mean_ranks([[F1.over(each, "micro") for each in methods] for methods in datasets])
    result, back = compare_average_ranks(datasets, [(1, 0), (0, 1)], F1, "micro")
    assert result.difference == pytest.approx(ranks[0][0] - ranks[1][0]) == 2
    assert result.p < 0.001
    assert result.low >= 1
    assert result.wins > result.losses
    assert (back.difference, back.wins) == (-2, result.losses)
    assert compare_average_ranks(datasets, [(1, 0)], F1, "micro") == [result]


def test_ranks_that_chance_decides_are_not_significant():
    rng = np.random.default_rng(12)
    (result,) = compare_average_ranks(ranked(rng, (0.5, 0.5, 0.1)), [(0, 1)], F1, "micro")
    assert result.low <= 0 <= result.high
    assert result.p > 0.05
    # The resampled values of tied methods share the mean of their ranks: a method is level with itself.
    same = judgements(rng, 0.5)
    (level,) = compare_average_ranks([[same, same]], [(0, 1)], F1, "micro")
    assert (level.difference, level.low, level.high, level.p) == (0, 0, 0, 1)


def test_a_few_documents_never_make_a_lead_significant():
    right, wrong = Judgement((True,) * 5, 5, 6), Judgement((False,) * 5, 5, 6)
    assert compare_average_ranks([[[right], [wrong]]], [(0, 1)], F1, "micro")[0].p == 1
    # Six datasets of one document, the first method right in all: as in a sign test, 2 of 64 cases are as extreme.
    assert compare_average_ranks([[[right], [wrong]]] * 6, [(0, 1)], F1, "micro")[0].p == 2 / 64
    with pytest.raises(ValueError, match="documents in every dataset"):
        compare_average_ranks([], [(0, 1)], F1, "micro")
