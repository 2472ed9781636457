"""Diversity by maximal marginal relevance.

Carbonell and Goldstein (1998), "The use of MMR, diversity-based reranking for reordering documents and producing
summaries", SIGIR; for keyphrases Bennani-Smires et al. (2018), "Simple unsupervised keyphrase extraction using
sentence embeddings", CoNLL.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from mderank.errors import OptionError
from mderank.ranking.diversity import directions
from mderank.ranking.order import significant
from mderank.ranking.similarity import Floats

Scaling = Literal["range", "standard", "none"]
SCALINGS: tuple[Scaling, ...] = ("range", "standard", "none")


@dataclass(frozen=True)
class MMR:
    """Take next the phrase with the largest ``λ · relevance − (1 − λ) · similarity to those taken``.

    ``1`` is relevance alone, ``0`` diversity alone. Similarity to those taken is that to the nearest of them, the
    cosine of the method's vectors: for MDERank two phrases are similar if masking them moves the document in the same
    direction, as nested phrases and near-synonyms do. ``scaling`` makes relevance and similarity comparable:

    - ``range``: relevance is the score, scaled to [0, 1]; similarity is the cosine as it is.
    - ``standard``: both are brought to mean 0.5 and standard deviation 1, over all phrases and, for the similarity to
      one that is taken, over all others (equations 2 and 3 of EmbedRank's paper).
    - ``none``: both are as they are. For methods whose score is a cosine itself.

    Without it every method has its own: EmbedRank its paper's ``standard``, KeyBERT ``none``, all others ``range``.
    """

    relevance: float = 0.5
    scaling: Scaling | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.relevance <= 1:
            raise OptionError(f"MMR takes a number from 0 (diverse) to 1 (relevant), not {self.relevance}")
        if self.scaling not in (None, *SCALINGS):
            raise OptionError(f"scaling={self.scaling!r} is unknown: it is one of {', '.join(SCALINGS)}")

    def order(self, scores: Floats, vectors: Floats, top_k: int | None = None) -> list[int]:
        """The indices of the ``top_k`` that are taken, in that order, of phrases given best first."""
        count = len(scores) if top_k is None else min(top_k, len(scores))
        if count == 0:
            return []
        relevance = self._relevance(scores)
        unit = directions(vectors)  # (m, d)
        nearest: Floats = np.zeros(len(scores))
        left = np.ones(len(scores), dtype=np.bool_)
        taken: list[int] = []
        while len(taken) < count:
            best = _largest(self.relevance * relevance - (1 - self.relevance) * nearest, left)
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
