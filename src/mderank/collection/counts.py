"""Phrases counted over all documents: exactly, in bounded memory.

What is counted is held in a table until that is full; then it is written aside in the order of its keys, and begun
again. In the end all that was written aside is gone through at once, key by key.
"""

from __future__ import annotations

import heapq
import math
import pickle
import re
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from typing import IO

from mderank.batch.worker import Row
from mderank.text import stem_phrase

LIMIT = 400_000  # phrases in memory, about 200 MB

_GAP = re.compile(r"[\s\-‐‑–—_/]+")


@dataclass
class Count:
    """How often a phrase is among the keyphrases of a document."""

    documents: int = 0
    weight: float = 0.0
    occurrences: int = 0
    forms: dict[str, int] = field(default_factory=dict)  # documents that have it in this form

    def add(self, other: Count) -> None:
        """Count both together."""
        self.documents += other.documents
        self.weight += other.weight
        self.occurrences += other.occurrences
        for form, documents in other.forms.items():
            self.forms[form] = self.forms.get(form, 0) + documents

    @property
    def text(self) -> str:
        """Its commonest form."""
        return min(self.forms, key=lambda form: (-self.forms[form], form))


@dataclass(frozen=True)
class Mention:
    """A phrase among the keyphrases of one document."""

    key: str
    rank: int
    spans: tuple[tuple[int, int], ...]
    forms: tuple[str, ...]


@lru_cache(maxsize=1 << 16)
def key_of(phrase: str, language: str = "en") -> str:
    """What variants of a phrase have in common.

    >>> key_of("Support-vector machines") == key_of("support vector machine")
    True
    """
    return stem_phrase(" ".join(_GAP.split(phrase.lower())).strip(), language) or phrase.lower()


def mentions(row: Row, language: str) -> list[Mention]:
    """The phrases of a document, best first; variants of one are one, with the better rank."""
    found: dict[str, Mention] = {}
    for rank, each in enumerate(row["keyphrases"], start=1):
        key = key_of(each["text"], language)
        spans, forms = tuple((span[0], span[1]) for span in each["spans"]), tuple(each["forms"]) or (each["text"],)
        if key in found:
            before = found[key]
            spans = tuple(sorted({*before.spans, *spans}))
            found[key] = Mention(key, before.rank, spans, tuple(dict.fromkeys((*before.forms, *forms))))
        else:
            found[key] = Mention(key, rank, spans, forms)
    return list(found.values())


def weight(rank: int) -> float:
    """What a rank counts: 1 for the first, 0.5 for the third. Scores of different documents cannot be compared."""
    return 1 / math.log2(1 + rank)


class Counts:
    """The counts of all phrases, in the order of their keys; a context manager, since there may be files."""

    def __init__(self, language: str, limit: int = LIMIT) -> None:
        self.documents = self.failed = self.mentions = 0
        self._language = language
        self._limit = limit
        self._table: dict[str, Count] = {}
        self._aside: list[IO[bytes]] = []

    def __enter__(self) -> Counts:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._aside:
            file.close()

    def add(self, row: Row) -> None:
        """Count the keyphrases of a document."""
        self.documents += 1
        if row.get("error") is not None:
            self.failed += 1
            return
        for each in mentions(row, self._language):
            self.mentions += 1
            count = self._table.setdefault(each.key, Count())
            count.documents += 1
            count.weight += weight(each.rank)
            count.occurrences += len(each.spans)
            for form in each.forms:
                count.forms[form] = count.forms.get(form, 0) + 1
        if len(self._table) >= self._limit:
            self._write_aside()

    def _write_aside(self) -> None:
        file = tempfile.TemporaryFile()  # noqa: SIM115
        for item in sorted(self._table.items()):
            pickle.dump(item, file)
        self._aside.append(file)
        self._table.clear()

    def __iter__(self) -> Iterator[tuple[str, Count]]:
        """Every key, in order, with its count."""
        runs = [*map(_read, self._aside), iter(sorted(self._table.items()))]
        for key, same in groupby(heapq.merge(*runs, key=lambda item: item[0]), key=lambda item: item[0]):
            total = Count()
            for _, count in same:
                total.add(count)
            yield key, total


def _read(file: IO[bytes]) -> Iterator[tuple[str, Count]]:
    file.seek(0)
    while True:
        try:
            yield pickle.load(file)
        except EOFError:
            return


def count(rows: Iterable[Row], language: str, limit: int = LIMIT) -> Counts:
    """The counts of all phrases in ``rows``."""
    counts = Counts(language, limit)
    for row in rows:
        counts.add(row)
    return counts
