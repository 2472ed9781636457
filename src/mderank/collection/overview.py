"""The overview of a collection: its phrases, counted and sorted, with the documents that have them."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal

from mderank.collection.batch_output import BatchOutput
from mderank.collection.counts import LIMIT, Count, Counts, Mention, mentions
from mderank.collection.keyness import Keyness, compute_keyness
from mderank.errors import OptionError
from mderank.util.format import round_number

SortOrder = Literal["weight", "documents", "keyness"]
SORT_ORDERS: tuple[SortOrder, ...] = ("weight", "documents", "keyness")

_MAX_COOCCURRING = 8  # co-occurring phrases per phrase
_MIN_SHARED = 2  # documents that co-occurring phrases share at least: one may be chance


@dataclass(frozen=True)
class DocumentRank:
    """The rank of a phrase in one document.

    Attributes:
        number: number of the document in the collection, from 0. Ids may repeat.
        id: the document's id.
        rank: rank of the phrase among the document's keyphrases, from 1.
        spans: character offsets of the phrase in the document.
    """

    number: int
    id: str | int
    rank: int
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class CollectionPhrase:
    """A phrase of the collection, with its variants.

    Attributes:
        text: the most frequent form.
        variants: all forms, with their numbers of documents.
        documents: number of documents that have it among their keyphrases.
        weight: sum of 1 / log2(1 + rank) over these documents: rank 1 counts 1, rank 3 counts 0.5.
        occurrences: number of occurrences in the texts.
        keyness: comparison with another collection; None without one.
        examples: the documents in which it ranks highest.
        cooccurring: phrases with the highest Dice coefficient, with the numbers of shared documents.
        concept: id of its concept, for a collection that was read with a vocabulary. ``text`` is its preferred label.
        confidence: mean confidence in these documents; None if the method does not estimate it.
    """

    text: str
    variants: tuple[tuple[str, int], ...]
    documents: int
    weight: float
    occurrences: int
    keyness: Keyness | None = None
    examples: tuple[DocumentRank, ...] = ()
    cooccurring: tuple[tuple[str, int], ...] = ()
    concept: str | None = None
    confidence: float | None = None


@dataclass(frozen=True)
class DocumentPhrases:
    """A document among the examples, with all its keyphrases.

    Attributes:
        number: number of the document in the collection, from 0.
        id: the document's id.
        phrases: its keyphrases, best first.
    """

    number: int
    id: str | int
    phrases: tuple[str, ...]


@dataclass(frozen=True)
class Overview:
    """The most important phrases of a collection.

    Attributes:
        name: path of the collection.
        documents: number of documents.
        failed: number of documents that could not be read.
        distinct: number of distinct phrases.
        mentions: number of keyphrases of all documents together.
        sort: order of ``phrases``.
        against: path of the other collection, if there is one.
        against_documents: number of readable documents of the other collection.
        phrases: the phrases, in order.
        featured: the documents among the examples.
    """

    name: str
    documents: int
    failed: int
    distinct: int
    mentions: int
    sort: SortOrder
    against: str | None
    against_documents: int | None
    phrases: tuple[CollectionPhrase, ...]
    featured: tuple[DocumentPhrases, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "collection": self.name,
            "documents": self.documents,
            "failed": self.failed,
            "distinct_phrases": self.distinct,
            "sort": self.sort,
            "against": self.against,
            "against_documents": self.against_documents,
            "phrases": [_phrase_as_dict(phrase, self.documents - self.failed) for phrase in self.phrases],
        }


def _phrase_as_dict(phrase: CollectionPhrase, documents: int) -> dict[str, Any]:
    return {
        "text": phrase.text,
        **({} if phrase.concept is None else {"concept": phrase.concept}),
        "variants": [{"text": text, "documents": count} for text, count in phrase.variants],
        "documents": phrase.documents,
        "share": round_number(phrase.documents / max(1, documents)),
        "weight": round_number(phrase.weight),
        "occurrences": phrase.occurrences,
        **({} if phrase.keyness is None else {"keyness": _keyness_as_dict(phrase.keyness)}),
        "examples": [
            {"id": each.id, "rank": each.rank, "spans": [list(span) for span in each.spans]} for each in phrase.examples
        ],
        "cooccurring": [{"text": text, "documents": count} for text, count in phrase.cooccurring],
    }


def _keyness_as_dict(keyness: Keyness) -> dict[str, Any]:
    return {
        "against_documents": keyness.documents,
        "ratio": round_number(keyness.ratio),
        "log_likelihood": round_number(keyness.log_likelihood),
    }


def build_overview(
    output: BatchOutput,
    against: BatchOutput | None = None,
    *,
    top_k: int = 50,
    sort: SortOrder | None = None,
    min_documents: int = 1,
    examples: int = 5,
    language: str | None = None,
    limit: int = LIMIT,
    advance: Callable[[int], None] = lambda documents: None,
    worth: Callable[[Count], float | None] | None = None,
) -> Overview:
    """Count the phrases of a collection, and select the most important ones.

    The rows are read twice: first to count all phrases, then to find the documents of the selected ones.

    Args:
        output: the collection.
        against: another collection to compare with.
        top_k: number of phrases.
        sort: order of the phrases; None sorts by keyness with ``against``, and by weight without.
        min_documents: leave out phrases of fewer documents.
        examples: number of documents per phrase.
        language: language code for variants of words; None takes that of each document.
        limit: number of phrases that are counted in memory; the rest goes to temporary files.
        advance: called with the number of documents read, for a progress bar.
        worth: value to sort phrases by in place of ``sort``; None leaves a phrase out. It is called for those of enough
            documents.

    Returns:
        The overview.

    Raises:
        InputError: the output cannot be read.
        OptionError: ``sort="keyness"`` without ``against``.
    """
    sort = sort or ("weight" if against is None else "keyness")
    if sort == "keyness" and against is None:
        raise OptionError("sorting by keyness needs a collection to compare with: add --against OTHER")
    with Counts(language, limit) as here, Counts(language, limit) as there:
        for row in _report_progress(output.rows(), advance):
            here.add(row)
        for row in _report_progress(against.rows(), advance) if against is not None else ():
            there.add(row)
        distinct = 0

        def compare() -> Iterator[tuple[str, Count, Keyness | None]]:
            nonlocal distinct
            of_here, of_there = here.documents - here.failed, there.documents - there.failed
            for key, count, other in _join(here, there):
                distinct += 1
                if count.documents >= min_documents:
                    keyness = None if against is None else compute_keyness(count.documents, of_here, other, of_there)
                    yield key, count, keyness

        if worth is None:
            chosen = heapq.nlargest(top_k, compare(), key=_SORT_KEYS[sort])
        else:
            valued = ((worth(item[1]), item) for item in compare())
            wanted = ((value, item) for value, item in valued if value is not None)
            best = heapq.nlargest(top_k, wanted, key=lambda pair: (round(pair[0], 6), pair[1][1].documents))
            chosen = [item for _, item in best]
        details = _Details({key: count for key, count, _ in chosen}, examples)
        for row in _report_progress(output.rows(), advance):
            details.add(row, language)
    return Overview(
        output.name,
        here.documents,
        here.failed,
        distinct,
        here.mentions,
        sort,
        None if against is None else against.name,
        None if against is None else there.documents - there.failed,
        tuple(details.phrase(key, count, keyness) for key, count, keyness in chosen),
        details.documents(),
    )


# Phrases with equal values stay in the order of their keys, since `heapq.nlargest` keeps the first ones.
_SORT_KEYS: dict[SortOrder, Callable[[tuple[str, Count, Keyness | None]], Any]] = {
    "weight": lambda item: (round(item[1].weight, 6), item[1].documents),
    "documents": lambda item: (item[1].documents, round(item[1].weight, 6)),
    "keyness": lambda item: (round(item[2].log_likelihood, 6) if item[2] else 0.0, item[1].documents),
}


def _report_progress(rows: Iterator[Any], advance: Callable[[int], None]) -> Iterator[Any]:
    for row in rows:
        yield row
        advance(1)


def _join(here: Counts, there: Counts) -> Iterator[tuple[str, Count, int]]:
    """Yield the phrases that are here, each with the number of documents that have it there."""
    others = iter(there)
    other = next(others, None)
    for key, count in here:
        while other is not None and other[0] < key:
            other = next(others, None)
        yield key, count, other[1].documents if other is not None and other[0] == key else 0


class _Details:
    """Examples and co-occurrences of the selected phrases."""

    def __init__(self, counts: dict[str, Count], examples: int) -> None:
        self._texts = {key: count.text for key, count in counts.items()}
        self._counts = counts
        self._size = examples
        self._examples: dict[str, list[tuple[int, int, DocumentRank]]] = {key: [] for key in counts}
        self._shared: dict[str, Counter[str]] = {key: Counter() for key in counts}
        self._seen = 0
        self._phrases: dict[int, tuple[str | int, tuple[str, ...], int]] = {}

    def add(self, row: Any, language: str | None) -> None:
        number, self._seen = self._seen, self._seen + 1
        if row.get("error") is not None:
            return
        found = mentions(row, language)
        chosen = [each for each in found if each.key in self._texts]
        for each, other in permutations(chosen, 2):
            self._shared[each.key][other.key] += 1
        for each in chosen:
            self._keep(each, row, number, found)

    def _keep(self, each: Mention, row: Any, number: int, found: list[Mention]) -> None:
        """Keep the documents in which a phrase ranks highest; of equal ranks the earlier document."""
        best = self._examples[each.key]
        item = (-each.rank, -number, DocumentRank(number, row["id"], each.rank, each.spans))
        if len(best) < self._size:
            heapq.heappush(best, item)
        elif best and item[:2] > best[0][:2]:
            self._release(-heapq.heapreplace(best, item)[1])
        else:
            return
        identity, phrases, uses = self._phrases.get(number, (row["id"], (), 0))
        self._phrases[number] = (identity, phrases or tuple(self._display_text(other) for other in found), uses + 1)

    def _release(self, number: int) -> None:
        identity, phrases, uses = self._phrases[number]
        if uses == 1:
            del self._phrases[number]
        else:
            self._phrases[number] = (identity, phrases, uses - 1)

    def _display_text(self, mention: Mention) -> str:
        own = mention.forms[0] if mention.concept is None else mention.concept[1]
        return self._texts.get(mention.key, own)

    def phrase(self, key: str, count: Count, keyness: Keyness | None) -> CollectionPhrase:
        """Return a selected phrase with its examples and co-occurring phrases."""
        variants = sorted(count.forms.items(), key=lambda item: (-item[1], item[0]))
        best = sorted(self._examples[key], key=lambda item: (-item[0], -item[1]))
        return CollectionPhrase(
            count.text,
            tuple(variants),
            count.documents,
            count.weight,
            count.occurrences,
            keyness,
            tuple(example for _, _, example in best),
            tuple(self._find_cooccurring(key)),
            count.concept,
            count.mean_confidence,
        )

    def _find_cooccurring(self, key: str) -> Iterator[tuple[str, int]]:
        together = (item for item in self._shared[key].items() if item[1] >= _MIN_SHARED)
        for other, shared in sorted(together, key=lambda item: (-self._dice(key, *item), item[0]))[:_MAX_COOCCURRING]:
            yield self._texts[other], shared

    def _dice(self, key: str, other: str, shared: int) -> float:
        return 2 * shared / (self._counts[key].documents + self._counts[other].documents)

    def documents(self) -> tuple[DocumentPhrases, ...]:
        """Return the documents among the examples, in the order of the collection."""
        return tuple(
            DocumentPhrases(number, identity, phrases)
            for number, (identity, phrases, _) in sorted(self._phrases.items())
        )
