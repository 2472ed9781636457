"""Text to Document: words, tags, offsets."""

from mderank.tagging.base import Tagger
from mderank.tagging.spacy import SpacyTagger

__all__ = ["SpacyTagger", "Tagger"]
