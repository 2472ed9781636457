"""The paper's definition: every masked variant encoded whole, all layers. The measure of the one-pass form."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mderank.encoding.base import Encoder, Inputs, Ints
from mderank.encoding.pooling import Pool

BATCH = 4096  # tokens computed at once; the variants of a window are equally long, so there is no padding


def run_phrases(encoder: Encoder, pool: Pool, phrases: Sequence[tuple[int, Ints]], layer: int) -> None:
    """Encode phrases by themselves, those of one length together."""
    by_length: dict[int, list[tuple[int, Ints]]] = {}
    for phrase, ids in phrases:
        by_length.setdefault(len(ids), []).append((phrase, ids))
    for length, same in by_length.items():
        step = max(1, BATCH // length)
        for start in range(0, len(same), step):
            some = same[start : start + step]
            states = encoder.states(Inputs(np.stack([ids for _, ids in some])), layer)
            for (phrase, _), each in zip(some, states, strict=True):
                pool.add_phrase(phrase, each)


def run(encoder: Encoder, pool: Pool, window: int, ids: Ints, masks: Sequence[tuple[int, Ints]], layer: int) -> None:
    """Encode a window and its masked variants, and hand the states to ``pool``."""
    states = encoder.states(Inputs(ids[None]), layer)[0]
    pool.add(window, states)
    pool.add_contexts(states, masks)
    step = max(1, BATCH // len(ids))
    for start in range(0, len(masks), step):
        some = masks[start : start + step]
        variants = np.repeat(ids[None], len(some), axis=0)
        for variant, (_, rows) in zip(variants, some, strict=True):
            variant[rows] = encoder.spec.mask_id
        for (mask, _), masked in zip(some, encoder.states(Inputs(variants), layer), strict=True):
            pool.reencode(window, states, mask, masked)
