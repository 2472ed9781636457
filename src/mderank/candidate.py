"""A candidate phrase: what the stages between tagging and ranking pass to each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from mderank.document import Span


class Occurrence(NamedTuple):
    """One place of a candidate: its characters, and the indices of the tokens it touches."""

    span: Span
    words: range


@dataclass(frozen=True, slots=True)
class Candidate:
    """One phrase with every place it stands at, also inside longer phrases, in the order of the text.

    ``key`` is the phrase in lower case with single spaces. ``found`` counts how often the source itself came upon
    it, which is less than ``len(occurrences)`` where the phrase also stands inside longer ones. ``unithood`` says how
    much of a unit the phrase is, for sources that can tell: 0 for one that stands by itself, less for a fragment. A
    phrase of the user's own list that is not in the text has no occurrences.
    """

    key: str
    occurrences: tuple[Occurrence, ...]
    found: int = 1
    unithood: float = 0.0

    @property
    def first(self) -> int:
        """The offset of its first character."""
        return self.occurrences[0].span.start
