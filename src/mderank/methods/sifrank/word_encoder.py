"""States of words: of a model that reads words, such as ELMo, or of an encoder of tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np

from mderank.document import Span
from mderank.encoding.base import Encoder, TokenizedText
from mderank.encoding.padding import batch_by_tokens, pad_texts
from mderank.encoding.windows import windows
from mderank.util.arrays import Floats, Ints

BATCH = 640  # tokens computed at once, as for one-pass masking


@dataclass(frozen=True)
class WordSpec:
    """Properties of an encoder of words.

    Attributes:
        name: Name of the model.
        layers: Number of layers; layer 0 has the states before any context.
        dimension: Length of a hidden state.
        layer: The default layer.
    """

    name: str
    layers: int
    dimension: int
    layer: int


@runtime_checkable
class WordEncoder(Protocol):
    """Interface of an encoder of words: computes their hidden states."""

    @property
    def spec(self) -> WordSpec:
        """Properties of the encoder."""
        ...

    def word_states(
        self, text: str, words: Sequence[Span], segments: Sequence[range], breaks: Sequence[int], layer: int | None
    ) -> Iterator[tuple[Ints, Floats]]:
        """Compute the hidden states of the words of a text, some at a time.

        Segments that are too long are divided, at one of the breaks if possible. A word that was divided comes twice. A
        word that cannot be read does not come.

        Args:
            text: The text.
            words: Character offsets of its words.
            segments: Ranges of words; words of different segments do not attend to each other.
            breaks: Character offsets at which a long segment is best divided.
            layer: Number of the layer; None for the mean of all layers.

        Yields:
            The indices ``(k,)`` of some words, and their hidden states ``(k, d)``.
        """
        ...


class SubwordWordEncoder:
    """Encoder of words on top of an encoder of tokens: a word's state is the mean of those of its tokens.

    Args:
        encoder: The encoder of tokens.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.spec = WordSpec(encoder.spec.name, encoder.spec.layers, encoder.spec.dimension, encoder.spec.layers)
        self.folder = getattr(encoder, "folder", encoder.spec.name)  # where its weights are
        self.packages: tuple[str, ...] = getattr(encoder, "packages", ())  # what it is computed by

    def word_states(
        self, text: str, words: Sequence[Span], segments: Sequence[range], breaks: Sequence[int], layer: int | None
    ) -> Iterator[tuple[Ints, Floats]]:
        """Compute the hidden states of the words of a text, some at a time.

        Args:
            text: The text.
            words: Character offsets of its words.
            segments: Ranges of words; words of different segments do not attend to each other.
            breaks: Character offsets at which a long segment is best divided.
            layer: Number of the layer; None for the mean of all layers.

        Yields:
            The indices ``(k,)`` of some words, and their hidden states ``(k, d)``.
        """
        tokenized = self._encoder.tokenize(text)
        bounds = np.asarray(words, dtype=np.int64).reshape(-1, 2)
        first = np.searchsorted(tokenized.ends, bounds[:, 0], side="right")
        last = np.searchsorted(tokenized.starts, bounds[:, 1], side="left")
        cuts = [
            cut
            for segment in segments
            if segment
            for cut in self._cuts(tokenized, range(first[segment.start], last[segment.stop - 1]), breaks)
        ]
        for batch in self._batches(cuts):
            states = self._states([tokenized.ids[cut.start : cut.stop] for cut in batch], layer)
            for cut, rows in zip(batch, states, strict=True):
                yield _words(cut, rows[len(self._encoder.spec.prefix) :], first, last)

    def _cuts(self, tokenized: TokenizedText, segment: range, breaks: Sequence[int]) -> Iterator[range]:
        """The windows of a segment, as ranges of tokens."""
        start = segment.start
        part = tokenized.part(segment)
        capacity = self._encoder.spec.capacity
        for cut in windows(part, breaks if len(part) > capacity else (), capacity):
            yield range(start + cut.start, start + cut.stop)

    def _batches(self, cuts: list[range]) -> Iterator[list[range]]:
        """Windows of about the same length; one by one for an encoder that cannot mask padding."""
        room = BATCH if self._encoder.spec.one_pass else 0
        special = self._encoder.spec.max_length - self._encoder.spec.capacity
        yield from batch_by_tokens(sorted(cuts, key=len), room, len, special)

    def _states(self, texts: Sequence[Ints], layer: int | None) -> Floats:
        """The states ``(B, S, d)``, special tokens and padding included."""
        inputs = pad_texts(self._encoder.spec, texts)
        if layer is not None:
            return self._encoder.hidden_states(inputs, layer)
        every = [self._encoder.hidden_states(inputs, each) for each in range(self.spec.layers + 1)]
        mean: Floats = np.mean(every, axis=0)
        return mean


def _words(cut: range, states: Floats, first: Ints, last: Ints) -> tuple[Ints, Floats]:
    """The words that have tokens in a window, and the mean of those tokens' states."""
    start = int(np.searchsorted(last, cut.start, side="right"))
    stop = int(np.searchsorted(first, cut.stop, side="left"))
    low = np.maximum(first[start:stop], cut.start) - cut.start
    high = np.minimum(last[start:stop], cut.stop) - cut.start
    words = np.flatnonzero(high > low)
    sums = np.zeros((len(cut) + 1, states.shape[1]))
    np.cumsum(states[: len(cut)], axis=0, dtype=np.float64, out=sums[1:])
    counts = (high - low)[words, None]
    return start + words, (sums[high[words]] - sums[low[words]]) / counts
