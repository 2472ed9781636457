"""Texts of different lengths as one padded batch of encoder inputs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from mderank.encoding.base import EncoderSpec, Inputs, Ints


def batch_by_tokens(ordered: Sequence[range], room: int, special: int) -> Iterator[list[range]]:
    """Batches of ``ordered``, shortest first, of at most ``room`` tokens; padding and ``special`` tokens count."""
    batch: list[range] = []
    for item in ordered:
        if batch and (len(item) + special) * (len(batch) + 1) > room:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch


def pad_texts(spec: EncoderSpec, texts: Sequence[Ints]) -> Inputs:
    """One batch of texts: special tokens added, padded at the end. No text attends to another."""
    sequences = [np.concatenate([spec.prefix, text, spec.suffix]).astype(np.int64) for text in texts]
    if len(sequences) == 1:
        return Inputs(sequences[0][None])
    size = max(map(len, sequences))
    ids = np.full((len(sequences), size), spec.pad_id, dtype=np.int64)
    positions = np.full((len(sequences), size), spec.first_position, dtype=np.int64)
    visible = np.zeros((len(sequences), size, size), dtype=np.bool_)
    for row, sequence in enumerate(sequences):
        length = len(sequence)
        ids[row, :length] = sequence
        positions[row, :length] += np.arange(length)
        visible[row, :length, :length] = True
        visible[row, range(length, size), range(length, size)] = True  # what sees nothing is not a number
    return Inputs(ids, positions, visible)
