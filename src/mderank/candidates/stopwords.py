"""Stop words: words that no keyphrase has inside it."""

from __future__ import annotations

from functools import cache

from mderank.candidates.word_lists import load_word_list


@cache
def stop_words_of(language: str) -> frozenset[str]:
    """Return the stop words of a language: our own for English, spaCy's for other languages, otherwise none.

    The English list has function words, the quantifiers and comparatives that taggers call adjectives, and scholarly
    abbreviations.

    Args:
        language: Language code.

    Returns:
        The stop words, in lower case.
    """
    if language == "en":
        return load_word_list("stop_words")
    try:
        from spacy.util import get_lang_class

        return frozenset(word.lower() for word in get_lang_class(language).Defaults.stop_words)
    except ImportError:
        return frozenset()
