"""Scores to a ranking that does not depend on rounding."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

# Far above what the order of additions changes (about 1e-6 of a score), far below what tells two phrases apart.
_DIGITS = 5


def rank(scores: Sequence[float], firsts: Sequence[int], masked: Sequence[bool]) -> list[int]:
    """The indices of the candidates, best first.

    Higher scores come first; equal ones by first occurrence; candidates that hid nothing come last.

    >>> rank([0.2, 0.3, 0.2000000001], [7, 9, 3], [True, True, True])
    [1, 2, 0]
    """
    return sorted(
        range(len(scores)), key=lambda index: (not masked[index], -significant(scores[index]), firsts[index], index)
    )


def significant(value: float) -> float:
    """``value`` rounded to five significant digits."""
    return round(value, _DIGITS - 1 - floor(log10(abs(value)))) if value else 0.0
