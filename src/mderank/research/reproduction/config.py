"""The means of a reproduction: encoders, numbers of documents, modes. It makes the specifications of runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import ceil
from typing import Any, Literal

from mderank.encoding import BUNDLED_MODEL
from mderank.options import Options
from mderank.research.evaluation.naming import short_name
from mderank.research.evaluation.spec import RunSpec

Mode = Literal["exact", "one pass"]
MODES: tuple[Mode, ...] = ("exact", "one pass")
SAMPLINGS = ("ab", "re")  # KPEBERT by sampling
TEACHERS = ("yake", "textrank")  # KPEBERT by the method that made its labels
NO_LIMIT = 1_000_000  # words and tokens: nothing is cut
PAPER_LAYERS = (3, 6, 12)


@dataclass(frozen=True)
class EncoderInfo:
    """An encoder, as far as the specifications of runs depend on it.

    Attributes:
        name: Its name or folder.
        layers: Number of layers.
        one_pass: Whether it can encode all masks in one pass.
        pooling: Its own pooling.
        max_length: Most tokens that it takes.

    """

    name: str
    layers: int
    one_pass: bool = True
    pooling: str = "max"
    max_length: int = 512

    @property
    def title(self) -> str:
        """Its name, or that of its folder.

        >>> EncoderInfo("runs/kpe-ab/model", 6).title, EncoderInfo("org/bert", 12).title
        ('kpe-ab/model', 'bert')
        """
        return short_name(self.name)

    def depths(self) -> tuple[int, int, int]:
        """Return the layers in place of the paper's 3, 6 and 12 of 12.

        >>> EncoderInfo("minilm-l6", 6).depths(), EncoderInfo("bert-base-uncased", 12).depths()
        ((2, 3, 6), (3, 6, 12))
        """
        return ceil(self.layers / 4), ceil(self.layers / 2), self.layers


@dataclass(frozen=True)
class Limits:
    """The largest number of documents per dataset.

    Attributes:
        default: The limit of all datasets that have none of their own; None sets no limit.
        by_dataset: The limits of single datasets.

    """

    default: int | None = None
    by_dataset: Mapping[str, int] = field(default_factory=dict)

    def get(self, dataset: str) -> int | None:
        """Return the limit of a dataset."""
        return self.by_dataset.get(dataset, self.default)

    def __str__(self) -> str:
        """Return the limits in words; an empty text if there are none.

        >>> print(Limits(15, {"inspec": 100}))
        the first 15 documents of each dataset, 100 of inspec
        """
        default = "" if self.default is None else f"the first {self.default} documents of each dataset"
        single = [f"{number} of {name}" for name, number in self.by_dataset.items()]
        if single and self.default is None:
            single[0] = f"the first {single[0]}"
        return ", ".join(filter(None, (default, *single)))


@dataclass(frozen=True)
class ReproductionConfig:
    """The means of a reproduction.

    Attributes:
        encoder: The encoder in place of the paper's BERT.
        kpe: Encoders trained for keyphrases, by sampling (``ab``, ``re``) or by teacher (``yake``, ``textrank``).
        long_encoder: The encoder in place of the paper's BigBird.
        elmo: Folder with ELMo's files, for SIFRank.
        sent2vec: File of a Sent2Vec model, for EmbedRank.
        modes: The modes of MDERank that are run.
        limit: Documents per dataset.
        exact_limit: Documents per dataset in exact mode.
        device: Device of torch models.
        dtype: Number type of torch models.

    """

    encoder: EncoderInfo
    kpe: Mapping[str, EncoderInfo] = field(default_factory=dict)
    long_encoder: EncoderInfo | None = None
    elmo: str | None = None
    sent2vec: str | None = None
    modes: tuple[Mode, ...] = MODES
    limit: Limits = field(default_factory=Limits)
    exact_limit: Limits = field(default_factory=Limits)
    device: str | None = None
    dtype: str | None = None

    def modes_of(self, model: EncoderInfo) -> tuple[Mode, ...]:
        """Return the modes of MDERank that are run with an encoder. Some encoders support exact mode only."""
        return self.modes if model.one_pass else ("exact",)

    def kpe_by(self, name: str) -> EncoderInfo | None:
        """Return the encoder trained by a sampling or a teacher. YAKE taught ``ab``, unless another is given."""
        return self.kpe.get(name) or (self.kpe.get("ab") if name == "yake" else None)

    def mderank(
        self,
        dataset: str,
        mode: Mode,
        *,
        encoder: EncoderInfo | None = None,
        document: str | None = None,
        **options: Any,
    ) -> RunSpec:
        """Specify a run of MDERank.

        Args:
            dataset: The dataset.
            mode: Exact, or in one pass.
            encoder: The encoder. Default: that of this configuration.
            document: The id of the only document, if not all are run.
            **options: Further fields of `Options`.

        Returns:
            The run.

        """
        options = {**options, "exact": mode == "exact"}
        return self._with_encoder(dataset, "mderank", encoder or self.encoder, options, document)

    def embedrank(self, dataset: str, *, encoder: EncoderInfo | None = None, **options: Any) -> RunSpec:
        """Specify a run of EmbedRank with the same encoder; arguments as for `mderank`."""
        return self._with_encoder(dataset, "embedrank", encoder or self.encoder, options)

    def sifrank(self, dataset: str, document: str | None = None) -> RunSpec:
        """Specify a run of SIFRank: with ELMo, as in its paper, or with the encoder in its place."""
        encoder = EncoderInfo(self.elmo, 2) if self.elmo else self.encoder
        return self._with_encoder(dataset, "sifrank", encoder, {}, document)

    def baseline(self, dataset: str, method: str, **options: Any) -> RunSpec:
        """Specify a run of a method without an encoder."""
        return RunSpec(dataset, Options(method=method, **options), self.limit.get(dataset))

    def _with_encoder(
        self, dataset: str, method: str, encoder: EncoderInfo, options: dict[str, Any], document: str | None = None
    ) -> RunSpec:
        model = None if encoder.name == BUNDLED_MODEL else encoder.name
        limits = (self.limit.get(dataset), self.exact_limit.get(dataset) if options.get("exact") else None)
        limit = min((each for each in limits if each is not None), default=None)
        chosen = Options(method=method, model=model, device=self.device, dtype=self.dtype, **options)  # type: ignore[arg-type]
        return RunSpec(dataset, chosen, limit) if document is None else RunSpec(dataset, chosen, documents=(document,))
