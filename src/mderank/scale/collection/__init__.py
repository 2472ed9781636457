"""What a whole collection is about: the output of a batch, phrase by phrase."""

from mderank.scale.collection.phrases import Order, Overview, Phrase, overview
from mderank.scale.collection.rows import Output, open_output

__all__ = ["Order", "Output", "Overview", "Phrase", "open_output", "overview"]
