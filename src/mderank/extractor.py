"""What every method of mderank can do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from mderank.document import Document
from mderank.keyphrase import Keyphrases


@runtime_checkable
class Extractor(Protocol):
    """Reads texts, says what they are about."""

    def extract(self, text: str | Document, top_k: int | None = 10) -> Keyphrases:
        """The ``top_k`` best keyphrases of one text, best first (all of them for ``None``)."""
        ...

    def extract_many(self, texts: Iterable[str | Document], top_k: int | None = 10) -> Iterator[Keyphrases]:
        """The keyphrases of every text, in order, one at a time.

        A text that fails carries its error in ``Keyphrases.error`` and the rest goes on.
        """
        ...
