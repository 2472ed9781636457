"""Every method by its name: one line each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cached_property
from importlib import import_module
from inspect import Parameter as InspectedParameter
from typing import Any, Literal, get_type_hints

from mderank.errors import OptionError
from mderank.methods.base import BaseExtractor, Extractor
from mderank.methods.signatures import constructor_signature
from mderank.options import Options
from mderank.parameters import Parameter, to_parameter, unknown_name

Kind = Literal["embedding", "graph", "statistics", "floor"]


@dataclass(frozen=True)
class Method:
    """A method that a user can choose by name.

    Attributes:
        name: The name that ``--method`` takes.
        home: Module and class, as in ``module:Class``.
        summary: What the method does, in one line.
        kind: The family of the method.
    """

    name: str
    home: str
    summary: str
    kind: Kind = "statistics"

    @cached_property
    def options(self) -> tuple[str, ...]:
        """The names of the constructor's parameters."""
        return tuple(constructor_signature(self.load()).parameters)

    def load(self) -> type[BaseExtractor]:
        """Import the class of the method, and the libraries that it needs.

        Returns:
            The class.
        """
        module, _, name = self.home.partition(":")
        loaded: type[BaseExtractor] = getattr(import_module(module), name)
        return loaded

    def make(self, **options: Any) -> Extractor:
        """Make an extractor.

        Args:
            **options: Arguments of the constructor, or fields of an argument that is a dataclass, such as
                `FusionWeights`.

        Returns:
            The extractor.

        Raises:
            OptionError: If the method does not take an option.
        """
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
        return {name: each.hint for name, each in self._declared().items() if is_dataclass(each.hint)}

    def _fields(self, group: Any) -> set[str]:
        """Return the names of a group's fields, but for those that are parameters of the method itself."""
        return {each.name for each in fields(group)} - set(self.options)

    def parameters(self) -> dict[str, Parameter]:
        """Return the parameters that are plain values and that are not options of other methods too.

        Returns:
            The parameters by name. They are set by ``--set NAME=VALUE``, or `Options.params`.
        """
        found = {}
        for name, each in self._declared().items():
            if not is_dataclass(each.hint):
                found[name] = each
                continue
            hints = get_type_hints(each.hint, include_extras=True)
            kind = InspectedParameter.KEYWORD_ONLY
            for own in fields(each.hint):
                if own.name in self._fields(each.hint):
                    inspected = InspectedParameter(own.name, kind, default=own.default, annotation=hints[own.name])
                    found[own.name] = to_parameter(inspected)
        return found

    def _declared(self) -> dict[str, Parameter]:
        """Return the parameters of the method's own, as its constructor declares them."""
        return {
            name: to_parameter(each)
            for name, each in constructor_signature(self.load()).parameters.items()
            if name not in _OPTIONS
        }

    def parse(self, assignment: str) -> tuple[str, Any]:
        """Read a parameter and its value from ``name=value``.

        Args:
            assignment: the text.

        Returns:
            The parameter's name, and its value.

        Raises:
            OptionError: if there is no such parameter, or its value does not fit.
        """
        name, equals, text = assignment.partition("=")
        if not equals:
            raise OptionError(f"--set {assignment}: write NAME=VALUE")
        return name, self._parameter(name).parse(text)

    def check_params(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Check values for the method's own parameters.

        Args:
            params: values by name.

        Returns:
            The values as the constructor takes them.

        Raises:
            OptionError: if a name is unknown, or a value has the wrong type or is out of range.
        """
        return {name: self._parameter(name).check(value) for name, value in params.items()}

    def _parameter(self, name: str) -> Parameter:
        known = self.parameters()
        if name not in known:
            raise unknown_name(f"parameter of '{self.name}'", name, known)
        return known[name]


# Arguments of constructors that options of their own stand for.
_OPTIONS = frozenset({"domain", *Options.parameters(), *(Options.info(name).argument for name in Options.parameters())})

METHODS = {
    method.name: method
    for method in (
        Method("mderank", "mderank.methods:MDERank", "effect of masking on the embedding (the paper's)", "embedding"),
        Method("fusion", "mderank.methods:FusionRank",
               "the default: a sum of seven features, from meaning to frequency and position",
               "embedding"),
        Method("embedrank", "mderank.methods:EmbedRank", "similarity of phrase and document embeddings", "embedding"),
        Method("embedrank-vectors", "mderank.methods:VectorEmbedRank", "EmbedRank with static word vectors",
               "embedding"),
        Method("embedrank-sent2vec", "mderank.methods:Sent2VecEmbedRank", "EmbedRank with Sent2Vec, as in its paper",
               "embedding"),
        Method("keybert", "mderank.methods:KeyBERT", "similarity of n-gram and document embeddings", "embedding"),
        Method("attentionrank", "mderank.methods:AttentionRank", "attention in sentences, relevance to the document",
               "embedding"),
        Method("textrank", "mderank.methods:TextRank", "PageRank of neighbouring words", "graph"),
        Method("singlerank", "mderank.methods:SingleRank", "PageRank of words that are often near each other",
               "graph"),
        Method("positionrank", "mderank.methods:PositionRank", "SingleRank that prefers early words", "graph"),
        Method("sifrank", "mderank.methods:SIFRank", "similarity of phrase and document as weighted means of words",
               "embedding"),
        Method("sifrank-plus", "mderank.methods:SIFRankPlus", "SIFRank that prefers early phrases", "embedding"),
        Method("topicrank", "mderank.methods:TopicRank", "PageRank of topics, one phrase per topic",
               "graph"),
        Method("multipartiterank", "mderank.methods:MultipartiteRank", "PageRank of phrases near those of other topics",
               "graph"),
        Method("yake", "mderank.methods:YAKE", "case, position, frequency and neighbours of words"),
        Method("tfidf", "mderank.methods:TfIdf", "frequency in the text, rarity in a corpus"),
        Method("firstphrases", "mderank.methods:FirstPhrases", "order of the text", kind="floor"),
        Method("random", "mderank.methods:Random", "random order", "floor"),
    )
}  # fmt: skip

METHODS_WITH_SEEDS = ("fusion", "embedrank", "keybert", "mderank")


def get_method(name: str) -> Method:
    """Return a method by its name.

    Args:
        name: A name that ``--method`` takes.

    Returns:
        The method.

    Raises:
        OptionError: If the name is unknown.
    """
    try:
        return METHODS[name]
    except KeyError:
        raise OptionError(f"unknown method '{name}': it is one of {', '.join(METHODS)}") from None
