"""What there is to reproduce with: the encoders, how much of the sets, and in which form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Literal

from mderank.encoding import BUNDLED_MODEL
from mderank.research.evaluation.naming import short_name
from mderank.research.reproduction.wanted import Wanted

Form = Literal["exact", "one pass"]
FORMS: tuple[Form, ...] = ("exact", "one pass")
SAMPLINGS = ("ab", "re")  # KPEBERT by sampling
TEACHERS = ("yake", "textrank")  # KPEBERT by the method that made its labels
EVERYTHING = "1000000"  # words and word pieces: nothing is cut
PAPER_LAYERS = (3, 6, 12)


@dataclass(frozen=True)
class Model:
    """What has to be known of an encoder to ask for runs with it."""

    name: str
    layers: int
    one_pass: bool = True
    pooling: str = "max"
    max_length: int = 512

    @property
    def title(self) -> str:
        """Its name, or that of its folder.

        >>> Model("runs/kpe-ab/model", 6).title, Model("runs/kpe-ab/onnx", 6).title, Model("org/bert", 12).title
        ('kpe-ab/model', 'kpe-ab/onnx', 'bert')
        """
        return short_name(self.name)

    def depths(self) -> tuple[int, int, int]:
        """The layers that stand for the paper's 3, 6 and 12 of 12.

        >>> Model("minilm-l6", 6).depths(), Model("bert-base-uncased", 12).depths()
        ((2, 3, 6), (3, 6, 12))
        """
        return ceil(self.layers / 4), ceil(self.layers / 2), self.layers


@dataclass(frozen=True)
class Limits:
    """How many documents of a set are run, at most."""

    every: int | None = None
    by_set: Mapping[str, int] = field(default_factory=dict)

    def of(self, dataset: str) -> int | None:
        """The limit for a set."""
        return self.by_set.get(dataset, self.every)

    def __str__(self) -> str:
        """In words, or nothing.

        >>> print(Limits(15, {"inspec": 100}))
        the first 15 documents of each set, 100 of inspec
        """
        every = "" if self.every is None else f"the first {self.every} documents of each set"
        single = [f"{number} of {name}" for name, number in self.by_set.items()]
        if single and self.every is None:
            single[0] = f"the first {single[0]}"
        return ", ".join(filter(None, (every, *single)))


@dataclass(frozen=True)
class Setup:
    """What is at hand.

    ``kpe`` has encoders trained for keyphrases, by sampling (``ab``, ``re``) or by what taught them (``yake``,
    ``textrank``); ``long_encoder`` stands for BigBird; ``elmo`` is a folder with ELMo's files and ``sent2vec`` the file
    of a model, for the baselines that need them. ``limit`` is the number of documents of a set, ``exact_limit`` that of
    runs in the exact form. ``further`` are options for every run with an encoder.
    """

    encoder: Model
    kpe: Mapping[str, Model] = field(default_factory=dict)
    long_encoder: Model | None = None
    elmo: str | None = None
    sent2vec: str | None = None
    forms: tuple[Form, ...] = FORMS
    limit: Limits = field(default_factory=Limits)
    exact_limit: Limits = field(default_factory=Limits)
    further: tuple[str, ...] = ()

    def forms_of(self, model: Model) -> tuple[Form, ...]:
        """The forms of MDERank to be had with an encoder: some can do the exact one only."""
        return self.forms if model.one_pass else ("exact",)

    def kpe_by(self, name: str) -> Model | None:
        """The encoder trained by a sampling, or by a method's labels: YAKE's, unless told, are the absolute one's."""
        return self.kpe.get(name) or (self.kpe.get("ab") if name == "yake" else None)

    def mderank(
        self, dataset: str, form: Form, *options: str, model: Model | None = None, document: str | None = None
    ) -> Wanted:
        """MDERank on a set."""
        exact = ("--exact",) if form == "exact" else ()
        return self._with_encoder(dataset, "mderank", model or self.encoder, (*options, *exact), document)

    def embedrank(self, dataset: str, *options: str, model: Model | None = None) -> Wanted:
        """EmbedRank on a set, with the same encoder."""
        return self._with_encoder(dataset, "embedrank", model or self.encoder, options)

    def sifrank(self, dataset: str, document: str | None = None) -> Wanted:
        """SIFRank on a set: with ELMo, as in its paper, or with the encoder in its place."""
        model = Model(self.elmo, 2) if self.elmo else self.encoder
        return self._with_encoder(dataset, "sifrank", model, (), document)

    def baseline(self, dataset: str, method: str, *options: str) -> Wanted:
        """A method without an encoder."""
        return Wanted(dataset, method, options, self.limit.of(dataset))

    def _with_encoder(
        self, dataset: str, method: str, model: Model, options: tuple[str, ...], document: str | None = None
    ) -> Wanted:
        named = () if model.name == BUNDLED_MODEL else ("--model", model.name)
        asked = (self.limit.of(dataset), self.exact_limit.of(dataset) if "--exact" in options else None)
        limit = min((each for each in asked if each is not None), default=None) if document is None else None
        return Wanted(dataset, method, (*named, *options, *self.further), limit, document)
