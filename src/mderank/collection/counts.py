"""Count phrases over all documents: exactly, in bounded memory.

Counts are kept in a table. When the table is full, it is written to a temporary file, sorted by key, and emptied. In
the end all files are merged by key.
"""

from __future__ import annotations

import heapq
import json
import math
import tempfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from itertools import groupby
from typing import IO, Any

from mderank.batch.worker import Row
from mderank.variants import phrase_key

LIMIT = 400_000  # phrases in memory, about 200 MB


@dataclass
class Count:
    """The counts of one phrase.

    Attributes:
        documents: number of documents that have it among their keyphrases.
        weight: sum of 1 / log2(1 + rank) over these documents.
        occurrences: number of occurrences in the texts.
        forms: number of documents per form.
        labels: of a concept of a vocabulary, the number of documents per preferred label: labels differ by language.
        concept: its id; None for other phrases.
        confidence: sum of its confidences.
        estimated: number of documents with a confidence.
    """

    documents: int = 0
    weight: float = 0.0
    occurrences: int = 0
    forms: dict[str, int] = field(default_factory=dict)
    labels: dict[str, int] = field(default_factory=dict)
    concept: str | None = None
    confidence: float = 0.0
    estimated: int = 0

    def add(self, other: Count) -> None:
        """Add the counts of the same phrase in other documents.

        Args:
            other: the counts to add.
        """
        self.documents += other.documents
        self.weight += other.weight
        self.occurrences += other.occurrences
        for form, documents in other.forms.items():
            self.forms[form] = self.forms.get(form, 0) + documents
        for label, documents in other.labels.items():
            self.labels[label] = self.labels.get(label, 0) + documents
        self.concept = self.concept if other.concept is None else other.concept
        self.confidence += other.confidence
        self.estimated += other.estimated

    @property
    def text(self) -> str:
        """The most frequent form; of a concept, its preferred label."""
        counts = self.labels or self.forms
        return min(counts, key=lambda form: (-counts[form], form))

    @property
    def mean_confidence(self) -> float | None:
        """The mean confidence; None if the method does not estimate it."""
        return self.confidence / self.estimated if self.estimated else None


@dataclass(frozen=True)
class Mention:
    """A phrase among the keyphrases of one document.

    Attributes:
        key: key of the phrase, which its variants share (`Keyphrase.key`), or of its concept.
        rank: its rank, from 1.
        spans: character offsets of its occurrences.
        forms: its forms in the document.
        concept: id and preferred label of its concept, if it has one.
        confidence: its confidence, if the method estimates it.
    """

    key: str
    rank: int
    spans: tuple[tuple[int, int], ...]
    forms: tuple[str, ...]
    concept: tuple[str, str] | None = None
    confidence: float | None = None


def mentions(row: Row, language: str | None = None) -> list[Mention]:
    """Return the phrases of a document. Variants of a phrase, and labels of a concept, are merged.

    Args:
        row: a row of batch output.
        language: language code of all keys; None takes the keys of the row. A row without keys has those of its
            language, or of English if it has none.

    Returns:
        The phrases, best first.
    """
    own = (row.get("language") or {}).get("code") or "en"
    found: dict[str, Mention] = {}
    for rank, each in enumerate(row["keyphrases"], start=1):
        concept = _concept(each)
        known = each.get("key") if language is None else None
        key = known or phrase_key(each["text"], language or own)
        if concept is not None:
            key = f"\0{concept[0]}"  # no phrase has this key
        spans, forms = tuple((span[0], span[1]) for span in each["spans"]), tuple(each["forms"]) or (each["text"],)
        if key in found:
            before = found[key]
            spans = tuple(sorted({*before.spans, *spans}))
            found[key] = replace(before, spans=spans, forms=tuple(dict.fromkeys((*before.forms, *forms))))
        else:
            found[key] = Mention(key, rank, spans, forms, concept, each.get("confidence"))
    return list(found.values())


def _concept(keyphrase: dict[str, Any]) -> tuple[str, str] | None:
    named = keyphrase.get("concept")
    return None if not named else (str(named["id"]), str(named["label"]))


def rank_weight(rank: int) -> float:
    """Return the weight of a rank: 1 / log2(1 + rank). Scores of different documents cannot be compared, ranks can.

    Args:
        rank: rank of a keyphrase, from 1.

    Returns:
        1 for rank 1, 0.5 for rank 3.
    """
    return 1 / math.log2(1 + rank)


class Counts:
    """The counts of all phrases, in the order of their keys; a context manager that closes its temporary files.

    Args:
        language: language code of all keys; None takes the keys of each row.
        limit: number of phrases in memory.
    """

    def __init__(self, language: str | None, limit: int = LIMIT) -> None:
        self.documents = self.failed = self.mentions = 0
        self._language = language
        self._limit = limit
        self._table: dict[str, Count] = {}
        self._files: list[IO[bytes]] = []

    def __enter__(self) -> Counts:
        return self

    def __exit__(self, *_: object) -> None:
        for file in self._files:
            file.close()

    def add(self, row: Row) -> None:
        """Count the keyphrases of a document.

        Args:
            row: a row of batch output.
        """
        self.documents += 1
        if row.get("error") is not None:
            self.failed += 1
            return
        for each in mentions(row, self._language):
            self.mentions += 1
            count = self._table.setdefault(each.key, Count())
            count.documents += 1
            count.weight += rank_weight(each.rank)
            count.occurrences += len(each.spans)
            for form in each.forms:
                count.forms[form] = count.forms.get(form, 0) + 1
            if each.confidence is not None:
                count.confidence += each.confidence
                count.estimated += 1
            if each.concept is not None:
                count.concept, label = each.concept
                count.labels[label] = count.labels.get(label, 0) + 1
        if len(self._table) >= self._limit:
            self._write_table()

    def _write_table(self) -> None:
        file = tempfile.TemporaryFile()  # noqa: SIM115
        for item in sorted(self._table.items()):
            file.write(json.dumps((item[0], asdict(item[1]))).encode() + b"\n")
        self._files.append(file)
        self._table.clear()

    def __iter__(self) -> Iterator[tuple[str, Count]]:
        """Yield every key with its count, in the order of the keys."""
        runs = [*map(_read, self._files), iter(sorted(self._table.items()))]
        for key, same in groupby(heapq.merge(*runs, key=lambda item: item[0]), key=lambda item: item[0]):
            total = Count()
            for _, count in same:
                total.add(count)
            yield key, total


def _read(file: IO[bytes]) -> Iterator[tuple[str, Count]]:
    file.seek(0)
    for line in file:
        key, count = json.loads(line)
        yield key, Count(**count)
