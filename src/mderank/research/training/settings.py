"""The settings of a recipe, by section: each with its type, default, range and description."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, Literal, get_type_hints

from mderank.encoding.base import PoolingName
from mderank.parameters import Param, Parameter, Params, unknown_name


def setting(default: Any, description: str, **param: Any) -> Any:
    """Declare a setting of a recipe's section.

    Args:
        default: Its default value.
        description: What it does, in a sentence or two.
        **param: Its range, as in `Param`.

    Returns:
        The field for a dataclass.
    """
    return field(default=default, metadata={"param": Param(help=description, **param)})


class Section:
    """A section of a recipe. Its settings are checked when it is made.

    Raises:
        OptionError: A setting has another type than its field, or is out of range.
    """

    def __post_init__(self) -> None:
        for name, parameter in section_parameters(type(self)).items():
            object.__setattr__(self, name, parameter.check(getattr(self, name)))

    @classmethod
    def parse(cls, given: Mapping[str, Any]) -> Any:
        """Make a section from plain data, as TOML has it.

        Args:
            given: The settings by name. Text stands for any value, as on the command line: ``"none"``, ``"7"``.

        Returns:
            The section.

        Raises:
            OptionError: A setting is unknown, of the wrong type or out of range.
        """
        known = section_parameters(cls)
        for name in given:
            if name not in known:
                raise unknown_name(f"setting of [{section_name(cls)}]", name, known)
        return cls(**{name: _read(known[name], value) for name, value in given.items()})


def _read(parameter: Parameter, value: Any) -> Any:
    if not isinstance(value, str):
        return value
    if isinstance(parameter.default, tuple):  # one file, one dataset
        return (value,)
    return parameter.parse(value)


@dataclass(frozen=True)
class ModelSettings(Section):
    """The encoder that is trained."""

    name: str = setting("", "A Hugging Face id, or a folder.")
    pooling: PoolingName | None = setting(None, "Pooling of MDERank's score. None: the one that suits the encoder.")
    dropout: bool = setting(
        False,
        "Whether to drop words and hidden states at random, as the encoder's configuration says. The change that a "
        "mask makes is small against that noise, so dropout is off unless a recipe follows the paper to the letter.",
    )
    frozen: tuple[str, ...] = setting((), "Parameters that begin with one of these are not trained: 'embeddings.'.")


@dataclass(frozen=True)
class CorpusSettings(Section):
    """The texts, which are cut into documents."""

    kind: Literal["wikitext", "texts"] = setting("wikitext", "WikiText's raw files, or texts of any kind.")
    files: tuple[str, ...] = setting(
        (),
        "Files, folders or patterns. They are searched in the current folder, in MDERANK_DATA_DIR, and beside the "
        "recipe.",
    )
    hub: str | None = setting(None, "A dataset of the Hugging Face hub, fetched if the files are not on this machine.")
    config: str | None = setting(None, "Configuration of the hub's dataset.")
    split: str = setting("train", "Split of the hub's dataset.")
    text_field: str = setting("text", "Field that holds the text.")
    min_words: int = setting(40, "A shorter text has hardly ten phrases to compare.", ge=1)
    max_words: int = setting(320, "Words between white space; English has about 1.4 tokens per word.", ge=2)
    limit: int | None = setting(None, "Largest number of documents.", ge=1)


@dataclass(frozen=True)
class LabelSettings(Section):
    """Pseudo labels: the candidates that another method θ ranks first."""

    method: str = setting("yake", "The method θ. The paper uses yake, and textrank in its table on the choice of θ.")
    candidates: Literal["own", "noun-phrases"] = setting(
        "own",
        "What θ ranks. own: its own phrases, of which those that are MDERank's candidates become labels, in θ's order. "
        "noun-phrases: MDERank's candidates.",
    )
    max_phrase_words: int | None = setting(8, "Most words of a candidate. None: no limit, as in the paper.", ge=1)
    keep: int = setting(20, "Labels per document. 20 is enough for both samplings, so that they share a cache.", ge=1)
    options: Params = setting(Params(), "Parameters of the method.")
    tagger: str | None = setting(None, "spaCy pipeline. None: English.")
    workers: int = setting(1, "Number of processes.", ge=1)


@dataclass(frozen=True)
class SamplingSettings(Section):
    """The pairs of phrases that are compared."""

    kind: Literal["absolute", "relative", "graded", "unlabelled"] = setting(
        "absolute",
        "absolute: a label ranks above a candidate that is not a label. relative: of two labels, the one that θ ranks "
        "higher is above. graded: both. unlabelled: any candidates, for objective.kind = 'distill'.",
    )
    labels: int | None = setting(
        None, "Number of labels. None: the paper's 10 for absolute, and 20 for the others.", ge=1
    )
    negatives: int | None = setting(
        None, "Most candidates that are not labels, drawn at random. None: all of them.", ge=1
    )
    disjoint: bool = setting(False, "Leave out candidates that share words with a label.")

    @property
    def label_count(self) -> int:
        """Number of θ's first candidates that are labels."""
        if self.kind == "unlabelled":
            return 0
        return self.labels if self.labels is not None else 10 if self.kind == "absolute" else 20


@dataclass(frozen=True)
class ObjectiveSettings(Section):
    """The loss that is minimised."""

    kind: Literal["one-pass", "triplet", "distill"] = setting(
        "one-pass",
        "one-pass: all pairs of a document from one forward pass. triplet: the paper's, one pair from three passes. "
        "distill: one pass learns the changes that the original encoder has in the exact form.",
    )
    loss: Literal["hinge", "listwise"] = setting(
        "hinge",
        "hinge: max(margin − (s⁺ − s⁻), 0), the mean over pairs. listwise: −log softmax of s⁺ among it and its s⁻.",
    )
    scale: Literal["cosine", "log", "standard"] = setting(
        "cosine",
        "The score s. cosine: 1 − cos, as in the paper; on long texts it is about 1e-4, so that a margin of 0.2 is "
        "never reached. log: its logarithm, for which ratios count. standard: 1 − cos less its mean over the "
        "document's phrases, in standard deviations.",
    )
    margin: float = setting(0.2, "Margin of the hinge loss; section 5.2 of the paper.", ge=0)
    temperature: float = setting(1.0, "Temperature of the listwise loss.", gt=0)
    mlm_weight: float = setting(
        0.0, "Weight λ of the masked language model's loss; the paper's is 0.1. It needs the model's own head.", ge=0
    )
    drift_weight: float = setting(
        0.0, "Weight of the distance from the original encoder, for encoders without such a head.", ge=0
    )
    drift_of: Literal["document", "states"] = setting(
        "document", "How drift is measured: 1 − cos of the document's embeddings, or the change of every hidden state."
    )


@dataclass(frozen=True)
class TrainingSettings(Section):
    """The optimisation: AdamW with SimCSE's settings."""

    seed: int = setting(42, "Random seed.", ge=0)
    batch: int = setting(
        32, "Documents per step, over all devices: the paper's 2 per device × 4 accumulated × 4 devices.", ge=1
    )
    device_batch: int = setting(2, "Documents that a device computes at once; the rest is accumulated.", ge=1)
    epochs: int = setting(10, "Passes over the corpus.", ge=1)
    steps: int | None = setting(None, "Number of steps, instead of epochs.", ge=1)
    learning_rate: float = setting(3e-5, "The highest learning rate.", gt=0)
    warmup: float = setting(
        0.0, "Share of the steps in which the rate rises; then it falls to 0 in a straight line.", ge=0
    )
    weight_decay: float = setting(0.0, "Weight decay of AdamW.", ge=0)
    clip: float = setting(1.0, "Largest norm of the gradient.", gt=0)
    max_tokens: int = setting(512, "Most tokens of a document, special tokens included.", ge=8)
    max_packed_tokens: int = setting(
        1280, "Most tokens of a packed sequence; candidates that are not labels and do not fit are left out.", ge=64
    )
    precision: Literal["no", "bf16", "fp16"] = setting("no", "Mixed precision of Accelerate.")
    device: Literal["auto", "cpu"] = setting("auto", "auto uses a GPU where there is one.")
    loaders: int = setting(0, "Processes that prepare documents; useful beside a GPU.", ge=0)


@dataclass(frozen=True)
class ValidationSettings(Section):
    """The measurements during training, and what they decide."""

    every: int = setting(200, "Steps between validations; 0: none.", ge=0)
    held_out: int = setting(
        100, "Documents of the corpus that are not trained on, for the loss and the share of ordered pairs.", ge=0
    )
    datasets: tuple[str, ...] = setting(
        (), "Labelled datasets by name or path, as for mderank evaluate: F1@5, F1@10, F1@15."
    )
    documents: int | None = setting(100, "Most documents per dataset.", ge=1)
    text: Literal["paper", "full"] = setting("paper", "The paper's input, or full documents.")
    protocol: str = setting("micro-stem", "How phrases are matched and documents averaged, as for mderank evaluate.")
    patience: int | None = setting(None, "Stop after so many validations without a better one.", ge=1)
    select: Literal["best", "last"] = setting(
        "best", "The published encoder: the best one measured, the untrained one included, or that of the last step."
    )
    monitor: Literal["f1", "accuracy"] | None = setting(
        None, "What is best: the mean F1, or the accuracy on held-out pairs. None: F1 if there are datasets."
    )

    @property
    def enabled(self) -> bool:
        """Whether anything is measured."""
        return bool(self.every and (self.datasets or self.held_out))


@dataclass(frozen=True)
class OutputSettings(Section):
    """The files that a run writes."""

    log_every: int = setting(10, "Steps between lines of the log.", ge=1)
    checkpoint_every: int = setting(200, "Steps between checkpoints.", ge=1)
    checkpoints: int = setting(2, "Number of checkpoints that are kept.", ge=1)
    tensorboard: bool = setting(True, "Write the log for TensorBoard too, if that is installed.")


SECTIONS: dict[str, type[Any]] = {
    "model": ModelSettings,
    "corpus": CorpusSettings,
    "labels": LabelSettings,
    "sampling": SamplingSettings,
    "objective": ObjectiveSettings,
    "training": TrainingSettings,
    "validation": ValidationSettings,
    "output": OutputSettings,
}


def section_name(section: type[Section]) -> str:
    """Return the name of a section in a recipe's file."""
    return next(name for name, kind in SECTIONS.items() if kind is section)


def section_parameters(section: type[Section]) -> dict[str, Parameter]:
    """Return the settings of a section by name, each with its type, default, range and description."""
    return _parameters(section)  # type: ignore[arg-type]  # mypy takes the class for its instance


@cache
def _parameters(section: type[Any]) -> dict[str, Parameter]:
    hints, prefix = get_type_hints(section), section_name(section)
    return {
        each.name: Parameter(f"{prefix}.{each.name}", hints[each.name], each.default, each.metadata["param"])
        for each in fields(section)
    }
