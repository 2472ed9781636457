"""An encoder that remembers what masks changed, in the exact form: the same variants need not be encoded again.

Runs that differ only in what they mask, how they pool or how they compare have most variants in common: a phrase that
stands once is hidden in the same way by every masking. What is kept of a variant is small, a vector for each pooling.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from mderank.encoding.base import Encoder, EncoderSpec, Floats, Inputs, Ints, Pieces, PoolingName
from mderank.encoding.pooling import CHANGES

_Known = dict[bytes, tuple[dict[PoolingName, Floats], float]]


class Window:
    """What masks changed in one window, by the rows that they hide."""

    def __init__(self, known: _Known, owner: RememberingEncoder) -> None:
        self._known, self._owner = known, owner

    def recall(self, pooling: PoolingName, rows: Ints) -> Floats | None:
        """The change, if it is known."""
        changes, seconds = self._known.get(rows.tobytes(), ({}, 0.0))
        change = changes.get(pooling)
        if change is not None:
            self._owner.saved += seconds
        return change

    def keep(self, rows: Ints, states: Floats, masked: Floats, seconds: float) -> None:
        """Remember what became of ``states`` and how long that took."""
        changes = {pooling: CHANGES[pooling](states, masked) for pooling in self._owner.poolings}
        self._known[rows.tobytes()] = changes, seconds


class RememberingEncoder:
    """Any encoder, with a memory for the exact form; ``poolings`` are those that changes are kept for.

    ``saved`` are the seconds that remembering has spared, so that a run can be charged for them all the same.
    """

    def __init__(self, encoder: Encoder, poolings: Sequence[PoolingName] = ("mean", "max")) -> None:
        self._encoder = encoder
        self._windows: dict[tuple[bytes, int], _Known] = {}
        self.poolings = tuple(poolings)
        self.saved = 0.0

    @property
    def spec(self) -> EncoderSpec:
        """That of the encoder."""
        return self._encoder.spec

    def pieces(self, text: str) -> Pieces:
        """The word pieces of ``text``, all of them."""
        return self._encoder.pieces(text)

    def states(self, inputs: Inputs, layer: int) -> Floats:
        """The hidden states ``(B, S, d)`` after ``layer`` layers."""
        return self._encoder.states(inputs, layer)

    def __getattr__(self, name: str) -> Any:
        """Whatever else the encoder has."""
        return getattr(self.__dict__["_encoder"], name)

    def window(self, ids: Ints, layer: int) -> Window:
        """What is known of a window of these tokens."""
        digest = hashlib.blake2b(ids.tobytes(), digest_size=16).digest()
        return Window(self._windows.setdefault((digest, layer), {}), self)

    def forget(self) -> None:
        """Let go of all windows: the next texts are others."""
        self._windows.clear()
