"""HTML: the text with its keyphrases highlighted by score, in one self-contained file (``templates/highlight.html``).

The page has no script: links are anchors, and related elements light up by CSS.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from mderank.document import Span
from mderank.keyphrase import ConceptLabel, Keyphrase, Keyphrases
from mderank.util.format import format_number, round_number
from mderank.util.html import macro, render_around
from mderank.writing.base import DocumentResult, Writer, describe_language
from mderank.writing.explanation import CONFIDENCE, MASKED, MEANINGS, RAW_SCORE, RELATED, Explainer, Explanation

_LINKED = 60  # phrases of a document whose occurrences light up together


class HtmlWriter(Writer):
    """Writes one page for all documents. With ``explain``, each phrase of the list has an explanation to unfold."""

    _number = 0

    def begin(self) -> None:
        start, self._end = render_around("highlight.html", explain=self.explain, linked=_LINKED)
        self._document = macro("highlight_document.html", "document")
        self.stream.write(start)

    def write(self, result: DocumentResult) -> None:
        self._number += 1
        marks = _find_marks(result, f"d{self._number}")
        pieces, truncated = _split_text(result, marks, every=self.explain)
        phrases = list(self._list_phrases(result, marks))
        notes = list(_notes(result.keyphrases, explain=self.explain))
        self.stream.write(self._document(result.id, notes, pieces, truncated, phrases))

    def end(self) -> None:
        self.stream.write(self._end)

    def _list_phrases(self, result: DocumentResult, marks: list[_Mark]) -> Iterator[_ListedPhrase]:
        explainer = Explainer(result.text) if self.explain else None
        shares = _relative_scores(result.keyphrases)
        for number, (each, share) in enumerate(zip(result.keyphrases, shares, strict=True), start=1):
            explanation = None
            if explainer:
                anchors = {mark.span: mark.anchor for mark in marks if mark.number == number}
                explanation = _explain(each, explainer.explain(each), anchors)
            yield _ListedPhrase(
                each.text,
                f"d{self._number}k{number}",
                f"{round_number(each.score):.4g}",
                len(each.spans),
                100 * share,
                explanation,
                each.concept,
            )


class _Mark(NamedTuple):
    """An occurrence of a phrase; ``occurrence`` counts those of the phrase, from 1."""

    span: Span
    number: int
    occurrence: int
    anchor: str


class _ShownMark(NamedTuple):
    """A stretch of text that the same phrases cover; ``anchors`` are those of occurrences that begin here."""

    text: str
    numbers: tuple[int, ...]
    anchors: tuple[str, ...]
    opacity: float


class _Piece(NamedTuple):
    """Text, and the mark that follows it."""

    text: str
    mark: _ShownMark | None


class _ListedPhrase(NamedTuple):
    text: str
    anchor: str
    score: str
    occurrences: int
    width: float
    explanation: _ListedExplanation | None
    concept: ConceptLabel | None = None


class _Row(NamedTuple):
    name: str
    value: str
    meaning: str
    width: float | None = None
    negative: bool = False


class _Occurrence(NamedTuple):
    anchor: str
    line: int
    column: int
    before: str
    phrase: str
    after: str


class _ListedExplanation(NamedTuple):
    rows: list[_Row]
    related: str
    related_meaning: str
    occurrences: list[_Occurrence]


def _notes(found: Keyphrases, *, explain: bool) -> Iterator[str]:
    if found.error:
        yield f"Error: {found.error}"
    if found.language is not None:
        if explain or found.language.code != "en":
            yield f"Read as: {describe_language(found.language)}"
        yield from (f"Note: {warning}" for warning in found.language.warnings)
    if found.missing_phrases:
        yield f"Not in the text: {', '.join(found.listed_missing_phrases) or f'{found.missing_count:,} phrases'}"
    if found.truncated:
        yield f"Not read: what follows character {found.truncated.start}."


def _relative_scores(found: Keyphrases) -> list[float]:
    """Return each score as a share of the best one, for bars and colours."""
    best = max((each.score for each in found), default=0.0)
    return [each.score / best if best > 0 else 0.0 for each in found]


def _find_marks(result: DocumentResult, prefix: str) -> list[_Mark]:
    """Return the occurrences of all phrases in the order of the text. They may overlap."""
    marks = []
    for number, each in enumerate(result.keyphrases, start=1):
        for occurrence, span in enumerate(each.spans, start=1):
            anchor = f"{prefix}k{number}" + (f"p{occurrence}" if occurrence > 1 else "")
            marks.append(_Mark(span, number, occurrence, anchor))
    return sorted(marks)


def _split_text(result: DocumentResult, marks: list[_Mark], *, every: bool) -> tuple[list[_Piece], str]:
    """Divide the text wherever an occurrence begins or ends, and return the parts and the rest that was not read.

    The first occurrence of a phrase has an anchor, or with ``every`` all of them.
    """
    text, found = result.text, result.keyphrases
    shares = _relative_scores(found)
    limit = found.truncated.start if found.truncated else len(text)
    cuts = sorted({cut for mark in marks for cut in mark.span})
    waiting = deque(marks)
    open_marks: list[_Mark] = []
    pieces = []
    position = 0
    for start, end in pairwise(cuts):
        open_marks = [mark for mark in open_marks if mark.span.end > start]
        while waiting and waiting[0].span.start == start:
            open_marks.append(waiting.popleft())
        if not open_marks:
            continue
        numbers = tuple(sorted({mark.number for mark in open_marks}))
        anchors = tuple(
            mark.anchor for mark in open_marks if mark.span.start == start and (every or mark.occurrence == 1)
        )
        opacity = 0.15 + 0.75 * max(shares[number - 1] for number in numbers)
        pieces.append(_Piece(text[position:start], _ShownMark(text[start:end], numbers, anchors, opacity)))
        position = end
    return [*pieces, _Piece(text[position:limit], None)], text[limit:]


def _explain(keyphrase: Keyphrase, why: Explanation, anchors: Mapping[Span, str]) -> _ListedExplanation:
    """Return the terms of a phrase's score, and its occurrences with links to those that are highlighted."""
    rows = []
    largest = max(map(abs, why.contributions.values()), default=0.0)
    for name, value in why.contributions.items():
        feature = f"{why.features[name]:.4g}" if name in why.features else ""
        meaning = ": ".join(filter(None, (feature, MEANINGS.get(name))))
        width = 100 * abs(value) / largest if largest else 0
        rows.append(_Row(name, f"{value:+.4f}", meaning, width, value < 0))
    if not why.contributions:
        rows.append(_Row("raw score", format_number(keyphrase.raw_score), RAW_SCORE))
    if why.masked_similarity is not None:
        rows.append(_Row("without it", why.format_masked_similarity(), MASKED))
    if keyphrase.confidence is not None:
        rows.append(_Row("confidence", f"{keyphrase.confidence:.3f}", CONFIDENCE))
    if keyphrase.concept is not None:
        rows.append(_Row("concept", "", f"{keyphrase.concept.label} ({keyphrase.concept.id})"))
    occurrences = [
        _Occurrence(anchors.get(each.span, ""), each.line, each.column, each.before, each.phrase, each.after)
        for each in why.occurrences
    ]
    return _ListedExplanation(rows, ", ".join(keyphrase.related), RELATED, occurrences)
