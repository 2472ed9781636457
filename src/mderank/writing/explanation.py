"""Why a phrase is where it is: the parts of its score, what they were made from, what its mask changed, its places."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mderank.document import Span
from mderank.keyphrase import Keyphrase
from mderank.text import replace_surrogates
from mderank.util.format import format_number

_AROUND = 40  # characters of the text that are shown on each side of a phrase
_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

# What the facts are that methods give (`Keyphrase.facts`).
MEANINGS = {
    "closeness": "similarity of phrase and document",
    "change": "1 − cosine of the document and itself without the phrase",
    "emphasis": "length of the phrase's mean state",
    "frequency": "places in the text",
    "position": "words before the first place",
    "length": "words",
    "unithood": "how much of a unit the phrase is: 0 for one that stands alone, less for a fragment",
}
SIMILARITY = "what the score was made from"
CONFIDENCE = "chance that a reader accepts it"
MASKED = "cosine of the document and itself without the phrase"
RELATED = "phrases that contain it or are part of it, and are not in the list"


@dataclass(frozen=True)
class Place:
    """One place of a phrase: line and column, from 1, and the text around it in one line."""

    span: Span
    line: int
    column: int
    before: str
    phrase: str
    after: str

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "start": self.span.start,
            "end": self.span.end,
            "line": self.line,
            "column": self.column,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True)
class Explanation:
    """Why a phrase has its score.

    ``parts`` add up to the score, if the method adds up; ``facts`` are what was counted or measured. ``masked`` is the
    similarity of the document to itself without the phrase, None for methods that do not mask.
    """

    parts: Mapping[str, float]
    facts: Mapping[str, float]
    masked: float | None
    places: tuple[Place, ...]

    def shown_masked(self) -> str:
        """``masked`` for people. In a long text one phrase changes so little that digits would show none of it."""
        change = self.facts["change"]
        return format_number(1 - change) if change >= 1e-5 else f"1 − {change:.3g}"


class Explainer:
    r"""Explains the keyphrases of one text.

    >>> place = Explainer("An owl flew.\nNo barn owl sees\nthe barn.").place(Span(16, 24))
    >>> place.line, place.column, place.before, place.phrase, place.after
    (2, 4, 'An owl flew. No ', 'barn owl', ' sees the barn.')
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def explain(self, keyphrase: Keyphrase) -> Explanation:
        """Why this phrase has its score."""
        change = keyphrase.facts.get("change")
        return Explanation(
            keyphrase.parts,
            keyphrase.facts,
            None if change is None else 1 - change,
            tuple(map(self.place, keyphrase.spans)),
        )

    def place(self, span: Span) -> Place:
        """Where a span is, and what stands around it: whole words, as far as they go."""
        line = bisect_right(self._line_starts, span.start)
        start, end = max(0, span.start - _AROUND), min(len(self._text), span.end + _AROUND)
        before, after = _one_line(self._text[start : span.start]), _one_line(self._text[span.end : end])
        if start > 0 and not self._text[start - 1].isspace() and " " in before:
            before = before.partition(" ")[2]
        if end < len(self._text) and not self._text[end].isspace() and " " in after:
            after = after.rpartition(" ")[0]
        return Place(
            span,
            line,
            span.start - self._line_starts[line - 1] + 1,
            ("… " if start > 0 else "") + before.lstrip(),
            _one_line(self._text[span.start : span.end]),
            after.rstrip() + (" …" if end < len(self._text) else ""),
        )


def _one_line(text: str) -> str:
    """The text with single spaces, and nothing in it that could move a terminal's cursor."""
    return _CONTROL.sub("\ufffd", re.sub(r"\s+", " ", replace_surrogates(text)))
