"""Headlines and capitals as a tagger can read them.

A tagger takes a capitalised word for a name: in "Bank of England Holds Interest Rates" it finds no verb, and in
capitals it finds names only. In lower case it reads them as the sentences that they are.
"""

from __future__ import annotations

from collections.abc import Sequence

_SENTENCE_ENDS = frozenset(".?!…")
_LONG = 4  # letters: shorter words are in lower case in a headline too
_MOST = 0.85  # share of words that must be capitalised
_FEWEST_TITLE, _FEWEST_CAPITALS = 3, 2  # words


def lower_headlines(words: Sequence[str]) -> list[str]:
    """The words of a paragraph as they are given to a tagger: sentences in title case or capitals in lower case.

    Acronyms and names with capitals inside keep them in a headline.

    >>> lower_headlines("Exxon Submits Strategy to the SEC".split())
    ['exxon', 'submits', 'strategy', 'to', 'the', 'SEC']
    >>> lower_headlines("Exxon has a strategy for Texas".split())
    ['Exxon', 'has', 'a', 'strategy', 'for', 'Texas']

    Args:
        words: The words of a paragraph.

    Returns:
        As many words, in order.
    """
    read: list[str] = []
    start = 0
    for index, word in enumerate(words):
        if word in _SENTENCE_ENDS:
            read += _lowered(words[start : index + 1])
            start = index + 1
    return read + _lowered(words[start:])


def _lowered(words: Sequence[str]) -> list[str]:
    letters = [word for word in words if word.isalpha() and len(word) > 1]
    capitals = sum(word.isupper() for word in letters)
    if capitals >= _FEWEST_CAPITALS and capitals >= _MOST * len(letters):
        return [word.lower() for word in words]
    long = [word for word in letters if len(word) >= _LONG]
    titled = sum(word[0].isupper() for word in long)
    if titled >= _FEWEST_TITLE and titled >= _MOST * len(long):
        return [word.lower() if word.istitle() else word for word in words]
    return list(words)
