"""Scores to a ranking that does not depend on rounding."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, log10

# Far above what the order of additions changes (about 1e-6 of a score), far below what tells two phrases apart.
_DIGITS = 5


def rank(scores: Sequence[float], firsts: Sequence[int], masked: Sequence[bool]) -> list[int]:
    """Sort candidates: higher scores first, equal ones by first occurrence, unranked ones last.

    >>> rank([0.2, 0.3, 0.2000000001], [7, 9, 3], [True, True, True])
    [1, 2, 0]

    Args:
        scores: Scores; they are equal if five significant digits are.
        firsts: Offset of the first occurrence of each candidate.
        masked: Whether each candidate is ranked.

    Returns:
        The indices of the candidates, the best first.
    """
    return sorted(
        range(len(scores)), key=lambda index: (not masked[index], -significant(scores[index]), firsts[index], index)
    )


def significant(value: float) -> float:
    """Round a number to five significant digits.

    Args:
        value: The number.

    Returns:
        The rounded number.
    """
    return round(value, _DIGITS - 1 - floor(log10(abs(value)))) if value else 0.0
