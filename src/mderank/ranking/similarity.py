"""How far a mask moved the document's embedding: cosine, or Euclidean distance (appendix B of the paper)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from mderank.util.arrays import Floats

SimilarityName = Literal["cosine", "euclidean"]
SIMILARITIES: tuple[SimilarityName, ...] = ("cosine", "euclidean")


def closeness(document: Floats, phrases: Floats, name: SimilarityName) -> tuple[Floats, Floats]:
    """The similarities ``(m,)`` of a document and phrases, and the scores ``(m,)``: the nearer, the more important.

    Both are the cosine, or the negative of the Euclidean distance.
    """
    if name == "euclidean":
        distance = np.linalg.norm(phrases - document, axis=1)
        return -distance, -distance
    lengths = np.linalg.norm(phrases, axis=1) * np.linalg.norm(document)
    cosine = np.divide(phrases @ document, lengths, out=np.zeros(len(phrases)), where=lengths > 0)
    return cosine, cosine


def compare(document: Floats, changes: Floats, name: SimilarityName) -> tuple[Floats, Floats]:
    """The similarities ``(m,)`` of E(d) and E(d) + change, and the scores ``(m,)``: more change, more important.

    ``cosine``: the similarity is cos, the score 1 − cos. ``euclidean``: the score is the distance, the similarity
    its negative.

    1 − cos is computed from the change and not from cos, which is 1 to within rounding on long texts. Split the
    change into its part along E(d) and its part ``p`` across it; with ``a`` the length along E(d) after the change,
    cos = a / √(a² + p²), and 1 − cos = p² / (√(a² + p²) · (√(a² + p²) + a)), in which nothing cancels while a > 0.
    """
    if name == "euclidean":
        distance = np.linalg.norm(changes, axis=1)
        return -distance, distance
    length = float(np.linalg.norm(document))
    if length == 0 or not len(changes):
        return np.ones(len(changes)), np.zeros(len(changes))
    direction = document / length
    along = changes @ direction  # (m,)
    across = np.linalg.norm(changes - along[:, None] * direction, axis=1)
    after = length + along
    hypotenuse = np.hypot(after, across)
    safe = np.where(hypotenuse == 0, 1.0, hypotenuse)
    small = across**2 / (safe * np.where(after > 0, safe + after, 1.0))
    distance = np.where(hypotenuse == 0, 0.0, np.where(after > 0, small, 1 - after / safe))
    return 1 - distance, distance
