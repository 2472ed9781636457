"""English word lists: files of words separated by white space, in the folder ``words``."""

from __future__ import annotations

from functools import cache
from importlib import resources
from typing import NamedTuple


def load_word_list(name: str, package: str = "mderank.candidates") -> frozenset[str]:
    """Read a word list.

    Args:
        name: Name of the file, without ".txt".
        package: The package that has the file in its folder ``words``.

    Returns:
        The words.
    """
    return frozenset((resources.files(package) / "words" / f"{name}.txt").read_text(encoding="utf-8").split())


class LightWords(NamedTuple):
    """English words that say little of a text's subject.

    Attributes:
        nouns: Nouns that are no term alone.
        adjectives: Adjectives that begin no term.
        labels: Words before a number ("figure", "chapter").
        units: Units after a number.
        times: Days, months and the like.
        addresses: Forms of address before a name.
    """

    nouns: frozenset[str]
    adjectives: frozenset[str]
    labels: frozenset[str]
    units: frozenset[str]
    times: frozenset[str]
    addresses: frozenset[str]


@cache
def light_words(language: str = "en") -> LightWords:
    """Return the lists of light words.

    Args:
        language: Language code. Only English has lists; those of other languages are empty.

    Returns:
        The lists.
    """
    if language != "en":
        return LightWords(*[frozenset[str]()] * len(LightWords._fields))
    names = ("light_nouns", "light_adjectives", "label_words", "units", "times", "forms_of_address")
    return LightWords(*map(load_word_list, names))
