"""Similarity of a document to a phrase, and to itself without one: cosine or Euclidean (appendix B of the paper)."""

from __future__ import annotations

from typing import Literal

import numpy as np

from mderank.util.arrays import Floats

SimilarityName = Literal["cosine", "euclidean"]
SIMILARITIES: tuple[SimilarityName, ...] = ("cosine", "euclidean")


def phrase_similarity(document: Floats, phrases: Floats, name: SimilarityName) -> tuple[Floats, Floats]:
    """Compare phrases with a document: the nearer, the more important.

    Args:
        document: Embedding ``(d,)`` of the document.
        phrases: Embeddings ``(m, d)`` of phrases.
        name: The similarity.

    Returns:
        Similarities ``(m,)`` and scores ``(m,)``. Both are the cosine, or the negative of the Euclidean distance.
    """
    if name == "euclidean":
        distance = np.linalg.norm(phrases - document, axis=1)
        return -distance, -distance
    lengths = np.linalg.norm(phrases, axis=1) * np.linalg.norm(document)
    cosine = np.divide(phrases @ document, lengths, out=np.zeros(len(phrases)), where=lengths > 0)
    return cosine, cosine


def nearest_similarity(seeds: Floats, phrases: Floats, name: SimilarityName) -> Floats:
    """Compare phrases with seeds: of several seeds the nearest counts.

    Args:
        seeds: Embeddings ``(s, d)`` of seeds; at least one.
        phrases: Embeddings ``(m, d)`` of phrases.
        name: The similarity.

    Returns:
        Similarities ``(m,)`` of each phrase to the seed that is nearest to it.
    """
    nearest: Floats = np.max([phrase_similarity(seed, phrases, name)[0] for seed in seeds], axis=0)
    return nearest


def centred_similarity(document: Floats, phrases: Floats) -> Floats:
    """Compare phrases with a document without what all phrases have in common.

    For an anisotropic encoder all cosines lie close together. The mean of the phrases is the part that they share.

    Args:
        document: Embedding ``(d,)`` of the document.
        phrases: Embeddings ``(m, d)`` of its phrases.

    Returns:
        Cosines ``(m,)`` of what is left of both; 0 for a phrase that is alone.
    """
    if len(phrases) < 2:
        return np.zeros(len(phrases))
    common = phrases.mean(axis=0)
    cosines, _ = phrase_similarity(document - common, phrases - common, "cosine")
    return cosines


def masked_similarity(document: Floats, changes: Floats, name: SimilarityName) -> tuple[Floats, Floats]:
    """Compare a document with itself under each mask: the more it changes, the more important.

    1 − cos is computed from the change and not from cos, which is 1 to within rounding on long texts. Split the
    change into its part along E(d) and its part ``p`` across it; with ``a`` the length along E(d) after the change,
    cos = a / √(a² + p²), and 1 − cos = p² / (√(a² + p²) · (√(a² + p²) + a)), in which nothing cancels while a > 0.

    Args:
        document: Embedding ``(d,)`` of the document, E(d).
        changes: Changes ``(m, d)`` of the embedding, E(d_M) − E(d).
        name: The similarity.

    Returns:
        Similarities ``(m,)`` and scores ``(m,)``. With ``cosine`` they are cos and 1 − cos. With ``euclidean`` the
        score is the distance and the similarity its negative.
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
