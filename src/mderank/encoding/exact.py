"""Exact masking, as the paper defines it: every masked variant of a document is encoded whole, through all layers.

One-pass masking is measured against it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np

from mderank.encoding.base import Encoder, EncoderInputs, PoolingName
from mderank.encoding.pooling import Pool
from mderank.util.arrays import Floats, Ints

# Tokens computed at once. The variants of a window are equally long, so there is no padding.
CPU_BATCH_TOKENS = 4096
GPU_BATCH_TOKENS = 32_768


@runtime_checkable
class VariantCache(Protocol):
    """Interface of a cache of what masks changed. Runs that differ in masking or pooling share many variants."""

    def get(self, ids: Ints, layer: int, rows: Ints, pooling: PoolingName) -> Floats | None:
        """Look up the change that a mask made.

        Args:
            ids: Token ids ``(n,)`` of the window, with special tokens.
            layer: Number of the layer.
            rows: Rows ``(k,)`` of the window that the mask hides.
            pooling: The pooling that the change is for.

        Returns:
            The change; None if it is not known.
        """
        ...

    def put(self, ids: Ints, layer: int, rows: Ints, states: Floats, masked: Floats) -> None:
        """Store the change that a mask made.

        Args:
            ids: Token ids ``(n,)`` of the window, with special tokens.
            layer: Number of the layer.
            rows: Rows ``(k,)`` of the window that the mask hides.
            states: Hidden states ``(n, d)`` of the window.
            masked: Hidden states ``(n, d)`` of the masked variant.
        """
        ...


def default_batch_tokens(encoder: Encoder) -> int:
    """Return the default number of tokens per batch: more on a GPU than on the CPU.

    Args:
        encoder: An encoder; without an attribute ``device`` it runs on the CPU.

    Returns:
        The number of tokens.
    """
    device = str(getattr(encoder, "device", "cpu"))
    return CPU_BATCH_TOKENS if device.partition(":")[0] == "cpu" else GPU_BATCH_TOKENS


def encode_phrases(
    encoder: Encoder, pool: Pool, phrases: Sequence[tuple[int, Ints]], layer: int, batch_tokens: int
) -> None:
    """Encode phrases alone, those of equal length together.

    Args:
        encoder: The encoder.
        pool: Collects the hidden states of the document.
        phrases: The number of each phrase, and its token ids with special tokens.
        layer: Number of the layer.
        batch_tokens: Maximum number of tokens of a batch.
    """
    by_length: dict[int, list[tuple[int, Ints]]] = {}
    for phrase, ids in phrases:
        by_length.setdefault(len(ids), []).append((phrase, ids))
    for length, same in by_length.items():
        step = max(1, batch_tokens // length)
        for start in range(0, len(same), step):
            batch = same[start : start + step]
            states = encoder.hidden_states(EncoderInputs(np.stack([ids for _, ids in batch])), layer)
            for (phrase, _), each in zip(batch, states, strict=True):
                pool.add_phrase(phrase, pool.pool_phrase(each))


def encode_masked_variants(
    encoder: Encoder,
    pool: Pool,
    window: int,
    ids: Ints,
    masks: Sequence[tuple[int, Ints]],
    layer: int,
    batch_tokens: int,
    cache: VariantCache | None = None,
) -> None:
    """Encode a window and its masked variants, and hand the changes to the pool.

    Args:
        encoder: The encoder.
        pool: Collects the hidden states of the document.
        window: Number of the window.
        ids: Token ids ``(n,)`` of the window, with special tokens.
        masks: The number of each mask, and the rows of the window that it hides.
        layer: Number of the layer.
        batch_tokens: Maximum number of tokens of a batch.
        cache: Changes that are known already; variants found there are not encoded again.
    """
    states = encoder.hidden_states(EncoderInputs(ids[None]), layer)[0]
    pool.add(window, states)
    pool.add_contexts(states, masks)
    unknown = []
    for mask, rows in masks:
        change = None if cache is None else cache.get(ids, layer, rows, pool.name)
        if change is None:
            unknown.append((mask, rows))
        else:
            pool.add_change(window, mask, change)
    step = max(1, batch_tokens // len(ids))
    for start in range(0, len(unknown), step):
        batch = unknown[start : start + step]
        variants = np.repeat(ids[None], len(batch), axis=0)
        for variant, (_, rows) in zip(variants, batch, strict=True):
            variant[rows] = encoder.spec.mask_id
        encoded = encoder.hidden_states(EncoderInputs(variants), layer)
        for (mask, rows), masked in zip(batch, encoded, strict=True):
            pool.reencode(window, states, mask, masked)
            if cache is not None:
                cache.put(ids, layer, rows, states, masked)
