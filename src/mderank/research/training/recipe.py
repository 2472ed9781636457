"""A recipe: all settings of a training run, in one small TOML file.

The paper's own recipe is ``recipes/paper.toml``. `Recipe.load("paper")` finds the recipes that come with the package.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mderank.errors import InputError, OptionError
from mderank.parameters import Params, unknown_name
from mderank.research.training.settings import (
    SECTIONS,
    CorpusSettings,
    LabelSettings,
    ModelSettings,
    ObjectiveSettings,
    OutputSettings,
    SamplingSettings,
    Section,
    TrainingSettings,
    ValidationSettings,
    section_parameters,
)
from mderank.util.files import Differences, find_differences

RECIPES = Path(__file__).parent / "recipes"

# Settings that do not change the result: a run may resume with other values.
FREE = ("labels.workers", "training.device_batch", "training.loaders", "training.device", "output.")


@dataclass(frozen=True)
class Recipe:
    """All settings of a training run.

    Attributes:
        model: The encoder.
        corpus: The texts.
        labels: The pseudo labels.
        sampling: The pairs of phrases.
        objective: The loss.
        training: The optimisation.
        validation: The measurements.
        output: The files.
        folder: The folder of the recipe's file, which relative paths may refer to.

    Raises:
        OptionError: Two settings exclude each other.
    """

    model: ModelSettings = field(default_factory=ModelSettings)
    corpus: CorpusSettings = field(default_factory=CorpusSettings)
    labels: LabelSettings = field(default_factory=LabelSettings)
    sampling: SamplingSettings = field(default_factory=SamplingSettings)
    objective: ObjectiveSettings = field(default_factory=ObjectiveSettings)
    training: TrainingSettings = field(default_factory=TrainingSettings)
    validation: ValidationSettings = field(default_factory=ValidationSettings)
    output: OutputSettings = field(default_factory=OutputSettings)
    folder: Path = field(default=Path(), compare=False)

    def __post_init__(self) -> None:
        _check_together(self)

    @classmethod
    def load(cls, name_or_file: str | Path, changes: Iterable[str] = (), texts: Iterable[str] = ()) -> Recipe:
        """Load a recipe by its name, or from a file.

        Args:
            name_or_file: A TOML file, or the name of a recipe that comes with the package.
            changes: Settings with other values, such as ``training.seed=7``.
            texts: Files, folders or patterns of texts, in place of the recipe's corpus.

        Returns:
            The recipe.

        Raises:
            InputError: There is no such recipe, or the file is not TOML.
            OptionError: A setting is unknown, of the wrong type or out of range.
        """
        file = _find(name_or_file)
        try:
            data = tomllib.loads(file.read_text(encoding="utf-8"))
        except OSError as error:
            raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{file} is not TOML: {error}") from error
        if texts := list(texts):
            data["corpus"] = _without_texts(data.get("corpus")) | {"kind": "texts", "files": texts}
        for change in changes:
            _change(data, change)
        try:
            return cls.parse(data, file.parent)
        except OptionError as error:
            raise OptionError(f"{file}: {error}") from error

    @classmethod
    def parse(cls, data: Mapping[str, Any], folder: Path = Path()) -> Recipe:
        """Make a recipe from plain data, as TOML has it.

        Args:
            data: The settings by section and name.
            folder: The folder that relative paths may refer to.

        Returns:
            The recipe.

        Raises:
            OptionError: A setting is unknown, of the wrong type or out of range.
        """
        sections = {}
        for name, section in data.items():
            if name not in SECTIONS:
                raise unknown_name("section", name, SECTIONS)
            if not isinstance(section, Mapping):
                raise OptionError(f"'{name}' is a section: write [{name}], and its settings below")
            sections[name] = SECTIONS[name].parse(section)
        return cls(**sections, folder=folder)

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Return all settings as plain data for JSON, by section and name."""
        return {name: _plain(getattr(self, name)) for name in SECTIONS}

    def as_toml(self) -> str:
        """Return all settings as a TOML file, from which `load` makes the same recipe."""
        lines = []
        for name, section in self.as_dict().items():
            lines.append(f"[{name}]")
            default = _plain(SECTIONS[name]())
            lines += [f"{key} = {_toml(value)}" for key, value in section.items() if value is not None]
            lines += [f'{key} = "none"' for key, value in section.items() if value is None is not default[key]]
            lines.append("")
        return "\n".join(lines)

    def differences(self, other: Mapping[str, Any]) -> Differences:
        """Find the settings that change the result and differ from those of another recipe.

        Args:
            other: The other recipe as plain data. A setting that it does not have is at its default.

        Returns:
            The other recipe's value and this one's, by ``section.key``.
        """
        every = {name: _plain(section()) for name, section in SECTIONS.items()}
        complete = {name: every.get(name, {}) | other.get(name, {}) for name in {*every, *other}}
        found = find_differences(complete, self.as_dict())
        return {path: values for path, values in found.items() if not path.startswith(FREE)}


def recipe_names() -> list[str]:
    """Return the names of the recipes that come with the package."""
    return sorted(file.stem for file in RECIPES.glob("*.toml"))


def _find(name_or_file: str | Path) -> Path:
    name = str(name_or_file)
    if name in recipe_names():
        return RECIPES / f"{name}.toml"
    file = Path(name_or_file)
    if not file.is_file():
        raise InputError(f"there is no recipe '{name}': name a TOML file, or one of {', '.join(recipe_names())}")
    return file


def _change(data: dict[str, Any], change: str) -> None:
    """Set ``section.key`` to a value, written as in TOML; a bare word is text."""
    path, equals, text = change.partition("=")
    section, point, key = path.strip().partition(".")
    if not (equals and point and key):
        raise OptionError(f"'{change}' changes nothing: write SECTION.KEY=VALUE, e.g. training.seed=7")
    try:
        value = tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        value = text.strip()
    table = data.setdefault(section, {})
    *tables, last = key.split(".")
    for inner in tables:
        table = table.setdefault(inner, {})
    if not isinstance(table, dict):
        raise OptionError(f"'{change}': '{section}' has no settings below it")
    if path.strip() == "corpus.files":  # a path that does not exist must not be replaced by a dataset of the hub
        table = data[section] = _without_texts(table)
    table[last] = value


def _without_texts(corpus: Any) -> dict[str, Any]:
    """Return a corpus section without its texts, for others to take their place."""
    given = corpus if isinstance(corpus, dict) else {}
    return {key: value for key, value in given.items() if key not in ("files", "hub", "config", "split")}


def _check_together(recipe: Recipe) -> None:
    """Refuse settings that exclude each other, before anything is computed."""
    corpus, objective, validation = recipe.corpus, recipe.objective, recipe.validation
    if corpus.min_words >= corpus.max_words:
        raise OptionError(f"corpus.min_words ({corpus.min_words}) must be below max_words ({corpus.max_words})")
    if recipe.sampling.label_count > recipe.labels.keep:
        raise OptionError(
            f"sampling.labels ({recipe.sampling.label_count}) is more than labels.keep ({recipe.labels.keep})"
        )
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
        raise OptionError("model.pooling = 'cls' exists in the exact form only: set objective.kind = 'triplet'")
    if validation.monitor == "f1" and not validation.datasets:
        raise OptionError("validation.monitor = 'f1' needs validation.datasets")
    if validation.monitor == "accuracy" and not validation.held_out:
        raise OptionError("validation.monitor = 'accuracy' needs validation.held_out")
    if validation.patience and not validation.enabled:
        raise OptionError("validation.patience needs validation.every, and datasets or held_out")


def _plain(section: Section) -> dict[str, Any]:
    """Return a section's settings as JSON has them: lists and dictionaries."""
    values = {name: getattr(section, name) for name in section_parameters(type(section))}
    lists = {name: list(value) for name, value in values.items() if isinstance(value, tuple)}
    return values | lists | {name: dict(value) for name, value in values.items() if isinstance(value, Params)}


def _toml(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{key} = {_toml(each)}" for key, each in value.items()) + " }" if value else "{}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # JSON writes texts and numbers as TOML does, but for DEL, which no setting has.
    return json.dumps(value, ensure_ascii=False)
