"""Text to Document: words, tags, offsets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mderank.util.lazy import lazy_names

_MODULES = {
    "mderank.tagging.base": ("Tagger",),
    "mderank.tagging.encoder_tagger": ("EncoderTagger",),
    "mderank.tagging.language_tagger": ("LanguageTagger",),
    "mderank.tagging.load": ("load_tagger",),
    "mderank.tagging.segmenters": ("SegmenterTagger",),
    "mderank.tagging.spacy": ("SpacyTagger",),
    "mderank.tagging.word_tagger": ("WordTagger",),
}
__all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES)

if TYPE_CHECKING:
    from mderank.tagging.base import Tagger as Tagger
    from mderank.tagging.encoder_tagger import EncoderTagger as EncoderTagger
    from mderank.tagging.language_tagger import LanguageTagger as LanguageTagger
    from mderank.tagging.load import load_tagger as load_tagger
    from mderank.tagging.segmenters import SegmenterTagger as SegmenterTagger
    from mderank.tagging.spacy import SpacyTagger as SpacyTagger
    from mderank.tagging.word_tagger import WordTagger as WordTagger
