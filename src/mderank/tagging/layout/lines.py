"""The lines of a text, and what their first and last words tell."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto

from mderank.document import Span

# A page or paragraph separator also ends a line. "\r\n" is one break.
_BREAK = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")

# A line that ends with one of these is not finished. Words that also end a phrasal verb ("log in") are not here.
UNFINISHED = frozenset(
    "a an the of and or nor for with by from at into its their our his your my as than that which whose between "
    "against among through during per via & et und der die das des dem den von mit für le la les du de".split()
)
# Words that hold English prose together. Table cells, titles and code have few of them.
FUNCTION_WORDS = UNFINISHED | frozenset(
    "in on to is are was were be been being has have had it this these those not but if then so because while when "
    "where who what how can could will would shall should may might must do does did he she they we you i there here "
    "also only very more most such other any each all no over under about after before both up out off".split()
)

_LAST_WORD = re.compile(r"([^\W\d_]+|&)[\"'”’)\]]*\s*\Z")
_SENTENCE_END = re.compile(r"[.?!…。！？][\"'”’»)\]]*\s*\Z")
_CLAUSE_END = re.compile(r"[.?!…:;。！？：；][\"'”’»)\]]*\s*\Z")
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")

_ENDING = 80  # characters of a line that are looked at from its end


class Kind(Enum):
    """The kind of a line."""

    BLANK = auto()
    PROSE = auto()
    NOT_PROSE = auto()  # code, a rule, a signature, …: a paragraph does not continue across it
    FURNITURE = auto()  # a running head or page number: a paragraph continues across it


@dataclass(slots=True)
class Line:
    """A line of a text, and what was found out about it.

    Attributes:
        start: offset of its first character.
        end: offset after its last character, without the line break.
        text: its characters without quote marks; the columns of a table are counted in it.
        body: offset of the first character of its prose, after quote marks, list marks, labels and stamps.
        kind: prose or not.
        after_page: a form feed stands before it.
        depth: number of quote marks of a mail.
        marked: it begins with a list mark, label or stamp, and so begins a block.
        alone: it is a block by itself, such as a heading.
        cells: its table cells; empty if it is not a row.
        blanks: stretches inside it that are not prose, besides everything before ``body``.
        joins: it continues the prose line before it, whatever their widths.
    """

    start: int
    end: int
    text: str
    body: int
    kind: Kind
    after_page: bool
    depth: int = 0
    marked: bool = False
    alone: bool = False
    cells: list[Span] = field(default_factory=list)
    blanks: list[Span] = field(default_factory=list)
    joins: bool = False

    @property
    def prose(self) -> str:
        """The line from ``body`` on."""
        return self.text[len(self.text) - (self.end - self.body) :] if self.body < self.end else ""

    @property
    def indent(self) -> int:
        """The number of characters of white space that the line begins with."""
        return len(self.text) - len(self.text.lstrip())


def split_lines(text: str) -> list[Line]:
    """Split a text into lines, blank ones included.

    Args:
        text: The text.

    Returns:
        The lines, in order.
    """
    lines = []
    start, after_page = 0, False
    for found in _BREAK.finditer(text):
        lines.append(_new_line(text, start, found.start(), after_page))
        start, after_page = found.end(), found.group() == "\f"
        if found.group() == "\u2029":  # a paragraph separator is as good as a blank line
            lines.append(_new_line(text, start, start, False))
    lines.append(_new_line(text, start, len(text), after_page))
    return lines


def _new_line(text: str, start: int, end: int, after_page: bool) -> Line:
    content = text[start:end]
    kind = Kind.PROSE if content.strip() else Kind.BLANK
    return Line(start, end, content, start, kind, after_page)


def blank_in_text(line: Line, spans: list[Span]) -> None:
    """Blank spans of a line, also in the text that later steps read.

    Args:
        line: The line, which is changed in place.
        spans: Offsets in the text of the line.
    """
    if not spans:
        return
    offset = line.end - len(line.text)
    parts: list[str] = []
    position = 0
    for start, end in spans:
        parts += (line.text[position:start], " " * (end - start))
        position = end
        line.blanks.append(Span(offset + start, offset + end))
    line.text = "".join((*parts, line.text[position:]))


def words_of(content: str) -> list[str]:
    """Find the words of a line, without numbers and marks.

    Args:
        content: The text of the line.

    Returns:
        The words, in order.
    """
    return _WORD.findall(content)


def last_word(content: str) -> str:
    """Find the word that a line ends with.

    Args:
        content: The text of the line.

    Returns:
        The word; an empty string if the line ends with a mark or number.
    """
    found = _LAST_WORD.search(content[-_ENDING:])
    return found.group(1) if found else ""


def ends_sentence(content: str) -> bool:
    """Check whether a line ends with a full stop, question mark or exclamation mark.

    Args:
        content: The text of the line.

    Returns:
        True if it does.
    """
    return bool(_SENTENCE_END.search(content[-_ENDING:].rstrip()))


def ends_clause(content: str) -> bool:
    """Check whether a line ends a sentence, or ends with a colon or semicolon.

    Args:
        content: The text of the line.

    Returns:
        True if it does.
    """
    return bool(_CLAUSE_END.search(content[-_ENDING:].rstrip()))


def reads_as_prose(content: str, share: float = 0.2) -> bool:
    """Check whether a line has at least four words, of which enough are function words.

    Args:
        content: The text of the line.
        share: The lowest share of function words, from 0 to 1.

    Returns:
        True if it does.
    """
    words = [word for word in words_of(content[:1000]) if len(word) > 1 or word in "aAI"]
    return len(words) >= 4 and sum(word.lower() in FUNCTION_WORDS for word in words) >= share * len(words)


def is_mid_sentence(previous: Line | None) -> bool:
    """Check whether a line is prose that the next line may continue. A mark at the beginning of the next line may then
    be
    a word.

    Args:
        previous: The line; None before the first line.

    Returns:
        True if the next line may continue it.
    """
    if previous is None or previous.kind is not Kind.PROSE or previous.alone or previous.cells:
        return False
    content = previous.prose.rstrip()
    return len(content) >= 40 and not ends_clause(content)
