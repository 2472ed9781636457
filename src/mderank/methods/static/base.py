"""What an embedder of texts is."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from mderank.util.arrays import Floats


@runtime_checkable
class TextEmbedder(Protocol):
    """Interface of an embedder of texts."""

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed texts. The vector of a text must not depend on the other texts.

        Args:
            texts: Texts as words with single spaces between them, in their own case.

        Returns:
            Vectors ``(n, d)``; zeros for a text without a known word.
        """
        ...
