"""Text to Document: words, tags, offsets."""

from mderank.tagging.base import Tagger
from mderank.tagging.encoder_tagger import EncoderTagger
from mderank.tagging.load import load_tagger
from mderank.tagging.segmenters import SegmenterTagger
from mderank.tagging.spacy import SpacyTagger

__all__ = ["EncoderTagger", "SegmenterTagger", "SpacyTagger", "Tagger", "load_tagger"]
