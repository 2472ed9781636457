"""What all methods that rank candidates have in common: reading, candidates, ranking, batches, errors.

A method is one class with one method of its own, `BaseExtractor._score`. Everything that a user relies on (spans,
de-duplication, limits, order, what happens to a document that fails) is here, and so is the same for all of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from inspect import Parameter as InspectedParameter
from inspect import Signature, signature
from typing import Annotated, Any, ClassVar, Protocol, TypedDict, TypeVar, get_args, get_type_hints, runtime_checkable

import numpy as np

from mderank.candidates import CandidateSource, NounPhrases, PhraseList
from mderank.document import AnyText, Document, MarkedUpText, Span
from mderank.encoding import TokenizedText
from mderank.errors import InputError, MDERankError, OptionError
from mderank.keyphrase import Candidate, Keyphrase, Keyphrases
from mderank.parameters import Param, check_arguments, to_parameter
from mderank.ranking import (
    MMR,
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
from mderank.text import end_of_words, stem_phrase
from mderank.util.arrays import Floats, Numbers

# Texts that are tagged and encoded together: enough to fill the encoder's batches, little enough to hold in memory.
_CHUNK_TEXTS = 64
_CHUNK_CHARACTERS = 400_000

TAGGER = Param(expects="the name of a spaCy pipeline, a loaded pipeline, or a Tagger")
CANDIDATES = Param(expects="candidates such as NounPhrases() or NGrams(1, 3), or a list of phrases")
DIVERSITY = Param(expects="MMR(diversity=0.5) or MaxSum(20)")


@runtime_checkable
class Extractor(Protocol):
    """Interface of every method: extracts keyphrases from texts."""

    def extract(self, text: AnyText, top_k: int | None = 10) -> Keyphrases:
        """Extract the keyphrases of one text.

        Args:
            text: A text, a `MarkedUpText`, or a tagged `Document`.
            top_k: Number of keyphrases; None returns all.

        Returns:
            The keyphrases, the best first.

        Raises:
            InputError: If the text cannot be read.
        """
        ...

    def extract_many(self, texts: Iterable[AnyText], top_k: int | None = 10) -> Iterator[Keyphrases]:
        """Extract the keyphrases of many texts, in batches.

        Args:
            texts: Texts, which are read as results are asked for.
            top_k: Number of keyphrases per text; None returns all.

        Yields:
            The keyphrases of each text, in order. A text that fails has its error in ``Keyphrases.error``.
        """
        ...


@dataclass(frozen=True)
class ScoringInput:
    """A document with its candidates, as a method scores them.

    Attributes:
        document: The tagged text, as far as it is read.
        candidates: The phrases to score.
        missing_phrases: Phrases of the user's own list that do not occur.
        truncated: The span at the end of the text that is not read.
        tokenized: The tokens of the text, for methods with an encoder.
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


@runtime_checkable
class SpacyPipeline(Protocol):
    """A loaded spaCy pipeline (``spacy.Language``)."""

    vocab: Any

    def pipe(self, texts: Any, **options: Any) -> Any:
        """Process texts."""
        ...


class BaseOptions(TypedDict, total=False):
    """The options that all methods have, for those that add some of their own."""

    tagger: str | Tagger | SpacyPipeline | None
    candidates: CandidateSource | Sequence[str] | None
    dedupe: Dedupe
    overlap: Overlap | None
    diversity: Diversity | None
    min_score: float | None
    max_words: int | None
    exclude: Iterable[str]


class _AllParameters:
    """The signature of a method's class for `help`: all parameters by name and with plain types, no ``**options``."""

    def __get__(self, instance: object, owner: type[BaseExtractor]) -> Signature:
        found = constructor_signature(owner).parameters.values()
        return Signature([each.replace(annotation=to_parameter(each).hint) for each in found])


@cache
def constructor_signature(method: type[BaseExtractor]) -> Signature:
    """Return the parameters of a method's constructor, those that it passes on to its base class among them.

    Args:
        method: the class of the method.

    Returns:
        The signature, without ``self`` and without ``**options``. Annotations are resolved, with `Param`.
    """
    homes = [home for home in method.__mro__ if "__init__" in vars(home) and home is not object]
    found = _declared(homes[0])
    passed_on = found.pop("**", None)
    if passed_on is not None:
        (group,) = get_args(passed_on.annotation)  # Unpack[BaseOptions]
        inherited = {name: each for home in reversed(homes[1:]) for name, each in _declared(home).items()}
        for name in get_type_hints(group):
            if name in inherited and name not in found:
                found[name] = inherited[name].replace(kind=InspectedParameter.KEYWORD_ONLY)
    if not method.has_vectors:
        found.pop("diversity", None)
    return Signature(list(found.values()))


def _declared(home: type) -> dict[str, InspectedParameter]:
    """The parameters that a class declares in its own constructor; ``**options`` under the name ``**``."""
    constructor = vars(home)["__init__"]
    hints = get_type_hints(constructor, include_extras=True)
    return {
        "**" if each.kind is each.VAR_KEYWORD else name: each.replace(annotation=hints[name])
        for name, each in signature(constructor).parameters.items()
        if name != "self"
    }


class BaseExtractor(ABC):
    """Finds the candidates of a text, has them scored, and gives the best."""

    __signature__ = _AllParameters()

    has_vectors: ClassVar[bool] = False  # whether it can tell which candidates are alike
    default_candidates: ClassVar[CandidateSource] = NounPhrases()  # where the user names none
    default_mmr_scaling: ClassVar[Scaling] = "range"  # of MMR, where the user names none
    default_overlap: ClassVar[Overlap] = "any"  # as in the methods' papers

    @check_arguments
    def __init__(
        self,
        *,
        tagger: Annotated[str | Tagger | SpacyPipeline | None, TAGGER] = None,
        candidates: Annotated[CandidateSource | Sequence[str] | None, CANDIDATES] = None,
        dedupe: Dedupe = "variant",
        overlap: Overlap | None = None,
        diversity: Annotated[Diversity | None, DIVERSITY] = None,
        min_score: float | None = None,
        max_words: Annotated[int | None, Param(ge=1)] = None,
        exclude: Iterable[str] = (),
    ) -> None:
        if diversity is not None and not self.has_vectors:
            raise OptionError(f"{type(self).__name__} has no vectors to tell phrases apart: leave diversity out")
        if isinstance(candidates, Sequence):
            candidates = PhraseList(candidates)
        self.tagger: Tagger = tagger if isinstance(tagger, Tagger) else SpacyTagger(tagger)
        self.candidates: CandidateSource = candidates or self.default_candidates
        self.dedupe: Dedupe = dedupe
        # A user's own phrases are wanted as they are.
        own = "any" if isinstance(candidates, PhraseList) else self.default_overlap
        self.overlap: Overlap = overlap or own
        self.diversity: Diversity | None = self._scale_diversity(diversity)
        self.min_score = min_score
        self.max_words = max_words
        self.exclude = frozenset(" ".join(phrase.lower().split()) for phrase in check_words("exclude", exclude))

    @abstractmethod
    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        """Score the candidates of some documents."""

    def _scale_diversity(self, diversity: Diversity | None) -> Diversity | None:
        """Give MMR the method's own scaling, unless the user chose one."""
        if isinstance(diversity, MMR) and diversity.scaling is None:
            return replace(diversity, scaling=self.default_mmr_scaling)
        return diversity

    def _visible_end(self, text: str) -> tuple[int, TokenizedText | None]:
        """Return the offset after the last character that the method reads, and the tokens of its encoder."""
        return len(text), None

    def extract(self, text: AnyText, top_k: int | None = 10) -> Keyphrases:
        """Extract the keyphrases of one text.

        Args:
            text: A text, a `MarkedUpText`, or a tagged `Document`.
            top_k: Number of keyphrases; None returns all.

        Returns:
            The keyphrases, the best first.

        Raises:
            InputError: If the text is not a text.
            OptionError: If ``top_k`` is negative.
        """
        return self._extract([_check_text(text)], _check_top_k(top_k))[0]

    def extract_many(self, texts: Iterable[AnyText], top_k: int | None = 10) -> Iterator[Keyphrases]:
        """Extract the keyphrases of many texts, in batches.

        Args:
            texts: Texts, which are read as results are asked for.
            top_k: Number of keyphrases per text; None returns all.

        Returns:
            An iterator over the keyphrases of each text, in order. A text that fails has its error in
            ``Keyphrases.error``.

        Raises:
            OptionError: If ``top_k`` is negative, or ``texts`` is one text.
        """
        if isinstance(texts, str | Document | MarkedUpText):
            raise OptionError("extract_many takes several texts, not one: use extract(text), or extract_many([text])")
        _check_top_k(top_k)
        return (keyphrases for chunk in _chunks(texts) for keyphrases in self._extract_chunk(chunk, top_k))

    def _extract_chunk(self, texts: Sequence[AnyText], top_k: int | None) -> Iterator[Keyphrases]:
        def extract(some: Sequence[AnyText]) -> list[Keyphrases]:
            return self._extract([_check_text(text) for text in some], top_k)

        for found in isolate_failures(extract, texts):
            yield Keyphrases(error=input_error(found)) if isinstance(found, Exception) else found

    def _extract(self, texts: Sequence[AnyText], top_k: int | None) -> list[Keyphrases]:
        """Find the candidates of texts, score them, and rank them."""
        return [self.rank(item, scores, top_k) for item, scores in self.score(texts)]

    def score(self, texts: Sequence[AnyText]) -> list[tuple[ScoringInput, CandidateScores]]:
        """Score the candidates of texts without ranking them, for callers that rank in several ways.

        Args:
            texts: Texts to compute as one batch.

        Returns:
            Each text with its candidates, and their scores.
        """
        inputs = self._find_candidates(texts)
        return list(zip(inputs, self._score(inputs), strict=True))

    def rank(self, item: ScoringInput, scores: CandidateScores, top_k: int | None = 10) -> Keyphrases:
        """Rank the candidates of one text.

        Args:
            item: The text with its candidates, from `score`.
            scores: Their scores.
            top_k: Number of keyphrases; None returns all.

        Returns:
            The keyphrases, the best first.
        """
        return Keyphrases(
            self._rank(item, scores, top_k), truncated=item.truncated, missing_phrases=item.missing_phrases
        )

    def _find_candidates(self, texts: Sequence[AnyText]) -> list[ScoringInput]:
        """Tag the texts as one batch, decide how far each of them is read, and find the candidates there."""
        limits = [end_of_words(_prose(text), self.max_words) for text in texts]
        tagged = self.tagger.tag(
            text.prose if isinstance(text, MarkedUpText) else text[:limit]
            for text, limit in zip(texts, limits, strict=True)
            if not isinstance(text, Document)
        )
        inputs = []
        for text, limit in zip(texts, limits, strict=True):
            document = text if isinstance(text, Document) else next(tagged)
            if isinstance(text, MarkedUpText):
                document = document.with_breaks(text.text)
            end, tokenized = self._visible_end(document.text[:limit])
            visible = document.upto(end)
            found = self.candidates.find(visible)
            missing = tuple(each.key for each in found if not each.occurrences)
            truncated = Span(end, len(_prose(text))) if _prose(text)[end:].strip() else None
            candidates = self._filter_excluded(visible, found)
            inputs.append(ScoringInput(visible, candidates, missing, truncated, tokenized))
        return inputs

    def _filter_excluded(self, document: Document, found: list[Candidate]) -> list[Candidate]:
        """Return the candidates that occur and are not excluded."""
        excluded = {stem_phrase(phrase, document.language) for phrase in self.exclude}
        return [each for each in found if each.occurrences and _stem(document, each) not in excluded]

    def _rank(self, item: ScoringInput, scored: CandidateScores, top_k: int | None) -> list[Keyphrase]:
        """Sort, merge variants, diversify."""
        candidates, scores = item.candidates, scored.scores
        ranked = scored.ranked if scored.ranked is not None else [True] * len(candidates)
        order = rank(scores.tolist(), [each.first for each in candidates], ranked)
        entries = merge(item.document, candidates, order, self.dedupe)
        first = [entry for entry in entries if ranked[entry[0]]]
        last = [entry for entry in entries[len(first) :] if self._meets_thresholds(item, scored, entry[0])]
        family = _Family(item, scored, first, self.overlap)
        least = -np.inf if self.min_score is None else self.min_score
        first = [
            entry
            for entry in family.entries
            if self._meets_thresholds(item, scored, entry[0])
            and scores[entry[0]] - family.lost.get(entry[0], 0.0) >= least
        ]
        if self.diversity is not None and scored.vectors is not None:
            index = [best for best, _ in first]
            lowered = scores[index] - np.asarray([family.lost.get(best, 0.0) for best in index])
            taken = self.diversity.order(lowered, scored.vectors[index], top_k)
            first = [first[each] for each in taken]
        return [
            _keyphrase(item, scored, best, spans, family.related.get(best, ()), family.lost.get(best, 0.0))
            for best, spans in [*first, *last][:top_k]
        ]

    def _meets_thresholds(self, item: ScoringInput, scored: CandidateScores, candidate: int) -> bool:
        """Whether a candidate reaches what the user asks for."""
        return self.min_score is None or bool(scored.scores[candidate] >= self.min_score)


class _Family:
    """The entries of a ranking without those that overlap a better one too much.

    Attributes:
        entries: what is left, in its new order.
        lost: what entries that were moved down lost of their score, by the index of their best candidate.
        related: the texts of entries that were left out, each under the best candidate of the first that it overlaps.
    """

    def __init__(self, item: ScoringInput, scored: CandidateScores, entries: list[Entry], overlap: Overlap) -> None:
        self.entries, self.lost, self.related = entries, dict[int, float](), dict[int, tuple[str, ...]]()
        if overlap == "any" or len(entries) < 2:
            return
        document = item.document
        texts = [forms(document, spans)[0] for _, spans in entries]
        keys = [variant_key(text, document.language) for text in texts]
        best = [each for each, _ in entries]
        order, lost = family_order(
            scored.scores[best],
            keys,
            [item.candidates[each].unithood for each in best],
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
    item: ScoringInput,
    scored: CandidateScores,
    best: int,
    spans: tuple[Span, ...],
    related: tuple[str, ...],
    lost: float,
) -> Keyphrase:
    variants = forms(item.document, spans)
    return Keyphrase(
        variants[0],
        float(scored.scores[best]) - lost,
        float(scored.raw_scores[best]),
        spans,
        variants,
        item.candidates[best].match_count,
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
    return stem_phrase(document.surface_form(candidate.occurrences[0].span), document.language)


_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


def isolate_failures(
    compute: Callable[[Sequence[_Item]], Sequence[_Result]], items: Sequence[_Item]
) -> Iterator[_Result | Exception]:
    """Compute a batch; if it fails, compute each item alone, so that only the faulty one carries an error.

    Args:
        compute: Computes one result per item of a batch.
        items: The batch.

    Yields:
        The result of each item, in order, or the exception that it raised alone.
    """
    try:
        results = compute(items)
    except Exception:
        for item in items:
            try:
                (result,) = compute([item])
            except Exception as error:
                yield error
            else:
                yield result
    else:
        yield from results


def input_error(error: Exception) -> InputError:
    """Return the error of a text that failed, whatever a tagger or an encoder raised.

    Args:
        error: The exception that was raised for the text.

    Returns:
        An `InputError`.

    Raises:
        MDERankError: If a model, an extra or an option is at fault. Then no other text would fare better.
    """
    if isinstance(error, InputError):
        return error
    if isinstance(error, MDERankError):
        raise error
    return InputError(f"extraction failed: {type(error).__name__}: {error}")


def _chunks(texts: Iterable[AnyText]) -> Iterator[list[AnyText]]:
    chunk: list[AnyText] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(_prose(text)) if isinstance(text, AnyText) else 0
        if len(chunk) >= _CHUNK_TEXTS or size >= _CHUNK_CHARACTERS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _prose(text: AnyText) -> str:
    """Return the text without markup."""
    if isinstance(text, MarkedUpText):
        return text.prose
    return text.text if isinstance(text, Document) else text


def _check_text(text: AnyText) -> AnyText:
    if not isinstance(text, AnyText):
        raise InputError(f"a text must be a str, a MarkedUpText or a Document, not {type(text).__name__}")
    return text


def _check_top_k(top_k: int | None) -> int | None:
    if top_k is not None and top_k < 0:
        raise OptionError(f"top_k must not be negative, and is {top_k}")
    return top_k


def check_words(option: str, words: Iterable[str]) -> tuple[str, ...]:
    """Check that an option is several phrases or words.

    Args:
        option: the option's name.
        words: its value.

    Returns:
        The phrases or words.

    Raises:
        OptionError: if the value is one string, or holds something else than strings.
    """
    if isinstance(words, str):
        raise OptionError(f"{option} takes several phrases, not one string: {option}=[{words!r}]")
    if isinstance(words, Iterable):
        listed = tuple(words)
        if all(isinstance(word, str) for word in listed):
            return listed
    raise OptionError(f"{option} must be a list of phrases, not {words!r}")


def one_of(option: str, value: object, valid: Sequence[object]) -> None:
    """Refuse a value that is not valid, and list those that are."""
    if value not in valid:
        raise OptionError(f"{option}={value!r} is unknown: it is one of {', '.join(map(str, valid))}")


def at_least(option: str, value: int | None, least: int) -> None:
    """Refuse a number that is too small."""
    if value is not None and value < least:
        raise OptionError(f"{option} must be at least {least}, not {value}")
