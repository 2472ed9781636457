"""Is one method really better than another on a set? Paired, by resampling documents.

Confidence intervals by the paired bootstrap (Efron and Tibshirani, 1993, "An introduction to the bootstrap"), p-values
by the paired randomisation test (Noreen, 1989, "Computer-intensive methods for testing hypotheses"), corrected over a
table by Holm's step-down procedure (Holm, 1979, "A simple sequentially rejective multiple test procedure").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mderank.evaluation.measures import Average, Judgement, Measure

SAMPLES = 10_000
_AT_ONCE = 500  # resamples held in memory

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Comparison:
    """How much better the first is than the second: difference, its 95 % interval, p-value, and documents won."""

    difference: float
    low: float
    high: float
    p: float
    wins: int
    ties: int
    losses: int


def compare(
    first: Sequence[Judgement], second: Sequence[Judgement], measure: Measure, average: Average, *, seed: int = 0
) -> Comparison:
    """Compare two methods on the same documents, in the same order."""
    if len(first) != len(second):
        raise ValueError("the two methods must have judged the same documents")
    if not first:
        return Comparison(0.0, 0.0, 0.0, 1.0, 0, 0, 0)
    one, other = (_columns(judgements, measure, average) for judgements in (first, second))
    name = measure.name
    observed = _value(one.sum(axis=0), name) - _value(other.sum(axis=0), name)
    rng = np.random.default_rng(seed)
    differences, extreme = [], 0
    for start in range(0, SAMPLES, _AT_ONCE):
        count = min(_AT_ONCE, SAMPLES - start)
        # How often each document is drawn: a sum over draws is a product with these numbers.
        draws = rng.multinomial(len(one), np.full(len(one), 1 / len(one)), size=count).astype(np.float64)
        differences.append(_value(draws @ one, name) - _value(draws @ other, name))
        swap = rng.integers(0, 2, size=(count, len(one))).astype(np.float64)
        change = swap @ (other - one)
        shuffled = _value(one.sum(axis=0) + change, name) - _value(other.sum(axis=0) - change, name)
        extreme += int((np.abs(shuffled) >= abs(observed) - 1e-12).sum())
    low, high = np.quantile(np.concatenate(differences), [0.025, 0.975])
    by_document = [measure.of(a) - measure.of(b) for a, b in zip(first, second, strict=True)]
    return Comparison(
        float(observed),
        float(low),
        float(high),
        (extreme + 1) / (SAMPLES + 1),
        sum(each > 1e-12 for each in by_document),
        sum(abs(each) <= 1e-12 for each in by_document),
        sum(each < -1e-12 for each in by_document),
    )


def interval(
    judgements: Sequence[Judgement], measure: Measure, average: Average, *, seed: int = 0
) -> tuple[float, float]:
    """The 95 % bootstrap interval of one method's value."""
    if not judgements:
        return 0.0, 0.0
    columns = _columns(judgements, measure, average)
    rng = np.random.default_rng(seed)
    values = []
    for start in range(0, SAMPLES, _AT_ONCE):
        count = min(_AT_ONCE, SAMPLES - start)
        draws = rng.multinomial(len(columns), np.full(len(columns), 1 / len(columns)), size=count)
        values.append(_value(draws.astype(np.float64) @ columns, measure.name))
    low, high = np.quantile(np.concatenate(values), [0.025, 0.975])
    return float(low), float(high)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values corrected for their number, in the order given.

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


def _columns(judgements: Sequence[Judgement], measure: Measure, average: Average) -> Floats:
    """A row a document, whose sums over documents give the measure: (right, predicted, gold), or (value, 1, 1)."""
    if average == "micro" and measure.name in ("P", "R", "F1"):
        return np.asarray([judgement.counts(measure.k) for judgement in judgements], dtype=np.float64)
    return np.asarray([(measure.of(judgement), 1.0, 1.0) for judgement in judgements])


def _value(sums: Floats, name: str) -> Floats:
    """The measure from sums ``(..., 3)``. For means all three agree: the value's sum over the number of documents."""
    correct, predicted, gold = sums[..., 0], sums[..., 1], sums[..., 2]
    below = {"P": predicted, "R": gold}.get(name, (predicted + gold) / 2)
    result: Floats = np.divide(correct, below, out=np.zeros_like(correct), where=below != 0)
    return result
