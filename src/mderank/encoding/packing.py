"""One-pass masking: the document and all its masks in one sequence, told apart by the attention mask.

After the window's own tokens come, for every mask, as many [MASK] tokens as it hides positions, each with the
position id of what it stands for. The window's tokens see the window's tokens only, so their states are those of the
document alone. A mask's tokens see the window except what the mask hides, and themselves; never another mask's. What
comes out for them is what the masked document has at these places, the surrounding words held as they were.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mderank.encoding.base import Encoder, EncoderSpec, Floats, Inputs, Ints
from mderank.encoding.pooling import Hidden, Pool

# Attention is dense: a sequence costs its length and, past about this many tokens, more and more its square, in time
# and in memory (heads x S x S floats). Masks that do not fit go into further passes that repeat the window.
LONGEST_PASS = 1280  # tokens
# Sequences of about the same length are computed at once while they have no more tokens than this in all.
BATCH = 1280  # tokens


@dataclass(frozen=True)
class Pass:
    """One sequence: a window, and the masks whose hidden rows (of the window, special tokens counted) it carries."""

    pool: Pool
    window: int
    ids: Ints  # (n,) the window with its special tokens
    blocks: Sequence[tuple[int, Ints]]  # (mask, rows (k,))
    first: bool  # of the window's passes: the one that adds the window itself

    @property
    def length(self) -> int:
        """Tokens in the sequence."""
        return len(self.ids) + sum(len(rows) for _, rows in self.blocks)


def passes(pool: Pool, window: int, ids: Ints, masks: Iterable[tuple[int, Ints]]) -> Iterator[Pass]:
    """As few sequences as hold the window with all of its masks."""
    room = max(LONGEST_PASS, 2 * len(ids)) - len(ids)
    blocks: list[tuple[int, Ints]] = []
    used, first = 0, True
    for mask, rows in masks:
        if blocks and used + len(rows) > room:
            yield Pass(pool, window, ids, blocks, first)
            blocks, used, first = [], 0, False
        blocks.append((mask, rows))
        used += len(rows)
    if blocks or first:
        yield Pass(pool, window, ids, blocks, first)


def run(encoder: Encoder, work: Iterable[Pass], layer: int) -> None:
    """Compute the passes and hand what comes out to their pools.

    Sequences are padded at their end only: then what an encoder computes for a sequence does not depend, to the last
    bit, on what it was batched with. A document's passes keep their order, whatever other documents are there.
    """
    for batch in _batches(sorted(work, key=lambda item: item.length)):
        states = encoder.states(_inputs(encoder.spec, batch), layer)
        for row, item in enumerate(batch):
            window = states[row, : len(item.ids)]
            if item.first:
                item.pool.add(item.window, window)
            item.pool.replace(item.window, window, _hidden(item, states[row]))


def _hidden(item: Pass, states: Floats) -> Iterator[Hidden]:
    start = len(item.ids)
    for mask, rows in item.blocks:
        yield Hidden(mask, rows, states[start : start + len(rows)])
        start += len(rows)


def _batches(ordered: list[Pass]) -> Iterator[list[Pass]]:
    batch: list[Pass] = []
    for item in ordered:
        if batch and item.length * (len(batch) + 1) > BATCH:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def _inputs(spec: EncoderSpec, batch: list[Pass]) -> Inputs:
    size = max(item.length for item in batch)
    ids = np.full((len(batch), size), spec.pad_id, dtype=np.int64)
    positions = np.full((len(batch), size), spec.first_position, dtype=np.int64)
    visible = np.zeros((len(batch), size, size), dtype=np.bool_)
    for row, item in enumerate(batch):
        n, length = len(item.ids), item.length
        ids[row, :n] = item.ids
        ids[row, n:length] = spec.mask_id
        positions[row, :n] = spec.first_position + np.arange(n)
        visible[row, :length, :n] = True
        # What sees nothing at all is not a number in half precision, and spreads: padding sees itself.
        visible[row, range(length, size), range(length, size)] = True
        start = n
        for _, rows in item.blocks:
            end = start + len(rows)
            positions[row, start:end] = spec.first_position + rows
            visible[row, start:end, rows] = False
            visible[row, start:end, start:end] = True
            start = end
    return Inputs(ids, positions, visible)
