"""The protocol of segmenters, and the common parts of those of all languages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple, Protocol

NOUNS = frozenset(("NOUN", "PROPN"))
LIGHT = "PART"  # tag of nouns that name nothing, such as "thing" and "time when": no phrase has them


class Morpheme(NamedTuple):
    """A unit of a segmenter.

    Attributes:
        text: The unit as it stands in the text.
        tag: Its universal tag.
        start: Offset of its first character.
        end: Offset after its last character.
        fine: The library's own tag, or a part of it, for the rules of a language.
    """

    text: str
    tag: str
    start: int
    end: int
    fine: str = ""


class Segmenter(Protocol):
    """Interface of a segmenter: a loaded library of one language. Threads may share it.

    Attributes:
        name: Library and version.
        join_lines: Whether a line break between two characters of the language is no border between words.
    """

    name: str
    join_lines: bool

    def segment(self, text: str) -> list[Morpheme]:
        """Divide a text into units, and tag them.

        Args:
            text: A text of bounded length, without rare symbols.

        Returns:
            The units in order, without white space. They do not overlap.
        """
        ...

    def mend(self, words: Sequence[Morpheme]) -> list[Morpheme]:
        """Join units to words, and mend tags that depend on the neighbours.

        Args:
            words: The units of a paragraph, with numbers, marks and words of other scripts among them.

        Returns:
            The words.
        """
        ...


def library_name(*packages: str) -> str:
    """Return the names and versions of installed packages.

    Args:
        *packages: Names of packages.

    Returns:
        For example ``"rjieba 0.2.2"``.
    """
    return ", ".join(f"{package} {_version(package)}" for package in packages)


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "?"


def adjacent(first: Morpheme, second: Morpheme) -> bool:
    """Check whether nothing is between two units.

    Args:
        first: A unit.
        second: The next unit.

    Returns:
        True if the second begins where the first ends.
    """
    return first.end == second.start


def join(first: Morpheme, second: Morpheme, tag: str, fine: str = "") -> Morpheme:
    """Join two adjacent units.

    Args:
        first: A unit.
        second: The next unit.
        tag: Universal tag of both.
        fine: The library's tag of both.

    Returns:
        The joined unit.
    """
    return Morpheme(first.text + second.text, tag, first.start, second.end, fine)


def join_to_prefix(words: list[Morpheme], word: Morpheme) -> bool:
    """Join a noun to the prefix before it. A prefix before anything else is no longer one.

    Args:
        words: Words, of which the last is a prefix. It is changed.
        word: The next unit.

    Returns:
        True if the unit was joined.
    """
    joins = word.tag in NOUNS
    words[-1] = join(words[-1], word, word.tag, word.fine) if joins else words[-1]._replace(tag="X")
    return joins


def join_at_dots(
    words: Sequence[Morpheme], dots: str, may_join: Callable[[Morpheme, Morpheme], bool]
) -> list[Morpheme]:
    """Join the parts of foreign names that a dot separates.

    Args:
        words: Words and marks.
        dots: The dots.
        may_join: Whether the words before and after a dot are parts of a name.

    Returns:
        The words, with each name as one.
    """
    found: list[Morpheme] = []
    index = 0
    while index < len(words):
        word = words[index]
        after = words[index + 1] if index + 1 < len(words) else None
        if (
            word.text in dots
            and found
            and after is not None
            and adjacent(found[-1], word)
            and adjacent(word, after)
            and may_join(found[-1], after)
        ):
            found[-1] = join(join(found[-1], word, ""), after, "PROPN")
            index += 2
        else:
            found.append(word)
            index += 1
    return found
