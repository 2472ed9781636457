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
    """Interface of diversification: selects some of the ranked phrases, and orders them."""

    def order(self, scores: Floats, vectors: Floats, top_k: int | None = None) -> list[int]:
        """Select phrases and order them.

        Args:
            scores: Scores ``(m,)`` of the phrases, the best first.
            vectors: Vectors ``(m, d)`` of the phrases; their cosine tells how much two phrases are alike.
            top_k: Number of phrases; None for all.

        Returns:
            The indices of the selected phrases, in the order of the result.
        """
        ...


def directions(vectors: Floats) -> Floats:
    """Scale vectors to length 1, so that their products are cosines. Vectors of zeros stay zero.

    Args:
        vectors: Vectors ``(m, d)``.

    Returns:
        Vectors ``(m, d)`` of length 1 or 0.
    """
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Floats = vectors / np.where(norms == 0, 1, norms)
    return scaled


@dataclass(frozen=True, kw_only=True)
class MMR:
    """Maximal marginal relevance: take next the phrase that is relevant and unlike those taken.

    The next phrase has the largest ``(1 − diversity) · relevance − diversity · similarity``. Similarity is the cosine
    of the method's vectors with the nearest phrase that is taken. For MDERank two phrases are similar if masking them
    moves the document in the same direction, as nested phrases and near-synonyms do.

    Carbonell and Goldstein (1998), "The use of MMR, diversity-based reranking for reordering documents and producing
    summaries", SIGIR; for keyphrases Bennani-Smires et al. (2018), "Simple unsupervised keyphrase extraction using
    sentence embeddings", CoNLL.

    Attributes:
        diversity: 0 is relevance alone, 1 is diversity alone, as in KeyBERT.
        scaling: How relevance and similarity become comparable. ``range``: the score is scaled to [0, 1], the cosine is
            as it is. ``standard``: both have mean 0.5 and standard deviation 1 (equations 2 and 3 of EmbedRank's
            paper). ``none``: both are as they are, for methods whose score is a cosine. None is the method's own:
            ``standard`` for EmbedRank, ``none`` for KeyBERT, ``range`` for all others.

    Raises:
        OptionError: If the diversity is not from 0 to 1, or the scaling is unknown.
    """

    diversity: float = 0.5
    scaling: Scaling | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.diversity, int | float) or not 0 <= self.diversity <= 1:
            raise OptionError(f"diversity must be a number from 0 (relevance alone) to 1, not {self.diversity!r}")
        if self.scaling not in (None, *SCALINGS):
            raise OptionError(f"scaling={self.scaling!r} is unknown: it is one of {', '.join(SCALINGS)}")

    def order(self, scores: Floats, vectors: Floats, top_k: int | None = None) -> list[int]:
        """Select phrases one after the other.

        Args:
            scores: Scores ``(m,)`` of the phrases, the best first.
            vectors: Vectors ``(m, d)`` of the phrases.
            top_k: Number of phrases; None for all.

        Returns:
            The indices of the selected phrases, in the order of selection.
        """
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
    """Maximal sum of distances: of the best phrases, take those together that are least alike.

    The similarity of two phrases is the cosine of the method's vectors; the sum over all pairs is the smallest
    possible. All selections are tried while they are no more than 200,000, as with a pool of 20 for any ``top_k``.
    Beyond that the selection is greedy, and improved by exchanging one phrase at a time.

    The phrases are selected together: those for 5 are not the first of those for 10, as they are with `MMR`.

    Gollapudi and Sharma (2009), "An axiomatic approach for result diversification", WWW; for keyphrases Grootendorst
    (2020), "KeyBERT: minimal keyword extraction with BERT" (software, doi:10.5281/zenodo.4461265).

    Attributes:
        pool: Number of the best phrases to select from.

    Raises:
        OptionError: If the pool is empty.
    """

    pool: int = 20

    def __post_init__(self) -> None:
        if self.pool < 1:
            raise OptionError(f"MaxSum needs a pool of at least 1 phrase, not {self.pool}")

    def order(self, scores: Floats, vectors: Floats, top_k: int | None = None) -> list[int]:
        """Select phrases together, and order them by score.

        Args:
            scores: Scores ``(m,)`` of the phrases, the best first.
            vectors: Vectors ``(m, d)`` of the phrases.
            top_k: Number of phrases, at most that of the pool.

        Returns:
            The indices of the selected phrases, the best first.

        Raises:
            OptionError: If ``top_k`` is None or larger than the pool.
        """
        if top_k is None:
            raise OptionError(
                "MaxSum chooses among phrases, and all of them are asked for: say how many (top_k, --top-k)"
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
