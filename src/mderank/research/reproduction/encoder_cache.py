"""An encoder with a cache of masked variants, for runs of exact masking that differ in masking or pooling.

Such runs have most variants in common: every masking hides a phrase that occurs once in the same way. The cache is
small, because it holds one vector per variant and pooling.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from typing import Any

from mderank.encoding.base import Encoder, EncoderInputs, EncoderSpec, PoolingName, TokenizedText
from mderank.encoding.pooling import CHANGES
from mderank.util.arrays import Floats, Ints


class CachingEncoder:
    """Any encoder, with a cache of what masks changed. It is an `Encoder` and a `VariantCache`.

    Args:
        encoder: The encoder that computes hidden states.
        poolings: The poolings that changes are stored for.

    Attributes:
        saved: Seconds that the cache has saved so far, so that the time of a run can include them.
    """

    def __init__(self, encoder: Encoder, poolings: Sequence[PoolingName] = ("mean", "max")) -> None:
        self._encoder = encoder
        self._poolings = tuple(poolings)
        # Changes by pooling, and the seconds that encoding took, of each variant of a window.
        self._variants: dict[tuple[bytes, int, bytes], tuple[dict[PoolingName, Floats], float]] = {}
        self._sequence_seconds = 0.0  # seconds per sequence of the last batch
        self.saved = 0.0

    @property
    def spec(self) -> EncoderSpec:
        """Properties of the encoder."""
        return self._encoder.spec

    def tokenize(self, text: str) -> TokenizedText:
        """Return the tokens of a text; see `Encoder.tokenize`."""
        return self._encoder.tokenize(text)

    def hidden_states(self, inputs: EncoderInputs, layer: int) -> Floats:
        """Compute hidden states, and measure the time; see `Encoder.hidden_states`."""
        began = time.perf_counter()
        states = self._encoder.hidden_states(inputs, layer)
        self._sequence_seconds = (time.perf_counter() - began) / len(inputs.input_ids)
        return states

    def __getattr__(self, name: str) -> Any:
        """Return any other attribute of the encoder."""
        return getattr(self.__dict__["_encoder"], name)

    def get(self, ids: Ints, layer: int, rows: Ints, pooling: PoolingName) -> Floats | None:
        """Return the change that a mask made, or None if it is not known; see `VariantCache.get`."""
        changes, seconds = self._variants.get(_key(ids, layer, rows), ({}, 0.0))
        change = changes.get(pooling)
        if change is not None:
            self.saved += seconds
        return change

    def put(self, ids: Ints, layer: int, rows: Ints, states: Floats, masked: Floats) -> None:
        """Store the change that a mask made in the last batch; see `VariantCache.put`."""
        changes = {pooling: CHANGES[pooling](states, masked) for pooling in self._poolings}
        self._variants[_key(ids, layer, rows)] = changes, self._sequence_seconds

    def clear(self) -> None:
        """Remove all variants, before other texts are encoded."""
        self._variants.clear()


def _key(ids: Ints, layer: int, rows: Ints) -> tuple[bytes, int, bytes]:
    return hashlib.blake2b(ids.tobytes(), digest_size=16).digest(), layer, rows.tobytes()
