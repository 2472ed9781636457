"""A recipe: everything that a training run does, in one small TOML file.

Each setting has its reason beside it; the paper's own recipe is ``recipes/paper.toml``. A setting that is left out has
the value given here. ``Recipe.load("paper")`` finds those that come with the package.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from mderank.encoding.base import PoolingName
from mderank.errors import InputError, OptionError
from mderank.util.files import Differences, find_differences

RECIPES = Path(__file__).parent / "recipes"


@dataclass(frozen=True)
class Model:
    """The encoder to begin with."""

    name: str = ""  # a hub name, or a folder
    pooling: PoolingName | None = None  # of MDERank's score; none: what suits the encoder
    # In training words and states are dropped at random, as the encoder's own configuration says. The change that a
    # mask makes is small against that noise, so it is off unless the recipe follows the paper to the letter.
    dropout: bool = False
    frozen: tuple[str, ...] = ()  # parameters that begin with one of these stay as they are, e.g. "embeddings."


@dataclass(frozen=True)
class Corpus:
    """The texts, cut into documents."""

    kind: Literal["wikitext", "texts"] = "wikitext"
    # Files, folders or patterns, from where the command is run, from MDERANK_DATA_DIR, or from the recipe's folder.
    files: tuple[str, ...] = ()
    hub: str | None = None  # a dataset of the Hugging Face hub, fetched if no files are named or they are not there
    config: str | None = None
    split: str = "train"
    text_field: str = "text"
    min_words: int = 40  # a shorter text has hardly ten phrases to tell from others
    max_words: int = 320  # words between white space; English has about 1.4 word pieces a word
    limit: int | None = None  # documents


@dataclass(frozen=True)
class Labels:
    """Pseudo labels: the candidates that another method θ ranks first."""

    method: str = "yake"  # the paper's choice; its table on the choice of θ also has textrank
    # What θ ranks. own: its own phrases, of which those that are MDERank's candidates become labels, in θ's order.
    # noun-phrases: MDERank's candidates.
    candidates: Literal["own", "noun-phrases"] = "own"
    max_phrase_words: int | None = 8  # of a candidate; none: no limit, as in the paper
    keep: int = 20  # labels per document that are kept: enough for both samplings, so that they share one cache
    options: dict[str, Any] = field(default_factory=dict)  # of the method
    tagger: str | None = None
    workers: int = 1  # processes


@dataclass(frozen=True)
class Sampling:
    """Which phrases are compared."""

    # absolute: a label is above a candidate that is none. relative: of two labels, the one that θ ranks higher is
    # above. graded: both. unlabelled: any candidates; labels do not matter (objective.kind = "distill").
    kind: Literal["absolute", "relative", "graded", "unlabelled"] = "absolute"
    labels: int | None = None  # none: the paper's 10 for absolute and 20 for the others
    negatives: int | None = None  # at most so many candidates that are no labels, drawn at random; none: all
    disjoint: bool = False  # leave out candidates that share words with a label

    @property
    def places(self) -> int:
        """How many ranks of θ are labels."""
        if self.kind == "unlabelled":
            return 0
        return self.labels if self.labels is not None else 10 if self.kind == "absolute" else 20


@dataclass(frozen=True)
class Objective:
    """What is minimised."""

    # one-pass: all pairs of a document from one forward pass. triplet: the paper's, one pair from three passes.
    # distill: one pass learns the changes that the original encoder has in the exact form.
    kind: Literal["one-pass", "triplet", "distill"] = "one-pass"
    # hinge: max(margin − (s⁺ − s⁻), 0), the mean over pairs. listwise: −log softmax of s⁺ among it and its s⁻.
    loss: Literal["hinge", "listwise"] = "hinge"
    # What s is. cosine: 1 − cos, as in the paper; on long texts it is about 1e-4, so that a margin of 0.2 is never
    # reached. log: its logarithm, for which a factor counts, not a difference. standard: 1 − cos less its mean over
    # the document's phrases, in standard deviations.
    scale: Literal["cosine", "log", "standard"] = "cosine"
    margin: float = 0.2  # section 5.2
    temperature: float = 1.0  # of listwise
    mlm: float = 0.0  # λ of the masked language model's loss; the paper's is 0.1; needs the model's own head
    stay: float = 0.0  # λ of the distance from where the encoder began, for encoders without such a head
    stay_to: Literal["document", "states"] = "document"  # 1 − cos of the documents' embeddings, or of every state


@dataclass(frozen=True)
class Training:
    """How it is minimised: AdamW, as SimCSE's."""

    seed: int = 42
    batch: int = 32  # documents a step, over all devices: the paper's 2 a device × 4 accumulated × 4 devices
    device_batch: int = 2  # documents that a device computes at once; the rest is accumulated
    epochs: int = 10
    steps: int | None = None  # instead of epochs
    learning_rate: float = 3e-5
    warmup: float = 0.0  # share of the steps in which the rate rises to it; then it falls to 0 in a straight line
    weight_decay: float = 0.0
    clip: float = 1.0  # largest norm of the gradient
    max_pieces: int = 512  # word pieces of a document, special ones among them
    longest: int = 1280  # tokens of a packed sequence; candidates that are no labels and do not fit are left out
    precision: Literal["no", "bf16", "fp16"] = "no"
    device: Literal["auto", "cpu"] = "auto"
    loaders: int = 0  # processes that prepare documents; worth it beside a GPU


@dataclass(frozen=True)
class Validation:
    """What is measured on the way, and what it decides."""

    every: int = 200  # steps; 0: never
    held_out: int = 100  # documents of the corpus that are not trained on: loss, and share of pairs in the right order
    sets: tuple[str, ...] = ()  # labelled sets by name or path, as for mderank evaluate: F1@5, F1@10, F1@15
    documents: int | None = 100  # of each set
    text: Literal["paper", "whole"] = "paper"
    protocol: str = "micro-stem"
    patience: int | None = None  # stop after so many validations without a better one
    # Which encoder is published. best: the best one measured, the untrained one included. last: that of the last step.
    select: Literal["best", "last"] = "best"
    # What "better" is: the mean F1 over sets and ranks, or the accuracy on held-out pairs. none: F1 if there are sets.
    monitor: Literal["f1", "accuracy"] | None = None


@dataclass(frozen=True)
class Output:
    """What is written, and when."""

    log_every: int = 10  # steps
    checkpoint_every: int = 200  # steps
    checkpoints: int = 2  # of the last ones, how many are kept
    tensorboard: bool = True  # if it is installed


# Settings that do not change the result: a run may go on with others.
FREE = ("labels.workers", "training.device_batch", "training.loaders", "training.device", "output.")


@dataclass(frozen=True)
class Recipe:
    """All settings of a run."""

    model: Model = field(default_factory=Model)
    corpus: Corpus = field(default_factory=Corpus)
    labels: Labels = field(default_factory=Labels)
    sampling: Sampling = field(default_factory=Sampling)
    objective: Objective = field(default_factory=Objective)
    training: Training = field(default_factory=Training)
    validation: Validation = field(default_factory=Validation)
    output: Output = field(default_factory=Output)
    folder: Path = field(default=Path(), compare=False)  # of the recipe's file

    def __post_init__(self) -> None:
        _check(self)

    @classmethod
    def load(cls, name_or_file: str | Path, changes: Iterable[str] = (), texts: Iterable[str] = ()) -> Recipe:
        """The recipe in a file, or the one of that name.

        Args:
            name_or_file: a TOML file, or the name of a recipe that comes with the package.
            changes: settings with other values, such as ``training.seed=7``.
            texts: files, folders or patterns of texts, in place of the recipe's corpus.
        """
        file = _find(name_or_file)
        try:
            data = tomllib.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{file} is not TOML: {error}") from error
        if texts := list(texts):
            data["corpus"] = _own_corpus(data.get("corpus")) | {"kind": "texts", "files": texts}
        for change in changes:
            _change(data, change)
        return cls.parse(data, str(file), file.parent)

    @classmethod
    def parse(cls, data: dict[str, Any], place: str = "the recipe", folder: Path = Path()) -> Recipe:
        """The recipe that plain data stands for; what is unknown or of the wrong kind is named."""
        _known(data, _SECTIONS, f"{place}: there is no section")
        sections = {}
        for name, section in data.items():
            if not isinstance(section, dict):
                raise OptionError(f"{place}: '{name}' is a section: write [{name}], and its settings below")
            sections[name] = _section(_SECTIONS[name], name, section, place)
        try:
            return cls(**sections, folder=folder)
        except OptionError as error:
            raise OptionError(f"{place}: {error}") from error

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Plain data for JSON, all settings."""
        plain: dict[str, dict[str, Any]] = json.loads(json.dumps({n: asdict(getattr(self, n)) for n in _SECTIONS}))
        return plain

    def as_toml(self) -> str:
        """The file that stands for it."""
        lines = []
        for name, section in self.as_dict().items():
            lines.append(f"[{name}]")
            default = asdict(_SECTIONS[name]())
            lines += [f"{key} = {_toml(value)}" for key, value in section.items() if value is not None]
            lines += [f'{key} = "none"' for key, value in section.items() if value is None is not default[key]]
            lines.append("")
        return "\n".join(lines)

    def differences(self, other: Mapping[str, Any]) -> Differences:
        """Find the settings that change the result and are not those of another recipe.

        Args:
            other: The other recipe as plain data. A setting that it does not have is at its default.

        Returns:
            The other recipe's value and this one's, by ``section.key``.
        """
        every = json.loads(json.dumps({name: asdict(kind()) for name, kind in _SECTIONS.items()}))
        complete = {name: every.get(name, {}) | other.get(name, {}) for name in {*every, *other}}
        found = find_differences(complete, self.as_dict())
        return {path: values for path, values in found.items() if not path.startswith(FREE)}


_SECTIONS: dict[str, type[Any]] = {
    "model": Model,
    "corpus": Corpus,
    "labels": Labels,
    "sampling": Sampling,
    "objective": Objective,
    "training": Training,
    "validation": Validation,
    "output": Output,
}


def shipped() -> list[str]:
    """The names of the recipes that come with the package."""
    return sorted(file.stem for file in RECIPES.glob("*.toml"))


def _find(name_or_file: str | Path) -> Path:
    name = str(name_or_file)
    if name in shipped():
        return RECIPES / f"{name}.toml"
    file = Path(name_or_file)
    if not file.is_file():
        raise InputError(f"there is no recipe '{name}': name a TOML file, or one of {', '.join(shipped())}")
    return file


def _change(data: dict[str, Any], change: str) -> None:
    """Set ``section.key`` to a value, written as in TOML; a bare word is a text."""
    path, equals, text = change.partition("=")
    section, point, key = path.strip().partition(".")
    if not (equals and point and key):
        raise OptionError(f"'{change}' changes nothing: write SECTION.KEY=VALUE, e.g. training.seed=7")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    place = data.setdefault(section, {})
    *tables, last = key.split(".")
    for table in tables:
        place = place.setdefault(table, {})
    if not isinstance(place, dict):
        raise OptionError(f"'{change}': '{section}' has no settings below it")
    if path.strip() == "corpus.files":  # a path that does not exist must not be replaced by a dataset of the hub
        place = data[section] = _own_corpus(place)
    place[last] = value


def _own_corpus(corpus: Any) -> dict[str, Any]:
    """The recipe's corpus section without its texts, for others to take their place."""
    given = corpus if isinstance(corpus, dict) else {}
    return {key: value for key, value in given.items() if key not in ("files", "hub", "config", "split")}


def _known(given: Iterable[str], valid: Iterable[str], complaint: str) -> None:
    for name in given:
        if name not in valid:
            raise OptionError(f"{complaint} '{name}': it is one of {', '.join(valid)}")


def _section(kind: type[Any], name: str, given: dict[str, Any], place: str) -> Any:
    hints = get_type_hints(kind)
    _known(given, hints, f"{place}: [{name}] has no setting")
    values = {}
    for key, value in given.items():
        try:
            values[key] = _as(hints[key], value)
        except TypeError:
            raise OptionError(f"{place}: {name}.{key} is {_describe(hints[key])}, not {value!r}") from None
    return kind(**values)


def _as(hint: Any, value: Any) -> Any:
    """``value`` as the hint wants it; TypeError if it cannot be that."""
    if get_origin(hint) in (Union, UnionType):
        if isinstance(value, str) and value.lower() == "none" and NoneType in get_args(hint):
            return None
        hint = next(kind for kind in get_args(hint) if kind is not NoneType)
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise TypeError
        return value
    if get_origin(hint) is tuple:
        texts = [value] if isinstance(value, str) else value
        if not isinstance(texts, list) or not all(isinstance(each, str) for each in texts):
            raise TypeError
        return tuple(texts)
    if get_origin(hint) is dict:
        hint = dict
    if hint is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, hint) or (isinstance(value, bool) and hint is not bool):
        raise TypeError
    return value


def _describe(hint: Any) -> str:
    if get_origin(hint) in (Union, UnionType):
        return " or ".join("none" if kind is NoneType else _describe(kind) for kind in get_args(hint))
    if get_origin(hint) is Literal:
        return "one of " + ", ".join(map(str, get_args(hint)))
    words = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}
    return words.get(hint, "a list of texts" if get_origin(hint) is tuple else "a table")


def _check(recipe: Recipe) -> None:
    """Refuse what cannot be done, before anything is computed."""
    least = {
        "corpus.min_words": 1,
        "corpus.max_words": 2,
        "corpus.limit": 1,
        "labels.keep": 1,
        "labels.max_phrase_words": 1,
        "labels.workers": 1,
        "sampling.labels": 1,
        "sampling.negatives": 1,
        "objective.margin": 0,
        "objective.mlm": 0,
        "objective.stay": 0,
        "training.seed": 0,
        "training.batch": 1,
        "training.device_batch": 1,
        "training.epochs": 1,
        "training.steps": 1,
        "training.warmup": 0,
        "training.weight_decay": 0,
        "training.max_pieces": 8,
        "training.longest": 64,
        "training.loaders": 0,
        "validation.every": 0,
        "validation.held_out": 0,
        "validation.documents": 1,
        "validation.patience": 1,
        "output.log_every": 1,
        "output.checkpoint_every": 1,
        "output.checkpoints": 1,
    }
    for path, bound in least.items():
        value = _value(recipe, path)
        if value is not None and value < bound:
            raise OptionError(f"{path} must be at least {bound}, not {value}")
    for path in ("training.learning_rate", "training.clip", "objective.temperature"):
        if _value(recipe, path) <= 0:
            raise OptionError(f"{path} must be above 0, not {_value(recipe, path)}")
    _check_together(recipe)


def _check_together(recipe: Recipe) -> None:
    corpus, objective, validation = recipe.corpus, recipe.objective, recipe.validation
    if corpus.min_words >= corpus.max_words:
        raise OptionError(f"corpus.min_words ({corpus.min_words}) must be below max_words ({corpus.max_words})")
    if recipe.sampling.places > recipe.labels.keep:
        raise OptionError(f"sampling.labels ({recipe.sampling.places}) is more than labels.keep ({recipe.labels.keep})")
    if recipe.training.warmup >= 1:
        raise OptionError("training.warmup is a share of the steps: it must be below 1")
    if objective.kind == "triplet" and (objective.loss, objective.scale) not in (("hinge", "cosine"), ("hinge", "log")):
        raise OptionError(
            "objective: a triplet has one pair, for which there is loss = 'hinge', scale = 'cosine' or 'log'"
        )
    if (objective.kind == "distill") != (recipe.sampling.kind == "unlabelled"):
        raise OptionError(
            "objective.kind = 'distill' and sampling.kind = 'unlabelled' belong together: distillation has no labels"
        )
    if objective.kind != "triplet" and recipe.model.pooling == "cls":
        raise OptionError("model.pooling = 'cls' exists in the exact form only: objective.kind = 'triplet'")
    if validation.monitor == "f1" and not validation.sets:
        raise OptionError("validation.monitor = 'f1' needs validation.sets")
    if validation.monitor == "accuracy" and not validation.held_out:
        raise OptionError("validation.monitor = 'accuracy' needs validation.held_out")
    if validation.patience and not (validation.every and (validation.sets or validation.held_out)):
        raise OptionError("validation.patience needs validation.every, and sets or held_out")


def _value(recipe: Recipe, path: str) -> Any:
    section, _, key = path.partition(".")
    return getattr(getattr(recipe, section), key)


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # JSON writes texts and numbers as TOML does, but for DEL, which no setting has.
    return json.dumps(value, ensure_ascii=False)
