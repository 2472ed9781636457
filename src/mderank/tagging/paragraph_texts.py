"""Paragraphs as taggers read them, with the offsets of the original text."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

from mderank.document import Span
from mderank.tagging.layout import Layout
from mderank.tagging.paragraphs import paragraphs, run_cuts

# Control characters and line breaks are white space to a tagger. One code point for one, so that offsets hold.
_WHITE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u00a0\u200b\ufeff]")


class ParagraphText(NamedTuple):
    """A paragraph as a tagger reads it, with the offsets of the original text.

    Attributes:
        text_number: Index of its text in the batch.
        start: Offset of the paragraph in its text.
        text: The paragraph with blanks for white space and with divided words joined.
        gaps: Offsets in ``text`` where characters of the original are left out.
        left_out: Number of characters left out up to each gap.
    """

    text_number: int
    start: int
    text: str
    gaps: tuple[int, ...] = ()
    left_out: tuple[int, ...] = (0,)

    def original_span(self, start: int, end: int) -> Span:
        """Return the span in the original text of a word of ``text``.

        Args:
            start: Offset of the word in ``text``.
            end: Offset after the word.

        Returns:
            The span in the original text.
        """
        return Span(
            self.start + start + self.left_out[bisect_right(self.gaps, start)],
            self.start + end + self.left_out[bisect_left(self.gaps, end)],
        )


def paragraph_texts(
    index: int, text: str, layout: Layout | None, *, divide_runs: bool = False
) -> Iterator[ParagraphText]:
    """Cut a text into paragraphs as a tagger reads them.

    Args:
        index: Index of the text in its batch.
        text: The text.
        layout: Its layout; None cuts at empty lines only.
        divide_runs: Without a layout, whether long runs without white space are divided too; see `run_cuts`.

    Yields:
        The paragraphs, in order.
    """
    if layout is None:
        for part in paragraphs(text):
            content = _WHITE.sub(" ", text[part.start : part.end])
            cuts = [0, *(run_cuts(content) if divide_runs else ()), len(content)]
            for start, end in pairwise(cuts):
                yield ParagraphText(index, part.start + start, content[start:end])
        return
    gaps = iter(layout.divided)
    gap = next(gaps, None)
    for block in layout.blocks:
        positions: list[int] = []
        left_out = [0]
        parts = []
        start = block.start
        while gap is not None and gap.end <= block.end:
            positions.append(gap.start - block.start - left_out[-1])
            left_out.append(left_out[-1] + gap.end - gap.start)
            parts.append(layout.blanked[start : gap.start])
            start = gap.end
            gap = next(gaps, None)
        parts.append(layout.blanked[start : block.end])
        yield ParagraphText(index, block.start, _WHITE.sub(" ", "".join(parts)), tuple(positions), tuple(left_out))
