"""Marks that lines begin with: bullets and numbers of list items, marks and numbers of headings, rules."""

from __future__ import annotations

import re
from collections import Counter

from mderank.document import Span
from mderank.tagging.layout.lines import Kind, Line, ends_clause, ends_sentence, is_mid_sentence

_RULE = re.compile(r"[\s\-=_*~#+|.:·•─━═—–┌┐└┘├┤┬┴┼│]{3,}\Z")
_HASHES = re.compile(r"\s{0,3}#{1,6}\s+(?=\S)")
_CLOSING_HASHES = re.compile(r"\s#{1,6}\s*\Z")
_WIKI_HEADING = re.compile(r"\s*=(?:\s?=){0,5}\s+(?=[^\s=])")
_CLOSING_EQUALS = re.compile(r"\s=(?:\s?=){0,5}\s*\Z")

_BULLET = re.compile(
    r"\s*([-*+•–—▪◦‣●○■□➢➤➔→✓✔✗✘✅❌☐☑·∙⁃◆◇▸▹►▶›»★✦👉])\ufe0f?\s+(?:\[[ xX]\]\s+|[→›»▸-]\s+)?(?=\S)"
    r"|\s*([•▪◦‣●■□➢➤✓✔✅▸►])(?=\w)|\s*(\[[ xX✓✔]\])\s+(?=\S)"
)
_LETTER_BULLET = re.compile(r"\s*([o~])\s+(?=\S)")  # a bullet only among others: "o" may be a word
_ORDINAL = re.compile(
    r"\s*(?:\((?P<round>\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})\)|(?P<half>\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})\)|\[(?P<square>\d{1,3})\]"
    r"|(?P<point>\d{1,3})\.|(?P<letter>[a-zA-Z]|[ivxIVX]{2,5})\.)\s+(?=\S)"
)
_SECTION = re.compile(r"\s*(?:§\s?)?\d{1,3}(?:\.\d{1,3}){1,4}\.?\s+(?=[^\W\d_]|[\"“])")
_SECTION_OF_NUMBERS = re.compile(r"\s*\d{1,2}(?:\.\d{1,2}){1,3}\s+(?=\d[\d.,/-]*[ ,]+[^\W\d_]{2})")
_PARAGRAPH_SIGN = re.compile(r"\s*§{1,2}\s?\d{1,3}[a-z]?(?:\.\d{1,3}){0,3}[.:]?\s+(?=[^\W\d_])")
# Marks whose number does not count, with the name of their style; a bullet is named by itself.
_UNNUMBERED = (
    ("", _BULLET),
    ("o bullet", _LETTER_BULLET),
    ("§", _PARAGRAPH_SIGN),
    ("section", _SECTION),
    ("number", _SECTION_OF_NUMBERS),
)
# "B-2 Food safety", "24/092 Public participation": an item only if the one before or after it is there too
_SERIES = re.compile(r"\s*(?P<series>[A-Z]{1,3}-?|\d{1,4}[/-])(?P<place>\d{1,4})[.:)]?\s+(?=[^\W\d_]|[\"“])")
_LINE_NUMBER = re.compile(r"\s{0,6}(\d{1,3})(?:\s+|\Z)")
_FEWEST_NUMBERED = 8  # lines
_PLAIN_NUMBER = re.compile(r"\s*(\d{1,2})\s+(?=[^\W\d_])")

_LONGEST_HEADING = 60


def blank_rules(lines: list[Line]) -> None:
    """Blank lines of dashes, equal signs and the like; the short line above one is a heading.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    for index, line in enumerate(lines):
        if line.kind is Kind.PROSE and _RULE.match(line.prose):
            line.kind = Kind.NOT_PROSE
            above = lines[index - 1] if index else None
            if above is not None and above.kind is Kind.PROSE and len(above.prose) <= 100:
                above.alone = True


def blank_line_numbers(lines: list[Line]) -> None:
    """Blank the line numbers of a text whose every line has one, as in transcripts of courts.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    run: list[tuple[Line, int]] = []
    expected = None
    for line in [*lines, None]:
        if line is not None and line.kind is Kind.BLANK:
            continue
        found = _LINE_NUMBER.match(line.text[:12]) if line is not None else None
        number = int(found.group(1)) if found else None
        if line is not None and found is not None and (expected is None or number in (expected, 1)):
            run.append((line, found.end()))
            expected = (number or 0) + 1
            continue
        if len(run) >= _FEWEST_NUMBERED:
            for numbered, end in run:
                numbered.body += end
                numbered.text = " " * end + numbered.text[end:]
                if not numbered.prose.strip():
                    numbered.kind = Kind.BLANK
        run, expected = [], None


def read_headings(lines: list[Line]) -> None:
    """Blank the marks of headings of Markdown and of wikis.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    for line in lines:
        if line.kind is not Kind.PROSE:
            continue
        content = line.prose[:300]
        closing = None
        if found := _HASHES.match(content):
            closing = _CLOSING_HASHES.search(line.prose[-20:])
        elif found := _WIKI_HEADING.match(content):
            closing = _CLOSING_EQUALS.search(line.prose[-20:])
            if closing is None:
                continue
        if found is None:
            continue
        line.body += found.end()
        line.marked = line.alone = True
        if closing is not None:
            line.blanks.append(Span(line.end - (closing.end() - closing.start()), line.end))


def read_list_marks(lines: list[Line]) -> None:
    """Blank bullets, numbers and letters of list items, clauses and numbered headings.

    Args:
        lines: The lines of the text, which are changed in place.
    """
    styles = [_list_style(line) for line in lines]
    stretches = _stretch_numbers(lines)
    in_stretch = Counter(
        (stretch, style[0]) for stretch, style in zip(stretches, styles, strict=True) if style is not None
    )
    everywhere = {(style[0], style[1]) for style in styles if style is not None}
    previous: Line | None = None
    for line, style, stretch in zip(lines, styles, stretches, strict=True):
        if style is not None:
            name, value, end = style
            followed = value is not None and not everywhere.isdisjoint({(name, value - 1), (name, value + 1)})
            if name in ("letter", "plain") or name.startswith("series "):  # not "A. Smith", "12 men", "F-16 jets"
                is_item = followed and not is_mid_sentence(previous)
            elif name == "number":  # "2.1 2025-017, retinal scans": a section if others are
                is_item = ("section", None) in everywhere and not is_mid_sentence(previous)
            elif name.endswith("bullet"):
                is_item = in_stretch[stretch, name] > 1
            elif is_mid_sentence(previous) and previous is not None and not previous.marked:
                is_item = in_stretch[stretch, name] > 1 and (value is None or followed)
            else:
                is_item = True
            if is_item:
                line.body += end
                line.marked = True
                is_heading = name == "§" and len(line.prose) <= _LONGEST_HEADING and not ends_clause(line.prose)
                line.alone = line.alone or is_heading
        previous = line


def _list_style(line: Line) -> tuple[str, int | None, int] | None:
    """The kind of a line's list mark, its number if it has one, and its length."""
    if line.kind is not Kind.PROSE or line.marked:
        return None
    content = line.prose[:120]
    for name, pattern in _UNNUMBERED:
        if found := pattern.match(content):
            if name == "section" and not (content[found.end()].isupper() or content[found.end()] in '"“'):
                return None
            return name or next(filter(None, found.groups())), None, found.end()
    if found := _ORDINAL.match(content):
        name = found.lastgroup or ""
        return name, _ordinal_value(found.group(name)), found.end()
    if found := _SERIES.match(content):
        return f"series {found.group('series')}", int(found.group("place")), found.end()
    found = _PLAIN_NUMBER.match(content)
    is_item = found and len(line.prose) <= 80 and not ends_clause(line.prose) and content[found.end()].isupper()
    return ("plain", int(found.group(1)), found.end()) if found and is_item else None


_ROMAN = {"i": 1, "v": 5, "x": 10}


def _ordinal_value(mark: str) -> int:
    """The number that a mark stands for; letters and Roman numbers count beyond 1,000 and 2,000."""
    if mark.isdecimal():
        return int(mark)
    lower = mark.lower()
    if len(lower) > 1 or lower in _ROMAN:
        digits = [_ROMAN[char] for char in lower]
        following = [*digits[1:], 0]
        return 2000 + sum(-a if a < b else a for a, b in zip(digits, following, strict=True))
    return 1000 + ord(lower)


def _stretch_numbers(lines: list[Line]) -> list[int]:
    """For every line the number of its stretch of lines without a blank one."""
    numbers, number = [], 0
    for line in lines:
        number += line.kind is Kind.BLANK
        numbers.append(number)
    return numbers


def is_heading_like(content: str) -> bool:
    """Whether a line is in title case or capitals, and does not end a sentence.

    >>> is_heading_like("Predicting Storm Surges in Shallow Estuaries"), is_heading_like("Predicting storm surges")
    (True, False)

    Args:
        content: The text of the line.

    Returns:
        True if it looks like a heading.
    """
    words = [word for word in content.split() if len(word) > 3 and word[0].isalpha()]
    return len(words) > 1 and not ends_sentence(content) and all(word[0].isupper() for word in words)
