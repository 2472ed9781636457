"""The paper's definition: every masked variant encoded whole, all layers. The measure of the one-pass form."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from mderank.encoding.base import Encoder, Inputs, Ints
from mderank.encoding.pooling import Pool
from mderank.encoding.remembering import RememberingEncoder

# Tokens computed at once. The variants of a window are equally long, so there is no padding.
CPU_BATCH_TOKENS = 4096
GPU_BATCH_TOKENS = 32_768


def default_batch_tokens(encoder: Encoder) -> int:
    """Tokens that ``encoder`` computes at once by default: more on a GPU than on the CPU."""
    device = str(getattr(encoder, "device", "cpu"))  # an encoder without this attribute runs on the CPU
    return CPU_BATCH_TOKENS if device.partition(":")[0] == "cpu" else GPU_BATCH_TOKENS


def run_phrases(
    encoder: Encoder, pool: Pool, phrases: Sequence[tuple[int, Ints]], layer: int, batch_tokens: int
) -> None:
    """Encode phrases by themselves, those of one length together."""
    by_length: dict[int, list[tuple[int, Ints]]] = {}
    for phrase, ids in phrases:
        by_length.setdefault(len(ids), []).append((phrase, ids))
    for length, same in by_length.items():
        step = max(1, batch_tokens // length)
        for start in range(0, len(same), step):
            some = same[start : start + step]
            states = encoder.states(Inputs(np.stack([ids for _, ids in some])), layer)
            for (phrase, _), each in zip(some, states, strict=True):
                pool.add_phrase(phrase, each)


def run(
    encoder: Encoder,
    pool: Pool,
    window: int,
    ids: Ints,
    masks: Sequence[tuple[int, Ints]],
    layer: int,
    batch_tokens: int,
) -> None:
    """Encode a window and its masked variants, and hand what they change to ``pool``."""
    states = encoder.states(Inputs(ids[None]), layer)[0]
    pool.add(window, states)
    pool.add_contexts(states, masks)
    memory = encoder.window(ids, layer) if isinstance(encoder, RememberingEncoder) else None
    new = []
    for mask, rows in masks:
        change = None if memory is None else memory.recall(pool.name, rows)
        if change is None:
            new.append((mask, rows))
        else:
            pool.recall(window, mask, change)
    step = max(1, batch_tokens // len(ids))
    for start in range(0, len(new), step):
        some = new[start : start + step]
        variants = np.repeat(ids[None], len(some), axis=0)
        for variant, (_, rows) in zip(variants, some, strict=True):
            variant[rows] = encoder.spec.mask_id
        began = time.perf_counter()
        masked = encoder.states(Inputs(variants), layer)
        seconds = (time.perf_counter() - began) / len(some)
        for (mask, rows), each in zip(some, masked, strict=True):
            pool.reencode(window, states, mask, each)
            if memory is not None:
                memory.keep(rows, states, each, seconds)
