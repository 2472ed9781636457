"""Is this text plainly not English, so that an English tagger is out of place?"""

from __future__ import annotations

import warnings

from mderank.errors import LanguageWarning
from mderank.languages import detect_language, get_language

_PLAIN = 0.95  # certainty
_FEWEST_WORDS = 15  # in Latin script: names and titles of works are not enough


def plainly_not_english(text: str) -> bool:
    """Whether ``text`` is in another language. In doubt it may be English.

    >>> plainly_not_english(
    ...     "Die Bedeutung eines Dokuments ist nicht die Summe der Wörter, und das gilt auch für den Titel."
    ... )
    True
    >>> plainly_not_english("kubernetes docker helm terraform ansible jenkins")
    False

    Args:
        text: Any text.

    Returns:
        True if it is plainly not English.
    """
    detected = detect_language(text)
    if detected.code == "en" or detected.certainty < _PLAIN:
        return False
    latin = get_language(detected.code).script == "Latin"
    return not latin or len(text.split(maxsplit=_FEWEST_WORDS)) >= _FEWEST_WORDS


def warn_if_not_english(text: str) -> bool:
    """Warn that an English tagger reads a text that is plainly not English.

    Args:
        text: Any text.

    Returns:
        True if there was a warning.
    """
    if not plainly_not_english(text):
        return False
    warnings.warn(
        "the text is plainly not English, but the tagger is: name a spaCy pipeline of its language, --tagger NAME or "
        "SpacyTagger('NAME'), for example de_core_news_sm",
        LanguageWarning,
        stacklevel=3,
    )
    return True
