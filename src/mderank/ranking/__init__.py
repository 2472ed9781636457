"""Embeddings to order: similarity, sorting, de-duplication, diversity. Nothing here knows a tensor library."""

from mderank.ranking.dedupe import DEDUPES, Dedupe
from mderank.ranking.mmr import MMR
from mderank.ranking.order import rank
from mderank.ranking.similarity import SIMILARITIES, SimilarityName, closeness, compare

__all__ = ["DEDUPES", "MMR", "SIMILARITIES", "Dedupe", "SimilarityName", "closeness", "compare", "rank"]
