"""HTML of one result for notebooks: the highlighted text, and beside it the ranked list (``templates/notebook.html``).

It is a fragment without a script, a style sheet or an id, so that it changes nothing else in the notebook. Text has
the notebook's own colour and marks are translucent, so that it suits light and dark themes alike.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from mderank.keyphrase import Keyphrase, Keyphrases
from mderank.util.format import format_count, round_number
from mderank.util.html import render_page
from mderank.writing.base import DocumentResult
from mderank.writing.html import Mark, describe_notes, find_marks, relative_scores, split_text

SHOWN_CHARACTERS = 5_000
SHOWN_PHRASES = 50


class _Row(NamedTuple):
    """A keyphrase of the list; ``details`` appears when it is pointed at."""

    text: str
    details: str
    score: str
    occurrences: int
    width: float


def notebook_html(found: Keyphrases) -> str:
    """Return the HTML of one result. Long texts and long lists are shortened, and a note says so.

    Args:
        found: The keyphrases. Without their text there is the list only.

    Returns:
        A fragment of HTML.
    """
    listed = found[:SHOWN_PHRASES]
    text = found.document_text or ""
    near = Keyphrases(map(_near, listed), truncated=found.truncated)
    marks = find_marks(DocumentResult("", text, near), "")
    end = _shown_end(text, marks)
    shown = [mark for mark in marks if mark.span.end <= end]
    pieces, unread = split_text(DocumentResult("", text[:end], near), shown, every=False)
    later = sum(len(each.spans) for each in listed) - len(shown)
    notes = [*describe_notes(found, explain=False), *_shortenings(found, len(text), end, later)]
    return render_page(
        "notebook.html",
        pieces=pieces,
        unread=unread,
        rows=list(_rows(listed)),
        names=[each.text for each in listed],
        notes=notes,
        language=found.language.code if found.language else "",
        has_text=bool(text),
        failed=found.error is not None,
    )


def _near(keyphrase: Keyphrase) -> Keyphrase:
    """The keyphrase with those of its occurrences that may be shown; a book may have a hundred thousand."""
    return replace(keyphrase, spans=keyphrase.spans[: bisect_left(keyphrase.spans, (SHOWN_CHARACTERS, 0))])


def _shown_end(text: str, marks: list[Mark]) -> int:
    """The offset up to which a text is shown: no more than there is room for, and not inside a word or a phrase."""
    if len(text) <= SHOWN_CHARACTERS:
        return len(text)
    end = SHOWN_CHARACTERS
    gap = max(text.rfind(space, end - 200, end) for space in " \n")
    end = gap if gap > 0 else end
    for mark in reversed(marks):
        if mark.span.start < end < mark.span.end and mark.span.start:
            end = mark.span.start
    return end


def _shortenings(found: Keyphrases, length: int, end: int, later: int) -> Iterator[str]:
    """The parts that are not shown, in words."""
    if end < length:
        yield (
            f"Shown: the first {end:,} of {length:,} characters; {format_count(later, 'occurrence')} of the listed "
            f"keyphrases {'comes' if later == 1 else 'come'} later. The result has all."
        )
    if len(found) > SHOWN_PHRASES:
        yield f"Listed: the best {SHOWN_PHRASES} of {len(found):,} keyphrases. The result has all."
    if found.document_text is None and found.error is None:
        yield ("The text is not shown: a result that was pickled or deep-copied has none (set its document_text).")


def _rows(listed: Keyphrases) -> Iterator[_Row]:
    for each, share in zip(listed, relative_scores(listed), strict=True):
        yield _Row(each.text, _details(each), f"{round_number(each.score):.4g}", len(each.spans), 100 * share)


def _details(keyphrase: Keyphrase) -> str:
    other = [form for form in keyphrase.forms if form != keyphrase.text]
    parts = (
        f"forms: {', '.join(other)}" if other else "",
        "" if keyphrase.confidence is None else f"confidence: {keyphrase.confidence:.3f}",
        f"concept: {keyphrase.concept.label} ({keyphrase.concept.id})" if keyphrase.concept else "",
    )
    return "; ".join(filter(None, parts))
