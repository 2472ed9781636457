"""Cutting a long text into windows that an encoder can take."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from mderank.encoding.base import Pieces


def windows(pieces: Pieces, breaks: Sequence[int], capacity: int) -> list[range]:
    """Ranges of pieces, none longer than ``capacity``, that cover all of them.

    They are about equally long, since a short last window would see less context than the others and long ones cost
    more than their length. Each ends at a break (an offset where a sentence ends) if there is one between half and
    all of its share, else between two words, else anywhere.
    """
    count = len(pieces)
    if count <= capacity:
        return [range(count)] if count else []
    # Number of pieces before each break.
    ends = sorted({bisect_right(pieces.ends, offset) for offset in breaks})
    cuts: list[range] = []
    start = 0
    while count - start > capacity:
        left = count - start
        share = left / -(-left // capacity)
        cut = _cut(pieces, ends, start, share, capacity)
        cuts.append(range(start, cut))
        start = cut
    cuts.append(range(start, count))
    return cuts


def _cut(pieces: Pieces, ends: list[int], start: int, share: float, capacity: int) -> int:
    target = start + share
    near = ends[bisect_left(ends, start + int(share / 2) + 1) : bisect_right(ends, start + capacity)]
    if near:
        return min(near, key=lambda end: abs(end - target))
    for cut in range(int(target), start + int(share / 2), -1):
        if pieces.starts[cut] > pieces.ends[cut - 1]:
            return cut
    return min(int(target), start + capacity)
