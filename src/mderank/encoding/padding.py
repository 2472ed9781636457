"""Sequences of different lengths as one padded batch of encoder inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import numpy as np

from mderank.encoding.base import EncoderInputs, EncoderSpec
from mderank.util.arrays import Ints


class Layout(Protocol):
    """Interface of a sequence: a window, then masks and phrases that attend to less than the whole sequence."""

    @property
    def ids(self) -> Ints:
        """Token ids ``(n,)`` of the window, with special tokens."""
        ...

    @property
    def blocks(self) -> Sequence[tuple[int, Ints]]:
        """Masks: the number of each, and the rows ``(k,)`` of the window that it hides."""
        ...

    @property
    def phrases(self) -> Sequence[tuple[int, Ints]]:
        """Phrases to embed alone: the number of each, and its token ids ``(k,)`` with special tokens."""
        ...

    @property
    def length(self) -> int:
        """Number of tokens of the sequence."""
        ...


@dataclass(frozen=True)
class PlainSequence:
    """A sequence without masks or phrases, or with the rows of some masks.

    Attributes:
        ids: Token ids ``(n,)``, with special tokens.
        blocks: Masks, each with the rows ``(k,)`` that it hides.
    """

    ids: Ints
    blocks: Sequence[tuple[int, Ints]] = ()

    @property
    def phrases(self) -> Sequence[tuple[int, Ints]]:
        """No phrases."""
        return ()

    @property
    def length(self) -> int:
        """Number of tokens of the sequence."""
        return len(self.ids) + sum(len(rows) for _, rows in self.blocks)


def pad_sequences(spec: EncoderSpec, batch: Sequence[Layout]) -> EncoderInputs:
    """Put sequences side by side, padded at their end.

    Args:
        spec: Properties of the encoder.
        batch: One sequence or more.

    Returns:
        Token ids, position ids and the attention mask. Tokens of a window attend to the window. Tokens of a mask
        attend to the window without the hidden rows, and to each other. Tokens of a phrase attend to the phrase.
    """
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
        # A token that attends to nothing gives NaN in half precision, which spreads: padding attends to itself.
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
    return EncoderInputs(ids, positions, visible)


def pad_texts(spec: EncoderSpec, texts: Sequence[Ints]) -> EncoderInputs:
    """Put texts side by side, with special tokens, padded at their end. No text attends to another.

    Args:
        spec: Properties of the encoder.
        texts: Token ids ``(n,)`` of each text, without special tokens.

    Returns:
        The batch. A single text needs neither position ids nor an attention mask, so that any encoder can take it.
    """
    sequences = [PlainSequence(spec.add_special_tokens(text)) for text in texts]
    if len(sequences) == 1:
        return EncoderInputs(sequences[0].ids[None])
    return pad_sequences(spec, sequences)


_Item = TypeVar("_Item")


def batch_by_tokens(
    ordered: Iterable[_Item], room: int, length: Callable[[_Item], int], special: int = 0
) -> Iterator[list[_Item]]:
    """Group sequences into batches by their number of tokens after padding.

    Args:
        ordered: Sequences, the shortest first.
        room: Maximum number of tokens of a batch, padding included; a longer sequence is a batch of its own.
        length: Returns the number of tokens of a sequence.
        special: Number of special tokens that each sequence will get.

    Yields:
        Batches, in order.
    """
    batch: list[_Item] = []
    for item in ordered:
        if batch and (length(item) + special) * (len(batch) + 1) > room:
            yield batch
            batch = []
        batch.append(item)
    if batch:
        yield batch
