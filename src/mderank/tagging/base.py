"""The protocol of taggers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol, runtime_checkable

from mderank.document import Document


@runtime_checkable
class Tagger(Protocol):
    """Interface of a tagger: turns texts into documents. Any tagger can be put behind this one method."""

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """Tag texts.

        Args:
            texts: Texts, which may be read as documents are asked for.

        Yields:
            One document per text, in order.
        """
        ...
