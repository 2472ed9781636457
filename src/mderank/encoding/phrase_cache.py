"""A bounded cache of the embeddings of phrases: in a collection the same phrases recur."""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

from mderank.encoding.base import PoolingName
from mderank.util.arrays import Floats, Ints

CAPACITY = 8192  # phrases; of MiniLM's 384 numbers each, 25 MB
Key = tuple[bytes, int, PoolingName]


class PhraseCache:
    """The embeddings of the phrases that were used last. Several threads can share it.

    A copy, and what arrives in another process, is empty.

    Args:
        capacity: Maximum number of phrases.
    """

    def __init__(self, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._vectors: OrderedDict[Key, Floats] = OrderedDict()
        self._lock = Lock()

    def __reduce__(self) -> tuple[Any, ...]:
        return PhraseCache, (self._capacity,)

    def __len__(self) -> int:
        return len(self._vectors)

    def get(self, ids: Ints, layer: int, pooling: PoolingName) -> Floats | None:
        """Look up the embedding of a phrase.

        Args:
            ids: Token ids ``(k,)`` of the phrase.
            layer: Number of the layer.
            pooling: How hidden states become an embedding.

        Returns:
            The embedding ``(d,)``; None if it is not known.
        """
        key = (ids.tobytes(), layer, pooling)
        with self._lock:
            vector = self._vectors.get(key)
            if vector is not None:
                self._vectors.move_to_end(key)
            return vector

    def put(self, ids: Ints, layer: int, pooling: PoolingName, vector: Floats) -> None:
        """Store the embedding of a phrase, and drop the one that was not used for longest if there are too many.

        Args:
            ids: Token ids ``(k,)`` of the phrase.
            layer: Number of the layer.
            pooling: How hidden states become an embedding.
            vector: The embedding ``(d,)``, which must not be changed afterwards.
        """
        with self._lock:
            self._vectors[ids.tobytes(), layer, pooling] = vector
            self._vectors.move_to_end((ids.tobytes(), layer, pooling))
            while len(self._vectors) > self._capacity:
                self._vectors.popitem(last=False)
