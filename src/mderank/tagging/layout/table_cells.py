"""Table rows in plain text: columns of spaces, tabs, bars, commas; and breadcrumbs."""

from __future__ import annotations

import re
from collections.abc import Iterable

from mderank.document import Span
from mderank.tagging.layout.lines import FUNCTION_WORDS, UNFINISHED, Kind, Line, ends_sentence, reads_as_prose

_GAP = re.compile(
    r"(?<=\S)(?:[ \u00a0]*\t[ \t\u00a0]*(?=\S)|[ \u00a0]{2,}(?=\S)"
    r"|(?<=[^\s.])\s?(?:\.\s?){3,}(?=[$€£]?[\divxlc][\d.,ivxlc]{0,9}\s*\Z))"  # the dots of a table of contents
)
_SENTENCE_GAP = re.compile(r"[.?!:;…][\"'”’)\]]{0,2}\Z")
_BEFORE = re.compile(r"[^\W\d_]+\Z")
_AFTER = re.compile(r"[^\W\d_]+")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_BAR = re.compile(r"[|│]")
_SPACED_BAR = re.compile(r"(?<=\s)[|│](?=\s)")
_DOT = re.compile(r"(?<=\s)[·•∙](?=\s)")
_CRUMB = re.compile(r"\s(?:>{1,2}|›|»|→)\s")
_WIDE = 4  # spaces: no justified line has such a gap
_LONGEST_ROW = 400
_LONGEST_CRUMB = 40
_LONGEST_DIVIDED = 100
_WORD_OR_DATE = re.compile(r"[^\W\d_]{2}|\d[\d.,:/-]\d|[€$£]")


def read_cells(lines: list[Line]) -> None:
    """Divide table rows and breadcrumbs into cells, and blank the marks between the cells.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    for stretch in _stretches(lines):
        _read_delimited(stretch)
        _read_bars(stretch)
        _read_columns(stretch)
        for line in stretch:
            if not line.cells and ">›»→".find(line.prose[:1].strip() or "\0") < 0:
                _read_breadcrumbs(line)


def _stretches(lines: list[Line]) -> Iterable[list[Line]]:
    """The prose lines between blank ones."""
    stretch: list[Line] = []
    for line in lines:
        if line.kind is Kind.BLANK or line.after_page:
            yield stretch
            stretch = []
        if line.kind is Kind.PROSE:
            stretch.append(line)
    yield stretch


def _cut(line: Line, cuts: Iterable[tuple[int, int]]) -> None:
    """Divide a line at ``cuts``, which are offsets in ``line.prose``."""
    start = line.body
    ends = [(line.body + first, line.body + last) for first, last in cuts]
    for first, last in [*ends, (line.end, line.end)]:
        if first > start:
            line.cells.append(Span(start, first))
        if last > first:
            line.blanks.append(Span(first, last))
        start = last


def _read_columns(stretch: list[Line]) -> None:
    """Cut rows at tabs and at gaps of two or more spaces, unless the lines are justified prose."""
    gaps = [[] if line.cells or len(line.text) > _LONGEST_ROW else _column_gaps(line) for line in stretch]
    narrow = [(line, gap) for line, row in zip(stretch, gaps, strict=True) for gap in row if _width(gap) < _WIDE]
    in_prose = sum(_touches_function_word(line.prose, gap) for line, gap in narrow)
    is_justified = bool(narrow) and 8 * in_prose >= len(narrow)
    rows = sum(bool(row) for row in gaps)
    is_table = rows > 1 and 2 * rows >= len(stretch)
    for line, row in zip(stretch, gaps, strict=True):
        wide = [gap for gap in row if _width(gap) >= _WIDE]
        if not is_justified and (is_table or wide or len(row) > 1 or not _is_sentence_like(line.prose)):
            wide = row
        if wide and not _is_spaced_out(line.prose, wide):
            _cut(line, (gap.span() for gap in wide))


def _column_gaps(line: Line) -> list[re.Match[str]]:
    """The gaps of a line that may be between columns: not those between sentences."""
    content = line.prose
    blanks = {blank.start - line.body for blank in line.blanks}
    return [
        gap
        for gap in _GAP.finditer(content)
        if not blanks or blanks.isdisjoint(range(*gap.span()))  # the gap that a mark left
        if _width(gap) >= _WIDE or not _SENTENCE_GAP.search(content[max(0, gap.start() - 4) : gap.start()])
    ]


def _width(gap: re.Match[str]) -> int:
    """The width of a gap in spaces; a tab and a line of dots are wide."""
    return len(gap.group()) if gap.group().strip("\u00a0 ") == "" else _WIDE


def _touches_function_word(content: str, gap: re.Match[str]) -> bool:
    before = _BEFORE.search(content[max(0, gap.start() - 15) : gap.start()])
    after = _AFTER.match(content, gap.end())
    return (before is not None and before.group().lower() in UNFINISHED) or (
        after is not None and after.group() in FUNCTION_WORDS
    )


def _is_spaced_out(content: str, gaps: list[re.Match[str]]) -> bool:
    """Whether tabs or wide gaps stand for ordinary spaces: many of the words between them are function words."""
    return len(gaps) > 3 and 5 * sum(_touches_function_word(content, gap) for gap in gaps) > len(gaps)


def _is_sentence_like(content: str) -> bool:
    return ends_sentence(content) or reads_as_prose(content, 0.15) or len(content) > 60


def _read_bars(stretch: list[Line]) -> None:
    """Cut rows at bars. One bar in one line may be a formula's."""
    spaced = [
        len(_SPACED_BAR.findall(line.prose)) if not line.cells and len(line.text) <= _LONGEST_ROW else 0
        for line in stretch
    ]
    for index, line in enumerate(stretch):
        content = line.prose
        begins = content.lstrip().startswith(("|", "│")) and content.count(content.lstrip()[0]) > 1
        beside = any(spaced[at] for at in (index - 1, index + 1) if 0 <= at < len(stretch))
        if not line.cells and not spaced[index] and _separates(content, _DOT):
            _cut(line, [dot.span() for dot in _DOT.finditer(content)])
        is_divided = spaced[index] == 1 and _separates(content, _SPACED_BAR)
        if not line.cells and (begins or spaced[index] > 1 or is_divided or (spaced[index] and beside)):
            bars = [bar.span() for bar in (_BAR if begins else _SPACED_BAR).finditer(content)]
            if not _divides_brackets(content, bars):
                _cut(line, bars)


def _separates(content: str, mark: re.Pattern[str]) -> bool:
    """Whether ``mark`` stands between words or dates of a short line, and not in a formula or a sentence."""
    if len(content) > _LONGEST_DIVIDED or ends_sentence(content):
        return False
    parts = mark.split(content)
    return len(parts) > 1 and all(_WORD_OR_DATE.search(part) for part in parts)


def _divides_brackets(content: str, bars: list[tuple[int, int]]) -> bool:
    """Whether a bar stands inside brackets, as in a formula."""
    starts = [0, *(end for _, end in bars)]
    ends = [*(start for start, _ in bars), len(content)]
    cells = [content[start:end] for start, end in zip(starts, ends, strict=True)]
    return any(cell.count(a) != cell.count(b) for cell in cells for a, b in ("()", "[]", "{}"))


def _read_delimited(stretch: list[Line]) -> None:
    """Cut the rows of comma-separated values: at least three lines with equally many delimiters, at least two."""
    for delimiter in (",", ";"):
        counts = [_count_cells(line, delimiter) for line in stretch]
        first = 0
        while first < len(stretch):
            last = first + 1
            while last < len(stretch) and counts[last] == counts[first]:
                last += 1
            if counts[first] > 1 and last - first > 2:
                for line in stretch[first:last]:
                    _cut(line, _delimiters(line.prose, delimiter))
            first = last


def _count_cells(line: Line, delimiter: str) -> int:
    """The number of delimiters of a line that may be a row; in prose a space follows a comma."""
    content = line.prose
    if line.cells or delimiter not in content or len(content) > _LONGEST_ROW or ends_sentence(content):
        return 0
    cuts = _delimiters(content, delimiter)
    if len(_THOUSANDS.findall(content)) == len(cuts):
        return 0
    spaced = sum(content[end : end + 1].isspace() for _, end in cuts)
    if 2 * spaced < len(cuts):
        return 0 if spaced and reads_as_prose(content, 0.15) else len(cuts)
    is_row = spaced == len(cuts) and len(content) <= 80 and not content.rstrip().endswith(delimiter)
    return len(cuts) if is_row and not reads_as_prose(content, 0.1) else 0


def _delimiters(content: str, delimiter: str) -> list[tuple[int, int]]:
    """Where delimiters stand outside double quotes."""
    cuts, quoted = [], False
    for index, char in enumerate(content):
        if char == '"':
            quoted = not quoted
        elif char == delimiter and not quoted:
            cuts.append((index, index + 1))
    return cuts


def _read_breadcrumbs(line: Line) -> None:
    """Cut ``Home > Products > Bikes`` at its marks."""
    content = line.prose
    if len(content) > _LONGEST_ROW or ends_sentence(content):
        return
    marks = [mark.span() for mark in _CRUMB.finditer(content)]
    if len(marks) < 2 and not (marks and content.lstrip().lower().startswith(("home ", "you are here"))):
        return
    starts = [0, *(end for _, end in marks)]
    ends = [*(start for start, _ in marks), len(content)]
    if all(
        0 < end - start <= _LONGEST_CRUMB and content[start:end].strip()[:1].isalpha()
        for start, end in zip(starts, ends, strict=True)
    ):
        _cut(line, marks)
