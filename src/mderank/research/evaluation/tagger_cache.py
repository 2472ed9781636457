"""Texts that several methods read are tagged once, and each method is still charged for it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator

from mderank.document import Document
from mderank.tagging import Tagger


class SharedTagger:
    """A tagger that remembers the texts it has tagged, until told to forget.

    ``clock`` runs ahead by the time that remembering has saved, so that what is timed by it costs the same whether
    a method comes first or last.
    """

    def __init__(self, tagger: Tagger) -> None:
        self.name = str(getattr(tagger, "name", type(tagger).__name__))
        self._tagger = tagger
        self._known: dict[str, tuple[Document, float]] = {}
        self._saved = 0.0

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """One document for every text, in order."""
        asked = list(texts)
        new = [text for text in dict.fromkeys(asked) if text not in self._known]
        self._saved += sum(self._known[text][1] for text in asked if text in self._known)
        start = time.perf_counter()
        tagged = list(self._tagger.tag(new))
        seconds = (time.perf_counter() - start) / max(1, len(new))
        self._known |= {text: (document, seconds) for text, document in zip(new, tagged, strict=True)}
        return iter([self._known[text][0] for text in asked])

    def without_tags(self) -> Tagger:
        """What a method that has no use for tags reads with when it is run alone: it must not fare otherwise here."""
        without_tags = getattr(self._tagger, "without_tags", None)
        tagger: Tagger = without_tags() if without_tags is not None else self
        return tagger

    def forget(self) -> None:
        """Let go of all texts: the next set has others."""
        self._known.clear()

    def clock(self) -> float:
        """Seconds, with those of tagging that was not done again."""
        return time.perf_counter() + self._saved
