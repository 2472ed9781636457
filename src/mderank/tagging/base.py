"""What a tagger is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from mderank.document import Document


@runtime_checkable
class Tagger(Protocol):
    """Turns texts into documents. One method, so that any tagger can be put behind it."""

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """One document for every text, in order."""
        ...
