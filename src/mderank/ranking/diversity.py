"""What makes the phrases of a result differ from each other."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from mderank.ranking.similarity import Floats


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
