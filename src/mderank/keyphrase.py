"""Candidate phrases of a document, and the keyphrases selected from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple, Self, SupportsIndex, overload

from mderank.document import Span
from mderank.errors import MDERankError
from mderank.util.format import json_text
from mderank.variants import phrase_key

if TYPE_CHECKING:
    from pandas import DataFrame

_SHOWN = 5  # keyphrases that `repr` names
LISTED_PHRASES = 100  # missing phrases that output lists; of more there is the count only


@dataclass(frozen=True, slots=True)
class ConceptLabel:
    """A concept of a vocabulary, as a keyphrase names it.

    Attributes:
        id: The concept's id in the vocabulary, such as a URI.
        label: Its preferred label in the document's language, or in another where it has none.
    """

    id: str
    label: str

    def as_dict(self) -> dict[str, str]:
        """Return plain data for JSON.

        Returns:
            Id and label.
        """
        return {"id": self.id, "label": self.label}


class Occurrence(NamedTuple):
    """One occurrence of a candidate.

    Attributes:
        span: Its characters.
        words: The indices of the document's tokens that it covers.
    """

    span: Span
    words: range


@dataclass(frozen=True, slots=True)
class Candidate:
    """A phrase that may be a keyphrase, with all its occurrences.

    Attributes:
        key: The phrase in lower case with single spaces.
        occurrences: All occurrences in text order, also those inside longer phrases. A phrase of the user's own list
            that is not in the text has none.
        match_count: How often the source of candidates matched the phrase by itself. It is less than the number of
            occurrences if the phrase also occurs inside longer ones.
        unithood: How much of a unit the phrase is, for sources that measure it: 0 for a phrase that occurs alone,
            less for a fragment.
        listed: What it is in the user's list, by index, for sources that have one: of several, forms of each other.
        concept: The concept that it is a label of, for vocabularies. All labels of a concept are one keyphrase.
    """

    key: str
    occurrences: tuple[Occurrence, ...]
    match_count: int = 1
    unithood: float = 0.0
    listed: tuple[int, ...] = ()
    concept: ConceptLabel | None = None

    @property
    def first(self) -> int:
        """Offset of the first character of the first occurrence."""
        return self.occurrences[0].span.start


@dataclass(frozen=True, slots=True)
class Keyphrase:
    """A keyphrase of a document.

    Attributes:
        text: The most frequent surface form, with single spaces.
        score: Higher is better.
        raw_score: The number that the score was computed from: a similarity for methods that compare embeddings.
        spans: Character offsets of all occurrences, in text order.
        forms: Distinct surface forms, the most frequent first.
        match_count: How often the source of candidates matched the phrase by itself, not inside a longer one.
        contributions: Weighted terms that sum to the score, by name; empty for methods that do not sum terms.
        features: Measured values before weighting, by name: ``{"frequency": 3, "position": 12}``. Methods that mask
            give ``mask_effect``, 1 − cosine of the document and the document without the phrase.
        confidence: Probability that a reader accepts the phrase, comparable between texts of any length; None for
            methods that do not estimate it.
        related: Phrases that contain this one or are part of it, and were left out for that reason.
        concept: The concept of the user's vocabulary that the phrase is a label of; None without a vocabulary.
        key: What all forms of the phrase have in common, in any document of its language: "Coral reefs" and "coral
            reef" have one key. It is for grouping, and not for people to read. An acronym that the document explains
            has the key of its long form. If none is given it is that of an English phrase.

    Variants of a phrase are one keyphrase. Its contributions and features are those of the best variant.
    """

    text: str
    score: float
    raw_score: float
    spans: tuple[Span, ...]
    forms: tuple[str, ...]
    match_count: int = 1
    contributions: Mapping[str, float] = field(default_factory=dict, hash=False)
    features: Mapping[str, float] = field(default_factory=dict, hash=False)
    confidence: float | None = None
    related: tuple[str, ...] = ()
    concept: ConceptLabel | None = None
    key: str = ""

    def __post_init__(self) -> None:
        if not self.key:
            object.__setattr__(self, "key", phrase_key(self.text))

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON.

        Returns:
            Text, key, score, raw score, spans and forms; confidence, related phrases and concept only if there are any.
        """
        return {
            "text": self.text,
            "key": self.key,
            "score": self.score,
            "raw_score": self.raw_score,
            **({} if self.confidence is None else {"confidence": self.confidence}),
            "spans": [list(span) for span in self.spans],
            "forms": list(self.forms),
            **({"related": list(self.related)} if self.related else {}),
            **({"concept": self.concept.as_dict()} if self.concept else {}),
        }


@dataclass(frozen=True, slots=True)
class LanguageInfo:
    """The language of a document, and what it was read with.

    Attributes:
        code: Language code, such as "fr".
        certainty: How certain the language is, from 0 to 1, if it was detected; None if it was named.
        tagger: Name of the tagger that found the words.
        encoder: Name of the encoder; None for methods without one, and where it was not used.
        warnings: What the reader of the keyphrases should know, such as an encoder of another language.
    """

    code: str
    certainty: float | None = None
    tagger: str = ""
    encoder: str | None = None
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON.

        Returns:
            All attributes by name.
        """
        return {
            "code": self.code,
            "certainty": self.certainty,
            "tagger": self.tagger,
            "encoder": self.encoder,
            "warnings": list(self.warnings),
        }


class Keyphrases(list[Keyphrase]):
    """The keyphrases of a document as a list, the best first.

    Args:
        keyphrases: The keyphrases.
        truncated: The span at the end of the text that was not read, because of ``max_words`` or ``max_tokens``.
        missing_phrases: Phrases of the user's own list that do not occur in the text, as they are listed. Of a
            vocabulary, the preferred labels of concepts.
        error: Why a document of a batch gave no result.
        language: The document's language, and what it was read with.
        document_text: The text that the spans refer to.

    Attributes:
        truncated: See above; None if the whole text was read.
        missing_phrases: See above.
        error: See above; None if nothing failed.
        language: See above; None if the document failed.
        document_text: See above: the text that the extractor was given, and no copy of it. A pickle or a deep copy of
            the keyphrases has None here, so that no text is sent between processes with its result.

    A slice and a copy are `Keyphrases` with the same attributes; ``sorted`` and ``+`` give a plain list. Two results
    are equal if their keyphrases are; the attributes do not count.

    In a notebook the result shows the text with its keyphrases highlighted, and their ranked list.
    """

    def __init__(
        self,
        keyphrases: Iterable[Keyphrase] = (),
        *,
        truncated: Span | None = None,
        missing_phrases: Sequence[str] = (),
        error: MDERankError | None = None,
        language: LanguageInfo | None = None,
        document_text: str | None = None,
    ) -> None:
        super().__init__(keyphrases)
        self.truncated = truncated
        self.missing_phrases = missing_phrases
        self.error = error
        self.language = language
        self.document_text = document_text

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "document_text": None}

    @overload
    def __getitem__(self, index: SupportsIndex) -> Keyphrase: ...

    @overload
    def __getitem__(self, index: slice) -> Self: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Keyphrase | Self:
        """One keyphrase, or some of them with the attributes of all."""
        if not isinstance(index, slice):
            return super().__getitem__(index)
        some = type(self)(super().__getitem__(index))
        some.__dict__.update(self.__dict__)
        return some

    def copy(self) -> Self:
        """Return a copy, with all attributes.

        Returns:
            The copy; it has the same keyphrases.
        """
        return self[:]

    __copy__ = copy

    @property
    def missing_count(self) -> int:
        """Number of phrases of the user's own list that do not occur."""
        return len(self.missing_phrases)

    @property
    def listed_missing_phrases(self) -> list[str]:
        """The missing phrases, as output has them: all, or none if they are more than 100."""
        return list(self.missing_phrases) if self.missing_count <= LISTED_PHRASES else []

    @property
    def texts(self) -> list[str]:
        """The texts of the keyphrases, the best first."""
        return [each.text for each in self]

    def pairs(self) -> list[tuple[str, float]]:
        """Return text and score of each keyphrase.

        Returns:
            The pairs, the best first.
        """
        return [(each.text, each.score) for each in self]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON.

        Returns:
            The keyphrases as `Keyphrase.as_dict` gives them, and the attributes. More than 100 missing phrases are
            counted only.
        """
        return {
            "keyphrases": [each.as_dict() for each in self],
            "truncated": list(self.truncated) if self.truncated else None,
            "missing_phrases": self.listed_missing_phrases,
            "missing_count": self.missing_count,
            "error": str(self.error) if self.error else None,
            "language": self.language.as_dict() if self.language else None,
        }

    def to_json(self, indent: int | None = None) -> str:
        """Return JSON text.

        Args:
            indent: Spaces per level; None writes one line.

        Returns:
            The data of `to_dict`. Lone surrogates are escaped, so that UTF-8 can encode it.
        """
        return json_text(self.to_dict(), indent)

    def to_frame(self) -> DataFrame:
        """Return a pandas data frame with a row per keyphrase.

        Returns:
            A frame with the columns text, key, score, raw_score, confidence (NaN if there is none), count and spans; of
            a vocabulary also concept_id and concept_label (missing values for phrases without a concept).

        Raises:
            MDERankError: If pandas is not installed.
        """
        try:
            from pandas import DataFrame
        except ImportError as error:
            raise MDERankError("a data frame needs pandas: pip install pandas") from error
        columns = ["text", "key", "score", "raw_score", "confidence", "count", "spans"]
        rows = [
            (each.text, each.key, each.score, each.raw_score, each.confidence, len(each.spans), each.spans)
            for each in self
        ]
        frame = DataFrame(rows, columns=columns)
        # Also without keyphrases or confidences, so that the frames of several texts can be put together.
        frame = frame.astype({"score": float, "raw_score": float, "confidence": float, "count": "int64"})
        if any(each.concept for each in self):
            frame["concept_id"] = [each.concept.id if each.concept else None for each in self]
            frame["concept_label"] = [each.concept.label if each.concept else None for each in self]
        return frame

    def _repr_html_(self) -> str:
        """HTML for notebooks."""
        # By name: pages are made far above this module, which must not depend on them.
        html: str = import_module("mderank.writing.notebook").notebook_html(self)
        return html

    def __repr__(self) -> str:
        if self.error is not None:
            return f"<Keyphrases, failed: {self.error}>"
        listed = ", ".join(map(repr, self.texts[:_SHOWN])) + (", …" if len(self) > _SHOWN else "")
        return f"<{len(self)} Keyphrases: {listed}>" if self else "<no Keyphrases>"
