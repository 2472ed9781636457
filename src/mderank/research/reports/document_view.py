"""One document as several methods see it: gold keyphrases, predictions, and occurrences in the text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mderank.research.evaluation.protocols import match_key
from mderank.research.evaluation.runs import DocumentOutcome
from mderank.research.reports.summary import TOP
from mderank.text import stem_phrase

SHOWN = 10  # predictions of each method that are listed

_WORD = re.compile(r"\S+")
_PUNCTUATION = ".,;:!?()[]{}\"'“”‘’"  # as in protocols that look for gold keyphrases in a text


@dataclass(frozen=True)
class GoldPhrase:
    """A gold keyphrase.

    Attributes:
        text: The keyphrase.
        stems: Its stems.
        ranks: Its rank by method, for methods that predict it.

    """

    text: str
    stems: str
    ranks: Mapping[str, int]

    @property
    def found_by(self) -> tuple[str, ...]:
        """The methods that have it among their first predictions."""
        return tuple(method for method, rank in self.ranks.items() if rank <= TOP)


@dataclass(frozen=True)
class View:
    """A document as several methods see it.

    Attributes:
        id: The document's id.
        gold: The gold keyphrases.
        predictions: The first predictions by method, each with whether it is correct.
        language: Code of the document's language.

    """

    id: str
    gold: tuple[GoldPhrase, ...]
    predictions: Mapping[str, tuple[tuple[str, bool], ...]]
    language: str = "en"

    def found(self, method: str) -> int:
        """Return how many of the listed predictions of a method are correct."""
        return sum(right for _, right in self.predictions[method])


def view(outcomes: Mapping[str, DocumentOutcome]) -> View:
    """Compare the outcomes of one document. Phrases with equal stems are equal, and count once.

    Args:
        outcomes: The outcomes by method.

    Returns:
        The document as the methods see it.

    """
    first = next(iter(outcomes.values()))
    rankings = {method: _ranking(outcome) for method, outcome in outcomes.items()}
    wanted: dict[str, str] = {}
    for phrase in first.gold:
        wanted.setdefault(match_key(phrase, first.language), phrase)
    ranks = {method: {stems: rank for rank, stems in enumerate(ranking, 1)} for method, ranking in rankings.items()}
    gold = tuple(
        GoldPhrase(phrase, stems, {method: found[stems] for method, found in ranks.items() if stems in found})
        for stems, phrase in wanted.items()
    )
    predictions = {
        method: tuple((text, stems in wanted) for stems, text in list(ranking.items())[:SHOWN])
        for method, ranking in rankings.items()
    }
    return View(first.id, gold, predictions, first.language)


def _ranking(outcome: DocumentOutcome) -> dict[str, str]:
    """Return the predictions by stem, best first."""
    ranking: dict[str, str] = {}
    for prediction in outcome.predictions:
        ranking.setdefault(match_key(prediction.text, outcome.language), prediction.text)
    return ranking


def occurrences(text: str, phrases: Sequence[GoldPhrase], language: str = "en") -> list[tuple[int, int, GoldPhrase]]:
    """Find occurrences of gold keyphrases. Of occurrences that overlap, the first and longest is kept.

    Args:
        text: The text.
        phrases: The gold keyphrases.
        language: Code of the text's language.

    Returns:
        Start, end and keyphrase of each occurrence.

    """
    words = [(start, end, stem_phrase(text[start:end], language)) for start, end in _words(text)]
    wanted: dict[str, list[tuple[list[str], GoldPhrase]]] = {}
    for phrase in sorted(phrases, key=lambda each: -len(each.stems.split())):
        stems = phrase.stems.split()
        if stems:
            wanted.setdefault(stems[0], []).append((stems, phrase))
    found = []
    index = 0
    while index < len(words):
        here = wanted.get(words[index][2], ())
        match = next((m for m in here if [w[2] for w in words[index : index + len(m[0])]] == m[0]), None)
        if match:
            last = index + len(match[0]) - 1
            found.append((words[index][0], words[last][1], match[1]))
            index = last
        index += 1
    return found


def _words(text: str) -> list[tuple[int, int]]:
    """Return the offsets of words, without the punctuation around them."""
    places = []
    for match in _WORD.finditer(text):
        word = match.group()
        start = match.start() + len(word) - len(word.lstrip(_PUNCTUATION))
        bare = word.strip(_PUNCTUATION)
        if bare:
            places.append((start, start + len(bare)))
    return places
