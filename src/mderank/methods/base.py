"""What all methods that rank candidates have in common: reading, candidates, ranking, batches, errors.

A method is one class with one method of its own, `BaseExtractor._score`. Everything that a user relies on (spans,
de-duplication, limits, order, what happens to a document that fails) is here, and so is the same for all of them.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol, TypedDict, runtime_checkable

import numpy as np

from mderank.candidates import CandidateSource, NounPhrases, PhraseList
from mderank.document import Document, Span, surface
from mderank.encoding import TokenizedText
from mderank.errors import InputError, MDERankError, OptionError
from mderank.keyphrase import Candidate, Keyphrase, Keyphrases
from mderank.ranking import (
    DEDUPES,
    MMR,
    OVERLAPS,
    Dedupe,
    Diversity,
    Overlap,
    Scaling,
    family_members,
    family_order,
    rank,
)
from mderank.ranking.dedupe import Entry, forms, merge
from mderank.ranking.variants import variant_key
from mderank.tagging import SpacyTagger, Tagger
from mderank.text import stem_phrase
from mderank.util.arrays import Floats, Numbers

# Texts that are tagged and encoded together: enough to fill the encoder's batches, little enough to hold in memory.
_CHUNK_TEXTS = 64
_CHUNK_CHARACTERS = 400_000

_WORD = re.compile(r"\S+")


@runtime_checkable
class Extractor(Protocol):
    """Reads texts, says what they are about."""

    def extract(self, text: str | Document, top_k: int | None = 10) -> Keyphrases:
        """The ``top_k`` best keyphrases of one text, best first (all of them for ``None``)."""
        ...

    def extract_many(self, texts: Iterable[str | Document], top_k: int | None = 10) -> Iterator[Keyphrases]:
        """The keyphrases of every text, in order, one at a time.

        A text that fails carries its error in ``Keyphrases.error`` and the rest goes on.
        """
        ...


@dataclass(frozen=True)
class ScoringInput:
    """A document as far as it is read, and the phrases in it that may be keyphrases.

    ``tokenized`` is the text as tokens of an encoder, for methods that have one.
    """

    document: Document
    candidates: list[Candidate]
    missing_phrases: tuple[str, ...]
    truncated: Span | None
    tokenized: TokenizedText | None = None


@dataclass(frozen=True)
class CandidateScores:
    """The scores that a method gives the candidates of one document.

    Attributes:
        scores: Scores ``(m,)``; higher is better.
        raw_scores: Numbers ``(m,)`` that the scores were computed from.
        vectors: Vectors ``(m, d)`` that tell which candidates are alike, for diversity.
        ranked: Whether each candidate ``(m,)`` is ranked; the others come last.
        contributions: Weighted terms ``(m,)`` that sum to the scores, by name, for methods that sum terms.
        features: Measured values ``(m,)`` before weighting, by name. Methods that mask give ``mask_effect``,
            1 − cos(E(d), E(d_M)), whatever the scores are computed from.
        confidences: Chances ``(m,)`` that a reader accepts the phrase, for methods that estimate them.
    """

    scores: Floats
    raw_scores: Floats
    vectors: Floats | None = None
    ranked: Sequence[bool] | None = None
    contributions: Mapping[str, Floats] = field(default_factory=dict)
    features: Mapping[str, Numbers] = field(default_factory=dict)
    confidences: Floats | None = None


class BaseOptions(TypedDict, total=False):
    """The options that all methods have, for those that add some of their own."""

    tagger: str | Tagger | None
    candidates: CandidateSource | None
    dedupe: Dedupe
    overlap: Overlap | None
    diversity: Diversity | None
    min_score: float | None
    max_words: int | None
    exclude: Iterable[str]


class BaseExtractor(ABC):
    """Finds the candidates of a text, has them scored, and gives the best."""

    has_vectors: ClassVar[bool] = False  # whether it can tell which candidates are alike
    default_candidates: ClassVar[CandidateSource] = NounPhrases()  # where the user names none
    default_mmr_scaling: ClassVar[Scaling] = "range"  # of MMR, where the user names none
    default_overlap: ClassVar[Overlap] = "any"  # as in the methods' papers

    def __init__(
        self,
        *,
        tagger: str | Tagger | None = None,
        candidates: CandidateSource | None = None,
        dedupe: Dedupe = "variant",
        overlap: Overlap | None = None,
        diversity: Diversity | None = None,
        min_score: float | None = None,
        max_words: int | None = None,
        exclude: Iterable[str] = (),
    ) -> None:
        one_of("dedupe", dedupe, DEDUPES)
        one_of("overlap", overlap, (None, *OVERLAPS))
        at_least("max_words", max_words, 1)
        if diversity is not None and not self.has_vectors:
            raise OptionError(f"{type(self).__name__} has no vectors to tell phrases apart: leave diversity out")
        if isinstance(exclude, str):
            raise OptionError("exclude takes several phrases, not one string: exclude=['one phrase']")
        self.tagger: Tagger = SpacyTagger(tagger) if tagger is None or isinstance(tagger, str) else tagger
        self.candidates: CandidateSource = candidates or self.default_candidates
        self.dedupe: Dedupe = dedupe
        # A user's own phrases are wanted as they are.
        own = "any" if isinstance(candidates, PhraseList) else self.default_overlap
        self.overlap: Overlap = overlap or own
        self.diversity: Diversity | None = self._scaled(diversity)
        self.min_score = min_score
        self.max_words = max_words
        self.exclude = frozenset(" ".join(phrase.lower().split()) for phrase in exclude)

    @abstractmethod
    def _score(self, readings: Sequence[ScoringInput]) -> list[CandidateScores]:
        """Score the candidates of some documents."""

    def _scaled(self, diversity: Diversity | None) -> Diversity | None:
        """MMR in the method's own form, unless the user asks for another."""
        if isinstance(diversity, MMR) and diversity.scaling is None:
            return replace(diversity, scaling=self.default_mmr_scaling)
        return diversity

    def _visible_end(self, text: str) -> tuple[int, TokenizedText | None]:
        """Return the offset after the last character that the method reads, and the tokens of its encoder."""
        return len(text), None

    def extract(self, text: str | Document, top_k: int | None = 10) -> Keyphrases:
        """The ``top_k`` best keyphrases of one text, best first (all of them for ``None``)."""
        return self._extract([_checked(text)], _checked_top_k(top_k))[0]

    def extract_many(self, texts: Iterable[str | Document], top_k: int | None = 10) -> Iterator[Keyphrases]:
        """The keyphrases of every text, in order, read and given as they are asked for.

        A text that fails carries its error in ``Keyphrases.error`` and the rest goes on.
        """
        _checked_top_k(top_k)
        return (keyphrases for chunk in _chunks(texts) for keyphrases in self._extract_chunk(chunk, top_k))

    def _extract_chunk(self, texts: Sequence[str | Document], top_k: int | None) -> Iterable[Keyphrases]:
        try:
            return self._extract([_checked(text) for text in texts], top_k)
        except Exception:  # one of them failed: find out which, and give the others their due
            return (self._guarded(text, top_k) for text in texts)

    def _guarded(self, text: str | Document, top_k: int | None) -> Keyphrases:
        try:
            return self.extract(text, top_k)
        except InputError as error:
            return Keyphrases(error=error)
        except MDERankError:  # a model, an extra or an option: not this text's fault, and no other would fare better
            raise
        except Exception as error:  # whatever a tagger or an encoder raises
            return Keyphrases(error=InputError(f"extraction failed: {type(error).__name__}: {error}"))

    def _extract(self, texts: Sequence[str | Document], top_k: int | None) -> list[Keyphrases]:
        """The whole story: read the texts with their candidates, score these, rank them."""
        return [self.choose(reading, scores, top_k) for reading, scores in self.score(texts)]

    def score(self, texts: Sequence[str | Document]) -> list[tuple[ScoringInput, CandidateScores]]:
        """The texts with their candidates, and what these score, not ranked yet: for those who rank in several ways."""
        readings = self._read(texts)
        return list(zip(readings, self._score(readings), strict=True))

    def choose(self, reading: ScoringInput, scores: CandidateScores, top_k: int | None = 10) -> Keyphrases:
        """The ``top_k`` best of what `score` gave."""
        return Keyphrases(
            self._rank(reading, scores, top_k), truncated=reading.truncated, missing_phrases=reading.missing_phrases
        )

    def _read(self, texts: Sequence[str | Document]) -> list[ScoringInput]:
        """Tag the texts, settle how far each of them is read, and find the candidates there."""
        limits = [_end_of_words(_text(text), self.max_words) for text in texts]
        tagged = self.tagger.tag(
            text[:limit] for text, limit in zip(texts, limits, strict=True) if not isinstance(text, Document)
        )
        readings = []
        for text, limit in zip(texts, limits, strict=True):
            document = text if isinstance(text, Document) else next(tagged)
            end, tokenized = self._visible_end(document.text[:limit])
            seen = document.upto(end)
            found = self.candidates.find(seen)
            missing = tuple(each.key for each in found if not each.occurrences)
            unseen = Span(end, len(_text(text))) if _text(text)[end:].strip() else None
            readings.append(ScoringInput(seen, self._filter_excluded(seen, found), missing, unseen, tokenized))
        return readings

    def _filter_excluded(self, document: Document, found: list[Candidate]) -> list[Candidate]:
        """The candidates that occur and are not excluded."""
        excluded = {stem_phrase(phrase, document.language) for phrase in self.exclude}
        return [each for each in found if each.occurrences and _stem(document, each) not in excluded]

    def _rank(self, reading: ScoringInput, scored: CandidateScores, top_k: int | None) -> list[Keyphrase]:
        """Sort, merge variants, diversify."""
        candidates, scores = reading.candidates, scored.scores
        ranked = scored.ranked if scored.ranked is not None else [True] * len(candidates)
        order = rank(scores.tolist(), [each.first for each in candidates], ranked)
        entries = merge(reading.document, candidates, order, self.dedupe)
        first = [entry for entry in entries if ranked[entry[0]]]
        last = [entry for entry in entries[len(first) :] if self._meets_thresholds(reading, scored, entry[0])]
        family = _Family(reading, scored, first, self.overlap)
        least = -np.inf if self.min_score is None else self.min_score
        first = [
            entry
            for entry in family.entries
            if self._meets_thresholds(reading, scored, entry[0])
            and scores[entry[0]] - family.lost.get(entry[0], 0.0) >= least
        ]
        if self.diversity is not None and scored.vectors is not None:
            index = [best for best, _ in first]
            lowered = scores[index] - np.asarray([family.lost.get(best, 0.0) for best in index])
            taken = self.diversity.order(lowered, scored.vectors[index], top_k)
            first = [first[each] for each in taken]
        return [
            _keyphrase(reading, scored, best, spans, family.related.get(best, ()), family.lost.get(best, 0.0))
            for best, spans in [*first, *last][:top_k]
        ]

    def _meets_thresholds(self, reading: ScoringInput, scored: CandidateScores, candidate: int) -> bool:
        """Whether a candidate reaches what the user asks for."""
        return self.min_score is None or bool(scored.scores[candidate] >= self.min_score)


class _Family:
    """The entries of a ranking without those that overlap a better one too much.

    Attributes:
        entries: what is left, in its new order.
        lost: what entries that were moved down lost of their score, by the index of their best candidate.
        related: the texts of entries that were left out, each under the best candidate of the first that it overlaps.
    """

    def __init__(self, reading: ScoringInput, scored: CandidateScores, entries: list[Entry], overlap: Overlap) -> None:
        self.entries, self.lost, self.related = entries, dict[int, float](), dict[int, tuple[str, ...]]()
        if overlap == "any" or len(entries) < 2:
            return
        document = reading.document
        texts = [forms(document, spans)[0] for _, spans in entries]
        keys = [variant_key(text, document.language) for text in texts]
        best = [each for each, _ in entries]
        order, lost = family_order(
            scored.scores[best],
            keys,
            [reading.candidates[each].unithood for each in best],
            [spans for _, spans in entries],
            overlap,
        )
        self.entries = [entries[index] for index in order]
        self.lost = {best[index]: loss for index, loss in lost.items()}
        self.related = {
            best[index]: tuple(texts[other] for other in others)
            for index, others in family_members(keys, order).items()
        }


def _keyphrase(
    reading: ScoringInput,
    scored: CandidateScores,
    best: int,
    spans: tuple[Span, ...],
    related: tuple[str, ...],
    lost: float,
) -> Keyphrase:
    variants = forms(reading.document, spans)
    return Keyphrase(
        variants[0],
        float(scored.scores[best]) - lost,
        float(scored.raw_scores[best]),
        spans,
        variants,
        reading.candidates[best].match_count,
        _contributions(scored, best, lost),
        {name: values[best].item() for name, values in scored.features.items()},
        None if scored.confidences is None else float(scored.confidences[best]),
        related,
    )


def _contributions(scored: CandidateScores, best: int, lost: float) -> dict[str, float]:
    """Return the terms of a score, with what the phrase lost because it is part of a better one."""
    terms = {name: float(values[best]) + 0.0 for name, values in scored.contributions.items()}  # never −0
    return {**terms, "overlap": -lost} if terms and lost else terms


def _stem(document: Document, candidate: Candidate) -> str:
    return stem_phrase(surface(document, candidate.occurrences[0].span), document.language)


def _chunks(texts: Iterable[str | Document]) -> Iterator[list[str | Document]]:
    chunk: list[str | Document] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(_text(text)) if isinstance(text, str | Document) else 0
        if len(chunk) >= _CHUNK_TEXTS or size >= _CHUNK_CHARACTERS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _end_of_words(text: str, count: int | None) -> int:
    """The offset after the first ``count`` words between white space."""
    if count is None:
        return len(text)
    for number, word in enumerate(_WORD.finditer(text), start=1):
        if number == count:
            return word.end()
    return len(text)


def _text(text: str | Document) -> str:
    return text.text if isinstance(text, Document) else text


def _checked(text: str | Document) -> str | Document:
    if not isinstance(text, str | Document):
        raise InputError(f"a text must be a str or a Document, not {type(text).__name__}")
    return text


def _checked_top_k(top_k: int | None) -> int | None:
    if top_k is not None and top_k < 0:
        raise OptionError(f"top_k must not be negative, and is {top_k}")
    return top_k


def one_of(option: str, value: object, valid: Sequence[object]) -> None:
    """Refuse a value that is not valid, and list those that are."""
    if value not in valid:
        raise OptionError(f"{option}={value!r} is unknown: it is one of {', '.join(map(str, valid))}")


def at_least(option: str, value: int | None, least: int) -> None:
    """Refuse a number that is too small."""
    if value is not None and value < least:
        raise OptionError(f"{option} must be at least {least}, not {value}")
