"""Embeddings to order: similarity, sorting, de-duplication, diversity. Nothing here knows a tensor library."""

from mderank.ranking.dedupe import DEDUPES, Dedupe
from mderank.ranking.diversity import MMR, SCALINGS, Diversity, MaxSum, Scaling
from mderank.ranking.order import rank
from mderank.ranking.overlap import OVERLAPS, Overlap, family_members, family_order
from mderank.ranking.similarity import (
    SIMILARITIES,
    SimilarityName,
    centred_similarity,
    masked_similarity,
    nearest_similarity,
    phrase_similarity,
)

__all__ = [
    "DEDUPES",
    "MMR",
    "OVERLAPS",
    "SCALINGS",
    "SIMILARITIES",
    "Dedupe",
    "Diversity",
    "MaxSum",
    "Overlap",
    "Scaling",
    "SimilarityName",
    "centred_similarity",
    "family_members",
    "family_order",
    "masked_similarity",
    "nearest_similarity",
    "phrase_similarity",
    "rank",
]
