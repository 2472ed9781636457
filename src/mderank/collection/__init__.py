"""Phrases of a whole collection, from the output of a batch."""

from mderank.collection.batch_output import BatchOutput, open_output
from mderank.collection.overview import CollectionPhrase, Overview, SortOrder, build_overview

__all__ = ["BatchOutput", "CollectionPhrase", "Overview", "SortOrder", "build_overview", "open_output"]
