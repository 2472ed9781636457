"""Diversity of the phrases of a result: maximal marginal relevance (`MMR`), maximal sum of distances (`MaxSum`)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations
from math import comb
from typing import Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from mderank.errors import OptionError
from mderank.ranking.order import significant
from mderank.util.arrays import Floats

Scaling = Literal["range", "standard", "none"]
SCALINGS: tuple[Scaling, ...] = ("range", "standard", "none")

# Choices that are all tried. 10 of 20 are 184,756: with the default pool the result is always the best there is.
MOST_CHOICES = 200_000
# Sums of cosines that differ by less are equal: of these the choice with the better-ranked phrases is taken.
_ROUNDING = 1e-6


@runtime_checkable
class Diversity(Protocol):
    """Chooses among ranked phrases, and orders what it chooses."""

    def order(self, scores: Floats, vectors: Floats, top_k: int | None = None) -> list[int]:
        """The indices of the ``top_k`` phrases that are taken, in the order of the result.

        The phrases are given best first: ``scores`` ``(m,)``, and ``vectors`` ``(m, d)`` whose cosine tells how much
        two phrases are alike.
        """
        ...


def directions(vectors: Floats) -> Floats:
    """The vectors at length 1, so that their products are cosines; a vector of zeros is like none."""
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Floats = vectors / np.where(norms == 0, 1, norms)
    return scaled


@dataclass(frozen=True, kw_only=True)
class MMR:
    """Take next the phrase with the largest ``(1 − diversity) · relevance − diversity · similarity to those taken``.

    ``diversity`` 0 is relevance alone, 1 is diversity alone, as in KeyBERT.

    Similarity to those taken is that to the nearest of them, the
    cosine of the method's vectors: for MDERank two phrases are similar if masking them moves the document in the same
    direction, as nested phrases and near-synonyms do. ``scaling`` makes relevance and similarity comparable:

    - ``range``: relevance is the score, scaled to [0, 1]; similarity is the cosine as it is.
    - ``standard``: both are brought to mean 0.5 and standard deviation 1, over all phrases and, for the similarity to
      one that is taken, over all others (equations 2 and 3 of EmbedRank's paper).
    - ``none``: both are as they are. For methods whose score is a cosine itself.

    Without it every method has its own: EmbedRank its paper's ``standard``, KeyBERT ``none``, all others ``range``.

    Carbonell and Goldstein (1998), "The use of MMR, diversity-based reranking for reordering documents and producing
    summaries", SIGIR; for keyphrases Bennani-Smires et al. (2018), "Simple unsupervised keyphrase extraction using
    sentence embeddings", CoNLL.
    """

    diversity: float = 0.5
    scaling: Scaling | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.diversity, int | float) or not 0 <= self.diversity <= 1:
            raise OptionError(f"diversity must be a number from 0 (relevance alone) to 1, not {self.diversity!r}")
        if self.scaling not in (None, *SCALINGS):
            raise OptionError(f"scaling={self.scaling!r} is unknown: it is one of {', '.join(SCALINGS)}")

    def order(self, scores: Floats, vectors: Floats, top_k: int | None = None) -> list[int]:
        """The indices of the ``top_k`` that are taken, in that order, of phrases given best first."""
        count = len(scores) if top_k is None else min(top_k, len(scores))
        if count == 0:
            return []
        relevance = self._relevance(scores)
        weight = 1 - self.diversity
        unit = directions(vectors)  # (m, d)
        nearest: Floats = np.zeros(len(scores))
        left = np.ones(len(scores), dtype=np.bool_)
        taken: list[int] = []
        while len(taken) < count:
            best = _largest(weight * relevance - (1 - weight) * nearest, left)
            taken.append(best)
            left[best] = False
            likeness = self._likeness(unit, best)
            nearest = likeness if len(taken) == 1 else np.maximum(nearest, likeness)
        return taken

    def _relevance(self, scores: Floats) -> Floats:
        if self.scaling == "none":
            return scores
        if self.scaling == "standard":
            return _standard(scores, scores)
        spread = scores.max() - scores.min()
        return (scores - scores.min()) / spread if spread > 0 else np.ones(len(scores))

    def _likeness(self, unit: Floats, taken: int) -> Floats:
        """How much every phrase is like one that was taken."""
        cosines: Floats = unit @ unit[taken]
        return _standard(cosines, np.delete(cosines, taken)) if self.scaling == "standard" else cosines


def _standard(values: Floats, among: Floats) -> Floats:
    """``values`` by their distance from the mean of those ``among`` them, in standard deviations, around 0.5.

    The paper first takes off the minimum and divides by the maximum, which leaves no trace in what comes out (but
    where all are below zero, and the order would be turned round: not so here).
    """
    deviation = float(np.std(among)) if len(among) else 0.0
    if deviation <= 1e-6 * float(np.abs(values).max()):  # equal but for rounding
        return np.full(len(values), 0.5)
    return 0.5 + (values - np.mean(among)) / deviation


def _largest(gain: Floats, left: npt.NDArray[np.bool_]) -> int:
    """The phrase with the largest gain of those left, rounded like scores are: of equal ones the better-ranked."""
    most = float(gain[left].max())
    near = np.flatnonzero(left & (gain >= most - 2e-4 * abs(most)))  # the only ones that can round to the same
    return max(near.tolist(), key=lambda choice: (significant(float(gain[choice])), -choice))


@dataclass(frozen=True)
class MaxSum:
    """Of the ``pool`` best phrases take those ``top_k`` together whose mutual similarities have the least sum.

    The similarity of two phrases is the cosine of the method's vectors. What is taken comes in the order of its
    scores. All choices are tried while they are no more than 200,000, which they are with a pool of 20 for any
    ``top_k``; beyond that the choice is greedy, and improved by exchanging one phrase at a time while that helps.

    The choice is one of ``top_k`` phrases together: that for 5 is not the beginning of that for 10, as it is for
    `MMR` and without diversity. All phrases (``top_k=None``) leave nothing to choose, and are refused.

    Gollapudi and Sharma (2009), "An axiomatic approach for result diversification", WWW; for keyphrases Grootendorst
    (2020), "KeyBERT: minimal keyword extraction with BERT" (software, doi:10.5281/zenodo.4461265).
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
