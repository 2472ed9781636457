"""Windows: a long text cut into parts that an encoder can take."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from mderank.encoding.base import TokenizedText


def windows(tokenized: TokenizedText, breaks: Sequence[int], capacity: int) -> list[range]:
    """Cut a text into windows of about equal length.

    A full window and a short rest would give the rest less context and cost more. Each window ends at a break if there
    is one between half and all of its share, otherwise between two words, otherwise anywhere.

    Args:
        tokenized: The tokens of the text.
        breaks: Character offsets where a sentence ends.
        capacity: Maximum number of tokens of a window.

    Returns:
        Ranges of tokens that cover the text, in order.
    """
    count = len(tokenized)
    if count <= capacity:
        return [range(count)] if count else []
    # Number of tokens before each break.
    ends = sorted({bisect_right(tokenized.ends, offset) for offset in breaks})
    cuts: list[range] = []
    start = 0
    while count - start > capacity:
        left = count - start
        share = left / -(-left // capacity)
        cut = _cut(tokenized, ends, start, share, capacity)
        cuts.append(range(start, cut))
        start = cut
    cuts.append(range(start, count))
    return cuts


def _cut(tokenized: TokenizedText, ends: list[int], start: int, share: float, capacity: int) -> int:
    target = start + share
    near = ends[bisect_left(ends, start + int(share / 2) + 1) : bisect_right(ends, start + capacity)]
    if near:
        return min(near, key=lambda end: abs(end - target))
    for cut in range(int(target), start + int(share / 2), -1):
        if tokenized.starts[cut] > tokenized.ends[cut - 1]:
            return cut
    return min(int(target), start + capacity)
