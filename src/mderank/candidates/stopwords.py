"""Stop words: words that no keyphrase has inside it."""

from __future__ import annotations

from functools import cache

from mderank.candidates.word_lists import load_word_list
from mderank.document import Token
from mderank.languages import find_language, stop_words
from mderank.text import SEGMENTED

_FUNCTION_TAGS = frozenset("ADP ADV AUX CCONJ DET INTJ PART PRON SCONJ".split())
# Verbs and adjectives of these have endings, which taggers know; "verbs" of Chinese and Thai are often parts of terms.
_INFLECTED = frozenset(("ja", "ko"))


@cache
def stop_words_of(language: str) -> frozenset[str]:
    """Return the stop words of a language; none for a language without a list.

    Of Chinese, Japanese, Korean and Thai only the longer words of the list count: one letter is a particle here and
    part of a term there, which `is_function_word` tells apart.

    The English list has function words, the quantifiers and comparatives that taggers call adjectives, and scholarly
    abbreviations. Those of other languages are in `mderank.languages`.

    Args:
        language: Language code.

    Returns:
        The stop words, in lower case.
    """
    if language == "en":
        return load_word_list("stop_words")
    listed = stop_words(language) if find_language(language) else frozenset()
    return frozenset(word for word in listed if len(word) > 1) if language in SEGMENTED else listed


def is_function_word(token: Token, language: str) -> bool:
    """Check whether a word of a segmented language is one that no keyphrase has inside it, by its universal tag.

    In these languages one spelling is often a particle here and part of a term there, which a list cannot tell apart.

    >>> is_function_word(Token("は", "ADP", 0, 1), "ja"), is_function_word(Token("of", "ADP", 0, 2), "en")
    (True, False)

    Args:
        token: The word.
        language: Language code.

    Returns:
        True for function words of Chinese, Japanese, Korean and Thai, and for verbs of Japanese and Korean.
    """
    if language not in SEGMENTED:
        return False
    return token.tag in _FUNCTION_TAGS or (token.tag == "VERB" and language in _INFLECTED)
