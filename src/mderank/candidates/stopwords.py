"""Stop words: words that no keyphrase has inside it."""

from __future__ import annotations

from functools import cache

from mderank.candidates.word_lists import load_word_list
from mderank.languages import stop_words


@cache
def stop_words_of(language: str) -> frozenset[str]:
    """Return the stop words of a language; none for a language without a list.

    The English list has function words, the quantifiers and comparatives that taggers call adjectives, and scholarly
    abbreviations. Those of other languages are in `mderank.languages`.

    Args:
        language: Language code.

    Returns:
        The stop words, in lower case.
    """
    return load_word_list("stop_words") if language == "en" else stop_words(language)
