"""Match predictions with judged phrases: spelling and number do not matter, all words do."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_DASHES = re.compile("[-\u2010-\u2015\u2212]")
_APOSTROPHES = re.compile("[\u2019\u02bc]")
_POSSESSIVE = re.compile(r"(?<=\w)'s(?!\w)|(?<=s)'(?!\w)")
_ARTICLES = ("a", "an", "the")


class JudgedPhrases:
    """Phrases in which predictions are looked up.

    Two phrases match if they have the same words, apart from case, Unicode compatibility forms, hyphens and dashes, a
    possessive 's, a leading article, and plural endings.

    Args:
        phrases: The phrases.

    >>> "the Storm-Surges" in JudgedPhrases(["storm surge"])
    True
    >>> "surge" in JudgedPhrases(["storm surge"])
    False
    """

    def __init__(self, phrases: Iterable[str]) -> None:
        self._words = {phrase: _words(phrase) for phrase in phrases}

    def __contains__(self, phrase: object) -> bool:
        return self.find(str(phrase)) is not None

    def find(self, phrase: str) -> str | None:
        """Return the first phrase that ``phrase`` matches, or None."""
        words = _words(phrase)
        return next((each for each, others in self._words.items() if _match(words, others)), None)


def _words(phrase: str) -> tuple[str, ...]:
    text = _APOSTROPHES.sub("'", unicodedata.normalize("NFKC", phrase)).lower()
    words = _DASHES.sub(" ", _POSSESSIVE.sub("", text)).split()
    return tuple(words[1:] if len(words) > 1 and words[0] in _ARTICLES else words)


def _match(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    return len(one) == len(other) and all(
        a == b or not _singulars(a).isdisjoint(_singulars(b)) for a, b in zip(one, other, strict=True)
    )


def _singulars(word: str) -> set[str]:
    """Return the word, and the words of which it may be the plural.

    Several are possible, since spelling alone does not distinguish "movies" from "parties".

    >>> sorted(_singulars("parties"))
    ['partie', 'parties', 'party']
    >>> sorted(_singulars("boxes")), sorted(_singulars("glass"))
    (['box', 'boxe', 'boxes'], ['glass'])
    """
    found = {word}
    if len(word) > 2 and word.endswith("s") and not word.endswith("ss"):
        found.add(word[:-1])
        if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
            found.add(word[:-2])
        elif word.endswith("ies"):
            found.add(f"{word[:-3]}y")
    return found
