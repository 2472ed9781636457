"""Diversity by maximal marginal relevance.

Carbonell and Goldstein (1998), "The use of MMR, diversity-based reranking for reordering documents and producing
summaries", SIGIR; for keyphrases Bennani-Smires et al. (2018), "Simple unsupervised keyphrase extraction using
sentence embeddings", CoNLL.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mderank.errors import OptionError
from mderank.ranking.order import significant
from mderank.ranking.similarity import Floats


@dataclass(frozen=True)
class MMR:
    """Take next the phrase with the largest ``λ · relevance − (1 − λ) · similarity to those taken``.

    ``1`` is relevance alone, ``0`` diversity alone. Relevance is the score scaled to [0, 1]. Two phrases are similar
    if masking them moves the document in the same direction: nested phrases and near-synonyms do.
    """

    relevance: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.relevance <= 1:
            raise OptionError(f"MMR takes a number from 0 (diverse) to 1 (relevant), not {self.relevance}")

    def order(self, scores: Floats, vectors: Floats, top_k: int | None = None) -> list[int]:
        """The indices of the ``top_k`` that are taken, in that order, of phrases given best first."""
        count = len(scores) if top_k is None else min(top_k, len(scores))
        if count == 0:
            return []
        spread = scores.max() - scores.min()
        relevance = (scores - scores.min()) / spread if spread > 0 else np.ones(len(scores))
        norms = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit = vectors / np.where(norms == 0, 1, norms)  # (m, d)
        nearest = np.zeros(len(scores))
        left = np.ones(len(scores), dtype=np.bool_)
        taken: list[int] = []
        while len(taken) < count:
            gain = self.relevance * relevance - (1 - self.relevance) * nearest
            choices = np.flatnonzero(left)
            # Rounded like scores are: the better-ranked of two equal ones is taken.
            best = max(choices.tolist(), key=lambda choice: (significant(float(gain[choice])), -choice))
            taken.append(best)
            left[best] = False
            likeness = unit @ unit[best]
            nearest = likeness if len(taken) == 1 else np.maximum(nearest, likeness)
        return taken
