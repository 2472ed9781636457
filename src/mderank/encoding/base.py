"""What an encoder is. Nothing here, or in any encoder, knows of candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating[Any]]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

PoolingName = Literal["mean", "max", "cls"]
POOLINGS: tuple[PoolingName, ...] = ("mean", "max", "cls")


@dataclass(frozen=True)
class EncoderSpec:
    """The facts about an encoder that its users need.

    ``max_length`` counts special tokens; ``prefix`` and ``suffix`` are the special tokens around a text;
    ``first_position`` is the position id of the first token (RoBERTa's is 2); ``one_pass`` says whether the encoder
    takes its positions from ``position_ids`` alone and obeys any attention mask; ``pooling`` is what suits it.
    """

    name: str
    layers: int
    dimension: int
    max_length: int
    mask_id: int
    pad_id: int
    prefix: tuple[int, ...]
    suffix: tuple[int, ...]
    first_position: int = 0
    one_pass: bool = True
    pooling: PoolingName = "max"

    @property
    def capacity(self) -> int:
        """How many word pieces of a text fit beside the special tokens."""
        return self.max_length - len(self.prefix) - len(self.suffix)


@dataclass(frozen=True)
class Pieces:
    """A text as the encoder reads it: word pieces without special tokens, each with its characters' range."""

    ids: Ints  # (n,)
    starts: Ints  # (n,) offset of the first character
    ends: Ints  # (n,) offset after the last

    def __len__(self) -> int:
        return len(self.ids)

    def upto(self, count: int) -> Pieces:
        """The first ``count`` pieces."""
        return self.part(range(min(count, len(self))))

    def part(self, rows: range) -> Pieces:
        """The pieces of a stretch."""
        cut = slice(rows.start, rows.stop)
        return Pieces(self.ids[cut], self.starts[cut], self.ends[cut])

    def touching(self, spans: Sequence[tuple[int, int]]) -> list[range]:
        """For every span of characters the pieces that touch it."""
        offsets = np.asarray(spans, dtype=np.int64).reshape(-1, 2)
        first = np.searchsorted(self.ends, offsets[:, 0], side="right").tolist()
        last = np.searchsorted(self.starts, offsets[:, 1], side="left").tolist()
        return [range(*each) for each in zip(first, last, strict=True)]


@dataclass(frozen=True)
class Inputs:
    """What an encoder computes at once: ``B`` sequences of ``S`` tokens.

    Without ``positions`` they are counted from the encoder's first; without ``visible`` every token sees every
    other. ``visible[b, q, k]`` says whether token ``q`` sees token ``k``.
    """

    ids: Ints  # (B, S)
    positions: Ints | None = field(default=None)  # (B, S)
    visible: Bools | None = field(default=None)  # (B, S, S)


class Encoder(Protocol):
    """Turns token ids into hidden states."""

    @property
    def spec(self) -> EncoderSpec:
        """The facts about it."""
        ...

    def pieces(self, text: str) -> Pieces:
        """The word pieces of ``text``, all of them."""
        ...

    def states(self, inputs: Inputs, layer: int) -> Floats:
        """The hidden states ``(B, S, d)`` after ``layer`` layers (0: the embeddings), in float32."""
        ...


@runtime_checkable
class AttentionEncoder(Encoder, Protocol):
    """An encoder that also tells who attends to whom."""

    def attend(self, inputs: Inputs, layer: int) -> tuple[Floats, Floats]:
        """The hidden states ``(B, S, d)`` after ``layer`` layers, and the weights ``(B, h, S, S)`` of its attention.

        ``weights[b, h, q, k]`` says how much head ``h`` of layer ``layer``, the first being 1, takes of token ``k``
        for token ``q``: over ``k`` they sum to 1.
        """
        ...
