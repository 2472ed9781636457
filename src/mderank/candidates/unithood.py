"""Unithood: how much of a unit a phrase is, measured from the text itself.

Counts tell it: how often the phrase occurs alone, and in how many different longer phrases.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log, log1p
from typing import NamedTuple

from mderank.candidates.word_kinds import ADJECTIVE, GERUND, LINKS, NUMBER, OF, PARTICIPLE
from mderank.candidates.word_lists import light_words
from mderank.document import Document, Token

# What a candidate loses, in the units of FusionRank's score; chosen on the tuning datasets.
_NEVER_ALONE = 0.11  # never stands as a whole phrase
_EXTENDED_LEFT = 0.11  # times the share of occurrences that a longer phrase extends to the left
_EXTENDED_RIGHT = 0.1
_LINKED = 0.07  # an "of" outside of names
_WITH_NUMBER = 0.1
_WITH_PARTICIPLE = 0.02
_ENDS_IN_GERUND = 0.14
_PERSON = 0.2  # a form of address before a name: people who write or speak are seldom what a text is about
# And what it gains with the logarithm of the number of different longer phrases that hold it.
_HELD_WORD, _HELD_PHRASE = 0.02, 0.05

# Candidates that are not promising are left out before an encoder sees them, but never the best of them.
_LEAST_PROMISE = -0.3
_KEPT = 30
# Without tags a long phrase that occurs once is most often a part of a sentence, verb and all.
_LONGEST_ONCE = 2  # words
_KEPT_ELSEWHERE = 80  # outside English, where without tags verbs and adverbs are among the candidates
# An encoder hides every occurrence of every candidate. In a text of few words that recur, every word is part of dozens
# of phrases. Words that are hidden, per word of the text; more than any ordinary text has.
_MOST_HIDDEN = 3
_HIDDEN_ANYWAY = 1_000  # words
_LEAD = 100  # words; see FusionRank


class Stretch(NamedTuple):
    """A longest run of words that can be one phrase.

    Attributes:
        start: Index of its first token.
        stop: Index after its last token.
    """

    start: int
    stop: int


def is_unit(document: Document, ranges: Sequence[range], kinds: str) -> bool:
    """Check that a phrase occurs often enough not to be chance, or is a name.

    Args:
        document: The tagged text.
        ranges: The tokens of each occurrence.
        kinds: The kind of every token; see `word_kinds`.

    Returns:
        True if it can be a term.
    """
    first = ranges[0]
    kind = kinds[first.start : first.stop]
    if OF in kind and len(ranges) == 1:
        return is_name(document.tokens[first.start : first.stop], kind)
    if kind == GERUND:
        return len(ranges) > 1
    if document.tagset == "words" and len(kind) - kind.count(OF) > _LONGEST_ONCE:
        return len(ranges) > 1 or is_name(document.tokens[first.start : first.stop], kind)
    return True


def is_name(words: Sequence[Token], kinds: str) -> bool:
    """Check whether the content words of a phrase are capitalised.

    Args:
        words: The tokens of the phrase.
        kinds: The kind of each token; see `word_kinds`.

    Returns:
        True for a name.
    """
    if OF in kinds and kinds.index(OF) < len(kinds) - 1:  # "Internet of Things devices"
        place = kinds.index(OF)
        while kinds[place + 1 : place + 2] == OF:  # "Bibliothèque de la Pléiade"
            place += 1
        words, kinds = words[: place + 2], kinds[: place + 2]
    return all(
        word.text[:1].isupper() or kind in LINKS or kind == NUMBER for word, kind in zip(words, kinds, strict=True)
    )


class Unit(NamedTuple):
    """Measured properties of a phrase.

    Attributes:
        frequency: Number of occurrences.
        alone: Number of occurrences that are not inside a longer phrase.
        first: Index of the first token of the first occurrence.
        unithood: How much of a unit the phrase is; see `Candidate.unithood`.
    """

    frequency: int
    alone: int
    first: int
    unithood: float


def measure_unit(
    document: Document,
    words: Sequence[str],
    key: tuple[str, ...],
    ranges: Sequence[range],
    covering: dict[int, Stretch],
    kinds: str,
) -> Unit:
    """Measure how much of a unit a phrase is.

    Args:
        document: The tagged text.
        words: Its words in lower case.
        key: The words of the phrase.
        ranges: The tokens of each occurrence.
        covering: The stretch that each token is in.
        kinds: The kind of every token; see `word_kinds`.

    Returns:
        The measured properties.
    """
    light = light_words(document.language)
    alone = left = right = 0
    holders = set()
    for part in ranges:
        start, stop = covering[part.start]
        while start < part.start and kinds[start] == ADJECTIVE and words[start] in light.adjectives:
            start += 1
        left += start < part.start
        right += part.stop < stop
        if start < part.start or part.stop < stop:
            holders.add(tuple(words[start:stop]))
        else:
            alone += 1
    count = len(ranges)
    first = ranges[0]
    kind = kinds[first.start : first.stop]
    held = (_HELD_WORD if len(key) == 1 else _HELD_PHRASE) * log1p(len(holders))
    unithood = held - _EXTENDED_LEFT * left / count - _EXTENDED_RIGHT * right / count - _NEVER_ALONE * (not alone)
    name = is_name(document.tokens[first.start : first.stop], kind)
    unithood -= _LINKED * (OF in kind and not name) + _WITH_NUMBER * (NUMBER in kind and not name)
    unithood -= _WITH_PARTICIPLE * (PARTICIPLE in kind) + _ENDS_IN_GERUND * kind.endswith(GERUND)
    unithood -= _PERSON * (key[0].strip(".") in light.addresses)
    return Unit(count, alone, first.start, unithood)


def keep_promising(units: dict[tuple[str, ...], Unit], document: Document) -> dict[tuple[str, ...], Unit]:
    """Leave out phrases that are hopeless by their counts alone, before an encoder sees them.

    Args:
        units: Phrases with their properties.
        document: The text.

    Returns:
        The promising phrases: at least the best 30, or 80 outside English, unless their occurrences have more than
        three times the words of the text.
    """
    words = len(document.tokens)
    is_english = document.language == "en"
    promise = {key: (_promise if is_english else _promise_elsewhere)(len(key), unit) for key, unit in units.items()}
    ranked = sorted(promise, key=lambda key: -promise[key])
    kept_anyway = _KEPT if is_english else _KEPT_ELSEWHERE
    bar = min(_LEAST_PROMISE, promise[ranked[kept_anyway - 1]]) if len(ranked) > kept_anyway else float("-inf")
    left = _MOST_HIDDEN * words + _HIDDEN_ANYWAY
    kept = set()
    for key in ranked:
        if promise[key] < bar or left < 0:
            break
        kept.add(key)
        left -= len(key) * units[key].frequency
    return {key: unit for key, unit in units.items() if key in kept}


def _promise(words: int, unit: Unit) -> float:
    """Score a phrase of so many words without an encoder, with the weights of FusionRank."""
    return (
        unit.unithood
        + (0.075 if words == 1 else 0.15) * log(unit.frequency)
        - 0.2 * log1p(unit.first / _LEAD)
        - 0.1 * (words == 1)
        - 0.1 * max(0, words - 3)
    )


def _promise_elsewhere(words: int, unit: Unit) -> float:
    """Score a phrase of a text in another language, with the weights of FusionRank for these."""
    return (
        0.5 * unit.unithood
        + (0.15 if words == 1 else 0.3) * log(unit.frequency)
        - 0.25 * log1p(unit.first / _LEAD)
        - 0.05 * (words == 1)
        - 0.05 * max(0, words - 3)
    )
