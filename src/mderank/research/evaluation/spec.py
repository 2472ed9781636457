"""Specifications of runs: a dataset, options, and the part of the dataset that is read."""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from mderank.errors import InputError, OptionError
from mderank.factory import default_candidates, takes
from mderank.methods.base import BaseExtractor
from mderank.methods.registry import Method, get_method
from mderank.options import Options
from mderank.presets import PAPER, PRESETS
from mderank.research.datasets import Dataset, full_text, paper_text
from mderank.research.evaluation.runs import LabelledText
from mderank.tagging.load import ENCODER, SPACY

TextKind = Literal["paper", "full"]

# The upper bound of every ranking. It knows the gold keyphrases, and is therefore not one of `METHODS`.
ORACLE = Method("oracle", "mderank.research.evaluation.oracle:Oracle", "gold keyphrases first", kind="floor")
# Options that a label names, in this order.
_NAMED = ("model", "style", "masking", "pooling", "layer", "similarity", "exact", "diversity", "overlap", "dedupe",
          "pattern", "ngrams", "phrases", "vocabulary", "max_words", "max_tokens", "max_phrase_words",
          "frequencies", "seed")  # fmt: skip


@dataclass(frozen=True)
class RunSpec:
    """A run: a method on the documents of a dataset.

    Attributes:
        dataset: The dataset: a known name, a path in the data folder, or the path of a file.
        options: Options of the extraction; the method is that of `mderank.extract` if none is named. ``method`` may
            also be ``"oracle"``.
        limit: Use only the first ``limit`` documents.
        documents: Use only the documents with these ids.
        text: ``"paper"``, the paper's input: 512 words and tokens, and its own use of titles. ``"full"``: title and
            full text. Default: ``"paper"``, but ``"full"`` for judged datasets and for those that are not English.

    >>> RunSpec("nus", Options(method="mderank", max_words=128), limit=20).command()
    'mderank evaluate --dataset nus --method mderank --max-words 128 --limit 20'
    """

    dataset: str
    options: Options = field(default_factory=Options)
    limit: int | None = None
    documents: tuple[str, ...] = ()
    text: TextKind | None = None

    def command(self) -> str:
        """Return the shell command that makes this run."""
        return shlex.join(["mderank", "evaluate", *self._arguments()])

    def _arguments(self) -> Iterator[str]:
        yield from ("--dataset", self.dataset, "--method", self.options.method)
        yield from self.options.arguments(without=("method",))
        if self.limit is not None:
            yield from ("--limit", str(self.limit))
        for document in self.documents:
            yield from ("--document", document)
        if self.text is not None:
            yield from ("--text", self.text)

    def choose_text(self, dataset: Dataset) -> TextKind:
        """Choose the text that is read.

        Args:
            dataset: The dataset.

        Returns:
            ``text``, or the default for this kind of dataset.

        Raises:
            OptionError: If the paper's input is asked for on a judged dataset, or on one that is not English.

        """
        if dataset.judged and self.text == "paper":
            raise OptionError(
                f"text 'paper': {dataset.name} is judged as users read it, and the paper's cuts are for the paper's "
                "datasets; leave it out, or use 'full'"
            )
        if not dataset.english and self.text == "paper":
            raise OptionError(
                f"text 'paper': {dataset.name} has documents that are not English, and the paper's input is English; "
                "leave it out, or use 'full'"
            )
        return self.text or ("full" if dataset.judged or not dataset.english else "paper")

    def resolve(self, dataset: Dataset) -> Options:
        """Fill in the defaults of evaluations. The result is recorded in ``run.json``.

        A run keeps the whole ranking and merges only forms that differ in case, as in the paper: protocols
        de-duplicate. spaCy tags English texts, unless another tagger or a language is named. Other texts are read in
        the dataset's language by what is installed for it; if there are several, each text's language is detected. On
        judged datasets the method runs as it does for users. On the paper's input the options that are not given take
        the paper's values.

        Args:
            dataset: The dataset.

        Returns:
            The options that the extractor is built with.

        Raises:
            OptionError: If the paper's input is asked for on a judged dataset.

        """
        paper = self.choose_text(dataset) == "paper"
        options = self.options
        if not dataset.judged:
            options = replace(options, top_k=0, dedupe=options.dedupe or PAPER.dedupe)
        if paper:
            options = replace(options, **_paper_input(options))
        if not dataset.judged and (options.tokenizer, options.tagger, options.language) == (None, None, None):
            if dataset.english:
                options = replace(options, tagger=SPACY)
            elif len(dataset.languages) == 1:
                options = replace(options, language=dataset.languages[0])
        return options

    def make_texts(self, dataset: Dataset) -> list[LabelledText]:
        """Return the texts of the run.

        Args:
            dataset: The dataset.

        Returns:
            The texts, in the dataset's order.

        Raises:
            InputError: If the dataset does not have a document that is asked for.
            OptionError: If the paper's input is asked for on a judged dataset.

        """
        missing = set(self.documents).difference(document.id for document in dataset.documents)
        if missing:
            raise InputError(f"{dataset.name} has no document {', '.join(sorted(missing))}: see the ids in its file")
        paper = self.choose_text(dataset) == "paper"
        return [
            LabelledText(
                each.id,
                paper_text(dataset.info, each) if paper else full_text(each),
                each.keyphrases,
                each.junk,
                each.kind,
                each.language,
            )
            for each in dataset.documents[: self.limit]
            if not self.documents or each.id in self.documents
        ]

    def make_label(self, model: str = "", *, with_limit: bool = False) -> str:
        """Return the label of the run: the method and the options that are given.

        Args:
            model: The name of the encoder in the label.
            with_limit: Whether the label names the limit.

        Returns:
            The label. It is also the name of the run's folder.

        >>> RunSpec("nus", Options(method="textrank", max_words=128, params={"window": 5})).make_label()
        'textrank-max_words=128-window=5'
        """
        preset, given = _relate_to_preset(self.options)
        parts = [
            self.options.method,
            *([] if preset is None else [f"preset={preset}"]),
            *(_format_part(name, given[name], model) for name in _NAMED if name in given),
            *(f"{name}={value}" for name, value in self.options.params.items()),
            *(f"document={each}" for each in self.documents),
            *([f"limit={self.limit}"] if with_limit and self.limit is not None else []),
        ]
        return "-".join(part.replace("/", "_") for part in parts)


def find_method(name: str) -> Method:
    """Return a method by its name; the oracle is one of them.

    Args:
        name: The name.

    Returns:
        The method.

    Raises:
        OptionError: If there is no such method.

    """
    return ORACLE if name == ORACLE.name else get_method(name)


def _paper_input(options: Options) -> dict[str, Any]:
    """Return the paper's values of options that are not given: words, tokens, phrase length, tokenizer."""
    from mderank.candidates import Terms

    method = find_method(options.method)
    own = default_candidates(method)
    names = ["max_words", "max_tokens"]
    # Candidates of the class Terms are made for the words of our own tokenizer, as is the bundled tagger.
    if not isinstance(own, Terms) and options.tagger != ENCODER:
        names.append("tokenizer")
    if _uses_noun_phrases(method, options):
        names.append("max_phrase_words")
    return {name: getattr(PAPER, name) for name in names if getattr(options, name) is None and takes(method, name)}


def _uses_noun_phrases(method: Method, options: Options) -> bool:
    """Return whether the candidates will be noun phrases, whose length the paper does not limit."""
    from mderank.candidates import Terms

    if any(each is not None for each in (options.ngrams, options.phrases, options.vocabulary)):
        return False
    own = default_candidates(method)
    if options.pattern is not None or own is BaseExtractor.default_candidates:
        return True
    return not isinstance(own, Terms) and bool(options.stop_words) and "stop_words" not in method.options


def _relate_to_preset(options: Options) -> tuple[str | None, dict[str, Any]]:
    """Return the preset of the method from which fewest options differ, and those that do.

    Without a preset, the options that differ from their defaults are returned.
    """
    related: list[tuple[str | None, dict[str, Any]]] = [(None, options.given())]
    for name, preset in PRESETS.items():
        if preset.method == options.method:
            names = {*options.given(), *preset.given()} - {"dedupe"}  # evaluations have the paper's value anyway
            differing = {each: getattr(options, each) for each in names}
            kept = {each: value for each, value in differing.items() if value != getattr(preset, each)}
            related.append((name, kept))
    return min(related, key=lambda pair: len(pair[1]) + (pair[0] is not None))


def _format_part(name: str, value: Any, model: str) -> str:
    """Return an option's part of a label."""
    if name == "model":
        return f"model={model or Path(str(value)).name}"
    if isinstance(value, tuple) and name == "phrases":
        return f"phrases={hashlib.sha256(repr(value).encode()).hexdigest()[:8]}"
    return name if value is True else f"{name}={Path(str(value)).name}"
