"""A tagger with a cache, for texts that several methods read."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from mderank.document import Document
from mderank.tagging import Tagger


class CachingTagger:
    """A tagger that keeps the texts it has tagged, until it is cleared.

    Args:
        tagger: The tagger.

    Attributes:
        name: The name of the tagger.
        saved: Seconds that the cache has saved. A clock that adds them charges each method for its tagging.

    """

    def __init__(self, tagger: Tagger) -> None:
        self.name = str(getattr(tagger, "name", type(tagger).__name__))
        self.saved = 0.0
        self._tagger = tagger
        self._known: dict[str, tuple[Document, float]] = {}

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """Tag texts.

        Args:
            texts: The texts.

        Returns:
            One document per text, in order.

        """
        asked = list(texts)
        missing = [text for text in dict.fromkeys(asked) if self.get(text) is None]
        self.saved += sum(self._known[text][1] for text in asked if text in self._known)
        start = time.perf_counter()
        tagged = list(self._tagger.tag(missing))
        seconds = (time.perf_counter() - start) / max(1, len(missing))
        for text, document in zip(missing, tagged, strict=True):
            self.put(text, document, seconds)
        return iter([self._known[text][0] for text in asked])

    def get(self, text: str) -> Document | None:
        """Return the document of a text, or None if it is not in the cache."""
        return self._known[text][0] if text in self._known else None

    def put(self, text: str, document: Document, seconds: float) -> None:
        """Keep the document of a text, with the time that tagging it took."""
        self._known[text] = document, seconds

    def clear(self) -> None:
        """Drop all texts."""
        self._known.clear()

    def without_tags(self) -> Tagger:
        """Return the tagger that a method without use for tags has when it runs alone, so that its time is the same."""
        without_tags = getattr(self._tagger, "without_tags", None)
        tagger: Tagger = without_tags() if without_tags is not None else self
        return tagger

    def clock(self) -> float:
        """Return the time in seconds, plus the time that the cache has saved."""
        return time.perf_counter() + self.saved
