"""Types and interfaces of encoders. Encoders know nothing of candidates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from mderank.errors import OptionError
from mderank.util.arrays import Bools, Floats, Ints

PoolingName = Literal["mean", "max", "cls"]
POOLINGS: tuple[PoolingName, ...] = ("mean", "max", "cls")
Precision = Literal["auto", "float32", "int16", "int8"]
PRECISIONS: tuple[Precision, ...] = ("auto", "float32", "int16", "int8")


def check_precision(precision: str) -> None:
    """Refuse a precision that does not exist.

    Args:
        precision: The name of a precision.

    Raises:
        OptionError: If it is not one of `PRECISIONS`.
    """
    if precision == "bf16":
        raise OptionError(
            "precision='bf16' is not there: ONNX Runtime does not compute in bf16 on this kind of processor, and "
            "OpenVINO, which does, is not used because it takes 180 MB; use 'int16' or 'int8', which are in the base "
            "install"
        )
    if precision not in PRECISIONS:
        raise OptionError(f"unknown precision {precision!r}: it is one of {', '.join(PRECISIONS)}")


@dataclass(frozen=True)
class EncoderSpec:
    """Properties of an encoder that its users need.

    Attributes:
        name: Name of the model.
        layers: Number of layers.
        dimension: Length ``d`` of a hidden state.
        max_length: Maximum number of tokens of a sequence, special tokens included.
        mask_id: Id of the mask token.
        pad_id: Id of the padding token.
        prefix: Tokens before a text: special tokens, then those of ``text_prefix``.
        suffix: Special tokens after a text.
        first_position: Position id of the first token (2 for RoBERTa).
        one_pass: Whether the encoder takes positions from ``position_ids`` alone and obeys any attention mask.
        pooling: The pooling that suits the encoder.
        text_prefix: Words that the encoder was trained to find before every text, such as "query: "; usually none.
        anisotropic: Whether embeddings have a large part in common, so that cosines lie close together. Methods may
            take the common part away.
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
    text_prefix: str = ""
    anisotropic: bool = False

    @property
    def capacity(self) -> int:
        """Maximum number of tokens of a text, without those before and after it."""
        return self.max_length - len(self.prefix) - len(self.suffix)

    def add_special_tokens(self, ids: Ints) -> Ints:
        """Return the token ids of a text with those that the encoder takes around it.

        Args:
            ids: Token ids ``(n,)`` of a text.

        Returns:
            The ids of the sequence that the encoder takes, as int64.
        """
        return np.concatenate([self.prefix, ids, self.suffix]).astype(np.int64)


@dataclass(frozen=True)
class TokenizedText:
    """A text as the tokens of an encoder, without special tokens, with character offsets.

    Attributes:
        ids: Token ids ``(n,)``.
        starts: Offset ``(n,)`` of each token's first character.
        ends: Offset ``(n,)`` after each token's last character.
    """

    ids: Ints
    starts: Ints
    ends: Ints

    def __len__(self) -> int:
        return len(self.ids)

    def upto(self, count: int) -> TokenizedText:
        """Return the first ``count`` tokens.

        Args:
            count: How many tokens to keep; more than there are keeps all.

        Returns:
            The tokens that are kept.
        """
        return self.part(range(min(count, len(self))))

    def part(self, rows: range) -> TokenizedText:
        """Return a contiguous range of tokens.

        Args:
            rows: Indices of the tokens to keep.

        Returns:
            The tokens that are kept.
        """
        cut = slice(rows.start, rows.stop)
        return TokenizedText(self.ids[cut], self.starts[cut], self.ends[cut])

    def touching(self, spans: Sequence[tuple[int, int]]) -> list[range]:
        """Find the tokens that touch each span of characters.

        Args:
            spans: Half-open character ranges.

        Returns:
            The indices of the tokens of each span, as a range.
        """
        offsets = np.asarray(spans, dtype=np.int64).reshape(-1, 2)
        first = np.searchsorted(self.ends, offsets[:, 0], side="right").tolist()
        last = np.searchsorted(self.starts, offsets[:, 1], side="left").tolist()
        return [range(*each) for each in zip(first, last, strict=True)]


@dataclass(frozen=True)
class EncoderInputs:
    """A batch of ``B`` sequences of ``S`` tokens, with the argument names of transformers.

    Attributes:
        input_ids: Token ids ``(B, S)``.
        position_ids: Position ids ``(B, S)``. None counts from the encoder's first position.
        attention_mask: ``(B, S, S)``; ``attention_mask[b, q, k]`` says whether token ``q`` attends to token ``k``.
            None lets every token attend to every other.
    """

    input_ids: Ints
    position_ids: Ints | None = field(default=None)
    attention_mask: Bools | None = field(default=None)


@dataclass(frozen=True)
class BlockInputs:
    """One sequence of ``S`` tokens: ``n`` of a window, then ``m`` of blocks.

    A block is the tokens of one mask, or of one phrase that is embedded alone. A token of a block attends to the
    window, or to some of it, and to its own block. A token of the window attends to the window. Blocks lie in slots of
    equal width, one or several in each, so that what is within them can be computed at once.

    Attributes:
        input_ids: Token ids ``(S,)``.
        position_ids: Position ids ``(S,)``.
        window: Number of tokens ``n`` of the window; it may be 0.
        sees_window: ``(m, n)``; whether a token of a block attends to a token of the window.
        slots: ``(g, t)``; the tokens of blocks that lie in each slot, counted from the first of them. Any number fills
            what is left of a slot.
        sees_slot: ``(g, t, t)``; whether a token of a slot attends to another of the same slot.
        places: ``(m,)``; where each token lies in the slots, counted through them all.
    """

    input_ids: Ints
    position_ids: Ints
    window: int
    sees_window: Bools
    slots: Ints
    sees_slot: Bools
    places: Ints


@runtime_checkable
class Encoder(Protocol):
    """Interface of an encoder: a tokenizer and a model that computes hidden states."""

    @property
    def spec(self) -> EncoderSpec:
        """Properties of the encoder."""
        ...

    def tokenize(self, text: str) -> TokenizedText:
        """Return all tokens of a text, without truncation and without special tokens.

        Args:
            text: Any text.

        Returns:
            The tokens with their character offsets.
        """
        ...

    def hidden_states(self, inputs: EncoderInputs, layer: int) -> Floats:
        """Compute the hidden states of a layer.

        Args:
            inputs: A batch of sequences.
            layer: Number of the layer; 0 is the embedding layer.

        Returns:
            Hidden states ``(B, S, d)`` in float32.
        """
        ...


@runtime_checkable
class BlockEncoder(Encoder, Protocol):
    """Interface of an encoder that computes only the attention that a window and its blocks need."""

    @property
    def takes_blocks(self) -> bool:
        """Whether this model can be given blocks; if not, `block_states` is not called."""
        ...

    def block_states(self, inputs: BlockInputs, layer: int) -> Floats:
        """Compute the hidden states of a layer.

        Args:
            inputs: One sequence. The states of a block depend on its tokens, on the window and on the width of its
                slot, and on nothing else.
            layer: Number of the layer; 0 is the embedding layer.

        Returns:
            Hidden states ``(S, d)`` in float32.
        """
        ...


@runtime_checkable
class AttentionEncoder(Encoder, Protocol):
    """Interface of an encoder that also returns attention weights."""

    def hidden_states_and_attentions(self, inputs: EncoderInputs, layer: int) -> tuple[Floats, Floats]:
        """Compute the hidden states and the attention weights of a layer.

        Args:
            inputs: A batch of sequences.
            layer: Number of the layer, from 1.

        Returns:
            Hidden states ``(B, S, d)`` and attention weights ``(B, h, S, S)``. ``weights[b, h, q, k]`` is the weight
            that head ``h`` gives token ``k`` for token ``q``; over ``k`` the weights sum to 1.
        """
        ...
