"""Requests and answers, as the OpenAPI description shows them."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

# A pattern that a client sends is run by a backtracking matcher: tags with at most two unbounded quantifiers, and no
# groups, keep it within what a long text costs anyway.
_PATTERN = re.compile(r"\s*(?:<[A-Za-z$.*|]{1,60}>[*+?]?\s*){1,8}")
_UNBOUNDED = 2
_PARTS = re.compile(r"\w+|[^\w\s]")
_LONGEST_PHRASE = 12  # words

Phrase = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Word = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Whole = Annotated[int, Field(strict=True)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=0, le=1)]
Flag = Annotated[bool, Field(strict=True)]
Plain = Annotated[str, StringConstraints(max_length=200)] | Flag | Whole | Number | None

EXAMPLE = "Coral reefs protect the coast from storms. Warm water bleaches coral, and bleached reefs lose their fish."


class Options(BaseModel):
    """The options of ``mderank extract`` that name no file and no model of the server's."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    method: str = Field(
        default="fusion", max_length=40, description="How candidates are ranked: one of `GET /v1/methods`."
    )
    top: Whole = Field(default=10, ge=1, le=1000, description="How many keyphrases a document.")
    explain: Flag = Field(default=False, description="Also why each phrase has its score, and all its places.")
    dedupe: Literal["none", "case", "variant", "stem"] = Field(
        default="variant", description="Variants of a phrase that are one entry."
    )
    overlap: Literal["none", "little", "any"] | None = Field(
        default=None,
        description="Whether phrases may be part of each other: in no case, only those that say something of their "
        "own, or as the scores have it; else as the method does.",
    )
    diversity: Share | None = Field(
        default=None, description="Prefer phrases unlike those before them: 0 not at all, 1 above all (MMR)."
    )
    max_sum: Annotated[Whole, Field(ge=1, le=50)] | None = Field(
        default=None,
        description="Of so many best phrases give those that together are least alike; not with diversity.",
    )
    min_score: Number | None = Field(default=None, description="Leave out phrases with a lower score.")
    min_confidence: Share | None = Field(
        default=None,
        description="Leave out phrases that a reader would less often accept; if not given, 0.6 in texts of "
        "fewer than 50 words and 0 in longer ones.",
    )
    pattern: str | None = Field(
        default=None,
        max_length=300,
        description="Tag pattern of a phrase, e.g. `<JJ>*<NN.*>`; no groups, and at most two of `*` and `+`.",
    )
    ngrams: str | None = Field(
        default=None,
        pattern=r"^[1-5](-[1-5])?$",
        description="All n-grams of N to M words instead of noun phrases: `1-3`.",
    )
    phrases: list[Phrase] | None = Field(
        default=None, min_length=1, max_length=1000, description="Only these phrases, of at most 12 words."
    )
    max_phrase_words: Annotated[Whole, Field(ge=1, le=20)] | None = Field(
        default=None, description="Pass over longer noun phrases; else 8, of the method fusion 7."
    )
    stop_words: list[Word] = Field(
        default=[], max_length=1000, description="Further words that no phrase has inside it."
    )
    exclude: list[Phrase] = Field(default=[], max_length=1000, description="Phrases never to give.")
    masking: Literal["all", "once", "highest", "subset"] = Field(default="all", description="What a candidate hides.")
    pooling: Literal["mean", "max", "cls"] | None = Field(default=None, description="How states become an embedding.")
    layer: Annotated[Whole, Field(ge=-200, le=200)] | None = Field(
        default=None, description="Layer to take states from."
    )
    similarity: Literal["cosine", "euclidean"] = Field(default="cosine", description="How embeddings are compared.")
    exact: Flag = Field(default=False, description="Encode every masked variant whole: many times slower.")
    max_words: Annotated[Whole, Field(ge=1, le=10_000_000)] | None = Field(
        default=None, description="Read only the first N words."
    )
    max_tokens: Annotated[Whole, Field(ge=3, le=10_000_000)] | None = Field(
        default=None, description="Read only the first N word pieces."
    )
    seed: Whole = Field(default=0, ge=0, le=2**63 - 1, description="For the method random.")
    set: dict[Annotated[str, StringConstraints(max_length=40)], Plain] = Field(
        default={}, max_length=20, description="Options that the method has to itself: see `GET /v1/methods`."
    )

    @field_validator("pattern")
    @classmethod
    def _can_be_matched(cls, pattern: str | None) -> str | None:
        if pattern is not None:
            if not _PATTERN.fullmatch(pattern):
                raise ValueError("a pattern is tags in angle brackets, each with *, +, ? or nothing: <JJ>*<NN.*>")
            if len(re.findall(r">[*+]", pattern)) > _UNBOUNDED:
                raise ValueError(f"a pattern may have {_UNBOUNDED} of * and + at most")
        return pattern

    @field_validator("phrases")
    @classmethod
    def _are_phrases(cls, phrases: list[str] | None) -> list[str] | None:
        for phrase in phrases or ():
            if not 1 <= len(_PARTS.findall(phrase)) <= _LONGEST_PHRASE:
                raise ValueError(f"a phrase has 1 to {_LONGEST_PHRASE} words")
        return phrases


TextFormat = Literal["text", "markdown"]


class ExtractRequest(Options):
    """One text, and the options."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={"examples": [{"text": EXAMPLE, "top": 3}, {"text": EXAMPLE, "top": 1, "explain": True}]},
    )

    text: str = Field(description="What to read. Offsets count its code points.")
    format: TextFormat = Field(default="text", description="In Markdown, marks are passed over.")


class InputDocument(BaseModel):
    """A text, and what to call it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, StringConstraints(max_length=200)] | Whole | None = Field(
        default=None, description="Comes back with the answer; else the document's number."
    )
    text: str = Field(description="What to read. Offsets count its code points.")
    format: TextFormat = Field(default="text", description="In Markdown, marks are passed over.")


class BatchRequest(Options):
    """Several texts, and the options for all of them."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={
            "examples": [{"documents": [{"id": "a", "text": EXAMPLE}, {"text": "A lazy dog slept."}], "top": 2}]
        },
    )

    documents: list[InputDocument] = Field(min_length=1)


class Occurrence(BaseModel):
    """One place of a phrase, with what stands around it."""

    start: int
    end: int
    line: int
    column: int
    before: str
    after: str


class KeyphraseAnswer(BaseModel):
    """A phrase of the text and how much it matters. Some fields are there with ``explain`` only."""

    text: str = Field(description="Its commonest form in the text.")
    score: float = Field(description="How much it matters; more is better.")
    raw_score: float = Field(description="The number that the score was computed from.")
    confidence: float | None = Field(
        default=None, description="The chance that a reader accepts it, of methods that can tell."
    )
    spans: list[tuple[int, int]] = Field(description="All its places: first code point, and the one after the last.")
    forms: list[str] = Field(description="The forms found at these places.")
    related: list[str] | None = Field(
        default=None,
        description="Phrases of the text that contain this one or are part of it, and are for that reason not in the "
        "list.",
    )
    contributions: dict[str, float] | None = Field(
        default=None, description="Weighted terms that sum to the score, for methods that sum terms."
    )
    features: dict[str, float] | None = Field(
        default=None,
        description="Measured values; `mask_effect` is 1 − cosine of the document and itself without it.",
    )
    masked_similarity: float | None = Field(
        default=None, description="Cosine of the document and itself without the phrase."
    )
    occurrences: list[Occurrence] | None = None


class Answer(BaseModel):
    """The keyphrases of a document, best first, and what could not be done."""

    id: str | int | None = None
    method: str
    keyphrases: list[KeyphraseAnswer]
    truncated: tuple[int, int] | None = Field(
        default=None, description="What was not read, because of a limit that you set."
    )
    missing_phrases: list[str] = Field(default=[], description="Phrases of your list that do not occur.")
    error: str | None = Field(default=None, description="Why this document of a batch has no keyphrases.")


class BatchAnswer(BaseModel):
    """An answer for each document, in their order."""

    results: list[Answer]


class Setting(BaseModel):
    """An option that a method has to itself."""

    name: str
    type: str
    default: str


class MethodAnswer(BaseModel):
    """A method that the server offers."""

    name: str
    kind: Literal["embedding", "graph", "statistics", "floor"]
    summary: str
    options: list[str] = Field(description="The options that it takes.")
    settings: list[Setting] = Field(description="Those that are set by `set`.")
    diverse: bool = Field(description="Whether it takes `diversity` and `max_sum`.")
    overlap: Literal["none", "little", "any"] = Field(description="Its own `overlap`, where none is given.")
    masks: bool = Field(description="Whether it tells what masking a phrase changed.")


class MethodsAnswer(BaseModel):
    """What the server offers, and how much it takes."""

    version: str
    default: str
    model: str
    methods: list[MethodAnswer]
    labels: dict[str, str] = Field(description="Meaning of each term of a score and of each field of an explanation.")
    limits: dict[str, float]
    reads: list[str] = Field(description="Kinds of files that `POST /v1/read` takes.")


class ReadAnswer(BaseModel):
    """The text of a file."""

    text: str


class Detail(BaseModel):
    """One thing that is wrong."""

    where: str
    problem: str


class Problem(BaseModel):
    """Why there is no answer."""

    code: str
    message: str
    details: list[Detail]


class ErrorAnswer(BaseModel):
    """The form of all errors."""

    error: Problem


class Health(BaseModel):
    """That the server lives."""

    status: Literal["ok"]
    version: str


class Ready(BaseModel):
    """That the server takes requests."""

    status: Literal["ready"]
    waiting: int
