"""Functions on strings that all rooms use: stems, lone surrogates."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import Any

import snowballstemmer

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """``text`` with lone surrogates, which no encoder can read, replaced one for one: offsets hold."""
    return _LONE_SURROGATE.sub("\ufffd", text)


def stem_phrase(phrase: str, language: str = "en") -> str:
    """The phrase with its words stemmed (Porter's algorithm for English; lower case where there is no stemmer).

    >>> stem_phrase("Neural Networks")
    'neural network'
    """
    return " ".join(_stem(word, language) for word in phrase.lower().split())


@lru_cache(maxsize=65_536)
def _stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    return str(stemmer.stemWord(word)) if stemmer else word


_LANGUAGES = {"en": "porter", "da": "danish", "de": "german", "el": "greek", "es": "spanish", "fi": "finnish",
              "fr": "french", "hu": "hungarian", "it": "italian", "lt": "lithuanian", "nb": "norwegian",
              "nl": "dutch", "pt": "portuguese", "ro": "romanian", "ru": "russian", "sv": "swedish"}  # fmt: skip


@cache
def _stemmer(language: str) -> Any:
    name = _LANGUAGES.get(language)
    return snowballstemmer.stemmer(name) if name else None
