"""HTML: the text with its keyphrases highlighted by score, in one self-contained file (``templates/highlight.html``).

The page has no script: links are anchors, and related elements light up by CSS.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from mderank.document import Span
from mderank.keyphrase import ConceptLabel, Keyphrase, Keyphrases
from mderank.util.format import format_number, round_number
from mderank.util.html import macro, render_around
from mderank.writing.base import DocumentResult, Writer, describe_language
from mderank.writing.explanation import CONFIDENCE, RAW_SCORE, RELATED, Explainer, Explanation
from mderank.writing.flow import SoftBreak, find_soft_breaks, split_at
from mderank.writing.plain_words import PLAIN_MASKED, describe_feature, name_confidence

_LINKED = 60  # phrases of a document whose occurrences light up together
_UNFOLDED = 12  # documents whose contents are unfolded; of more, the list is folded
_NAMED = 3  # phrases of each document that the contents name


class HtmlWriter(Writer):
    """Writes one page for all documents. With ``explain``, each phrase of the list has an explanation to unfold.

    Contents follow several documents. They are the only thing that is kept until the end; style puts them first.
    """

    def begin(self) -> None:
        self._entries: list[_Entry] = []
        start, self._end = render_around("highlight.html", explain=self.explain, linked=_LINKED)
        self._document = macro("highlight_document.html", "document")
        self.stream.write(start)

    def write(self, result: DocumentResult) -> None:
        found = result.keyphrases
        self._entries.append(_Entry(str(result.id), found.texts[:_NAMED], found.error is not None))
        marks = find_marks(result, f"d{len(self._entries)}")
        pieces, truncated = split_text(result, marks, every=self.explain)
        phrases = list(self._list_phrases(result, marks))
        notes = list(describe_notes(found, explain=self.explain))
        language = found.language.code if found.language is not None else ""
        self.stream.write(self._document(len(self._entries), result.id, language, notes, pieces, truncated, phrases))

    def end(self) -> None:
        if len(self._entries) > 1:
            self.stream.write(macro("highlight_document.html", "contents")(self._entries, _UNFOLDED))
        self.stream.write(self._end)

    def _list_phrases(self, result: DocumentResult, marks: list[Mark]) -> Iterator[_ListedPhrase]:
        explainer = Explainer(result.text) if self.explain else None
        shares = relative_scores(result.keyphrases)
        for number, (each, share) in enumerate(zip(result.keyphrases, shares, strict=True), start=1):
            explanation = None
            if explainer:
                anchors = {mark.span: mark.anchor for mark in marks if mark.number == number}
                explanation = _explain(each, explainer.explain(each), anchors)
            yield _ListedPhrase(
                each.text,
                f"d{len(self._entries)}k{number}",
                f"{round_number(each.score):.4g}",
                len(each.spans),
                100 * share,
                explanation,
                each.concept,
            )


class _Entry(NamedTuple):
    """A document in the contents, with its first keyphrases."""

    id: str
    phrases: Sequence[str]
    failed: bool


class Mark(NamedTuple):
    """An occurrence of a phrase; ``occurrence`` counts those of the phrase, from 1."""

    span: Span
    number: int
    occurrence: int
    anchor: str


_Part = tuple[str, SoftBreak | None]


class _ShownMark(NamedTuple):
    """A stretch of text that the same phrases cover; ``anchors`` are those of occurrences that begin here."""

    text: list[_Part]
    numbers: tuple[int, ...]
    anchors: tuple[str, ...]
    opacity: float


class Piece(NamedTuple):
    """Text, and the mark that follows it. Texts are in parts, each with the soft break that it is."""

    text: list[_Part]
    mark: _ShownMark | None
    follows: bool = False  # a mark stands immediately before this one


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
    before: str
    phrase: str
    after: str


class _ListedExplanation(NamedTuple):
    rows: list[_Row]
    related: Sequence[str]
    related_meaning: str
    occurrences: list[_Occurrence]


def describe_notes(found: Keyphrases, *, explain: bool) -> Iterator[str]:
    """Say what a reader of keyphrases should know: an error, the language, what is missing or was not read.

    Args:
        found: The keyphrases.
        explain: Name the language of English texts too.

    Yields:
        One note after the other.
    """
    if found.error:
        yield f"Error: {found.error}"
    elif not found:
        yield "No keyphrases."
    if found.language is not None:
        if explain or found.language.code != "en":
            yield f"Read as: {describe_language(found.language)}"
        yield from (f"Note: {warning}" for warning in found.language.warnings)
    if found.missing_phrases:
        yield f"Not in the text: {', '.join(found.listed_missing_phrases) or f'{found.missing_count:,} phrases'}"
    if found.truncated:
        yield f"Not read: what follows character {found.truncated.start}."


def relative_scores(found: Keyphrases) -> list[float]:
    """Return each score as a share of the best one, for bars and colours.

    Args:
        found: The keyphrases.

    Returns:
        Shares from 0 to 1; 0 for scores below 0.
    """
    best = max((each.score for each in found), default=0.0)
    return [max(0.0, each.score / best) if best > 0 else 0.0 for each in found]


def find_marks(result: DocumentResult, prefix: str) -> list[Mark]:
    """Return the occurrences of all phrases in the order of the text. They may overlap.

    Args:
        result: The document.
        prefix: What the anchors begin with.

    Returns:
        The occurrences.
    """
    marks = []
    for number, each in enumerate(result.keyphrases, start=1):
        for occurrence, span in enumerate(each.spans, start=1):
            anchor = f"{prefix}k{number}" + (f"p{occurrence}" if occurrence > 1 else "")
            marks.append(Mark(span, number, occurrence, anchor))
    return sorted(marks)


def split_text(result: DocumentResult, marks: list[Mark], *, every: bool) -> tuple[list[Piece], list[_Part]]:
    """Divide the text wherever an occurrence begins or ends.

    Args:
        result: The document.
        marks: The occurrences, in the order of the text.
        every: Whether all occurrences of a phrase have an anchor, or only the first.

    Returns:
        The parts of the text, and the rest that was not read.
    """
    text, found = result.text, result.keyphrases
    breaks = find_soft_breaks(text)

    def parts(start: int, end: int) -> list[_Part]:
        return [(part, each) for part, each in split_at(text[start:end], start, breaks) if part]

    shares = relative_scores(found)
    limit = found.truncated.start if found.truncated else len(text)
    cuts = sorted({cut for mark in marks for cut in mark.span})
    waiting = deque(marks)
    open_marks: list[Mark] = []
    pieces: list[Piece] = []
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
        shown = _ShownMark(parts(start, end), numbers, anchors, opacity)
        pieces.append(Piece(parts(position, start), shown, follows=bool(pieces) and position == start))
        position = end
    return [*pieces, Piece(parts(position, limit), None)], parts(limit, len(text))


def _explain(keyphrase: Keyphrase, why: Explanation, anchors: Mapping[Span, str]) -> _ListedExplanation:
    """Return the terms of a phrase's score, and its occurrences with links to those that are highlighted."""
    rows = []
    largest = max(map(abs, why.contributions.values()), default=0.0)
    for name, value in why.contributions.items():
        feature = f"{why.features[name]:.4g}" if name in why.features else None
        width = 100 * abs(value) / largest if largest else 0
        rows.append(_Row(name, f"{value:+.4f}", describe_feature(name, feature), width, value < 0))
    if not why.contributions:
        rows.append(_Row("raw score", format_number(keyphrase.raw_score), RAW_SCORE))
    if why.masked_similarity is not None:
        rows.append(_Row("without it", why.format_masked_similarity(), PLAIN_MASKED))
    if keyphrase.confidence is not None:
        words = name_confidence(keyphrase.confidence)
        rows.append(_Row("confidence", f"{keyphrase.confidence:.3f}", f"{words}: {CONFIDENCE}"))
    if keyphrase.concept is not None:
        rows.append(_Row("concept", "", f"{keyphrase.concept.label} ({keyphrase.concept.id})"))
    occurrences = [
        _Occurrence(anchors.get(each.span, ""), each.line, each.before, each.phrase, each.after)
        for each in why.occurrences
    ]
    return _ListedExplanation(rows, keyphrase.related, RELATED, occurrences)
