"""The overview of a collection: its phrases counted and chosen, and where each of them stands."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import permutations
from typing import Any, Literal

from mderank.collection.batch_output import Output
from mderank.collection.counts import LIMIT, Count, Counts, Mention, mentions
from mderank.collection.keyness import Typical, typical
from mderank.errors import OptionError
from mderank.util.format import round_number

Order = Literal["weight", "documents", "typical"]
ORDERS: tuple[Order, ...] = ("weight", "documents", "typical")

_NEAR = 8  # phrases that are shown beside one
_TOGETHER = 2  # documents that they share at least: one is chance


@dataclass(frozen=True)
class Place:
    """A document that has the phrase among its keyphrases, at this rank, and where in its text.

    ``number`` counts the collection's documents from 0: ids need not be different.
    """

    number: int
    id: str | int
    rank: int
    spans: tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Phrase:
    """A phrase of the collection, with its variants.

    ``documents`` counts those that have it among their keyphrases; ``weight`` adds up 1 / log2(1 + rank) in these, so
    that a first place counts 1 and a third 0.5. ``occurrences`` are all its places in their texts. ``near`` are the
    phrases that it most often shares a document with, for how many they are (by the Dice coefficient).
    """

    text: str
    variants: tuple[tuple[str, int], ...]
    documents: int
    weight: float
    occurrences: int
    typical: Typical | None = None
    places: tuple[Place, ...] = ()
    near: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class DocumentPhrases:
    """A document among the places, with all its keyphrases."""

    number: int
    id: str | int
    phrases: tuple[str, ...]


@dataclass(frozen=True)
class Overview:
    """What a collection is about."""

    name: str
    documents: int
    failed: int
    distinct: int
    mentions: int
    order: Order
    against: str | None
    against_documents: int | None
    phrases: tuple[Phrase, ...]
    featured: tuple[DocumentPhrases, ...]  # documents among the places

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "collection": self.name,
            "documents": self.documents,
            "failed": self.failed,
            "distinct_phrases": self.distinct,
            "order": self.order,
            "against": self.against,
            "against_documents": self.against_documents,
            "phrases": [_as_dict(phrase, self.documents - self.failed) for phrase in self.phrases],
        }


def _as_dict(phrase: Phrase, documents: int) -> dict[str, Any]:
    compared = phrase.typical
    return {
        "text": phrase.text,
        "variants": [{"text": text, "documents": count} for text, count in phrase.variants],
        "documents": phrase.documents,
        "share": round_number(phrase.documents / max(1, documents)),
        "weight": round_number(phrase.weight),
        "occurrences": phrase.occurrences,
        **(
            {}
            if compared is None
            else {
                "there": compared.documents,
                "ratio": round_number(compared.ratio),
                "surprise": round_number(compared.surprise),
            }
        ),
        "places": [
            {"id": place.id, "rank": place.rank, "spans": [list(span) for span in place.spans]}
            for place in phrase.places
        ],
        "near": [{"text": text, "documents": count} for text, count in phrase.near],
    }


def build_overview(
    output: Output,
    against: Output | None = None,
    *,
    top: int = 50,
    order: Order | None = None,
    min_documents: int = 1,
    places: int = 5,
    language: str | None = None,
    limit: int = LIMIT,
    advance: Callable[[int], None] = lambda documents: None,
) -> Overview:
    """The ``top`` phrases of a collection, in ``order``: by weight, or by what is typical where there is another.

    Two passes over the rows: one counts all phrases, one sees where the chosen ones stand. Memory is bounded by
    ``limit``, a number of phrases, whatever the collection's size.
    """
    order = order or ("weight" if against is None else "typical")
    if order == "typical" and against is None:
        raise OptionError("typical of a collection is what another has less of: name that one (--against)")
    language = language or output.language
    with Counts(language, limit) as here, Counts(language, limit) as there:
        for row in _told(output.rows(), advance):
            here.add(row)
        for row in _told(against.rows(), advance) if against is not None else ():
            there.add(row)
        distinct = 0

        def compared() -> Iterator[tuple[str, Count, Typical | None]]:
            nonlocal distinct
            for key, count, other in _joined(here, there):
                distinct += 1
                if count.documents >= min_documents:
                    sizes = here.documents - here.failed, there.documents - there.failed
                    yield (
                        key,
                        count,
                        None if against is None else typical(count.documents, sizes[0], other, sizes[1]),
                    )

        chosen = heapq.nlargest(top, compared(), key=_ORDER[order])
        details = _Details([key for key, _, _ in chosen], {key: count for key, count, _ in chosen}, places)
        for row in _told(output.rows(), advance):
            details.add(row, language)
    return Overview(
        output.name,
        here.documents,
        here.failed,
        distinct,
        here.mentions,
        order,
        None if against is None else against.name,
        None if against is None else there.documents - there.failed,
        tuple(details.phrase(key, count, other) for key, count, other in chosen),
        details.documents(),
    )


# Equals are in the order of their keys: of these `heapq.nlargest` keeps those that come first.
_ORDER: dict[Order, Callable[[tuple[str, Count, Typical | None]], Any]] = {
    "weight": lambda item: (round(item[1].weight, 6), item[1].documents),
    "documents": lambda item: (item[1].documents, round(item[1].weight, 6)),
    "typical": lambda item: (round(item[2].surprise, 6) if item[2] else 0.0, item[1].documents),
}


def _told(rows: Iterator[Any], advance: Callable[[int], None]) -> Iterator[Any]:
    for row in rows:
        yield row
        advance(1)


def _joined(here: Counts, there: Counts) -> Iterator[tuple[str, Count, int]]:
    """The phrases that are here, each with the number of documents that have it there."""
    others = iter(there)
    other = next(others, None)
    for key, count in here:
        while other is not None and other[0] < key:
            other = next(others, None)
        yield key, count, other[1].documents if other is not None and other[0] == key else 0


class _Details:
    """Where the chosen phrases stand, and which of them stand together."""

    def __init__(self, keys: list[str], counts: dict[str, Count], places: int) -> None:
        self._texts = {key: counts[key].text for key in keys}
        self._counts = counts
        self._size = places
        self._places: dict[str, list[tuple[int, int, Place]]] = {key: [] for key in keys}
        self._beside: dict[str, Counter[str]] = {key: Counter() for key in keys}
        self._seen = 0
        self._phrases: dict[int, tuple[str | int, tuple[str, ...], int]] = {}

    def add(self, row: Any, language: str) -> None:
        number, self._seen = self._seen, self._seen + 1
        if row.get("error") is not None:
            return
        found = mentions(row, language)
        chosen = [each for each in found if each.key in self._texts]
        for each, other in permutations(chosen, 2):
            self._beside[each.key][other.key] += 1
        for each in chosen:
            self._keep(each, row, number, found)

    def _keep(self, each: Mention, row: Any, number: int, found: list[Mention]) -> None:
        """The best places of a phrase: where it ranks high, the earlier document first."""
        best = self._places[each.key]
        item = (-each.rank, -number, Place(number, row["id"], each.rank, each.spans))
        if len(best) < self._size:
            heapq.heappush(best, item)
        elif best and item[:2] > best[0][:2]:
            self._release(-heapq.heapreplace(best, item)[1])
        else:
            return
        identity, phrases, uses = self._phrases.get(number, (row["id"], (), 0))
        self._phrases[number] = (identity, phrases or tuple(self._shown(other) for other in found), uses + 1)

    def _release(self, number: int) -> None:
        identity, phrases, uses = self._phrases[number]
        if uses == 1:
            del self._phrases[number]
        else:
            self._phrases[number] = (identity, phrases, uses - 1)

    def _shown(self, mention: Mention) -> str:
        return self._texts.get(mention.key, mention.forms[0])

    def phrase(self, key: str, count: Count, compared: Typical | None) -> Phrase:
        """All about one of them."""
        variants = sorted(count.forms.items(), key=lambda item: (-item[1], item[0]))
        best = sorted(self._places[key], key=lambda item: (-item[0], -item[1]))
        return Phrase(
            count.text,
            tuple(variants),
            count.documents,
            count.weight,
            count.occurrences,
            compared,
            tuple(place for _, _, place in best),
            tuple(self._near(key)),
        )

    def _near(self, key: str) -> Iterator[tuple[str, int]]:
        together = (item for item in self._beside[key].items() if item[1] >= _TOGETHER)
        for other, shared in sorted(together, key=lambda item: (-self._dice(key, *item), item[0]))[:_NEAR]:
            yield self._texts[other], shared

    def _dice(self, key: str, other: str, shared: int) -> float:
        return 2 * shared / (self._counts[key].documents + self._counts[other].documents)

    def documents(self) -> tuple[DocumentPhrases, ...]:
        """Those among the places, in their order."""
        return tuple(
            DocumentPhrases(number, identity, phrases)
            for number, (identity, phrases, _) in sorted(self._phrases.items())
        )
