"""Diversity by maximal sum of distances.

Gollapudi and Sharma (2009), "An axiomatic approach for result diversification", WWW; for keyphrases Grootendorst
(2020), "KeyBERT: minimal keyword extraction with BERT" (software, doi:10.5281/zenodo.4461265).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from math import comb

import numpy as np
import numpy.typing as npt

from mderank.errors import OptionError
from mderank.ranking.diversity import directions
from mderank.ranking.similarity import Floats

# Choices that are all tried. 10 of 20 are 184,756: with the default pool the result is always the best there is.
MOST_CHOICES = 200_000
# Sums of cosines that differ by less are equal: of these the choice with the better-ranked phrases is taken.
_ROUNDING = 1e-6


@dataclass(frozen=True)
class MaxSum:
    """Of the ``pool`` best phrases take those ``top_k`` together whose mutual similarities have the least sum.

    The similarity of two phrases is the cosine of the method's vectors. What is taken comes in the order of its
    scores. All choices are tried while they are no more than 200,000, which they are with a pool of 20 for any
    ``top_k``; beyond that the choice is greedy, and improved by exchanging one phrase at a time while that helps.

    The choice is one of ``top_k`` phrases together: that for 5 is not the beginning of that for 10, as it is for
    `MMR` and without diversity. All phrases (``top_k=None``) leave nothing to choose, and are refused.
    """

    pool: int = 20

    def __post_init__(self) -> None:
        if self.pool < 1:
            raise OptionError(f"MaxSum needs a pool of at least 1 phrase, not {self.pool}")

    def order(self, scores: Floats, vectors: Floats, top_k: int | None = None) -> list[int]:
        """The indices of the ``top_k`` that are taken, by score, of phrases given best first."""
        if top_k is None:
            raise OptionError(
                "MaxSum chooses among phrases, and all of them are asked for: say how many (top_k, --top)"
            )
        if top_k > self.pool:
            raise OptionError(f"MaxSum cannot take {top_k} phrases from a pool of {self.pool}: make the pool larger")
        pool = min(self.pool, len(scores))
        if top_k in (0, 1) or pool <= top_k:
            return list(range(min(top_k, pool)))
        unit = directions(vectors[:pool])
        if comb(pool, top_k) <= MOST_CHOICES:
            return _best_choice(unit, top_k)
        return sorted(_exchanged(unit, _greedy_choice(unit, top_k)))


def _best_choice(unit: Floats, count: int) -> list[int]:
    """The rows of ``unit`` whose mutual products have the least sum, by trying all choices."""
    choices = _choices(len(unit), count)  # (choices, pool)
    likeness = unit @ unit.T
    np.fill_diagonal(likeness, 0)
    step = 16_384
    sums = np.concatenate(
        [
            np.einsum("cp,cp->c", some @ likeness, some)
            for some in (choices[start : start + step].astype(likeness.dtype) for start in range(0, len(choices), step))
        ]
    )
    first = int(np.flatnonzero(sums <= sums.min() + _ROUNDING)[0])
    return [int(row) for row in np.flatnonzero(choices[first])]


@lru_cache(maxsize=4)
def _choices(pool: int, count: int) -> npt.NDArray[np.bool_]:
    """Every choice of ``count`` from ``pool``, as a row; better-ranked phrases come first."""
    number = comb(pool, count)
    taken = np.fromiter(chain.from_iterable(combinations(range(pool), count)), np.int64, number * count)
    choices = np.zeros((number, pool), dtype=np.bool_)
    choices[np.repeat(np.arange(number), count), taken] = True
    return choices


def _greedy_choice(unit: Floats, count: int) -> list[int]:
    """The best-ranked row of ``unit``, and then always the one least like all those taken before it."""
    taken = [0]
    likeness = unit @ unit[0]  # (pool,) summed over those taken
    while len(taken) < count:
        left = np.delete(np.arange(len(unit)), taken)
        least = likeness[left].min()
        taken.append(int(left[likeness[left] <= least + _ROUNDING][0]))
        likeness = likeness + unit @ unit[taken[-1]]
    return taken


def _exchanged(unit: Floats, taken: list[int]) -> list[int]:
    """``taken`` after exchanging a row that is in it for one that is not, the best exchange first, while it helps."""
    taken = list(taken)
    likeness = unit @ unit[taken].T  # (pool, count)
    while True:
        sums = likeness.sum(axis=1)
        own = likeness[taken, range(len(taken))]  # of a phrase with itself: 1, or 0 for a vector of zeros
        # Row j in place of the i-th that is taken: what j adds, without its likeness to the i-th, less what that had.
        change = sums[:, None] - likeness - (sums[taken] - own)[None]  # (pool, count)
        change[taken] = np.inf
        if change.min() >= -_ROUNDING:
            return taken
        row, place = np.unravel_index(int(np.argmin(change)), change.shape)
        taken[int(place)] = int(row)
        likeness[:, place] = unit @ unit[row]
