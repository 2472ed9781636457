"""Suggest concepts: good phrases of a collection that a vocabulary lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from mderank.batch.worker import Row
from mderank.candidates import Concept, Vocabulary
from mderank.collection.batch_output import BatchOutput
from mderank.collection.counts import Count
from mderank.collection.overview import CollectionPhrase, DocumentRank, build_overview
from mderank.errors import OptionError
from mderank.keyphrase import Keyphrases
from mderank.util.format import round_number
from mderank.variants import phrase_key
from mderank.writing import DocumentResult

Relation = Literal["narrower", "broader", "related"]

_MOST_LANGUAGES = 5  # of the documents, in which labels are looked for
_SHARED = 0.5  # share of the words of the longer phrase that related ones have in common at least


@dataclass(frozen=True)
class Suggestion:
    """A phrase of a collection that a vocabulary lacks.

    Attributes:
        text: the most frequent form; of an acronym, the most frequent long form, since a label is spelled out.
        variants: all forms, with their numbers of documents: candidates for further labels.
        documents: number of documents that have it among their keyphrases.
        weight: sum of 1 / log2(1 + rank) over these documents, times the mean confidence.
        confidence: mean confidence in these documents; None if the method does not estimate it.
        occurrences: number of occurrences in the texts.
        examples: the documents in which it ranks highest.
        nearest: the concept with the most similar label; None if no label has words of the phrase.
        relation: what the phrase seems to be to that concept: "narrower" if it ends with the label, "broader" if the
            label ends with it, "related" if one contains the other otherwise, or if they share half of their words. In
            languages other than English, whatever contains the other is narrower.
    """

    text: str
    variants: tuple[tuple[str, int], ...]
    documents: int
    weight: float
    confidence: float | None
    occurrences: int
    examples: tuple[DocumentRank, ...]
    nearest: Concept | None = None
    relation: Relation | None = None

    def as_dict(self, language: str = "") -> dict[str, Any]:
        """Return plain data for JSON.

        Args:
            language: language of the nearest concept's label.

        Returns:
            All attributes by name; of the nearest concept its id and label.
        """
        return {
            "text": self.text,
            "variants": [{"text": text, "documents": count} for text, count in self.variants],
            "documents": self.documents,
            "weight": round_number(self.weight),
            "confidence": None if self.confidence is None else round_number(self.confidence),
            "occurrences": self.occurrences,
            "examples": [
                {"id": each.id, "rank": each.rank, "spans": [list(span) for span in each.spans]}
                for each in self.examples
            ],
            "relation": self.relation,
            "nearest": None if self.nearest is None else {"id": self.nearest.id, "label": self.nearest.label(language)},
        }


def suggest_concepts(
    output: BatchOutput | Iterable[Keyphrases],
    vocabulary: Vocabulary,
    *,
    top_k: int = 50,
    min_documents: int = 2,
    min_confidence: float = 0.6,
    examples: int = 3,
    language: str | None = None,
    advance: Callable[[int], None] = lambda documents: None,
) -> list[Suggestion]:
    """Suggest concepts that a vocabulary lacks, from the keyphrases of a collection.

    Phrases that are a form of a label are left out, and those that readers would hardly accept: words such as
    "approach" and "performance" are keyphrases of many documents, with a low confidence. The others are sorted by the
    sum of 1 / log2(1 + rank) over the documents that have them among their keyphrases, times their mean confidence.

    Args:
        output: the keyphrases, which were extracted without a vocabulary: those of a batch, or of `extract_many`.
        vocabulary: the vocabulary. Its labels are compared as its ``match`` says.
        top_k: number of suggestions.
        min_documents: leave out phrases of fewer documents.
        min_confidence: leave out phrases with a lower mean confidence, if the method estimates it.
        examples: number of documents per suggestion.
        language: language code of the documents; None takes that of each document.
        advance: called with the number of documents read, for a progress bar.

    Returns:
        The suggestions, best first.

    Raises:
        InputError: the output cannot be read.
        OptionError: the keyphrases were extracted with a vocabulary.
    """
    if not isinstance(output, BatchOutput):
        output = _InMemory("the keyphrases", output)
    languages = [language] if language is not None else _languages(output)

    def worth(count: Count) -> float | None:
        if count.concept is not None:
            raise OptionError(
                f"{output.name}: its keyphrases are concepts of a vocabulary: extract them without --vocabulary"
            )
        confidence = count.mean_confidence
        if confidence is not None and confidence < min_confidence:
            return None
        if any(vocabulary.concept_of(form, each) for form in count.forms for each in languages):
            return None
        return count.weight * (1.0 if confidence is None else confidence)

    found = build_overview(
        output,
        top_k=top_k,
        min_documents=min_documents,
        examples=examples,
        language=language,
        advance=advance,
        worth=worth,
    )
    neighbours = _Neighbours(vocabulary, languages[0])
    return [_suggestion(each, neighbours) for each in found.phrases]


def _suggestion(phrase: CollectionPhrase, neighbours: _Neighbours) -> Suggestion:
    text = _spell_out(phrase)
    nearest, relation = neighbours.nearest(text)
    return Suggestion(
        text,
        phrase.variants,
        phrase.documents,
        phrase.weight * (1.0 if phrase.confidence is None else phrase.confidence),
        phrase.confidence,
        phrase.occurrences,
        phrase.examples,
        nearest,
        relation,
    )


def _spell_out(phrase: CollectionPhrase) -> str:
    """The text of a phrase; of an acronym whose long form is among the forms, the long form."""
    if phrase.text.removesuffix("s").isupper():
        return next((form for form, _ in phrase.variants if " " in form and not form.isupper()), phrase.text)
    return phrase.text


def _languages(output: BatchOutput) -> list[str]:
    """The languages of the documents, the most frequent first."""
    counts = Counter((row.get("language") or {}).get("code") or "en" for row in output.rows())
    return [code for code, _ in counts.most_common(_MOST_LANGUAGES)] or ["en"]


class _InMemory(BatchOutput):
    """Keyphrases that are in memory, as the output of a batch. The id of a document is its number, from 0."""

    def __init__(self, name: str, found: Iterable[Keyphrases]) -> None:
        super().__init__(name, (), {})
        rows = [DocumentResult(number, "", each).as_dict() for number, each in enumerate(found)]
        object.__setattr__(self, "_rows", rows)

    def rows(self) -> Iterator[Row]:
        yield from self._rows  # type: ignore[attr-defined]


class _Neighbours:
    """Finds the concept whose label shares the most words with a phrase, by an index of words."""

    def __init__(self, vocabulary: Vocabulary, language: str) -> None:
        self._vocabulary, self._language = vocabulary, language
        self._labels: list[tuple[int, tuple[str, ...]]] = []
        self._with_word: dict[str, list[int]] = {}
        for number, concept in enumerate(vocabulary.concepts):
            for kind, tag, text in concept.labels():
                if kind != "hidden" and tag.partition("-")[0] in ("", language):
                    words = self._words(text)
                    for word in dict.fromkeys(words):
                        self._with_word.setdefault(word, []).append(len(self._labels))
                    self._labels.append((number, words))

    def _words(self, phrase: str) -> tuple[str, ...]:
        return tuple(phrase_key(phrase, self._language).split())

    def nearest(self, phrase: str) -> tuple[Concept | None, Relation | None]:
        """Return the nearest concept, and what the phrase is to it."""
        words = self._words(phrase)
        shared = Counter(label for word in dict.fromkeys(words) for label in self._with_word.get(word, ()))
        best: tuple[float, ...] | None = None
        found: tuple[int, Relation] | None = None
        for label, count in shared.items():
            number, own = self._labels[label]
            relation = _relation(words, own, count, self._language == "en")
            rank = (-_RELATIONS[relation], count, own[-1:] == words[-1:], -len(own), -label) if relation else None
            if relation is not None and rank is not None and (best is None or rank > best):
                best, found = rank, (number, relation)
        return (None, None) if found is None else (self._vocabulary.concepts[found[0]], found[1])


_NARROWER: Relation = "narrower"
_BROADER: Relation = "broader"
_RELATIONS: dict[Relation, int] = {"narrower": 0, "broader": 1, "related": 2}


def _relation(phrase: Sequence[str], label: Sequence[str], shared: int, head_is_last: bool) -> Relation | None:
    """A phrase as seen from a label. The head of an English noun phrase is last: a coastal storm surge is a surge."""
    for whole, part, relation in ((phrase, label, _NARROWER), (label, phrase, _BROADER)):
        starts = [each for each in range(len(whole) - len(part) + 1) if whole[each : each + len(part)] == part]
        if starts:
            return "related" if head_is_last and starts[-1] + len(part) < len(whole) else relation
    return "related" if shared / max(len(phrase), len(label)) >= _SHARED else None
