"""Show paragraphs that were cut into lines of one width, as in mail and in text from PDF, as paragraphs again.

Only what is shown changes: a line's end that is no paragraph's is shown as a space. The page of the server follows the
same rules (``serve/static/flow.js``).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

_NARROWEST = 40  # characters: narrower blocks are addresses, verses, lists
_WIDEST = 160  # wider lines are paragraphs already
_FULL = 0.8  # of the width: a line that could have taken the next word was ended on purpose
_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|$)")
_BEGINS_ANEW = re.compile(
    r"\s*(?:[-*+•·–—#>|=_~]|\d{1,3}[.)]\s|[a-z][.)]\s|\[\d+\]|`{3}|\[?\d{1,2}[:.]\d\d|(?:[^\W_]|-){1,20}:\s)"
)
# What continues below the words of an item is part of it.
_ITEM = re.compile(r"\s*(?:[-*+•·]|\(?\w{1,3}[.)]|\d+(?:\.\d+)*)\s+")
_MARKED = re.compile(r"\s*[#>|]")  # headings, quotations and rows of tables
_COLUMNS = re.compile(r"\S(?: {3,}|\t)\S")
_FENCE = re.compile(r"\s*(?:`{3}|~{3})")
_DEEP = 4  # spaces: what stands further in, and is not of an item, is code or a table
_WIDE_LETTER = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]")
_DIVIDED = re.compile(r"[^\W_][-\u00ad\u2010]$")


class SoftBreak(NamedTuple):
    """The end of a line inside a paragraph.

    Attributes:
        start: offset of its first character.
        end: offset after the next line's indent.
        shown: what is shown in its place: a space, or nothing inside a word.
    """

    start: int
    end: int
    shown: str


class _Line(NamedTuple):
    start: int
    words: str  # without white space at the end

    @property
    def indent(self) -> int:
        return len(self.words) - len(self.words.lstrip())


class FlowingText:
    r"""A text whose paragraphs are shown without the line ends in them.

    >>> text = "The surge model of the estuary misses the\nheight of the flood by up to half a metre."
    >>> FlowingText(text).show(38, 48)
    'the height'

    Args:
        text: The text.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._breaks = list(soft_breaks(text))
        self._ends = [each.end for each in self._breaks]

    def show(self, start: int, end: int) -> str:
        """Return a stretch of the text as it is shown.

        Args:
            start: Offset of its first character.
            end: Offset after its last character.

        Returns:
            The stretch, with spaces for line ends inside paragraphs.
        """
        shown = []
        at = start
        for number in range(bisect_right(self._ends, start), len(self._breaks)):
            each = self._breaks[number]
            if each.start >= end:
                break
            shown += [self._text[at : each.start], each.shown if each.start >= start else ""]
            at = min(each.end, end)
        return "".join([*shown, self._text[at:end]])


def soft_breaks(text: str) -> Iterator[SoftBreak]:
    """Find the line ends that are shown as a space, or as nothing.

    Args:
        text: The text.

    Yields:
        The line ends, in order.
    """
    lines = [_Line(each.start(), each[1].rstrip()) for each in _LINE.finditer(text) if each[0]]
    width = _usual_width(lines)
    if not _NARROWEST <= width <= _WIDEST:
        return
    for block in _blocks(lines):
        if _is_verse(block):
            continue
        inner = 0  # where the words of an item begin
        for line, following in pairwise(block):
            item = _ITEM.match(line.words)
            inner = item.end() if item else inner
            shown = _shown_between(line, following, inner, width)
            if shown is not None:
                yield SoftBreak(line.start + len(line.words), following.start + following.indent, shown)


def _usual_width(lines: list[_Line]) -> int:
    """The length that nine of ten lines which another follows do not exceed."""
    lengths = sorted(len(line.words) for line, following in pairwise(lines) if line.words and following.words)
    return lengths[int(0.9 * (len(lengths) - 1))] if lengths else 0


def _blocks(lines: list[_Line]) -> Iterator[list[_Line]]:
    """The lines between blank lines, without those of code between fences."""
    block: list[_Line] = []
    fenced = False
    for line in lines:
        fence = _FENCE.match(line.words) is not None
        fenced ^= fence
        if not line.words.strip() or fence or fenced:
            yield block
            block = []
        else:
            block.append(line)
    yield block


def _is_verse(block: list[_Line]) -> bool:
    """Whether all lines begin with a capital: verses, names or headings."""
    starts = [line.words.lstrip()[:1] for line in block]
    return len(block) > 3 and all(map(str.isupper, starts)) and any(map(_has_lower_case, block))


def _has_lower_case(line: _Line) -> bool:
    return any(map(str.islower, line.words))


def _shown_between(line: _Line, following: _Line, inner: int, width: int) -> str | None:
    """What is shown between two lines; None for a line end that stays."""
    if _BEGINS_ANEW.match(following.words) or _stands_alone(line) or _stands_alone(following):
        return None
    deep = max(line.indent, following.indent) >= _DEEP and following.indent != inner
    if following.words.startswith("\t") or deep:
        return None
    first = following.words.split(maxsplit=1)[0]
    if len(line.words) + 1 + len(first) <= _FULL * width:
        return None
    divided = _DIVIDED.search(line.words[-2:]) and first[0].isalpha()
    wide = _WIDE_LETTER.match(line.words[-1]) and _WIDE_LETTER.match(first[0])
    return "" if divided or wide else " "


def _stands_alone(line: _Line) -> bool:
    return _MARKED.match(line.words) is not None or _COLUMNS.search(line.words) is not None
