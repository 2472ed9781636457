"""Maskings: which characters of a document each candidate hides.

`MaskAll` is the masking of section 3 of the paper; `MaskOnce`, `MaskHighest` and `MaskSubset` are those of its
appendix A. A mask is a tuple of spans that are hidden together. A masking gives each candidate one mask or several.
Of several masks, the one that changes the document's embedding most gives the score.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from mderank.document import Document, Span
from mderank.keyphrase import Candidate

Mask = tuple[Span, ...]


@runtime_checkable
class Masking(Protocol):
    """Interface of a masking: an object that decides which spans each candidate hides."""

    def masks(self, document: Document, candidates: Sequence[Candidate]) -> list[list[Mask]]:
        """Return the masks of each candidate.

        Args:
            document: The tagged text.
            candidates: Its candidates, each with at least one occurrence.

        Returns:
            One list of masks per candidate; an empty list if nothing of the candidate is left to hide.
        """
        ...


@dataclass(frozen=True)
class MaskAll:
    """Hide all occurrences of a candidate at once."""

    def masks(self, document: Document, candidates: Sequence[Candidate]) -> list[list[Mask]]:
        """Return one mask per candidate, with all its occurrences.

        Args:
            document: The tagged text.
            candidates: Its candidates, each with at least one occurrence.

        Returns:
            A list of one mask per candidate.
        """
        return [[tuple(occurrence.span for occurrence in candidate.occurrences)] for candidate in candidates]


@dataclass(frozen=True)
class MaskOnce:
    """Hide the first occurrence of a candidate only."""

    def masks(self, document: Document, candidates: Sequence[Candidate]) -> list[list[Mask]]:
        """Return one mask per candidate, with its first occurrence.

        Args:
            document: The tagged text.
            candidates: Its candidates, each with at least one occurrence.

        Returns:
            A list of one mask per candidate.
        """
        return [[(candidate.occurrences[0].span,)] for candidate in candidates]


@dataclass(frozen=True)
class MaskHighest:
    """Hide each occurrence alone; the one that changes the document most gives the score."""

    def masks(self, document: Document, candidates: Sequence[Candidate]) -> list[list[Mask]]:
        """Return one mask per occurrence.

        Args:
            document: The tagged text.
            candidates: Its candidates, each with at least one occurrence.

        Returns:
            A list of masks per candidate, in text order.
        """
        return [[(occurrence.span,) for occurrence in candidate.occurrences] for candidate in candidates]


@dataclass(frozen=True)
class MaskSubset:
    """Hide only words that no longer candidate has hidden.

    Candidates take their words in turn, the longest first. Length is counted in words; ties go to the candidate that
    occurs first. A candidate whose words are all taken has no mask and ranks last.
    """

    def masks(self, document: Document, candidates: Sequence[Candidate]) -> list[list[Mask]]:
        """Return at most one mask per candidate.

        Args:
            document: The tagged text.
            candidates: Its candidates, each with at least one occurrence.

        Returns:
            A list of one mask per candidate; an empty list if longer candidates have hidden all its words.
        """
        masks: list[list[Mask]] = [[] for _ in candidates]
        taken: set[int] = set()
        order = sorted(
            range(len(candidates)),
            key=lambda index: (-len(candidates[index].occurrences[0].words), candidates[index].first),
        )
        for index in order:
            occurrences = candidates[index].occurrences
            left = sorted({word for occurrence in occurrences for word in occurrence.words} - taken)
            taken.update(left)
            if left:
                masks[index] = [tuple(Span(document.tokens[word].start, document.tokens[word].end) for word in left)]
        return masks


MASKINGS: dict[str, Masking] = {"all": MaskAll(), "once": MaskOnce(), "highest": MaskHighest(), "subset": MaskSubset()}
