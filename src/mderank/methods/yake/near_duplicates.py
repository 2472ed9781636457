"""Near-duplicates: phrases that are spelled almost like a better one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

StringSimilarity = Literal["none", "sequence", "levenshtein", "jaro"]

_BUCKETS = 32  # code points modulo 32: every letter from a to z, and the space, has a bucket of its own


def drop_near_duplicates(
    phrases: Iterable[str], string_similarity: StringSimilarity, threshold: float
) -> Iterator[int]:
    """Drop phrases that are spelled almost like a better one.

    A phrase is compared only with those that have enough letters in common with it, counted without their order, for
    the similarity to be above the threshold. These are few, which makes it fast.

    >>> list(drop_near_duplicates(["colour map", "color map", "map"], "sequence", 0.9))
    [0, 2]

    Args:
        phrases: Phrases, the best first; only as many are read as results are asked for.
        string_similarity: The measure of similarity; "none" keeps all phrases.
        threshold: The highest similarity to a phrase that was kept.

    Yields:
        The indices of the phrases to keep.
    """
    if string_similarity == "none":
        yield from (index for index, _ in enumerate(phrases))
        return
    measure = MEASURES[string_similarity]
    kept = _Kept()
    for index, phrase in enumerate(phrases):
        letters = _letters(phrase)
        near = (kept.phrases[each] for each in kept.within(letters, len(phrase), measure.bound, threshold))
        if not any(measure.similarity(phrase, each) > threshold for each in near):
            kept.add(phrase, letters)
            yield index


class _Kept:
    """The phrases that were kept, with their lengths ``(k,)`` and how often each letter is in them ``(k, 32)``."""

    def __init__(self) -> None:
        self.phrases: list[str] = []
        self._lengths = np.zeros(64, np.int64)
        self._letters = np.zeros((64, _BUCKETS), np.int32)

    def add(self, phrase: str, letters: npt.NDArray[np.int32]) -> None:
        count = len(self.phrases)
        if count == len(self._lengths):
            self._lengths = np.concatenate([self._lengths, np.zeros_like(self._lengths)])
            self._letters = np.concatenate([self._letters, np.zeros_like(self._letters)])
        self._lengths[count] = len(phrase)
        self._letters[count] = letters
        self.phrases.append(phrase)

    def within(self, letters: npt.NDArray[np.int32], length: int, bound: Bound, threshold: float) -> list[int]:
        """The indices of those that may be above the threshold: first by length, then by letters in common."""
        lengths = self._lengths[: len(self.phrases)]
        by_length = np.flatnonzero(bound(np.minimum(lengths, length), lengths, length) > threshold)
        common = np.minimum(self._letters[by_length], letters).sum(axis=1)
        close: list[int] = by_length[bound(common, lengths[by_length], length) > threshold].tolist()
        return close


def _letters(phrase: str) -> npt.NDArray[np.int32]:
    points = np.frombuffer(phrase.encode("utf-32-le", "surrogatepass"), np.uint32)
    return np.bincount(points % _BUCKETS, minlength=_BUCKETS).astype(np.int32)


def sequence(one: str, other: str) -> float:
    """Compute the similarity of Ratcliff and Obershelp: 2 · matching / all characters.

    Matching characters are those in the longest common blocks.

    Args:
        one: A string.
        other: Another string.

    Returns:
        The similarity, from 0 to 1.
    """
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def levenshtein(one: str, other: str) -> float:
    """Compute 1 − edits / characters of the longer string (Levenshtein's distance).

    Args:
        one: A string.
        other: Another string.

    Returns:
        The similarity, from 0 to 1.
    """
    row = list(range(len(other) + 1))
    for number, character in enumerate(one, start=1):
        diagonal, row[0] = row[0], number
        for place, each in enumerate(other, start=1):
            changed = diagonal + (character != each)
            diagonal, row[place] = row[place], min(changed, row[place] + 1, row[place - 1] + 1)
    longer = max(len(one), len(other))
    return 1 - row[-1] / longer if longer else 1.0


def jaro(one: str, other: str) -> float:
    """Compute the similarity of Jaro (1989).

    It is the mean of three shares: matching characters of each string, and matching characters in the same order.

    Args:
        one: A string.
        other: Another string.

    Returns:
        The similarity, from 0 to 1.
    """
    if not one or not other:
        return float(one == other)
    reach = max(0, max(len(one), len(other)) // 2 - 1)
    free = [True] * len(other)
    matched = []
    for place, character in enumerate(one):
        for there in range(max(0, place - reach), min(len(other), place + reach + 1)):
            if free[there] and other[there] == character:
                free[there] = False
                matched.append(character)
                break
    if not matched:
        return 0.0
    in_order = [character for character, still in zip(other, free, strict=True) if not still]
    moved = sum(here != there for here, there in zip(matched, in_order, strict=True)) // 2
    return (len(matched) / len(one) + len(matched) / len(other) + (len(matched) - moved) / len(matched)) / 3


Bound = Callable[[Any, Any, int], Any]


class Measure(NamedTuple):
    """A string similarity with an upper bound.

    Attributes:
        similarity: The similarity of two phrases.
        bound: The highest similarity of phrases with so many characters in common and of such lengths.
    """

    similarity: Callable[[str, str], float]
    bound: Bound


MEASURES: dict[StringSimilarity, Measure] = {
    "sequence": Measure(sequence, lambda common, one, other: 2.0 * common / np.maximum(1, one + other)),
    "levenshtein": Measure(levenshtein, lambda common, one, other: 1 - (np.maximum(one, other) - common)
                           / np.maximum(1, np.maximum(one, other))),
    "jaro": Measure(jaro, lambda common, one, other: (common / np.maximum(1, one) + common / max(1, other) + 1) / 3),
}  # fmt: skip
