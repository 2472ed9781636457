"""One-pass masking: a document and all its masks in one sequence, separated by the attention mask.

A sequence holds the tokens of a window. After them come, for every mask, one [MASK] token for each position that the
mask hides, with the position id of the hidden token. The window's tokens attend to the window only, so their hidden
states are those of the document alone. A mask's tokens attend to the window except what the mask hides, and to each
other; never to another mask. Their hidden states are those of the masked document at these positions, with the
surrounding words held as they were.

Phrases that are embedded alone are blocks of further sequences. Their positions begin at the first, and they attend
to themselves only. Behind the document they would cost attention that nothing uses.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mderank.encoding.base import Encoder
from mderank.encoding.padding import batch_by_tokens, pad_sequences
from mderank.encoding.pooling import Hidden, Pool
from mderank.util.arrays import Floats, Ints

# Attention is dense: the time and memory of a sequence grow with its length and, past about this many tokens, with its
# square (heads x S x S floats). Masks that do not fit go into further sequences that repeat the window.
MAX_SEQUENCE_TOKENS = 1280
# Maximum number of tokens of a batch of sequences. Between 640 and 1280 the time is the same within what can be
# measured; a long paper takes 426 MB instead of 523.
BATCH_TOKENS = 640
# A sequence of phrases is best short: each phrase attends to itself only, whatever is beside it.
PHRASE_SEQUENCE_TOKENS = 256

_NO_TOKENS = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True)
class PackedSequence:
    """One sequence: a window with masks, or phrases. It is a `Layout`.

    Attributes:
        pool: Collects the hidden states of the document.
        window: Number of the window.
        ids: Token ids ``(n,)`` of the window, with special tokens.
        blocks: Masks, each with the rows ``(k,)`` of the window that it hides.
        first: Whether this is the first sequence of the window, which adds the window itself to the pool.
        phrases: Phrases, each with its token ids ``(k,)`` with special tokens.
    """

    pool: Pool
    window: int
    ids: Ints
    blocks: Sequence[tuple[int, Ints]]
    first: bool
    phrases: Sequence[tuple[int, Ints]] = ()

    @property
    def length(self) -> int:
        """Number of tokens of the sequence."""
        return len(self.ids) + sum(len(part) for _, part in (*self.blocks, *self.phrases))


def pack_phrases(pool: Pool, phrases: Iterable[tuple[int, Ints]]) -> Iterator[PackedSequence]:
    """Pack phrases into sequences of their own.

    Args:
        pool: Collects the hidden states of the document.
        phrases: The number of each phrase, and its token ids with special tokens.

    Yields:
        Sequences of at most `PHRASE_SEQUENCE_TOKENS` tokens, or of one longer phrase.
    """
    packed: list[tuple[int, Ints]] = []
    used = 0
    for phrase, ids in phrases:
        if packed and used + len(ids) > PHRASE_SEQUENCE_TOKENS:
            yield PackedSequence(pool, 0, _NO_TOKENS, (), False, packed)
            packed, used = [], 0
        packed.append((phrase, ids))
        used += len(ids)
    if packed:
        yield PackedSequence(pool, 0, _NO_TOKENS, (), False, packed)


def pack_masks(pool: Pool, window: int, ids: Ints, masks: Iterable[tuple[int, Ints]]) -> Iterator[PackedSequence]:
    """Pack a window and all of its masks into as few sequences as possible.

    Args:
        pool: Collects the hidden states of the document.
        window: Number of the window.
        ids: Token ids ``(n,)`` of the window, with special tokens.
        masks: The number of each mask, and the rows of the window that it hides.

    Yields:
        Sequences; at least one, also without masks.
    """
    room = max(MAX_SEQUENCE_TOKENS, 2 * len(ids)) - len(ids)
    blocks: list[tuple[int, Ints]] = []
    used, first = 0, True
    for mask, rows in masks:
        if blocks and used + len(rows) > room:
            yield PackedSequence(pool, window, ids, blocks, first)
            blocks, used, first = [], 0, False
        blocks.append((mask, rows))
        used += len(rows)
    if blocks or first:
        yield PackedSequence(pool, window, ids, blocks, first)


def encode_packed(encoder: Encoder, sequences: Iterable[PackedSequence], layer: int) -> None:
    """Compute hidden states of sequences and hand them to their pools.

    Sequences are padded at their end only. The hidden states of a sequence then do not depend, to the last bit, on
    the batch. The sequences of a document keep their order, whatever other documents are there.

    Args:
        encoder: The encoder.
        sequences: Sequences of one document or several.
        layer: Number of the layer.
    """
    ordered = sorted(sequences, key=_length)
    for batch in batch_by_tokens(ordered, BATCH_TOKENS, _length):
        states = encoder.hidden_states(pad_sequences(encoder.spec, batch), layer)
        for row, item in enumerate(batch):
            window = states[row, : len(item.ids)]
            if item.first:
                item.pool.add(item.window, window)
            if item.blocks:
                item.pool.add_contexts(window, item.blocks)
                item.pool.replace(item.window, window, _split_masks(item, states[row]))
            start = item.length
            for phrase, ids in reversed(item.phrases):
                start -= len(ids)
                item.pool.add_phrase(phrase, states[row, start : start + len(ids)])


def _length(sequence: PackedSequence) -> int:
    return sequence.length


def _split_masks(item: PackedSequence, states: Floats) -> Iterator[Hidden]:
    start = len(item.ids)
    for mask, rows in item.blocks:
        yield Hidden(mask, rows, states[start : start + len(rows)])
        start += len(rows)
