r"""The layout of a plain text: its paragraphs, list items, table cells, headings, and what is not prose in it.

A phrase never crosses the edge of a block. Code, quote marks, time stamps, mail headers, signatures, running heads and
the like are blanked: replaced by as many spaces, so that all offsets hold. Every step looks at each line a bounded
number of times, so that the time is linear in the text's length. In doubt a line stays prose: a phrase from a stack
trace is a smaller fault than a paragraph that nobody reads.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from mderank.document import Span
from mderank.tagging.layout.captions import read_captions
from mderank.tagging.layout.code_lines import blank_code
from mderank.tagging.layout.divided_words import DividedWords
from mderank.tagging.layout.inline_marks import blank_marks, blank_tags
from mderank.tagging.layout.labels import read_labels
from mderank.tagging.layout.line_marks import blank_line_numbers, blank_rules, read_headings, read_list_marks
from mderank.tagging.layout.lines import Kind, Line, split_lines
from mderank.tagging.layout.mail_lines import read_mail, read_quote_marks
from mderank.tagging.layout.page_furniture import read_furniture
from mderank.tagging.layout.people_lines import blank_people
from mderank.tagging.layout.reference_lines import blank_references
from mderank.tagging.layout.stamps import read_stamps
from mderank.tagging.layout.table_cells import read_cells
from mderank.tagging.layout.web_items import blank_web_items
from mderank.tagging.layout.wrapped_lines import find_continued
from mderank.tagging.paragraphs import cut_long

_NAME_WORD = re.compile(r"[\w-]{3,}")
_LOWER_WORD = re.compile(r"(?<![\w@.-])[^\W\d_A-Z][\w-]{2,}(?![\w@]|\.\w)")


@dataclass(frozen=True)
class Layout:
    """The layout of a text.

    Attributes:
        blocks: stretches of the text, in order, that a phrase never crosses: a paragraph with its wrapped lines, a
            list item, a table cell, a heading, the value of a header field, a line.
        blanked: the text with everything that is not prose replaced by spaces, character for character.
        divided: for every word divided at a line end, the span that the joined word leaves out: the hyphen, unless
            the word keeps it, the line break and the indentation.
        speakers: the words of the names of those who write, speak, are addressed or are to do something, in lower
            case: from a chat's messages, a transcript's turns, a mail's header, greeting and signature, minutes.
    """

    blocks: tuple[Span, ...]
    blanked: str
    divided: tuple[Span, ...]
    speakers: frozenset[str] = frozenset()


def read_layout(text: str, longest: int = 20_000) -> Layout:
    r"""Find the blocks of ``text``, blank what is not prose in it, and find the words divided at line ends.

    Args:
        text: plain text, with any line breaks.
        longest: no block is longer, in characters: a tagger's memory has limits.

    Returns:
        The layout. A text of one line is one block, and nothing of it is blanked.

    >>> text = "Minutes\n\n- new tide gauges\n- storm surge fore-\n  casting\n"
    >>> layout = read_layout(text)
    >>> [layout.blanked[start:end] for start, end in layout.blocks]
    ['Minutes', 'new tide gauges', 'storm surge fore-\n  casting']
    >>> [text[start:end] for start, end in layout.divided]
    ['-\n  ']
    """
    lines = split_lines(text)
    speakers = _read_lines(lines) if sum(line.kind is Kind.PROSE for line in lines) > 1 else set()
    blanked = _blank(text, lines)
    joined = list(_join_lines(lines))
    divided = _divide(blanked, joined)
    blocks = tuple(
        piece
        for block in joined
        for piece in cut_long(text, Span(block[0].start, block[-1].end), longest)
        if not blanked[piece.start : piece.end].isspace()
    )
    words = frozenset(word.casefold() for name in speakers for word in _NAME_WORD.findall(name))
    return Layout(blocks, blanked, tuple(_inside(divided, blocks)), words)


def _read_lines(lines: list[Line]) -> set[str]:
    """Find out what every line is, and who speaks. A step leaves alone what an earlier one found not to be prose."""
    blank_line_numbers(lines)
    speakers = read_captions(lines)
    read_quote_marks(lines)
    blank_tags(lines)
    read_furniture(lines)
    people = read_mail(lines)
    blank_references(lines)
    people |= blank_people(lines)
    blank_code(lines)
    blank_rules(lines)
    read_headings(lines)
    speakers |= read_stamps(lines)
    read_list_marks(lines)
    speakers |= read_labels(lines)
    read_cells(lines)
    blank_marks(lines)
    blank_web_items(lines)
    return speakers | _only_names(people, lines)


def _only_names(people: set[str], lines: list[Line]) -> set[str]:
    """The words of names that the text does not have in lower case: "Service Desk" is no person."""
    if not people:
        return set()
    words = {word for name in people for word in _NAME_WORD.findall(name)}
    common = {word for line in lines for word in _LOWER_WORD.findall(line.text)}
    return {word for word in words if word.casefold() not in common}


def _blank(text: str, lines: Iterable[Line]) -> str:
    """The text with spaces in place of what is not prose."""
    parts: list[str] = []
    position = 0
    for line in lines:
        if line.kind in (Kind.NOT_PROSE, Kind.FURNITURE):
            spans = [Span(line.start, line.end)]
        else:
            spans = [Span(line.start, line.body), *sorted(line.blanks)]
        for first, end in spans:
            start = max(first, position)
            if start < end:
                parts += (text[position:start], _spaces(text[start:end]))
                position = end
    return "".join((*parts, text[position:]))


def _spaces(content: str) -> str:
    """Spaces in place of everything that is not white space."""
    return content if content.isspace() else "".join(char if char.isspace() else " " for char in content)


def _join_lines(lines: list[Line]) -> Iterator[list[Span]]:
    """The parts of every block, in order: the lines of a paragraph, or one table cell."""
    prose = [line for line in lines if line.kind is Kind.PROSE]
    paragraph: list[Span] = []
    for line, continued in zip(prose, [*find_continued(lines), False], strict=False):
        if line.cells:
            yield from ([cell] for cell in line.cells)
            continue
        paragraph.append(Span(line.body, line.end))
        if not continued:
            yield paragraph
            paragraph = []


def _divide(blanked: str, blocks: Iterable[list[Span]]) -> Iterator[Span]:
    """The spans that words divided at the ends of a block's lines leave out."""
    words: DividedWords | None = None
    for block in blocks:
        for first, second in pairwise(block):
            line, continuation = blanked[first.start : first.end], blanked[second.start : second.end]
            stripped = line.rstrip()
            if not stripped.endswith(("-", "‐", "\u00ad")):
                continue
            words = words or DividedWords(blanked)
            start = second.start + len(continuation) - len(continuation.lstrip())
            span = words.left_out(blanked, first.start + len(stripped), start)
            if span is not None and span.start < span.end:
                yield span


def _inside(spans: Iterable[Span], blocks: Iterable[Span]) -> Iterator[Span]:
    """Those of ``spans`` that lie inside a block; both are in order."""
    remaining = iter(blocks)
    block = next(remaining, None)
    for span in spans:
        while block is not None and block.end < span.end:
            block = next(remaining, None)
        if block is not None and block.start <= span.start:
            yield span
