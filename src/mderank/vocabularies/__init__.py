"""Vocabularies from files: SKOS, CSV, JSON, lists of phrases."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mderank.util.lazy import lazy_names

# The command line needs one function of `phrases` at every start, and nothing else.
__all__, __getattr__, __dir__ = lazy_names(
    __name__,
    {
        "mderank.vocabularies.load": ("load_vocabulary", "read_vocabulary"),
        "mderank.vocabularies.collector": ("VocabularyFile",),
        "mderank.vocabularies.json": ("vocabulary_json",),
    },
)

if TYPE_CHECKING:
    from mderank.vocabularies.collector import VocabularyFile as VocabularyFile
    from mderank.vocabularies.json import vocabulary_json as vocabulary_json
    from mderank.vocabularies.load import load_vocabulary as load_vocabulary
    from mderank.vocabularies.load import read_vocabulary as read_vocabulary
