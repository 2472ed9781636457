"""A window and its blocks, masks or phrases, as inputs of a `BlockEncoder`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mderank.encoding.base import BlockInputs, EncoderSpec
from mderank.util.arrays import Bools, Ints

# Smallest width of a phrase's slot. A slot holds one phrase, and its width depends on the phrase alone: so do then the
# phrase's states, to the last bit.
PHRASE_SLOT = 8


def phrase_slot(length: int) -> int:
    """Return the width of the slot of a phrase: a power of two.

    Args:
        length: Number of tokens of the phrase, with special tokens.

    Returns:
        The width; at least `PHRASE_SLOT`.
    """
    return max(PHRASE_SLOT, 1 << (length - 1).bit_length())


def mask_blocks(spec: EncoderSpec, ids: Ints, masks: Sequence[Ints]) -> BlockInputs:
    """Lay out a window and masks: a mask token for each hidden row, which attends to the rest and to its own mask.

    Args:
        spec: Properties of the encoder.
        ids: Token ids ``(n,)`` of the window, with special tokens.
        masks: For each mask, the rows ``(k,)`` of the window that it hides.

    Returns:
        The inputs. The states of the window come first, then those of the masks, in order.
    """
    window = len(ids)
    sizes = [len(rows) for rows in masks]
    hidden = np.concatenate([*masks, np.zeros(0, dtype=np.int64)])
    sees_window = np.ones((len(hidden), window), dtype=np.bool_)
    starts = np.cumsum([0, *sizes])
    for rows, start, end in zip(masks, starts, starts[1:], strict=False):
        sees_window[start:end, rows] = False
    return _lay_out(
        np.concatenate([ids, np.full(len(hidden), spec.mask_id, dtype=np.int64)]),
        spec.first_position + np.concatenate([np.arange(window), hidden]),
        sees_window,
        sizes,
        width=max([1, *sizes]),
        alone=False,
    )


def phrase_blocks(spec: EncoderSpec, phrases: Sequence[Ints]) -> BlockInputs:
    """Lay out phrases that attend to themselves only.

    Args:
        spec: Properties of the encoder.
        phrases: Token ids ``(k,)`` of each phrase, with special tokens. `phrase_slot` is the same for all.

    Returns:
        The inputs. There is no window; the states of the phrases come in order.
    """
    sizes = [len(ids) for ids in phrases]
    return _lay_out(
        np.concatenate(phrases),
        spec.first_position + np.concatenate([np.arange(size) for size in sizes]),
        np.ones((sum(sizes), 0), dtype=np.bool_),
        sizes,
        width=phrase_slot(max(sizes)),
        alone=True,
    )


def _lay_out(
    ids: Ints, positions: Ints, sees_window: Bools, sizes: Sequence[int], width: int, alone: bool
) -> BlockInputs:
    """Put blocks into slots, in order: each into one of its own, or into the last one while there is room."""
    first: list[int] = []  # the place of each block's first token, counted through all slots
    slot, used = -1, width
    for size in sizes:
        if alone or used + size > width:
            slot, used = slot + 1, 0
        first.append(slot * width + used)
        used += size
    total = sum(sizes)
    block = np.repeat(np.arange(len(sizes)), sizes)
    start = np.cumsum([0, *sizes])[:-1]
    places = (np.asarray(first, dtype=np.int64) - start)[block] + np.arange(total)
    slots = np.zeros(((slot + 1) * width), dtype=np.int64)
    owners = np.full(len(slots), -1)
    slots[places], owners[places] = np.arange(total), block
    in_slots = owners.reshape(-1, width)
    return BlockInputs(
        ids,
        positions.astype(np.int64),
        len(ids) - total,
        sees_window,
        slots.reshape(-1, width),
        in_slots[:, :, None] == in_slots[:, None, :],
        places,
    )
