"""Requests and answers, as the OpenAPI description shows them."""

from __future__ import annotations

import re
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, create_model, field_validator, model_validator

from mderank.options import OptionInfo, Options
from mderank.parameters import NGramRange, Parameter, Params
from mderank.seeds import MOST_SEEDS

# A pattern that a client sends is run by a backtracking matcher: tags with at most two unbounded quantifiers, and no
# groups, keep it within what a long text costs anyway.
_PATTERN = re.compile(r"\s*(?:<[A-Za-z$.*|]{1,60}>[*+?]?\s*){1,8}")
_UNBOUNDED = 2
_PARTS = re.compile(r"\w+|[^\w\s]")
_LONGEST_PHRASE = 12  # words
_LONGEST_LANGUAGE = 40  # characters of a language's name
_MOST_PHRASES = 1000  # of a list, where the option has no bound of its own
_LONGEST_TEXT = 300  # characters of an option

Phrase = Annotated[str, StringConstraints(min_length=1, max_length=100)]
Whole = Annotated[int, Field(strict=True)]
Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Flag = Annotated[bool, Field(strict=True)]
Plain = Annotated[str, StringConstraints(max_length=200)] | Flag | Whole | Number | None

EXAMPLE = "Coral reefs protect the coast from storms. Warm water bleaches coral, and bleached reefs lose their fish."


HTTP_OPTIONS = tuple(name for name in Options.parameters() if Options.info(name).http)


class _CheckedModel(BaseModel):
    """Checks of a client's options beside their types and ranges."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @field_validator("pattern", check_fields=False)
    @classmethod
    def _check_pattern(cls, pattern: str | None) -> str | None:
        if pattern is not None:
            if not _PATTERN.fullmatch(pattern):
                raise ValueError("a pattern is tags in angle brackets, each with *, +, ? or nothing: <JJ>*<NN.*>")
            if len(re.findall(r">[*+]", pattern)) > _UNBOUNDED:
                raise ValueError(f"a pattern may have {_UNBOUNDED} of * and + at most")
        return pattern

    @field_validator("phrases", check_fields=False)
    @classmethod
    def _check_phrases(cls, phrases: list[str] | None) -> list[str] | None:
        for number, phrase in enumerate(phrases or (), 1):
            words = len(_PARTS.findall(phrase))
            if not 1 <= words <= _LONGEST_PHRASE:
                raise ValueError(f"number {number} has {words} words: a phrase has 1 to {_LONGEST_PHRASE}")
        return phrases


def http_model(options: type[Options] = Options) -> type[BaseModel]:
    """Make the model of the options that clients may set.

    Args:
        options: the list of options.

    Returns:
        A pydantic model with a field for each option, in strict types and with the bounds for clients. Paths, models
        and devices are left out.
    """
    fields: dict[str, Any] = {}
    for name, parameter in options.parameters().items():
        info = options.info(name)
        if info.http:
            default = list(parameter.default) if isinstance(parameter.default, tuple) else parameter.default
            default = dict(default) if isinstance(default, Params) else default
            text = info.help if info.default_text is None else f"{info.help} Default: {info.default_text}."
            fields[name] = (_http_type(parameter, info), Field(default=default, description=text))
    return create_model("HttpOptions", __base__=_CheckedModel, **fields)


def _http_type(parameter: Parameter, info: OptionInfo) -> Any:
    optional = NoneType in parameter.kinds
    (kind, *_) = (each for each in parameter.kinds if each is not NoneType)
    least = info.ge if info.http_ge is None else info.http_ge
    most = info.le if info.http_le is None else info.http_le
    known: Any
    if kind is int:
        known = Annotated[int, Field(strict=True, ge=least, le=most)]
    elif kind is float:
        known = Annotated[float, Field(strict=True, allow_inf_nan=False, ge=least, le=most)]
    elif kind is bool:
        known = Flag
    elif kind is str:
        known = Annotated[str, StringConstraints(max_length=_LONGEST_TEXT)]
    elif kind is NGramRange:
        known = Annotated[str, StringConstraints(pattern=rf"^[1-{most}](-[1-{most}])?$")]
    elif kind is Params:
        known = Annotated[dict[Annotated[str, StringConstraints(max_length=40)], Plain], Field(max_length=20)]
    elif parameter.is_list:
        known = Annotated[list[Phrase], Field(min_length=1 if optional else 0, max_length=int(most or _MOST_PHRASES))]
    else:
        known = kind  # one of a few words
    return known | None if optional else known


if TYPE_CHECKING:
    HttpOptions = _CheckedModel
else:
    HttpOptions = http_model()


class OptionsRequest(HttpOptions):
    """The options of a request."""

    if TYPE_CHECKING:
        method: str

    style: Annotated[str, StringConstraints(max_length=_LONGEST_TEXT)] | None = Field(
        default=None, description="A learned style, one of those that `GET /v1/methods` lists."
    )
    explain: Flag = Field(default=False, description="Also why each phrase has its score, and all its occurrences.")

    def to_options(self) -> Options:
        """Return the options of the extraction.

        Raises:
            OptionError: if options exclude each other.
        """
        return Options.from_dict({name: getattr(self, name) for name in (*HTTP_OPTIONS, "style")})


TextFormat = Literal["text", "markdown"]


def _is_blanked(prose: str, text: str) -> bool:
    """Return whether a text of the same length differs in spaces and commas only."""
    kept, read = (np.frombuffer(each.encode("utf-32-le", "surrogatepass"), np.uint32) for each in (prose, text))
    return bool(np.isin(kept[kept != read], (ord(" "), ord(","))).all())


class TextRequest(BaseModel):
    """A text, and which of it is prose."""

    text: str = Field(description="What to read. Offsets count its code points.")
    format: TextFormat = Field(default="text", description="In Markdown, marks are passed over.")
    prose: str | None = Field(
        default=None,
        description="The same text with spaces or commas in place of what no phrase may be part of, as `POST /v1/read` "
        "gives it.",
    )

    @model_validator(mode="after")
    def _check_prose(self) -> Self:
        if self.prose is None:
            return self
        if self.format != "text":
            raise ValueError("prose is for the format 'text': leave out one of them")
        if len(self.prose) != len(self.text) or not _is_blanked(self.prose, self.text):
            raise ValueError("prose must be the text with some of its characters replaced by spaces or commas")
        return self


class ExtractRequest(OptionsRequest, TextRequest):
    """One text, and the options."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={"examples": [{"text": EXAMPLE, "top_k": 3}, {"text": EXAMPLE, "top_k": 1, "explain": True}]},
    )


class InputDocument(TextRequest):
    """A text, and what to call it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: Annotated[str, StringConstraints(max_length=200)] | Whole | None = Field(
        default=None, description="Comes back with the answer; else the document's number."
    )
    language: Annotated[str, StringConstraints(max_length=_LONGEST_LANGUAGE)] | None = Field(
        default=None, description="Language of this text, by code or English name; it precedes that of the request."
    )
    seeds: Annotated[list[Phrase], Field(max_length=MOST_SEEDS)] | None = Field(
        default=None, description="Seeds of this text; they precede those of the request."
    )


class BatchRequest(OptionsRequest):
    """Several texts, and the options for all of them."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={
            "examples": [{"documents": [{"id": "a", "text": EXAMPLE}, {"text": "A lazy dog slept."}], "top_k": 2}]
        },
    )

    documents: list[InputDocument] = Field(min_length=1)


class Occurrence(BaseModel):
    """An occurrence of a phrase, with the words around it."""

    start: int
    end: int
    line: int
    column: int
    before: str
    after: str


class ConceptAnswer(BaseModel):
    """A concept of a vocabulary."""

    id: str = Field(description="Its id in the vocabulary.")
    label: str = Field(description="Its preferred label.")


class KeyphraseAnswer(BaseModel):
    """A phrase of the text and how much it matters. Some fields are there with ``explain`` only."""

    text: str = Field(description="Its commonest form in the text.")
    key: str = Field(description="What all forms of it have in common, for grouping over documents.")
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
    concept: ConceptAnswer | None = Field(default=None, description="The concept that it is a label of.")
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


class LanguageAnswer(BaseModel):
    """The language of a text, and what it was read with."""

    code: str = Field(description="Language code, such as `fr`.")
    certainty: float | None = Field(description="How certain it is, from 0 to 1; null where it was named.")
    tagger: str = Field(description="What found the words.")
    encoder: str | None = Field(description="The encoder; null where none was used.")
    warnings: list[str] = Field(description="What to know about the result.")


class Answer(BaseModel):
    """The keyphrases of a document, best first, and what could not be done."""

    id: str | int | None = None
    method: str
    keyphrases: list[KeyphraseAnswer]
    truncated: tuple[int, int] | None = Field(
        default=None, description="What was not read, because of a limit that you set."
    )
    missing_phrases: list[str] = Field(
        default=[], description="Phrases of your list that do not occur; empty where they are more than 100."
    )
    missing_count: int = Field(default=0, description="How many phrases of your list do not occur.")
    error: str | None = Field(default=None, description="Why this document of a batch has no keyphrases.")
    language: LanguageAnswer | None = Field(default=None, description="The document's language, if it was read.")


class BatchAnswer(BaseModel):
    """An answer for each document, in their order."""

    results: list[Answer]


class ParamAnswer(BaseModel):
    """A parameter of a method."""

    name: str
    type: str
    default: str
    help: str


class MethodAnswer(BaseModel):
    """A method that the server offers."""

    name: str
    kind: Literal["embedding", "graph", "statistics", "floor"]
    summary: str
    options: list[str] = Field(description="The options that it takes.")
    params: list[ParamAnswer] = Field(description="Its parameters, which are set by `params`.")
    diverse: bool = Field(description="Whether it takes `diversity` and `max_sum`.")
    overlap: Literal["none", "little", "any"] = Field(description="Its own `overlap`, where none is given.")
    masks: bool = Field(description="Whether it tells what masking a phrase changed.")


class StyleAnswer(BaseModel):
    """A style that the server offers."""

    name: str
    preferences: list[str] = Field(description="What it prefers, in words.")
    learned_from: dict[str, Any] = Field(description="What it was learned from.")


class KnownLanguage(BaseModel):
    """A language that texts are read in."""

    code: str
    name: str = Field(description="English name.")


class ChanceWords(BaseModel):
    """The words for a range of confidences."""

    least: float = Field(description="The least confidence with this name.")
    words: str


class MethodsAnswer(BaseModel):
    """Response of `GET /v1/methods`: methods, options and limits."""

    version: str
    default: str
    model: str
    methods: list[MethodAnswer]
    styles: list[StyleAnswer] = Field(description="Styles for `style`, which the operator named.")
    languages: list[KnownLanguage] = Field(
        description="Languages for `language`; empty if the operator named a tagger."
    )
    labels: dict[str, str] = Field(description="Meaning of each term of a score and of each field of an explanation.")
    plain_labels: dict[str, str] = Field(
        description="Meaning of each term of a score for people who do not know the method; `{}` stands for its value."
    )
    confidence_words: list[ChanceWords] = Field(description="Names of confidences, the highest first.")
    limits: dict[str, float]
    speeds: dict[str, float] = Field(
        description="Characters of text that were computed per second lately, of methods that were used."
    )
    reads: list[str] = Field(description="Kinds of files that `POST /v1/read` takes.")


class ReadAnswer(BaseModel):
    """The text of a file."""

    text: str
    prose: str | None = Field(
        default=None,
        description="The text with spaces or commas in place of markup, formulas and what a mail quotes, to send with "
        "it; null if there are none.",
    )


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
    """Response of `GET /healthz`."""

    status: Literal["ok"]
    version: str


class Ready(BaseModel):
    """Response of `GET /readyz`."""

    status: Literal["ready"]
    waiting: int
