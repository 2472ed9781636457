"""The base class of methods that rank candidates: reading, candidates, ranking, batches, errors.

A method is one class with one method of its own, `BaseExtractor._score`. Everything that a user relies on (spans,
de-duplication, limits, order, what happens to a document that fails) is here, and so is the same for all of them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import index
from pathlib import Path
from typing import Annotated, ClassVar, Protocol, SupportsIndex, TypedDict, runtime_checkable

from mderank.candidates import CandidateSource, NounPhrases, PhraseList
from mderank.candidates.base import ListedSource
from mderank.document import AnyText, Document, GuidedText, MarkedUpText, Span
from mderank.encoding import TokenizedText
from mderank.errors import InputError, OptionError
from mderank.keyphrase import Candidate, Keyphrase, Keyphrases, LanguageInfo
from mderank.methods.checks import check_words
from mderank.methods.chunks import CHUNK_CHARACTERS, divide
from mderank.methods.failures import input_error, isolate_failures
from mderank.methods.rank_candidates import rank_candidates
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.methods.seeded_texts import Seeds, each_with_seeds, with_seeds
from mderank.methods.signatures import AllParameters
from mderank.parameters import Param, check_arguments
from mderank.ranking import (
    MMR,
    Dedupe,
    Diversity,
    Overlap,
    Scaling,
)
from mderank.tagging import LanguageTagger, Tagger, load_tagger
from mderank.tagging.spacy import SpacyPipeline
from mderank.text import comparable, end_of_words, stem_phrase

TAGGER = Param(expects="the name of a tagger or spaCy pipeline, a loaded pipeline, or a Tagger")
CANDIDATES = Param(expects="candidates such as NounPhrases() or NGrams(1, 3), or a list of phrases")
DIVERSITY = Param(expects="MMR(diversity=0.5) or MaxSum(20)")


@runtime_checkable
class Extractor(Protocol):
    """Interface of every method: extracts keyphrases from texts."""

    def extract(
        self,
        text: AnyText,
        top_k: int | None = 10,
        *,
        seeds: Sequence[str] | None = None,
        seed_weight: float | None = None,
    ) -> Keyphrases:
        """Extract the keyphrases of one text.

        Args:
            text: A text, a `MarkedUpText`, or a tagged `Document`.
            top_k: Number of keyphrases; None returns all.
            seeds: Phrases that pull the ranking towards a topic; None for the extractor's own.
            seed_weight: How much they count, from 0 to 1; None for the extractor's own.

        Returns:
            The keyphrases, the best first.

        Raises:
            InputError: If the text cannot be read.
        """
        ...

    def extract_many(
        self,
        texts: Iterable[AnyText],
        top_k: int | None = 10,
        *,
        seeds: Seeds | None = None,
        seed_weight: float | None = None,
    ) -> Iterator[Keyphrases]:
        """Extract the keyphrases of many texts, in batches.

        Args:
            texts: Texts, which are read as results are asked for.
            top_k: Number of keyphrases per text; None returns all.
            seeds: Phrases that pull the ranking towards a topic: one list for all texts, or a list (or None) for
                each; None for the extractor's own.
            seed_weight: How much they count, from 0 to 1; None for the extractor's own.

        Yields:
            The keyphrases of each text, in order. A text that fails has its error in ``Keyphrases.error``.
        """
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


class BaseExtractor(ABC):
    """Base of all methods: finds the candidates of texts, has them scored, and ranks them.

    Args:
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for the method's own.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for the method's own.
        diversity: How the best are selected, such as ``MMR(diversity=0.4)``, for methods that have vectors.
        min_score: The lowest score of a keyphrase.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.

    Raises:
        OptionError: If an option has the wrong type or is out of range.
    """

    __signature__ = AllParameters()

    has_vectors: ClassVar[bool] = False  # whether it can tell which candidates are alike
    takes_seeds: ClassVar[bool] = False  # whether its ranking can be pulled towards a topic
    takes_embeddings: ClassVar[bool] = False  # whether it compares phrases with an embedding of the whole text
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
        self.tagger: Tagger = load_tagger(tagger)
        self.candidates: CandidateSource = candidates or self.default_candidates
        self.dedupe: Dedupe = dedupe
        # A user's own phrases are wanted as they are.
        own = "any" if isinstance(candidates, ListedSource) and candidates.is_closed else self.default_overlap
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

    def extract(
        self,
        text: AnyText,
        top_k: int | None = 10,
        *,
        seeds: Sequence[str] | None = None,
        seed_weight: float | None = None,
    ) -> Keyphrases:
        """Extract the keyphrases of one text.

        Args:
            text: A text, a `MarkedUpText`, or a tagged `Document`.
            top_k: Number of keyphrases; None returns all.
            seeds: Phrases that pull the ranking towards a topic; None for the extractor's own.
            seed_weight: How much they count, from 0 to 1; None for the extractor's own.

        Returns:
            The keyphrases, the best first.

        Raises:
            InputError: If the text is not a text.
            OptionError: If ``top_k`` is not a number of at least 0, or the seeds cannot be used.
        """
        _check_one(text)
        return self._extract([with_seeds(check_text(text), seeds, seed_weight)], _check_top_k(top_k))[0]

    def extract_many(
        self,
        texts: Iterable[AnyText],
        top_k: int | None = 10,
        *,
        seeds: Seeds | None = None,
        seed_weight: float | None = None,
    ) -> Iterator[Keyphrases]:
        """Extract the keyphrases of many texts, in batches.

        Short texts are computed together, up to 64 at a time. A text of 8,000 characters is computed alone, so that
        its result comes as soon as it is done.

        Args:
            texts: Texts, which are read as results are asked for.
            top_k: Number of keyphrases per text; None returns all.
            seeds: Phrases that pull the ranking towards a topic: one list for all texts, or a list (or None) for
                each; None for the extractor's own.
            seed_weight: How much they count, from 0 to 1; None for the extractor's own.

        Returns:
            An iterator over the keyphrases of each text, in order. A text that fails has its error in
            ``Keyphrases.error``.

        Raises:
            OptionError: If ``top_k`` is not a number of at least 0, ``texts`` is one text or a whole table, or the
                seeds cannot be used.
        """
        _check_several(texts)
        _check_top_k(top_k)
        seeded: Iterable[AnyText | InputError] = texts
        if seeds is not None or seed_weight is not None:
            seeded = each_with_seeds(texts, seeds, seed_weight)
        chunks = divide(seeded, text_length, self._chunk_characters())
        return (keyphrases for chunk in chunks for keyphrases in self._extract_chunk(chunk, top_k))

    def _chunk_characters(self) -> int:
        """Return the number of characters that end a chunk of texts, which are computed together."""
        return CHUNK_CHARACTERS

    def _extract_chunk(self, texts: Sequence[AnyText | InputError], top_k: int | None) -> Iterator[Keyphrases]:
        def extract(some: Sequence[AnyText | InputError]) -> list[Keyphrases]:
            return self._extract([check_text(text) for text in some], top_k)

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
            self._rank(item, scores, top_k),
            truncated=item.truncated,
            missing_phrases=item.missing_phrases,
            language=self._describe_language(item),
            document_text=item.text,
        )

    def _describe_language(self, item: ScoringInput) -> LanguageInfo:
        """Describe the language of a document, and what it was read with."""
        document = item.document
        return LanguageInfo(document.language, document.certainty, document.tagger, None, document.warnings)

    def _find_candidates(self, texts: Sequence[AnyText]) -> list[ScoringInput]:
        """Tag the texts as one batch, decide how far each of them is read, and find the candidates there."""
        guides = [self._check_guide(text) for text in texts]
        plain = [text.text if isinstance(text, GuidedText) else text for text in texts]
        limits = [end_of_words(_prose(text), self.max_words) for text in plain]
        tagged = self._tag(
            (text.readable, text.language) if isinstance(text, MarkedUpText) else (text[:limit], None)
            for text, limit in zip(plain, limits, strict=True)
            if not isinstance(text, Document)
        )
        inputs = []
        for text, limit, guide in zip(plain, limits, guides, strict=True):
            document = text if isinstance(text, Document) else next(tagged)
            if isinstance(text, MarkedUpText) and text.prose is not None:
                document = document.with_breaks(text.text)
            end, tokenized = self._visible_end(document.text[:limit])
            visible = document.upto(end)
            if isinstance(self.candidates, ListedSource) and (notes := self.candidates.notes(visible)):
                visible = replace(visible, warnings=(*visible.warnings, *notes))
            found = self.candidates.find(visible)
            missing = (
                self.candidates.missing(found)
                if isinstance(self.candidates, ListedSource)
                else tuple(each.key for each in found if not each.occurrences)
            )
            truncated = Span(end, len(_prose(text))) if _prose(text)[end:].strip() else None
            candidates = self._filter_excluded(visible, found)
            inputs.append(ScoringInput(visible, candidates, missing, truncated, tokenized, guide, _given(text)))
        return inputs

    def _check_guide(self, text: AnyText) -> GuidedText | None:
        """The text with its own seeds, if it has any, of a method that takes seeds."""
        guide = text if isinstance(text, GuidedText) else None
        if guide is not None and not self.takes_seeds and (guide.seeds or guide.weight is not None):
            raise OptionError(
                f"{type(self).__name__} does not take seeds: use FusionRank, EmbedRank, KeyBERT or MDERank"
            )
        if guide is not None and guide.embedding is not None and not self.takes_embeddings:
            raise OptionError(f"{type(self).__name__} does not take embeddings: use EmbedRank or KeyBERT")
        return guide

    def _tag(self, texts: Iterable[tuple[str, str | None]]) -> Iterator[Document]:
        """Tag texts, some of which come with their language."""
        if isinstance(self.tagger, LanguageTagger):
            yield from self.tagger.tag_in(list(texts))
            return
        named: deque[str | None] = deque()

        def without_language() -> Iterator[str]:
            for text, language in texts:
                named.append(language)
                yield text

        for document in self.tagger.tag(without_language()):
            language = named.popleft()
            warnings = document.warnings
            if language is not None and language.lower().partition("-")[0] != document.language:
                warnings += (
                    f"the record's language is {language[:40]!r}, and the tagger's is '{document.language}': leave "
                    "--tagger (tagger=…) out",
                )
            tagger = document.tagger or str(getattr(self.tagger, "name", ""))
            yield replace(document, tagger=tagger, warnings=warnings)

    def _filter_excluded(self, document: Document, found: list[Candidate]) -> list[Candidate]:
        """Return the candidates that occur and are not excluded."""
        occurring = [each for each in found if each.occurrences]
        if not self.exclude:
            return occurring
        language = document.language
        excluded = {comparable(stem_phrase(phrase, language), language) for phrase in self.exclude}
        return [each for each in occurring if _stem(document, each) not in excluded]

    def _rank(self, item: ScoringInput, scored: CandidateScores, top_k: int | None) -> list[Keyphrase]:
        return rank_candidates(
            item,
            scored,
            top_k,
            dedupe=self.dedupe,
            overlap=self.overlap,
            diversity=self.diversity,
            min_score=self._lowest_score(scored),
            keep=lambda candidate: self._meets_thresholds(item, scored, candidate),
        )

    def _lowest_score(self, scored: CandidateScores) -> float | None:
        """Return the lowest score of a keyphrase of a text; None for no limit."""
        return self.min_score

    def _meets_thresholds(self, item: ScoringInput, scored: CandidateScores, candidate: int) -> bool:
        """Whether a candidate reaches what the user asks for."""
        return self.min_score is None or bool(scored.scores[candidate] >= self.min_score)


def _stem(document: Document, candidate: Candidate) -> str:
    form = document.surface_form(candidate.occurrences[0].span)
    return comparable(stem_phrase(form, document.language), document.language)


def text_length(text: AnyText | InputError) -> int:
    """Return the number of characters of a text.

    Args:
        text: The text.

    Returns:
        The number, without markup; 0 for what is not a text.
    """
    return len(_prose(text)) if isinstance(text, AnyText) else 0


def _given(text: str | MarkedUpText | Document) -> str:
    """Return the text as it was given, with its markup."""
    return text if isinstance(text, str) else text.text


def _prose(text: AnyText) -> str:
    """Return the text without markup."""
    if isinstance(text, GuidedText):
        text = text.text
    if isinstance(text, MarkedUpText):
        return text.readable
    return text.text if isinstance(text, Document) else text


def check_text(text: AnyText | InputError) -> AnyText:
    """Return a text if it is one.

    Args:
        text: What a user gave as a text; an error if its seeds or its embedding cannot be used.

    Returns:
        The text.

    Raises:
        InputError: If it is not a text.
    """
    if isinstance(text, InputError):
        raise text
    if not isinstance(text, AnyText):
        raise InputError(_describe_no_text(text))
    return text


def _describe_no_text(value: object) -> str:
    fix = ""
    if isinstance(value, bytes | bytearray):
        fix = ": decode it first"
    elif isinstance(value, Path):
        fix = ": mderank.extract takes a file, and mderank.read several"
    elif isinstance(value, float) and math.isnan(value):
        fix = ": it is NaN, a missing value"
    return f"a text must be a str, a MarkedUpText or a Document, not {type(value).__name__}{fix}"


def _check_one(text: object) -> None:
    """Refuse several texts where one is expected, and say what takes them."""
    if isinstance(text, Iterable) and not isinstance(text, AnyText | bytes | bytearray | Mapping):
        raise InputError(
            f"extract takes one text, and was given a {type(text).__name__}: use extract_many for several, such as "
            "FusionRank().extract_many(texts)"
        )


def _check_several(texts: object) -> None:
    """Refuse one text, and what is no list of texts."""
    if isinstance(texts, AnyText):
        raise OptionError("extract_many takes several texts, not one: use extract(text), or extract_many([text])")
    if isinstance(texts, Mapping | bytes) or not isinstance(texts, Iterable):
        raise OptionError(f"extract_many takes texts, such as a list of str, and not a {type(texts).__name__}")
    if getattr(texts, "ndim", 1) != 1:  # iterating a data frame gives the names of its columns
        raise OptionError(
            f"extract_many takes one column of texts, such as frame['text'], not a {type(texts).__name__}"
        )


def _check_top_k(top_k: int | None) -> int | None:
    if top_k is None or (isinstance(top_k, SupportsIndex) and not isinstance(top_k, bool) and index(top_k) >= 0):
        return top_k
    raise OptionError(f"top_k must be a whole number of at least 0, or None for all, not {top_k!r}")
