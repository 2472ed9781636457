"""A server for the Model Context Protocol, with which programs such as chat clients call mderank.

`create_server` makes the server and ``mderank mcp`` runs it on standard input and output. It has two tools:
``extract_keyphrases`` and ``explain_keyphrase``. What a client may ask for is bounded. A client names no models, and
files only below folders that the user allowed.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Literal

from mderank import __version__
from mderank.errors import InputError, MDERankError, MissingExtraError, OptionError
from mderank.factory import takes
from mderank.keyphrase import Keyphrase, Keyphrases
from mderank.methods.registry import METHODS, get_method
from mderank.options import Options
from mderank.pipeline import extract_documents
from mderank.reading import ReadOptions, SourceDocument, read_file
from mderank.shared import shared_extractor
from mderank.util.format import format_count
from mderank.variants import phrase_key
from mderank.writing.explanation import MEANINGS, Explainer

try:
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import ToolAnnotations
    from pydantic import BaseModel, Field
except ImportError as error:
    raise MissingExtraError("mderank mcp", "mcp") from error

MAX_TEXT_CHARS = 200_000
_MOST_KEYPHRASES = 200  # of one call
_MOST_PHRASES = 1_000  # of a client's list
_INSTRUCTIONS = (
    "Extracts keyphrases from texts, offline and without a language model. Use extract_keyphrases to find what a text "
    "is about, and explain_keyphrase to see why one phrase has its rank."
)

# Methods that a client may name: those that need no file of their own.
_METHODS = tuple(
    name for name, method in METHODS.items() if not any(Path in each.kinds for each in method.parameters().values())
)

# Texts have the plain type `str`: of all others, the SDK reads a text that happens to be JSON as data.
TextArgument = Annotated[str, Field(description="The text itself.")]
PathArgument = Annotated[
    str,
    Field(description="Instead of the text: a file with one document, below a folder that the server was given."),
]
TopK = Annotated[int, Field(ge=1, le=_MOST_KEYPHRASES, description="Number of keyphrases.")]
Language = Annotated[
    str | None,
    Field(max_length=40, description="Language of the text, by code or English name; null detects it."),
]
MethodName = Annotated[
    Literal[_METHODS] | None,  # type: ignore[valid-type]  # the names are known at run time
    Field(description="Ranking method; null takes the server's own, which is the best for most texts."),
]
Phrases = Annotated[
    list[str] | None,
    Field(max_length=_MOST_PHRASES, description="Rank only these phrases, where they occur; null finds phrases."),
]
Seeds = Annotated[
    list[str] | None,
    Field(max_length=100, description="Phrases that pull the ranking towards a topic."),
]
Phrase = Annotated[str, Field(min_length=1, max_length=200, description="The phrase to explain, in any of its forms.")]
MostContexts = Annotated[int, Field(ge=0, le=100, description="Number of occurrences to show with the text around.")]


class Span(BaseModel):
    """Characters of the text: offsets from 0, the end exclusive."""

    start: int
    end: int


class Concept(BaseModel):
    """A concept of the vocabulary that the server was started with."""

    id: str
    label: str


class FoundKeyphrase(BaseModel):
    """A keyphrase of the text."""

    text: str = Field(description="The most frequent form in the text.")
    score: float = Field(description="Higher is better. Scores rank the phrases of one text only.")
    confidence: float | None = Field(description="Estimated chance that a reader accepts it; null if not estimated.")
    concept: Concept | None = Field(description="Its concept, if the server has a vocabulary.")
    occurrences: list[Span] = Field(description="All occurrences in the text.")


class Reading(BaseModel):
    """The text as it was read: its length, language, method and notes."""

    characters: int = Field(description="Length of the text.")
    language: str | None = Field(description="Language code.")
    certainty: float | None = Field(description="How certain the language is, from 0 to 1; null if it was named.")
    method: str = Field(description="The ranking method.")
    notes: list[str] = Field(description="What may make the result worse, such as parts that were not read.")


class ExtractionResult(BaseModel):
    """The keyphrases of a text, the best first."""

    keyphrases: list[FoundKeyphrase]
    missing_phrases: list[str] = Field(description="Phrases of the client's list that do not occur in the text.")
    reading: Reading


class Feature(BaseModel):
    """One measured value of a phrase."""

    name: str
    value: float | None = Field(description="The measured value; null if the term has none of its own.")
    contribution: float | None = Field(description="What it adds to the score; null if the score is not a sum.")
    meaning: str


class Context(BaseModel):
    """One occurrence with the text around it."""

    line: int
    column: int
    before: str
    phrase: str
    after: str


class ExplanationResult(BaseModel):
    """Why a phrase has its rank."""

    text: str = Field(description="The most frequent form in the text.")
    forms: list[str]
    rank: int = Field(description="Rank among all ranked phrases of the text, from 1.")
    ranked: int = Field(description="Number of all ranked phrases.")
    score: float = Field(description="The sum of the contributions, if there are any.")
    confidence: float | None = Field(description="Estimated chance that a reader accepts it; null if not estimated.")
    features: list[Feature]
    occurrences: int = Field(description="Number of occurrences in the text.")
    contexts: list[Context] = Field(description="The first occurrences.")
    related: list[str] = Field(description="Phrases that contain it or are part of it and were left out for that.")
    better: list[str] = Field(description="The phrases on the ranks before it, at most five.")
    reading: Reading


def create_server(
    options: Options = Options(), *, folders: Sequence[str | Path] = (), max_text_chars: int = MAX_TEXT_CHARS
) -> MCPServer:
    """Create the server.

    Args:
        options: Options of the extraction. A client's arguments come before them.
        folders: Folders whose files clients may name, with all folders below. Symbolic links that lead out of them
            are refused. Empty: clients send texts only.
        max_text_chars: Length of the longest text, in characters.

    Returns:
        The server. ``run("stdio")`` serves standard input and output.

    Raises:
        OptionError: If an option does not fit.
        InputError: If one of the folders is not a folder.
        ModelError: If the encoder cannot be loaded.
    """
    shared_extractor(options)  # what cannot work ends here and not in every call
    tools = _Tools(options, [_folder(each) for each in folders], max_text_chars)
    offered = [
        tools.for_clients(tools.extract_keyphrases, "Extract keyphrases"),
        tools.for_clients(tools.explain_keyphrase, "Explain a keyphrase"),
    ]
    return MCPServer("mderank", instructions=_INSTRUCTIONS, version=__version__, log_level="WARNING", tools=offered)


class _Tools:
    """The tools, for the options and limits of one server. Their docstrings are what clients read."""

    def __init__(self, options: Options, folders: Sequence[Path], max_text_chars: int) -> None:
        if max_text_chars < 1:
            raise OptionError(f"max_text_chars must be at least 1, not {max_text_chars}")
        self._options = options
        self._folders = folders
        self._limit = max_text_chars

    def extract_keyphrases(
        self,
        text: TextArgument = "",
        path: PathArgument = "",
        top_k: TopK = 10,
        language: Language = None,
        method: MethodName = None,
        phrases: Phrases = None,
        seeds: Seeds = None,
    ) -> ExtractionResult:
        """Extract the keyphrases of a text, each with its score and the character offsets of all its occurrences.

        Every keyphrase occurs in the text. The text may be of any kind and in any of 48 languages.
        """
        source = self._read(text, path)
        options = self._choose(method, language, top_k=top_k, phrases=phrases, seeds=seeds)
        found = _extract(source, options)
        return ExtractionResult(
            keyphrases=[
                FoundKeyphrase(
                    text=each.text,
                    score=each.score,
                    confidence=each.confidence,
                    concept=None if each.concept is None else Concept(id=each.concept.id, label=each.concept.label),
                    occurrences=[Span(start=span.start, end=span.end) for span in each.spans],
                )
                for each in found
            ],
            missing_phrases=list(found.missing_phrases) if phrases else [],
            reading=_reading(source, options, found),
        )

    def explain_keyphrase(
        self,
        phrase: Phrase,
        text: TextArgument = "",
        path: PathArgument = "",
        language: Language = None,
        method: MethodName = None,
        seeds: Seeds = None,
        contexts: MostContexts = 5,
    ) -> ExplanationResult:
        """Explain why a phrase of a text has its rank: its features, their contributions to the score, and contexts.

        All phrases of the text are ranked, also those that extract_keyphrases leaves out.
        """
        source = self._read(text, path)
        options = self._choose(method, language, top_k=0, seeds=seeds)
        if options.min_confidence is None and takes(get_method(options.method), "min_confidence"):
            options = replace(options, min_confidence=0.0)  # of short texts, all phrases too
        found = _extract(source, options)
        rank, keyphrase = _find(phrase, found, source.text)
        explained = Explainer(source.text).explain(keyphrase)
        names = dict.fromkeys([*explained.contributions, *explained.features])
        return ExplanationResult(
            text=keyphrase.text,
            forms=list(keyphrase.forms),
            rank=rank,
            ranked=len(found),
            score=keyphrase.score,
            confidence=keyphrase.confidence,
            features=[
                Feature(
                    name=name,
                    value=explained.features.get(name),
                    contribution=explained.contributions.get(name),
                    meaning=MEANINGS.get(name, name.replace("_", " ")),
                )
                for name in names
            ],
            occurrences=len(keyphrase.spans),
            contexts=[
                Context(line=each.line, column=each.column, before=each.before, phrase=each.phrase, after=each.after)
                for each in explained.occurrences[:contexts]
            ],
            related=list(keyphrase.related),
            better=found.texts[: rank - 1][-5:],
            reading=_reading(source, options, found),
        )

    def for_clients(self, tool: Callable[..., Any], title: str) -> Tool:
        """A tool with the arguments that this server takes, and with errors that clients can read."""
        annotations = ToolAnnotations(
            title=title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        )

        @functools.wraps(tool)
        def call(**arguments: Any) -> Any:
            try:
                return tool(**arguments)
            except MDERankError as error:
                raise ToolError(str(error)) from error

        signature = inspect.signature(tool, eval_str=True)
        kept = []
        for name, parameter in signature.parameters.items():
            if name == "path" and not self._folders:
                continue
            default = parameter.default
            if name == "text" and not self._folders:
                default = inspect.Parameter.empty
            if name == "top_k":
                default = min(self._options.top_k or _MOST_KEYPHRASES, _MOST_KEYPHRASES)
            kept.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, default=default))
        call.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        made = Tool.from_function(call, title=title, description=inspect.getdoc(tool), annotations=annotations)
        # By default the SDK drops arguments that it does not know.
        made.fn_metadata.arg_model.model_config["extra"] = "forbid"
        made.fn_metadata.arg_model.model_rebuild(force=True)
        made.parameters = made.fn_metadata.arg_model.model_json_schema(by_alias=True)
        return made

    def _choose(self, method: str | None, language: str | None, **chosen: Any) -> Options:
        """The options of a call: the server's, and what the client chose."""
        given = {"method": method, "language": language, **chosen}
        kept = {name: value for name, value in given.items() if value is not None}
        if "phrases" in kept:  # in place of the server's candidates
            kept |= {"vocabulary": None, "match": None} if self._options.vocabulary is not None else {}
        return replace(self._options, **kept)

    def _read(self, text: str, path: str) -> SourceDocument:
        """The document of a call."""
        if bool(text) == bool(path):
            what = "text or path: give one of them" if self._folders else "text is empty: give a text"
            raise InputError(what)
        source = self._read_file(path) if path else SourceDocument("text", text)
        if len(source.text) > self._limit:
            raise InputError(
                f"the text has {len(source.text)} characters, and the limit is {self._limit}: send it in parts, or "
                "start the server with a larger --max-text-chars"
            )
        return source

    def _read_file(self, path: str) -> SourceDocument:
        file = self._allowed_file(path)
        sources = []
        # One more than the limit, so that the error of a file that is too long is the same as that of a text.
        for source in read_file(file, ReadOptions(max_document_chars=max(self._limit, 1))):
            if source.error is not None:
                raise source.error
            sources.append(source)
            if len(sources) > 1:
                raise InputError(f"{path}: has several documents; send the text of one of them")
        if not sources:
            raise InputError(f"{path}: has no document")
        return sources[0]

    def _allowed_file(self, path: str) -> Path:
        """The file that a path names. What it is, or whether it is there, is not said of paths outside."""
        allowed = ", ".join(map(str, self._folders))
        try:
            # A relative path is one below the folders. What a link or ".." leads to counts.
            places = [place for folder in self._folders if (place := (folder / path).resolve()).is_relative_to(folder)]
            found = next((place for place in places if place.is_file()), None)
        except (OSError, ValueError, RuntimeError) as error:
            raise InputError(f"{path!r}: is not a path that can be read") from error
        if not places:
            raise InputError(f"{path}: is not below a folder that this server may read: {allowed}")
        if found is None:
            raise InputError(f"{path}: is not a file below {allowed}")
        return found


def _folder(folder: str | Path) -> Path:
    try:
        resolved = Path(folder).resolve(strict=True)
    except OSError as error:
        raise InputError(f"{folder}: the folder cannot be read: {error.strerror}") from error
    if not resolved.is_dir():
        raise InputError(f"{folder}: is not a folder: name the folder whose files clients may read")
    return resolved


def _extract(source: SourceDocument, options: Options) -> Keyphrases:
    (result,) = extract_documents(shared_extractor(options), [source], options.top_k or None)
    if result.keyphrases.error is not None:
        raise result.keyphrases.error
    return result.keyphrases


def _reading(source: SourceDocument, options: Options, found: Keyphrases) -> Reading:
    notes = list(found.language.warnings) if found.language else []
    if found.truncated:
        notes.append(f"the text was not read from character {found.truncated.start} on")
    return Reading(
        characters=len(source.text),
        language=found.language.code if found.language else None,
        certainty=found.language.certainty if found.language else None,
        method=options.method,
        notes=notes,
    )


def _find(phrase: str, found: Keyphrases, text: str) -> tuple[int, Keyphrase]:
    """The rank of a phrase, and its keyphrase."""
    language = found.language.code if found.language else "en"
    wanted = phrase_key(phrase, language)
    for rank, each in enumerate(found, start=1):
        label = () if each.concept is None else (each.concept.label,)
        if wanted in {phrase_key(form, language) for form in (each.text, *each.forms, *label)}:
            return rank, each
    for each in found:
        if wanted in {phrase_key(form, language) for form in each.related}:
            raise InputError(
                f"{phrase!r} was left out, because it overlaps {each.text!r}, which ranks higher: explain that"
            )
    if phrase.casefold() in text.casefold():
        ranked = format_count(len(found), "phrase")
        raise InputError(
            f"{phrase!r} occurs in the text but is not one of its {ranked} that were ranked: a phrase is a noun with "
            "the words that belong to it, without stop words at its ends"
        )
    raise InputError(f"{phrase!r} does not occur in the text")
