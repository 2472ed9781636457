"""Functions on strings: stems, white space, first words, lone surrogates."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import islice
from typing import Any

import snowballstemmer

from mderank.languages.table import find_language

_WORD = re.compile(r"\S+")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no encoder can read, one for one, so that offsets hold.

    Args:
        text: Any text.

    Returns:
        The text, with U+FFFD in place of lone surrogates.
    """
    return _LONE_SURROGATE.sub("\ufffd", text)


def collapse_whitespace(text: str) -> str:
    r"""Replace runs of white space by single spaces, and remove them at both ends.

    >>> collapse_whitespace(" support\n vector ")
    'support vector'

    Args:
        text: Any text.

    Returns:
        The text with single spaces.
    """
    return " ".join(text.split())


def end_of_words(text: str, count: int | None) -> int:
    """Find the offset after the first words of a text.

    >>> end_of_words("three short words", 2)
    11

    Args:
        text: Any text.
        count: Number of words, separated by white space; None for all of the text.

    Returns:
        The character offset; the length of a text that has fewer words.
    """
    if count is None:
        return len(text)
    last = next(islice(_WORD.finditer(text), count - 1, None), None)
    return last.end() if last else len(text)


def stem_phrase(phrase: str, language: str = "en") -> str:
    """Stem the words of a phrase: Porter's algorithm for English, lower case where there is no stemmer.

    >>> stem_phrase("Neural Networks")
    'neural network'

    Args:
        phrase: Words separated by white space.
        language: Code or English name of a language.

    Returns:
        The stems, with single spaces between them.
    """
    return " ".join(_stem(word, language) for word in phrase.lower().split())


@lru_cache(maxsize=65_536)
def _stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    return str(stemmer.stemWord(word)) if stemmer else word


@cache
def _stemmer(code: str) -> Any:
    language = find_language(code)
    return snowballstemmer.stemmer(language.stemmer) if language and language.stemmer else None
