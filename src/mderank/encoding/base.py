"""What an encoder is. Nothing here, or in any encoder, knows of candidates."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

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
        return Pieces(self.ids[:count], self.starts[:count], self.ends[:count])


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
