"""Phrases of a whole collection, from the output of a batch, and those that a vocabulary lacks."""

from mderank.collection.batch_output import BatchOutput, open_output
from mderank.collection.overview import CollectionPhrase, Overview, SortOrder, build_overview
from mderank.collection.suggest import Suggestion, suggest_concepts

__all__ = [
    "BatchOutput",
    "CollectionPhrase",
    "Overview",
    "SortOrder",
    "Suggestion",
    "build_overview",
    "open_output",
    "suggest_concepts",
]
