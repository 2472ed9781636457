r"""The boundaries of paragraphs.

Plain text has two habits: a paragraph is one long line, or it is wrapped at some width. In the first a line break
ends a paragraph and no phrase may run across it; in the second it is only white space, and "support vector\nmachine"
is one phrase. The rule that tells them apart: a break is a wrap if the next word would not have fitted on the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from mderank.document import Span
from mderank.tagging.tokenizer import LONGEST_WORD

_BLANK_LINE = re.compile(r"\r?\n[^\S\n]*\r?\n\s*|[\f\u2029]")
_LINE = re.compile(r"[^\n]+")

# A run without white space that is twice as long as any word.
_LONG_RUN = re.compile(rf"(?<!\S)\S{{{2 * LONGEST_WORD + 2},}}+")
_MARK = re.compile(r"[\W_]")

# Lines that a person or an editor wrapped are between these widths, in characters.
_NARROWEST_WRAP, _WIDEST_WRAP = 40, 160
# Text from a PDF is set in a proportional font: full lines differ in their number of characters.
_FULL_LINE = 0.8


def paragraphs(text: str, longest: int = 20_000) -> Iterator[Span]:
    """Find the paragraphs of a text.

    Args:
        text: The text.
        longest: Maximum number of characters of a paragraph; longer ones are divided, because a tagger's memory is
            limited.

    Yields:
        The character offsets of each paragraph, in order.
    """
    start = 0
    for end, following in [*((m.start(), m.end()) for m in _BLANK_LINE.finditer(text)), (len(text), len(text))]:
        for paragraph in _unwrapped(text, start, end):
            yield from cut_long(text, paragraph, longest)
        start = following


def _unwrapped(text: str, start: int, end: int) -> Iterator[Span]:
    """Join the wrapped lines of a block that has no blank line."""
    lines = [Span(m.start(), m.end()) for m in _LINE.finditer(text, start, end)]
    if not lines:
        return
    width = max(len(text[line.start : line.end].rstrip()) for line in lines)
    wrapped = _NARROWEST_WRAP <= width <= _WIDEST_WRAP
    first = lines[0]
    for line, following in pairwise(lines):
        words = text[following.start : following.end].split(maxsplit=1)
        needed = len(text[line.start : line.end].rstrip()) + 1 + (len(words[0]) if words else 0)
        if not (wrapped and needed >= _FULL_LINE * width):
            yield Span(first.start, line.end)
            first = following
    yield Span(first.start, lines[-1].end)


def cut_long(text: str, paragraph: Span, longest: int) -> Iterator[Span]:
    """Divide a long paragraph: after a sentence, else after a word, else anywhere.

    Args:
        text: The text.
        paragraph: Character offsets of the paragraph.
        longest: Maximum number of characters of a part.

    Yields:
        The character offsets of each part, in order.
    """
    start, end = paragraph
    while end - start > longest:
        cut = max(text.rfind(mark, start, start + longest) + len(mark) for mark in (". ", "\n"))
        if cut < start + longest // 2:
            cut = text.rfind(" ", start, start + longest) + 1
        if cut <= start:
            cut = start + longest
        yield Span(start, cut)
        start = cut
    yield Span(start, end)


def run_cuts(text: str) -> Iterator[int]:
    """Find where to divide long runs without white space: after a mark, into parts longer than any word.

    spaCy's tokenizer takes marks from the beginning and the end of a run one at a time, and copies the rest each time.
    Its time grows with the square of the run's length. A stretch of letters and digits is never divided.

    >>> list(run_cuts("(" * 400)), list(run_cuts("a" * 400)), list(run_cuts("( " * 400))
    ([102, 204], [], [])

    Args:
        text: The text.

    Yields:
        The offsets at which a new part begins, in order.
    """
    for run in _LONG_RUN.finditer(text):
        start = run.start()
        while mark := _MARK.search(text, start + LONGEST_WORD + 1, max(start, run.end() - LONGEST_WORD - 1)):
            start = mark.end()
            yield start
