"""Text to Document: words, tags, offsets."""

from mderank.tagging.base import Tagger
from mderank.tagging.encoder_tagger import EncoderTagger
from mderank.tagging.language_tagger import LanguageTagger
from mderank.tagging.load import load_tagger
from mderank.tagging.segmenters import SegmenterTagger
from mderank.tagging.spacy import SpacyTagger
from mderank.tagging.word_tagger import WordTagger

__all__ = [
    "EncoderTagger",
    "LanguageTagger",
    "SegmenterTagger",
    "SpacyTagger",
    "Tagger",
    "WordTagger",
    "load_tagger",
]
