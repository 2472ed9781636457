"""What an embedder of texts is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from mderank.util.arrays import Floats


@runtime_checkable
class TextEmbedder(Protocol):
    """Turns texts into vectors of one space."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """The vectors ``(n, d)`` of texts, which are words with single spaces between them, in their own case.

        A text that it knows nothing of has a vector of zeros. What a text's vector is must not depend on the others.
        """
        ...
