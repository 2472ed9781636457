"""One-pass masking: the document and all its masks in one sequence, told apart by the attention mask.

After the window's own tokens come, for every mask, as many [MASK] tokens as it hides positions, each with the
position id of what it stands for. The window's tokens see the window's tokens only, so their states are those of the
document alone. A mask's tokens see the window except what the mask hides, and themselves; never another mask's. What
comes out for them is what the masked document has at these places, the surrounding words held as they were.

Phrases that are to be embedded by themselves are blocks of further sequences, with positions from the first on, and see
nothing but themselves. Behind the document they would be attended to in vain, which costs more the longer it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from mderank.encoding.base import Encoder, EncoderSpec, Floats, Inputs, Ints
from mderank.encoding.pooling import Hidden, Pool

# Attention is dense: a sequence costs its length and, past about this many tokens, more and more its square, in time
# and in memory (heads x S x S floats). Masks that do not fit go into further passes that repeat the window.
LONGEST_PASS = 1280  # tokens
# Sequences of about the same length are computed at once while they have no more tokens than this in all. Between 640
# and 1280 the time is the same within what can be measured; a long paper takes 426 MB instead of 523.
BATCH = 640  # tokens
# A sequence of phrases alone is best short: each sees only itself, whatever is beside it.
PHRASES = 256  # tokens


class Layout(Protocol):
    """What one sequence consists of."""

    @property
    def ids(self) -> Ints:
        """The window with its special tokens ``(n,)``."""
        ...

    @property
    def blocks(self) -> Sequence[tuple[int, Ints]]:
        """Masks, each with the rows of the window that it hides ``(k,)``."""
        ...

    @property
    def phrases(self) -> Sequence[tuple[int, Ints]]:
        """Phrases to embed by themselves, each with its tokens ``(k,)``."""
        ...

    @property
    def length(self) -> int:
        """Tokens in the sequence."""
        ...


@dataclass(frozen=True)
class Pass:
    """One sequence: a window, masks with the rows of it that each hides (special tokens counted), phrases."""

    pool: Pool
    window: int
    ids: Ints  # (n,) the window with its special tokens
    blocks: Sequence[tuple[int, Ints]]  # (mask, rows (k,))
    first: bool  # of the window's passes: the one that adds the window itself
    phrases: Sequence[tuple[int, Ints]] = ()  # (phrase, ids (k,) with special tokens)

    @property
    def length(self) -> int:
        """Tokens in the sequence."""
        return len(self.ids) + sum(len(part) for _, part in (*self.blocks, *self.phrases))


def phrase_passes(pool: Pool, phrases: Iterable[tuple[int, Ints]]) -> Iterator[Pass]:
    """Sequences of phrases alone."""
    some: list[tuple[int, Ints]] = []
    used = 0
    for phrase, ids in phrases:
        if some and used + len(ids) > PHRASES:
            yield Pass(pool, 0, _NOTHING, (), False, some)
            some, used = [], 0
        some.append((phrase, ids))
        used += len(ids)
    if some:
        yield Pass(pool, 0, _NOTHING, (), False, some)


_NOTHING = np.zeros(0, dtype=np.int64)


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
        states = encoder.states(inputs(encoder.spec, batch), layer)
        for row, item in enumerate(batch):
            window = states[row, : len(item.ids)]
            if item.first:
                item.pool.add(item.window, window)
            if item.blocks:
                item.pool.add_contexts(window, item.blocks)
                item.pool.replace(item.window, window, _hidden(item, states[row]))
            start = item.length
            for phrase, ids in reversed(item.phrases):
                start -= len(ids)
                item.pool.add_phrase(phrase, states[row, start : start + len(ids)])


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


def inputs(spec: EncoderSpec, batch: Sequence[Layout]) -> Inputs:
    """The sequences side by side, padded at their end: tokens, positions, and who sees whom."""
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
        for _, phrase in item.phrases:
            end = start + len(phrase)
            ids[row, start:end] = phrase
            positions[row, start:end] = spec.first_position + np.arange(len(phrase))
            visible[row, start:end] = False
            visible[row, start:end, start:end] = True
            start = end
    return Inputs(ids, positions, visible)
