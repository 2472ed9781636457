"""What a whole collection is about: the output of a batch, phrase by phrase."""

from mderank.collection.batch_output import Output, open_output
from mderank.collection.overview import Order, Overview, Phrase, build_overview

__all__ = ["Order", "Output", "Overview", "Phrase", "build_overview", "open_output"]
