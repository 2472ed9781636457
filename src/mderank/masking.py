"""Which characters each candidate hides: All (section 3 of the paper), Once, Highest and Subset (its appendix A).

A mask is a tuple of spans that are hidden together. A masking gives every candidate one mask or several; of several
the one that changes the document most counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from mderank.document import Document, Span
from mderank.keyphrase import Candidate

Mask = tuple[Span, ...]


class Masking(Protocol):
    """Decides what is hidden."""

    def masks(self, document: Document, candidates: Sequence[Candidate]) -> list[list[Mask]]:
        """For each candidate the masks to try; none if nothing of it is left to hide."""
        ...


@dataclass(frozen=True)
class All:
    """Hide every occurrence at once."""

    def masks(self, document: Document, candidates: Sequence[Candidate]) -> list[list[Mask]]:
        """One mask a candidate."""
        return [[tuple(place.span for place in candidate.occurrences)] for candidate in candidates]


@dataclass(frozen=True)
class Once:
    """Hide the first occurrence only."""

    def masks(self, document: Document, candidates: Sequence[Candidate]) -> list[list[Mask]]:
        """One mask a candidate."""
        return [[(candidate.occurrences[0].span,)] for candidate in candidates]


@dataclass(frozen=True)
class Highest:
    """Hide each occurrence alone; the one that changes the document most counts."""

    def masks(self, document: Document, candidates: Sequence[Candidate]) -> list[list[Mask]]:
        """One mask an occurrence."""
        return [[(place.span,) for place in candidate.occurrences] for candidate in candidates]


@dataclass(frozen=True)
class Subset:
    """Longest candidates first, hide only words that no earlier candidate has hidden.

    Length is counted in words, ties go to the candidate that occurs first. A candidate whose words are all hidden
    by others already has no mask and ranks last.
    """

    def masks(self, document: Document, candidates: Sequence[Candidate]) -> list[list[Mask]]:
        """At most one mask a candidate."""
        masks: list[list[Mask]] = [[] for _ in candidates]
        taken: set[int] = set()
        order = sorted(
            range(len(candidates)),
            key=lambda index: (-len(candidates[index].occurrences[0].words), candidates[index].first),
        )
        for index in order:
            places = candidates[index].occurrences
            left = sorted({word for place in places for word in place.words} - taken)
            taken.update(left)
            if left:
                masks[index] = [tuple(Span(document.tokens[word].start, document.tokens[word].end) for word in left)]
        return masks


MASKINGS: dict[str, Masking] = {"all": All(), "once": Once(), "highest": Highest(), "subset": Subset()}
