"""One entry for an idea: of phrases that are part of each other, the list has few.

"eclipse", "total eclipse" and "partial eclipse" say much the same three times. The best of such a family comes first,
as it did; the others lose part of their score, so that only those that are far better than the rest of the list stay
near it. What they lose is measured in standard deviations of the document's scores, so that it suits every method.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from typing import Literal

import numpy as np

from mderank.document import Span
from mderank.ranking.order import significant
from mderank.util.arrays import Floats

Overlap = Literal["none", "little", "any"]
OVERLAPS: tuple[Overlap, ...] = ("none", "little", "any")

# In standard deviations of the scores; chosen on the tuning datasets. A phrase that contains one which is taken adds a
# detail at most, and is left out. One that is part of it may be the more general idea, above all where it also stands
# by itself.
_PART_OF_TAKEN = 1.4
_UNIT_PART_OF_TAKEN = 0.9

# A single word gives way to a phrase that has it, recurs, and is no worse by more than this: "oil" to "oil spill".
_NEARLY_AS_GOOD = 0.5

# Unithood (see `Candidate`) from which a part of longer phrases is also a unit by itself, and below which it is only a
# fragment: "General Public" of "General Public License".
_UNIT, _FRAGMENT = -0.1, -0.2


def family_order(
    scores: Floats,
    keys: Sequence[str],
    unithood: Sequence[float],
    spans: Sequence[Sequence[Span]],
    overlap: Overlap,
) -> tuple[list[int], dict[int, float]]:
    """The order of entries that are given best first, without those that overlap a better one too much.

    Args:
        scores: the scores, best first.
        keys: the entries' words in one spelling, with single spaces between them.
        unithood: how much of a unit each entry is.
        spans: where each entry stands in the text.
        overlap: ``none`` leaves out every entry that overlaps a better one. ``little`` leaves out those that contain a
            better one, and fragments that stand only where a better one does, and moves other parts of a better one
            down. With both a single word comes behind a phrase that has it, recurs, and is nearly as good. ``any``
            does nothing.

    Returns:
        Indices of entries, in the order of the result; and what those that were moved down lost of their score.
    """
    if overlap == "any" or len(scores) < 2:
        return list(range(len(scores))), {}
    holders, parts = _relations(keys)
    deviation = float(np.std(scores))
    value = [significant(float(score)) for score in scores]
    left_out = [False] * len(scores)
    heap = [(-each, index) for index, each in enumerate(value)]
    heapq.heapify(heap)
    covered = np.zeros(max((span.end for some in spans for span in some), default=0), dtype=np.bool_)
    taken: list[int] = []
    lost: dict[int, float] = {}
    while heap:
        negative, index = heapq.heappop(heap)
        if left_out[index] or -negative != value[index]:
            continue
        if index not in lost and _has_longer(index, value, deviation, keys, unithood, spans, holders[index], left_out):
            lost[index] = deviation * (_UNIT_PART_OF_TAKEN if unithood[index] >= _UNIT else _PART_OF_TAKEN)
            value[index] = significant(float(scores[index]) - lost[index])
            heapq.heappush(heap, (-value[index], index))
            continue
        left_out[index] = True  # from here on it is in the list already
        if unithood[index] < _UNIT and all(covered[start:end].any() for start, end in spans[index]):
            continue
        taken.append(index)
        for start, end in spans[index]:
            covered[start:end] = True
        for other in holders[index]:
            left_out[other] = True
        for other in parts[index]:
            if overlap == "none" or unithood[other] < _FRAGMENT:
                left_out[other] = True
            elif not left_out[other]:
                loss = deviation * (_UNIT_PART_OF_TAKEN if unithood[other] >= _UNIT else _PART_OF_TAKEN)
                lowered = significant(float(scores[other]) - loss)
                if lowered < value[other]:
                    value[other] = lowered
                    lost[other] = loss
                    heapq.heappush(heap, (-lowered, other))
    return taken, lost


def _has_longer(
    index: int,
    value: Sequence[float],
    deviation: float,
    keys: Sequence[str],
    unithood: Sequence[float],
    spans: Sequence[Sequence[Span]],
    holders: Sequence[int],
    left_out: Sequence[bool],
) -> bool:
    """Whether a single word is to give way to a longer phrase."""
    bar = value[index] - _NEARLY_AS_GOOD * deviation
    return " " not in keys[index] and any(
        bar <= value[other] and len(spans[other]) > 1 and unithood[other] >= _FRAGMENT and not left_out[other]
        for other in holders
    )


def family_members(keys: Sequence[str], kept: Sequence[int]) -> dict[int, list[int]]:
    """Find the entries that overlap a kept one. Each belongs to the first kept entry that it overlaps.

    Args:
        keys: The key of each entry.
        kept: Indices of the entries that are kept.

    Returns:
        Indices of the overlapping entries, by the index of the kept one.
    """
    holders, parts = _relations(keys)
    known = set(kept)
    members: dict[int, list[int]] = {}
    for index in kept:
        others = [other for other in sorted({*holders[index], *parts[index]}) if other not in known]
        known.update(others)
        if others:
            members[index] = others
    return members


def _relations(keys: Sequence[str]) -> tuple[list[list[int]], list[list[int]]]:
    """For every entry, those that contain it and those that are part of it."""
    split = [tuple(key.split()) for key in keys]
    where: dict[tuple[str, ...], list[int]] = {}
    for index, words in enumerate(split):
        where.setdefault(words, []).append(index)
    lengths = sorted({len(words) for words in split})
    holders: list[list[int]] = [[] for _ in keys]
    parts: list[list[int]] = [[] for _ in keys]
    for index, words in enumerate(split):
        inside = {
            words[start : start + length]
            for length in lengths
            if length < len(words)
            for start in range(len(words) - length + 1)
        }
        for part in sorted(inside):
            for other in where.get(part, ()):
                parts[index].append(other)
                holders[other].append(index)
    return holders, parts
