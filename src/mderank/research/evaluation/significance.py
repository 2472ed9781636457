"""Significance of differences between methods, by resampling documents in pairs.

Confidence intervals by the paired bootstrap (Efron and Tibshirani, 1993, "An introduction to the bootstrap"), p-values
by the paired randomisation test (Noreen, 1989, "Computer-intensive methods for testing hypotheses"), corrected over a
table by Holm's step-down procedure (Holm, 1979, "A simple sequentially rejective multiple test procedure").
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from mderank.research.evaluation.measures import Average, Judgement, Measure
from mderank.util.arrays import Reals

SAMPLES = 10_000
_AT_ONCE = 500  # resamples held in memory


@dataclass(frozen=True)
class Comparison:
    """The difference between two methods.

    Attributes:
        difference: The first's value minus the second's.
        low: Lower end of the 95 % interval of the difference.
        high: Upper end of the interval.
        p: The p-value, not corrected.
        wins: Documents on which the first is better.
        ties: Documents on which both are equal.
        losses: Documents on which the second is better.

    """

    difference: float
    low: float
    high: float
    p: float
    wins: int
    ties: int
    losses: int


@dataclass(frozen=True)
class Pair:
    """Two methods' judgements of the same documents, in the same order.

    Attributes:
        first: The first method's judgements.
        second: The second method's judgements.
        measure: The measure.
        average: How documents are averaged.

    """

    first: Sequence[Judgement]
    second: Sequence[Judgement]
    measure: Measure
    average: Average

    def __post_init__(self) -> None:
        if len(self.first) != len(self.second):
            raise ValueError("the two methods must have judged the same documents")


def compare(
    first: Sequence[Judgement], second: Sequence[Judgement], measure: Measure, average: Average, *, seed: int = 0
) -> Comparison:
    """Compare two methods on the same documents.

    Args:
        first: The first method's judgements.
        second: The second method's judgements, in the same order.
        measure: The measure.
        average: How documents are averaged.
        seed: Random seed.

    Returns:
        The comparison.

    """
    return compare_all([Pair(first, second, measure, average)], seed=seed)[0]


def compare_all(pairs: Sequence[Pair], *, seed: int = 0) -> list[Comparison]:
    """Compare each pair. Pairs with the same number of documents share the resamples, which are equal anyway.

    Args:
        pairs: The pairs.
        seed: Random seed.

    Returns:
        The comparisons, in the same order.

    """
    results: dict[int, Comparison] = {}
    for indices in _by_size([pair.first for pair in pairs]):
        group = [pairs[index] for index in indices]
        results |= dict(zip(indices, _compare_group(group, seed), strict=True))
    return [results[index] for index in range(len(pairs))]


def compare_mean(
    pairs: Sequence[Pair],
    *,
    weights: Sequence[float] | None = None,
    groups: Sequence[Hashable] | None = None,
    seed: int = 0,
) -> Comparison:
    """Compare the means over several datasets, one pair each. Documents are drawn, and swapped, within their dataset.

    Args:
        pairs: One pair for each dataset.
        weights: The factor of each pair's difference in the sum; by default the mean of all pairs. A negative factor
            subtracts a pair, for example to compare the gain on some datasets with the gain on others.
        groups: A label for each pair. Pairs with the same label have the same documents in the same order, and share
            what is drawn and swapped. By default every pair is by itself.
        seed: Random seed.

    Returns:
        The comparison of the means.

    Raises:
        ValueError: If a pair has no documents, or pairs of a group have different documents.

    """
    if not pairs or not all(pair.first for pair in pairs):
        raise ValueError("there must be documents in every dataset")
    shares = [1 / len(pairs)] * len(pairs) if weights is None else weights
    together: dict[Hashable, list[tuple[Pair, float]]] = {}
    for label, pair, share in zip(range(len(pairs)) if groups is None else groups, pairs, shares, strict=True):
        together.setdefault(label, []).append((pair, share))
    rng = np.random.default_rng(seed)
    observed, drawn, swapped = 0.0, np.zeros(SAMPLES), np.zeros(SAMPLES)
    for members in together.values():
        documents = len(members[0][0].first)
        if any(len(pair.first) != documents for pair, _ in members):
            raise ValueError("pairs of a group must have the same documents")
        columns = [
            tuple(_stack([_columns(each, pair.measure, pair.average)]) for each in (pair.first, pair.second))
            for pair, _ in members
        ]
        whole = [tuple(_sums(np.ones((1, documents)), side) for side in sides) for sides in columns]
        for (pair, share), (first, second) in zip(members, whole, strict=True):
            name = [pair.measure.name]
            observed += share * float((_values(first, name) - _values(second, name))[0, 0])
        for start in range(0, SAMPLES, _AT_ONCE):
            count = min(_AT_ONCE, SAMPLES - start)
            draws = _draws(rng, documents, count)
            swaps = rng.integers(0, 2, size=(count, documents)).astype(np.float64)
            part = slice(start, start + count)
            for (pair, share), (one, other), (first, second) in zip(members, columns, whole, strict=True):
                name = [pair.measure.name]
                drawn[part] += share * (_values(_sums(draws, one), name) - _values(_sums(draws, other), name))[:, 0]
                change = _sums(swaps, other - one)
                swapped[part] += share * (_values(first + change, name) - _values(second - change, name))[:, 0]
    low, high = np.quantile(drawn, [0.025, 0.975])
    extreme = int((np.abs(swapped) >= abs(observed) - 1e-12).sum())
    won = [_won(pair) for pair in pairs]
    wins, ties, losses = (sum(column) for column in zip(*won, strict=True))
    return Comparison(observed, float(low), float(high), (extreme + 1) / (SAMPLES + 1), wins, ties, losses)


def compare_average_ranks(
    datasets: Sequence[Sequence[Sequence[Judgement]]],
    contests: Sequence[tuple[int, int]],
    measure: Measure,
    average: Average,
    *,
    seed: int = 0,
) -> list[Comparison]:
    """Compare the average ranks (AvgRank) of methods: by how many places a first one is ahead of a second one.

    The rank of a method on a dataset is its place among all methods; tied methods share the mean of their ranks. Both
    the interval and the p-value are from the bootstrap: documents are drawn within each dataset, the same ones for all
    methods. The p-value is twice the share of draws in which the order is not the one observed. It is never below that
    of a sign test on the documents that the two methods differ on, so that a few documents cannot decide. Swapping
    documents at random, as for values, says little of ranks: two methods made equal still have different ranks.

    Args:
        datasets: For each dataset, each method's judgements of the same documents in the same order.
        contests: Indices of a first and a second method, for each comparison.
        measure: Decides the rank; higher is better.
        average: How documents are averaged.
        seed: Random seed.

    Returns:
        The comparisons, in the order of ``contests``.

    Raises:
        ValueError: If a dataset has no documents.

    """
    if not datasets or not all(methods[0] for methods in datasets):
        raise ValueError("there must be documents in every dataset")
    rng = np.random.default_rng(seed)
    observed, drawn = np.zeros(len(contests)), np.zeros((SAMPLES, len(contests)))
    for methods in datasets:
        documents, names = len(methods[0]), [measure.name] * len(methods)
        columns = _stack([_columns(each, measure, average) for each in methods])
        values = _values(_sums(np.ones((1, documents)), columns), names)
        observed += _places_ahead(values, contests)[0] / len(datasets)
        for start in range(0, SAMPLES, _AT_ONCE):
            count = min(_AT_ONCE, SAMPLES - start)
            resampled = _values(_sums(_draws(rng, documents, count), columns), names)
            drawn[start : start + count] += _places_ahead(resampled, contests) / len(datasets)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    other_way = np.minimum((drawn <= 1e-9).sum(axis=0), (drawn >= -1e-9).sum(axis=0))
    results = []
    for index, (first, second) in enumerate(contests):
        won = [_won(Pair(methods[first], methods[second], measure, average)) for methods in datasets]
        wins, ties, losses = (int(sum(column)) for column in zip(*won, strict=True))
        p = min(1.0, max(2 * (int(other_way[index]) + 1) / (SAMPLES + 1), 2.0 ** (1 - wins - losses)))
        limits = float(low[index]), float(high[index])
        results.append(Comparison(float(observed[index]), *limits, p, wins, ties, losses))
    return results


def _places_ahead(values: Reals, contests: Sequence[tuple[int, int]]) -> Reals:
    """The second method's rank less the first's, from values ``(count, methods)``. ``(count, contests)``"""
    ranks = np.stack([_ranks_of(values, method) for method in range(values.shape[1])], axis=1)
    firsts, seconds = zip(*contests, strict=True)
    ahead: Reals = ranks[:, seconds] - ranks[:, firsts]
    return ahead


def _ranks_of(values: Reals, method: int) -> Reals:
    own = values[:, [method]]
    better, equal = (values > own + 1e-9).sum(axis=1), (np.abs(values - own) <= 1e-9).sum(axis=1)
    ranks: Reals = better + (equal + 1) / 2
    return ranks


def _compare_group(pairs: Sequence[Pair], seed: int) -> list[Comparison]:
    """Compare pairs that have the same number of documents."""
    documents = len(pairs[0].first)
    if not documents:
        return [Comparison(0.0, 0.0, 0.0, 1.0, 0, 0, 0)] * len(pairs)
    names = [pair.measure.name for pair in pairs]
    one = _stack([_columns(pair.first, pair.measure, pair.average) for pair in pairs])
    other = _stack([_columns(pair.second, pair.measure, pair.average) for pair in pairs])
    first, second = _sums(np.ones((1, documents)), one), _sums(np.ones((1, documents)), other)
    observed = _values(first, names) - _values(second, names)  # (1, pairs)
    rng = np.random.default_rng(seed)
    differences, extreme = [], np.zeros(len(pairs), dtype=np.int64)
    for start in range(0, SAMPLES, _AT_ONCE):
        count = min(_AT_ONCE, SAMPLES - start)
        draws = _draws(rng, documents, count)
        differences.append(_values(_sums(draws, one), names) - _values(_sums(draws, other), names))
        swap = rng.integers(0, 2, size=(count, documents)).astype(np.float64)
        change = _sums(swap, other - one)
        shuffled = _values(first + change, names) - _values(second - change, names)
        extreme += (np.abs(shuffled) >= np.abs(observed) - 1e-12).sum(axis=0)
    low, high = np.quantile(np.concatenate(differences), [0.025, 0.975], axis=0)
    return [
        Comparison(
            float(observed[0, index]),
            float(low[index]),
            float(high[index]),
            (int(extreme[index]) + 1) / (SAMPLES + 1),
            *_won(pair),
        )
        for index, pair in enumerate(pairs)
    ]


def _won(pair: Pair) -> tuple[int, int, int]:
    """Count the documents that the first method won, tied and lost."""
    sign = -1 if pair.measure.lower_is_better else 1
    differences = [
        sign * (pair.measure.of(a) - pair.measure.of(b)) for a, b in zip(pair.first, pair.second, strict=True)
    ]
    wins, losses = sum(each > 1e-12 for each in differences), sum(each < -1e-12 for each in differences)
    return wins, len(differences) - wins - losses, losses


def interval(
    judgements: Sequence[Judgement], measure: Measure, average: Average, *, seed: int = 0
) -> tuple[float, float]:
    """Compute the 95 % bootstrap interval of a method's value.

    Args:
        judgements: The method's judgements.
        measure: The measure.
        average: How documents are averaged.
        seed: Random seed.

    Returns:
        The ends of the interval.

    """
    return intervals([(judgements, measure, average)], seed=seed)[0]


def intervals(
    requests: Sequence[tuple[Sequence[Judgement], Measure, Average]], *, seed: int = 0
) -> list[tuple[float, float]]:
    """Compute several 95 % bootstrap intervals. Those with the same number of documents share the resamples.

    Args:
        requests: Judgements, measure and average of each.
        seed: Random seed.

    Returns:
        The ends of the intervals, in the same order.

    """
    results: dict[int, tuple[float, float]] = {}
    for indices in _by_size([judgements for judgements, _, _ in requests]):
        group = [requests[index] for index in indices]
        results |= dict(zip(indices, _interval_group(group, seed), strict=True))
    return [results[index] for index in range(len(requests))]


def _interval_group(
    requests: Sequence[tuple[Sequence[Judgement], Measure, Average]], seed: int
) -> list[tuple[float, float]]:
    documents = len(requests[0][0])
    if not documents:
        return [(0.0, 0.0)] * len(requests)
    names = [measure.name for _, measure, _ in requests]
    columns = _stack([_columns(*each) for each in requests])
    rng = np.random.default_rng(seed)
    values = [
        _values(_sums(_draws(rng, documents, min(_AT_ONCE, SAMPLES - start)), columns), names)
        for start in range(0, SAMPLES, _AT_ONCE)
    ]
    low, high = np.quantile(np.concatenate(values), [0.025, 0.975], axis=0)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values for their number by Holm's procedure.

    Args:
        p_values: The p-values.

    Returns:
        The corrected p-values, in the same order.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for step, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - step) * p_values[index]))
        corrected[index] = largest
    return corrected


def _by_size(judged: Sequence[Sequence[Judgement]]) -> list[list[int]]:
    """Return the indices of judgements with the same number of documents."""
    groups: dict[int, list[int]] = {}
    for index, judgements in enumerate(judged):
        groups.setdefault(len(judgements), []).append(index)
    return list(groups.values())


def _draws(rng: np.random.Generator, documents: int, count: int) -> Reals:
    """How often each document is drawn: a sum over draws is a product with these numbers. ``(count, documents)``"""
    return rng.multinomial(documents, np.full(documents, 1 / documents), size=count).astype(np.float64)


def _stack(columns: Sequence[Reals]) -> Reals:
    """``(documents, n, 3)`` from n times ``(documents, 3)``."""
    return np.stack(columns, axis=1)


def _sums(weights: Reals, columns: Reals) -> Reals:
    """The weighted sums over documents ``(count, n, 3)``."""
    documents, number, three = columns.shape
    return (weights @ columns.reshape(documents, number * three)).reshape(len(weights), number, three)


def _values(sums: Reals, names: Sequence[str]) -> Reals:
    """The measures from sums ``(count, n, 3)``, each of the n by its own name. ``(count, n)``"""
    return np.stack([_value(sums[:, index], name) for index, name in enumerate(names)], axis=1)


def _columns(judgements: Sequence[Judgement], measure: Measure, average: Average) -> Reals:
    """Return a row per document whose sums give the measure.

    Returns:
        Rows (correct, predicted, gold keyphrases), or (value, 1, 1).
    """
    if average == "micro" and measure.is_of_counts:
        return np.asarray([measure.counts(judgement) for judgement in judgements], dtype=np.float64)
    return np.asarray([(measure.of(judgement), 1.0, 1.0) for judgement in judgements])


def _value(sums: Reals, name: str) -> Reals:
    """The measure from sums ``(..., 3)``. For means all three agree: the value's sum over the number of documents."""
    correct, predicted, gold = sums[..., 0], sums[..., 1], sums[..., 2]
    of_predicted = dict.fromkeys(("P", "acceptable", "junk"), predicted)
    below = {**of_predicted, "R": gold}.get(name, (predicted + gold) / 2)
    result: Reals = np.divide(correct, below, out=np.zeros_like(correct), where=below != 0)
    return result
