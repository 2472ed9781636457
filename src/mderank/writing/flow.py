"""Line ends inside paragraphs: text that was cut into lines of one width, as in mail and PDF, is shown as paragraphs.

The text stays as it is, so that offsets hold: a line end that is no paragraph's end is only shown as a space. The rules
are those of the served page (``serve/static/flow.js``).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

_NARROWEST = 40  # characters: narrower blocks are addresses, verses, lists
_WIDEST = 160  # wider lines are paragraphs already
_FULL = 0.8  # of the width: a line that could have taken the next word was ended on purpose
_DEEP = 4  # spaces: what stands further in, and is not of an item, is code or a table

_LINE = re.compile(r"([^\r\n]+)(?:\r\n|\r|\n|\Z)")
_FENCE = re.compile(r"\s*(?:`{3}|~{3})")
_BEGINS_ANEW = re.compile(
    r"\s*(?:[-*+•·–—#>|=_~]|[0-9]{1,3}[.)]\s|[a-z][.)]\s|\[[0-9]+\]|`{3}|\[?[0-9]{1,2}[:.][0-9][0-9]"
    r"|(?:[^\W_]|-){1,20}:\s)"
)
# What continues below its words is of the item.
_ITEM = re.compile(r"\s*(?:[-*+•·]|\(?[A-Za-z0-9_]{1,3}[.)]|[0-9]+(?:\.[0-9]+)*)\s+")
_IS_ALONE = re.compile(r"^\s*[#>|]|\S(?: {3,}|\t)\S")  # headings, quotations and rows of tables
_DIVIDED = re.compile(r"[^\W_][-\u00ad\u2010]\Z")
# Letters of Han, Hiragana and Katakana, which no space follows.
_WIDE_LETTER = re.compile(
    r"[\u3005\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fd-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff"
    r"\uf900-\ufaff\uff66-\uff9d\U00020000-\U0003ffff]"
)


class SoftBreak(NamedTuple):
    """A line end inside a paragraph.

    Attributes:
        start: Offset after the last word of the line.
        end: Offset of the first word of the next line.
        shown: What stands for it: a space, or nothing.
    """

    start: int
    end: int
    shown: str


class _Line(NamedTuple):
    """A line that is not blank, and where the next line begins."""

    start: int
    words: str
    next: int

    @property
    def indent(self) -> int:
        return len(self.words) - len(self.words.lstrip())


def find_soft_breaks(text: str) -> list[SoftBreak]:
    r"""Find the line ends that are inside a paragraph.

    >>> find_soft_breaks("The storm has hit the coral reef near the old\nharbour.\n" * 2)
    [SoftBreak(start=45, end=46, shown=' '), SoftBreak(start=100, end=101, shown=' ')]

    Args:
        text: The text.

    Returns:
        The breaks in order. Headings, lists, tables, verses and code keep their lines.
    """
    lines = [_Line(each.start(), words, each.end()) for each in _LINE.finditer(text) if (words := each[1].rstrip())]
    width = _usual_width(lines)
    if not _NARROWEST <= width <= _WIDEST:
        return []
    found: list[SoftBreak] = []
    block: list[_Line] = []
    fenced = False
    for line in lines:
        fence = _FENCE.match(line.words) is not None
        fenced ^= fence
        if block and (fence or fenced or block[-1].next != line.start):
            found += _breaks_of(block, width)
            block = []
        if not fence and not fenced:
            block.append(line)
    return [*found, *_breaks_of(block, width)]


def split_at(text: str, start: int, breaks: Sequence[SoftBreak]) -> Iterator[tuple[str, SoftBreak | None]]:
    """Divide a part of a text at its soft breaks.

    Args:
        text: The part.
        start: Its offset in the text.
        breaks: The soft breaks of the whole text.

    Yields:
        Pieces that make up the part, each with the break that it is of; None for words.
    """
    position, end = start, start + len(text)
    for index in range(bisect_right(breaks, start, key=lambda each: each.end), len(breaks)):
        each = breaks[index]
        if each.start >= end:
            break
        first, last = max(each.start, start), min(each.end, end)
        yield text[position - start : first - start], None
        yield text[first - start : last - start], each
        position = last
    yield text[position - start :], None


def _usual_width(lines: Sequence[_Line]) -> int:
    """The width that nine of ten lines do not exceed, of those that another line follows."""
    lengths = sorted(len(line.words) for line, after in pairwise(lines) if line.next == after.start)
    return lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0


def _breaks_of(block: Sequence[_Line], width: int) -> Iterator[SoftBreak]:
    if _is_verse(block):
        return
    inner = 0  # where the words of an item begin
    for line, after in pairwise(block):
        item = _ITEM.match(line.words)
        inner = item.end() if item else inner
        shown = _shown_between(line, after, inner, width)
        if shown is not None:
            yield SoftBreak(line.start + len(line.words), after.start + after.indent, shown)


def _is_verse(block: Sequence[_Line]) -> bool:
    """Whether all lines begin with a capital: verses, names or headings."""
    starts = [unicodedata.category(line.words.lstrip()[0]) for line in block]
    return (
        len(block) > 3
        and all(start == "Lu" for start in starts)
        and any(unicodedata.category(letter) == "Ll" for line in block for letter in line.words)
    )


def _shown_between(line: _Line, after: _Line, inner: int, width: int) -> str | None:
    """The characters that stand for the end of a line; None if the line ends."""
    if _BEGINS_ANEW.match(after.words) or _IS_ALONE.search(line.words) or _IS_ALONE.search(after.words):
        return None
    if after.words.startswith("\t") or (max(after.indent, line.indent) >= _DEEP and after.indent != inner):
        return None
    first = after.words.split(maxsplit=1)[0]
    if len(line.words) + 1 + len(first) <= _FULL * width:
        return None
    divided = _DIVIDED.search(line.words) and first[0].isalpha()
    wide = _WIDE_LETTER.match(line.words[-1]) and _WIDE_LETTER.match(first)
    return "" if divided or wide else " "
