"""One-pass masking: a document and all its masks in one sequence, separated by the attention mask.

A sequence holds the tokens of a window. After them come, for every mask, one [MASK] token for each position that the
mask hides, with the position id of the hidden token. The window's tokens attend to the window only, so their hidden
states are those of the document alone. A mask's tokens attend to the window except what the mask hides, and to each
other; never to another mask. Their hidden states are those of the masked document at these positions, with the
surrounding words held as they were.

Phrases that are embedded alone are blocks of further sequences. Their positions begin at the first, and they attend
to themselves only. Behind the document they would cost attention that nothing uses.

A `BlockEncoder` is given window and blocks, and computes the attention that these need. Other encoders are given
padded batches with an attention mask over the whole sequence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from mderank.encoding.base import BlockEncoder, Encoder
from mderank.encoding.blocks import mask_blocks, phrase_blocks, phrase_slot
from mderank.encoding.padding import batch_by_tokens, pad_sequences
from mderank.encoding.phrase_cache import PhraseCache
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
# In blocks, attention does not grow with what is beside a phrase. A call has a cost of its own, that of 50 tokens.
PHRASE_BLOCK_TOKENS = 512

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
    """Compute hidden states of sequences in padded batches and hand them to their pools.

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
            _add_window(item, states[row])
            start = item.length
            for phrase, ids in reversed(item.phrases):
                start -= len(ids)
                item.pool.add_phrase(phrase, item.pool.pool_phrase(states[row, start : start + len(ids)]))


def encode_windows(encoder: BlockEncoder, sequences: Iterable[PackedSequence], layer: int) -> None:
    """Compute hidden states of windows with their masks, one at a time, and hand them to their pools.

    Alone, a window needs no padding; products of matrices are as fast for its tokens as for those of several.

    Args:
        encoder: The encoder.
        sequences: Sequences without phrases, of one document or several.
        layer: Number of the layer.
    """
    for item in sequences:
        inputs = mask_blocks(encoder.spec, item.ids, [rows for _, rows in item.blocks])
        _add_window(item, encoder.block_states(inputs, layer))


def encode_phrases(
    encoder: BlockEncoder, phrases: Iterable[tuple[Pool, int, Ints]], layer: int, cache: PhraseCache | None = None
) -> None:
    """Compute the embeddings of phrases, each one once, and hand them to their pools.

    A phrase's states do not depend on the phrases beside it, so that the cache changes nothing but the time.

    Args:
        encoder: The encoder.
        phrases: Pool, number and token ids, with special tokens, of each phrase. The pools are of one kind.
        layer: Number of the layer.
        cache: Embeddings that are known already.
    """
    unknown: dict[bytes, list[tuple[Pool, int, Ints]]] = {}
    for pool, phrase, ids in phrases:
        known = None if cache is None else cache.get(ids, layer, pool.name)
        if known is None:
            unknown.setdefault(ids.tobytes(), []).append((pool, phrase, ids))
        else:
            pool.add_phrase(phrase, known)
    for same in _same_slots(unknown.values()):
        states = encoder.block_states(phrase_blocks(encoder.spec, [each[0][2] for each in same]), layer)
        start = 0
        for each in same:
            pool, _, ids = each[0]
            embedding = pool.pool_phrase(states[start : start + len(ids)])
            start += len(ids)
            if cache is not None:
                cache.put(ids, layer, pool.name, embedding)
            for owner, phrase, _ in each:
                owner.add_phrase(phrase, embedding)


_Wanted = list[tuple[Pool, int, Ints]]  # all places where one phrase is wanted


def _same_slots(phrases: Iterable[_Wanted]) -> Iterator[list[_Wanted]]:
    """Group phrases whose slots have one width, up to a number of tokens."""
    groups: dict[int, list[_Wanted]] = {}
    used: dict[int, int] = {}
    for each in phrases:
        length = len(each[0][2])
        width = phrase_slot(length)
        if width in groups and used[width] + length > PHRASE_BLOCK_TOKENS:
            yield groups.pop(width)
        if width not in groups:
            groups[width], used[width] = [], 0
        groups[width].append(each)
        used[width] += length
    yield from groups.values()


def _add_window(item: PackedSequence, states: Floats) -> None:
    """Hand the states of a window and of its masks to the pool."""
    window = states[: len(item.ids)]
    if item.first:
        item.pool.add(item.window, window)
    if item.blocks:
        item.pool.add_contexts(window, item.blocks)
        item.pool.replace(item.window, window, _split_masks(item, states))


def _length(sequence: PackedSequence) -> int:
    return sequence.length


def _split_masks(item: PackedSequence, states: Floats) -> Iterator[Hidden]:
    start = len(item.ids)
    for mask, rows in item.blocks:
        yield Hidden(mask, rows, states[start : start + len(rows)])
        start += len(rows)
