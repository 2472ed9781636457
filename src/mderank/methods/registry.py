"""Every method by its name: one line each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from importlib import import_module
from inspect import signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mderank.errors import OptionError
from mderank.methods.base import Extractor
from mderank.parameters import Parameter, unknown_name

COMMON = ("tagger", "candidates", "dedupe", "overlap", "min_score", "max_words", "exclude")
WORD_GRAPH = (*COMMON, "window", "damping", "tags", "words", "distance", "phrase_score", "weighted")
TOPICS = (*COMMON, "threshold", "linkage", "damping")
ENCODER = (*COMMON, "diversity", "model", "pooling", "layer", "similarity", "exact", "batch_tokens", "max_tokens")
SIF = (*COMMON, "diversity", "model", "layer", "domain", "average_layers", "a", "mix", "segment", "alignment")
# Options that the command line has a flag of its own for.
FLAGS = ("min_confidence", "masking", "frequencies", "domain", "seed", "stop_words")

Kind = Literal["embedding", "graph", "statistics", "floor"]


@dataclass(frozen=True)
class Method:
    """A method, where it is, and the options that it takes."""

    name: str
    home: str
    summary: str
    options: tuple[str, ...] = COMMON
    kind: Kind = "statistics"

    def load(self) -> type[Extractor]:
        """Its class. What it is built on is imported here, and not before."""
        module, _, name = self.home.partition(":")
        loaded: type[Extractor] = getattr(import_module(module), name)
        return loaded

    def make(self, **options: Any) -> Extractor:
        """The extractor with these options; an option that it does not take is refused."""
        for name, group in self._groups().items():
            own = {each: options.pop(each) for each in self._fields(group) & options.keys()}
            if own:
                options[name] = replace(options.get(name, group()), **own)
        unknown = [name for name in options if name not in self.options]
        if unknown:
            raise OptionError(
                f"the method '{self.name}' does not take {', '.join(unknown)}; it takes {', '.join(self.options)}"
            )
        return self.load()(**options)

    def _groups(self) -> dict[str, Any]:
        """Return the parameters that are dataclasses, such as `FusionWeights`; they are set field by field."""
        return {name: each.hint for name, each in self._constructor_settings().items() if is_dataclass(each.hint)}

    def _fields(self, group: Any) -> set[str]:
        """Return the names of a group's fields, but for those that are parameters of the method itself."""
        return {each.name for each in fields(group)} - set(self.options)

    def settings(self) -> dict[str, Setting]:
        """The options that are plain values and that this method has to itself."""
        found = {}
        for name, each in self._constructor_settings().items():
            if not is_dataclass(each.hint):
                found[name] = each
                continue
            hints = get_type_hints(each.hint)
            for own in fields(each.hint):
                if own.name in self._fields(each.hint):
                    found[own.name] = Setting(own.name, hints[own.name], own.default)
        return found

    def _constructor_settings(self) -> dict[str, Setting]:
        """Return the parameters of the method's own, as its constructor has them."""
        known = {}
        for home in reversed(self.load().__mro__):  # a method that builds on another has that one's options too
            constructor = home.__init__  # type: ignore[misc]
            hints = get_type_hints(constructor)
            for name, parameter in signature(constructor).parameters.items():
                if name in hints:
                    known[name] = Setting(name, hints[name], parameter.default)
        return {name: known[name] for name in self.options if name not in (*ENCODER, *FLAGS) and name in known}

    def parse(self, assignment: str) -> tuple[str, Any]:
        """The option and its value from ``name=value``."""
        name, equals, text = assignment.partition("=")
        settings = self.settings()
        if not equals:
            raise OptionError(f"--set {assignment}: write NAME=VALUE")
        if name not in settings:
            raise unknown_name(f"parameter of '{self.name}'", name, settings)
        return name, settings[name].parse(text)

    def check_params(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Check values for the method's own parameters.

        Args:
            params: values by name.

        Returns:
            The values as the constructor takes them.

        Raises:
            OptionError: if a name is unknown, or a value has the wrong type or is out of range.
        """
        known = {name: Parameter(name, each.hint, each.default) for name, each in self.settings().items()}
        for name in params:
            if name not in known:
                raise unknown_name(f"parameter of '{self.name}'", name, known)
        return {name: known[name].check(value) for name, value in params.items()}


@dataclass(frozen=True)
class Setting:
    """A plain option of a method: a number, a word, yes or no, a file."""

    name: str
    hint: Any
    default: Any

    def parse(self, text: str) -> Any:
        """The value that ``text`` stands for."""
        for kind in sorted(self._kinds(), key=lambda kind: kind is not NoneType):  # else "none" would be a text
            try:
                return _as(kind, text)
            except ValueError:
                continue
        raise OptionError(f"{self.name}={text}: {self.name} is {self.describe()}")

    def describe(self) -> str:
        """What it may be, in words."""
        return " or ".join(filter(None, map(_describe, self._kinds())))

    def shown(self) -> str:
        """Its default, as one would write it."""
        if isinstance(self.default, bool):
            return "yes" if self.default else "no"
        return "none" if self.default is None else str(self.default)

    def _kinds(self) -> tuple[Any, ...]:
        return get_args(self.hint) if get_origin(self.hint) in (Union, UnionType) else (self.hint,)


def _as(kind: Any, text: str) -> Any:
    if kind is NoneType and text.lower() == "none":
        return None
    if kind is bool and text.lower() in ("yes", "true", "no", "false"):
        return text.lower() in ("yes", "true")
    if get_origin(kind) is Literal and text in get_args(kind):
        return text
    if kind in (int, float, str, Path):
        return kind(text)
    raise ValueError(text)


def _describe(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return ", ".join(map(str, get_args(kind)))
    words = {int: "a whole number", float: "a number", str: "a text", Path: "a file", bool: "yes or no"}
    # What else an option may be, an object, cannot be written on a command line.
    return "none" if kind is NoneType else words.get(kind, "")


METHODS = {
    method.name: method
    for method in (
        Method("mderank", "mderank.methods:MDERank", "masked document embeddings (the paper's method)",
               (*ENCODER, "masking"), "embedding"),
        Method("fusion", "mderank.methods:FusionRank", "masked document, phrase and place in one (the best we know)",
               (*ENCODER, "weights", "min_confidence"),
               "embedding"),
        Method("embedrank", "mderank.methods:EmbedRank", "phrase and document embeddings compared",
               ENCODER, "embedding"),
        Method("embedrank-vectors", "mderank.methods:VectorEmbedRank", "EmbedRank with static word vectors",
               (*COMMON, "diversity", "vectors", "max_vectors"), "embedding"),
        Method("embedrank-sent2vec", "mderank.methods:Sent2VecEmbedRank", "EmbedRank with Sent2Vec, as in its paper",
               (*COMMON, "diversity", "sent2vec"), "embedding"),
        Method("keybert", "mderank.methods:KeyBERT", "n-gram and document embeddings compared",
               ENCODER, "embedding"),
        Method("attentionrank", "mderank.methods:AttentionRank", "attention in sentences, relevance to the document",
               (*COMMON, "diversity", "model", "layer", "max_tokens", "frequencies", "weight", "max_df"), "embedding"),
        Method("textrank", "mderank.methods:TextRank", "PageRank of neighbouring words",
               (*WORD_GRAPH, "top_words"), "graph"),
        Method("singlerank", "mderank.methods:SingleRank", "PageRank of words that are often near each other",
               WORD_GRAPH, "graph"),
        Method("positionrank", "mderank.methods:PositionRank", "the same, preferring words that stand early",
               WORD_GRAPH, "graph"),
        Method("sifrank", "mderank.methods:SIFRank", "phrase and document as means of word states, by rarity",
               SIF, "embedding"),
        Method("sifrank-plus", "mderank.methods:SIFRankPlus", "SIFRank, what comes early first",
               (*SIF, "bias"), "embedding"),
        Method("topicrank", "mderank.methods:TopicRank", "topics that stand near each other, one phrase of each",
               (*TOPICS, "representative"), "graph"),
        Method("multipartiterank", "mderank.methods:MultipartiteRank", "phrases near phrases of other topics",
               (*TOPICS, "alpha"), "graph"),
        Method("yake", "mderank.methods:YAKE", "case, place, frequency and neighbours of the words",
               (*COMMON, "ngram", "window", "features", "string_similarity", "threshold", "stop_words")),
        Method("tfidf", "mderank.methods:TfIdf", "frequent here, rare in a corpus",
               (*COMMON, "frequencies", "nested")),
        Method("firstphrases", "mderank.methods:FirstPhrases", "in the order of the text", kind="floor"),
        Method("random", "mderank.methods:Random", "in no order", (*COMMON, "seed"), "floor"),
    )
}  # fmt: skip


def get_method(name: str) -> Method:
    """The method of that name."""
    try:
        return METHODS[name]
    except KeyError:
        raise OptionError(f"unknown method '{name}': it is one of {', '.join(METHODS)}") from None
