"""Wrapped lines, which the next line continues, as opposed to lines that are paragraphs.

A line break is a wrap if the next word would not have fitted on the line. That alone would join the lines of a list
of titles, which are about equally long. So the words beside the break, and how neighbouring lines begin, count too:
most lines of wrapped prose begin in lower case.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate, pairwise

from mderank.tagging.layout.line_marks import is_heading_like
from mderank.tagging.layout.lines import UNFINISHED, Kind, Line, ends_clause, ends_sentence, last_word, reads_as_prose

# Lines that a person or an editor wrapped are between these widths, in characters.
_NARROWEST_WRAP, _WIDEST_WRAP = 40, 160
_NARROWEST_PROSE = 25  # of lines that plainly are prose
# Text from a PDF is set in a proportional font: full lines differ in their number of characters.
_FULL_LINE = 0.8
# A line that the next continues in lower case may be shorter: it may stand beside a figure, or before a long word.
_HALF_LINE = 0.6
_AROUND = 8  # lines before and after that tell how wide the text is
_PERCENTILE = 0.85  # of the lines' lengths: one long line among many short ones does not count
_LEAST_SHARE_LOWER = 0.25  # of the neighbouring lines of wrapped prose begin in lower case

# Words that a title's second line begins with.
_TITLE_WORDS = frozenset("of for in on and with under from to at by into through during between versus vs. as".split())
_LONGEST_TITLE = 80

# Chinese and Japanese lines have no spaces: they are full to within a mark, which may not begin a line.
_WIDE = "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
_ENDS_WIDE, _BEGINS_WIDE = re.compile(f"[{_WIDE}、，]\\Z"), re.compile(f"[{_WIDE}]")
_WIDE_CLAUSE = re.compile("[、，。]")
_NARROWEST_WIDE, _MISSING_WIDE = 15, 2  # characters

_FIRST_WORD = re.compile(r"\S+")
_FIRST_LETTER = re.compile(r"[\W_]{0,4}([^\W_])")
_DIVIDED = re.compile(r"[^\W\d_](?:-|‐|\u00ad)\s*\Z")
_DIVIDED_NAME = re.compile(r"(?<!\w)[^\W\d_a-z][^\W\d_]+[-‐]\Z")  # "Navier-"
_CAPTION = re.compile(r"\s*(?:Figure|Fig\.?|Table|Algorithm|Theorem|Lemma|Box)\s*(?:\d|\Z)")
_SENTENCE_START = re.compile(r"[^\W\d_]{3}[.?!][\"'”’)]?\s+[\"'“‘(]?\w+\s\w")
_CONTINUED = re.compile(r"[,\w]\s*\Z")


@dataclass(frozen=True, slots=True)
class _Break:
    """The surroundings of the break between two prose lines.

    Attributes:
        is_near: no blank line stands between them.
        is_possible: nothing forbids that the second continues the first.
        is_over_page: a running head, page number or form feed stands between them.
        is_full: the next word would not have fitted on the first line.
        width: the width of the text around.
        start: how the second line begins: "lower", "upper" or "other".
        is_caption: the second line begins like a figure's or table's caption.
        is_in_sentence: the first line ends inside a sentence, whatever the second begins with.
        is_joined: the second line is known to continue the first, or it continues a title.
        is_number: the second line begins with a number.
    """

    is_near: bool
    is_possible: bool
    is_over_page: bool
    is_full: bool
    width: int
    start: str
    is_caption: bool
    is_in_sentence: bool
    is_joined: bool
    is_number: bool


def find_continued(lines: list[Line]) -> list[bool]:
    """Find the prose lines that the next prose line continues.

    Args:
        lines: All lines of the text.

    Returns:
        One value per prose line but the last: True if the next prose line continues it.
    """
    prose = [index for index, line in enumerate(lines) if line.kind is Kind.PROSE]
    between = [_between(lines, first, last) for first, last in pairwise(prose)]
    texts = [lines[index] for index in prose]
    widths = _local_widths(texts, [near for near, _, _ in between])
    breaks = [
        _read_break(first, last, place, width)
        for first, last, place, width in zip(texts, texts[1:], between, widths, strict=False)
    ]
    lower, cased = _count_starts(breaks)
    final = _final_lines([each.is_near for each in breaks])
    return [
        each.is_possible
        and (each.is_joined or _is_wrap(texts[index], each, lower[index], cased[index], texts[final[index]]))
        for index, each in enumerate(breaks)
    ]


def _between(lines: list[Line], first: int, last: int) -> tuple[bool, bool, bool]:
    """Whether two prose lines are near, whether the second may continue the first, whether a page ends between them."""
    inside = lines[first + 1 : last]
    over_page = any(line.kind is Kind.FURNITURE for line in inside)
    over_page = over_page or any(line.after_page for line in lines[first + 1 : last + 1])
    blank = any(line.kind is Kind.BLANK for line in inside)
    is_near = not blank and not any(line.after_page for line in lines[first + 1 : last + 1])
    possible = all(line.kind is not Kind.NOT_PROSE for line in inside) and (is_near or over_page)
    if lines[first].kind is not Kind.PROSE or any(line.kind is Kind.NOT_PROSE for line in inside):
        is_near = False
    return is_near, possible, over_page


def _local_widths(lines: list[Line], near: list[bool]) -> list[int]:
    """For every line the width of the text around it: a high percentile of the lengths of the lines around."""
    lengths = [len(line.text.rstrip()) for line in lines]
    widths: list[int] = []
    start = 0
    while start < len(lines):
        end = start
        while end < len(near) and near[end]:
            end += 1
        # The last line of a paragraph may be short; of one or two lines no other is there.
        run = lengths[start:end] if end - start > 1 else lengths[start : end + 1]
        for index in range(end + 1 - start):
            widths.append(_percentile(run[max(0, index - _AROUND) : index + _AROUND + 1]))
        start = end + 1
    return widths


def _percentile(lengths: list[int]) -> int:
    ordered = sorted(lengths)
    fitting = [length for length in ordered if length <= _WIDEST_WRAP]
    if 3 * len(fitting) > 2 * len(ordered):
        ordered = fitting
    return ordered[min(len(ordered) - 1, int(_PERCENTILE * len(ordered)))] if ordered else 0


def _read_break(first: Line, last: Line, place: tuple[bool, bool, bool], width: int) -> _Break:
    is_near, possible, over_page = place
    possible = possible and not (last.marked or last.alone or first.alone or first.cells or last.cells)
    possible = possible and first.depth == last.depth
    start = _start_of(last.prose)
    if start != "other" and not any(map(str.islower, first.prose[:200] + last.prose[:200])):
        start = "other"  # all in capitals: case tells nothing
    length = len(first.text.rstrip())
    word = _FIRST_WORD.search(last.prose)
    needed = length + 1 + (word.end() - word.start() if word else 0)
    is_full = (
        _NARROWEST_WRAP <= width <= _WIDEST_WRAP and needed >= _FULL_LINE * width and length <= max(1.4 * width, 60)
    )
    is_caption = bool(_CAPTION.match(last.prose))
    in_sentence = is_full and (_is_unfinished(first.prose) or _is_broken_off(first.prose))
    joined = last.joins or (is_near and continues_title(first.prose, last.prose))
    joined = joined or (is_near and length >= width - _MISSING_WIDE and _goes_on_without_space(first.prose, last.prose))
    is_number = last.prose.lstrip()[:1].isdigit() and any(map(str.islower, first.prose[:200]))
    return _Break(is_near, possible, over_page, is_full, width, start, is_caption, in_sentence, joined, is_number)


def _goes_on_without_space(first: str, second: str) -> bool:
    """Whether a full line of Chinese or Japanese prose ends inside a sentence."""
    content = first.strip()
    return (
        len(content) >= _NARROWEST_WIDE
        and bool(_ENDS_WIDE.search(content[-1:]))
        and bool(_BEGINS_WIDE.match(second.lstrip()))
        and bool(_WIDE_CLAUSE.search(first + second))
    )


def continues_title(first: str, second: str) -> bool:
    """Whether a line continues a title above it: it begins with a preposition or conjunction, and ends no sentence.

    >>> continues_title("SLIDING MODE CONTROL", "of a quadrotor under wind gusts")
    True

    Args:
        first: The text of the title's line.
        second: The text of the line below it.

    Returns:
        True if the second line continues the title.
    """
    title, subtitle = first.strip(), second.strip()
    word = _FIRST_WORD.search(subtitle)
    if word is None or word.group().lower() not in _TITLE_WORDS or len(title) > _LONGEST_TITLE or len(subtitle) > 100:
        return False
    if ends_clause(title) or title.endswith(",") or ends_clause(subtitle):
        return False
    in_capitals = title.isupper() and len(title.split()) > 1
    return (in_capitals and (word.group().islower() or subtitle.isupper())) or (
        is_heading_like(title) and word.group().islower() and is_heading_like(subtitle)
    )


def _start_of(content: str) -> str:
    """Whether a line begins with a small letter, a capital, or something else."""
    found = _FIRST_LETTER.match(content.lstrip()[:20])
    if found is None:
        return "other"
    letter = found.group(1)
    return "lower" if letter.islower() else "upper" if letter.isupper() else "other"


def _is_plain(place: _Break) -> bool:
    return place.start == "lower" or (place.start == "upper" and place.is_in_sentence)


def _is_broken_off(content: str) -> bool:
    """Whether a sentence begins inside a line and does not end in it. A title has no such sentence."""
    return bool(_SENTENCE_START.search(content[:_WIDEST_WRAP])) and not ends_clause(content)


def _count_starts(breaks: list[_Break]) -> tuple[list[int], list[int]]:
    """For every break the number of full lines around it that plainly are wrapped, and of those with any evidence."""
    usable = [each.is_near and each.is_possible and each.is_full for each in breaks]
    lower = [0, *accumulate(use and _is_plain(each) for use, each in zip(usable, breaks, strict=True))]
    cased = [0, *accumulate(use and each.start != "other" for use, each in zip(usable, breaks, strict=True))]
    # Stretches do not look across a blank line: the number of the stretch bounds the window.
    first, firsts = 0, []
    for index, each in enumerate(breaks):
        firsts.append(first)
        if not each.is_near:
            first = index + 1
    last, lasts = len(breaks), [0] * len(breaks)
    for index in range(len(breaks) - 1, -1, -1):
        if not breaks[index].is_near:
            last = index + 1
        lasts[index] = last
    windows = [
        (max(firsts[index], index - _AROUND), min(lasts[index], index + _AROUND + 1)) for index in range(len(breaks))
    ]
    return [lower[end] - lower[start] for start, end in windows], [cased[end] - cased[start] for start, end in windows]


def _final_lines(near: list[bool]) -> list[int]:
    """For every break the index of the last line of its stretch."""
    finals = [0] * len(near)
    final = len(near)
    for index in range(len(near) - 1, -1, -1):
        if not near[index]:
            final = index
        finals[index] = final if near[index] else index + 1
    return finals


def _is_wrap(line: Line, place: _Break, lower: int, cased: int, final: Line) -> bool:
    content = line.prose.rstrip()
    if place.is_over_page and not place.is_near:
        is_open = _CONTINUED.search(content[-4:]) or _DIVIDED.search(content[-4:])
        return place.start == "lower" and bool(is_open) and len(content) >= _NARROWEST_PROSE
    if _DIVIDED.search(content[-4:]) and (place.start == "lower" or _DIVIDED_NAME.search(content[-40:])):
        return True
    if place.start == "lower":
        return _is_continued_in_lower_case(line, content, place)
    if place.is_full and is_heading_like(content) and (place.start == "upper" or place.is_number):
        return False
    if _is_unfinished(content) and place.start == "upper":
        return place.is_full or (len(content) < _WIDEST_WRAP and not place.is_caption)
    return place.is_full and _is_among_wrapped(content, place, lower, cased, final)


def _is_unfinished(content: str) -> bool:
    """Whether a line ends with an article, a conjunction or a preposition."""
    word = last_word(content)
    return word in UNFINISHED or (len(word) > 1 and word.lower() in UNFINISHED)  # a lone capital is an initial


def _is_continued_in_lower_case(line: Line, content: str, place: _Break) -> bool:
    if place.is_full or _is_unfinished(content):
        return True
    if not _CONTINUED.search(content[-4:]) or place.width > _WIDEST_WRAP:
        return False
    length = len(line.text.rstrip())
    if place.width >= _NARROWEST_WRAP:
        return length >= _HALF_LINE * place.width
    # A narrow column. Short lines without function words are a list.
    return place.width >= _NARROWEST_PROSE and length >= _FULL_LINE * place.width and reads_as_prose(content)


def _is_among_wrapped(content: str, place: _Break, lower: int, cased: int, final: Line) -> bool:
    """Whether the lines around are wrapped, so that a line may begin with a capital or a digit and continue another."""
    if lower == 0 and ends_sentence(content):
        return False
    if place.start == "other" and not cased:
        return True
    if lower == 0 and cased < 3:
        return ends_clause(final.prose)
    return lower >= _LEAST_SHARE_LOWER * cased
