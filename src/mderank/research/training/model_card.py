"""The model card of a trained encoder: base model, corpus, labels, loss, measurements and recipe."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from mderank.encoding.base import PoolingName
from mderank.research.training.recipe import Recipe
from mderank.util.environment import versions
from mderank.util.tables import markdown_rows

_PACKAGES = ("torch", "transformers", "accelerate", "tokenizers", "spacy", "numpy")

_OBJECTIVES = {
    "one-pass": "all pairs of a document from one packed forward pass",
    "distill": "one packed pass learns the changes that the original encoder has in the exact form",
    "triplet": "the paper's triplets, one pair of a document from three passes",
}


@dataclass(frozen=True)
class CardFacts:
    """The facts of a model card beside the recipe.

    Attributes:
        corpus: Name of the corpus.
        documents: Number of documents that were trained on.
        held_out: Number of documents that were held out.
        steps: Number of steps of the whole run.
        steps_done: Number of steps until now.
        weights_of: The step whose weights these are.
        pooling: Pooling of the encoder.
        before: The measurements before the first step, by name.
        after: The measurements of these weights, by name.
    """

    corpus: str
    documents: int
    held_out: int
    steps: int
    steps_done: int
    weights_of: int
    pooling: PoolingName
    before: Mapping[str, float]
    after: Mapping[str, float]


def write_card(folder: Path, recipe: Recipe, facts: CardFacts) -> None:
    """Write the model card to ``README.md``.

    Args:
        folder: The encoder's folder.
        recipe: The recipe of the run.
        facts: What the run found out.

    Raises:
        OSError: The file cannot be written.
    """
    (folder / "README.md").write_text(format_card(recipe, facts), encoding="utf-8")


def format_card(recipe: Recipe, facts: CardFacts) -> str:
    """Return the model card as Markdown.

    Args:
        recipe: The recipe of the run.
        facts: What the run found out.

    Returns:
        The text of the card.
    """
    base = Path(recipe.model.name).name if Path(recipe.model.name).is_dir() else recipe.model.name
    lines = [
        "---",
        f"base_model: {base}",
        "library_name: transformers",
        "tags: [keyphrase-extraction, mderank, kpebert]",
        "---",
        "",
        f"# {base}, trained for keyphrases",
        "",
        "An encoder for [MDERank](https://arxiv.org/abs/2110.06651): masking a keyphrase changes its embedding of a "
        "document more than masking another phrase. Made by `mderank train`; use it with",
        "",
        "```sh",
        f"mderank extract --model FOLDER {_pooling_flags(facts.pooling)}paper.txt",
        "mderank export FOLDER ONNX_FOLDER     # for ONNX Runtime, without torch",
        "```",
        "",
        "## Training",
        "",
        f"- **Objective**: {_describe_objective(recipe)}.",
        f"- **Labels**: {_describe_labels(recipe)}.",
        f"- **Corpus**: {facts.corpus}; {facts.documents} documents of {recipe.corpus.min_words} to "
        f"{recipe.corpus.max_words} words, {facts.held_out} others held out.",
        f"- **Steps**: {facts.steps_done} of {facts.steps} steps of {recipe.training.batch} documents; the weights are "
        f"those of step {facts.weights_of}.",
        "",
        "## Measured",
        "",
        *_format_measurements(recipe, facts),
        "",
        "## Recipe",
        "",
        "```toml",
        _without_paths(recipe, base).as_toml().rstrip(),
        "```",
        "",
        ", ".join(f"{name} {version}" for name, version in versions(_PACKAGES).items()),
        "",
    ]
    return "\n".join(lines)


def _describe_objective(recipe: Recipe) -> str:
    objective = recipe.objective
    parts = [_OBJECTIVES[objective.kind]]
    if objective.kind != "distill":
        parts.append(f"{objective.loss} loss on {objective.scale} scores, margin {objective.margin:g}")
    further = []
    if objective.mlm_weight:
        further.append(f"{objective.mlm_weight:g} × the masked language model's loss")
    if objective.drift_weight:
        further.append(f"{objective.drift_weight:g} × the distance from the original ({objective.drift_of})")
    return "; ".join([*parts, *([f"plus {' and '.join(further)}"] if further else [])])


def _describe_labels(recipe: Recipe) -> str:
    if recipe.objective.kind == "distill":
        return "none"
    return (
        f"the first {recipe.sampling.label_count} phrases of `{recipe.labels.method}` ({recipe.labels.candidates} "
        f"candidates), {recipe.sampling.kind} sampling. No document was labelled by people"
    )


def _without_paths(recipe: Recipe, base: str) -> Recipe:
    """Return the recipe without paths of this machine."""

    def name_of(path: str) -> str:
        return Path(path).name if Path(path).is_absolute() else path

    return replace(
        recipe,
        model=replace(recipe.model, name=base),
        corpus=replace(recipe.corpus, files=tuple(map(name_of, recipe.corpus.files))),
        validation=replace(recipe.validation, datasets=tuple(map(name_of, recipe.validation.datasets))),
    )


def _pooling_flags(pooling: PoolingName) -> str:
    """Return the flags that a pooling needs; mean and max are found in the encoder's folder."""
    return "--pooling cls --exact " if pooling == "cls" else ""


def _format_measurements(recipe: Recipe, facts: CardFacts) -> list[str]:
    validation = recipe.validation
    if not facts.after:
        return ["Nothing: the recipe has no validation."]
    measures = f"F1 in per cent, protocol `{validation.protocol}`, first {validation.documents} documents. "
    use = (
        "These documents decided which weights to keep: the figures are not a test."
        if validation.select == "best"
        else "These documents were not trained on; the weights are those of the last step, whatever was measured."
    )
    rows = [
        (name.replace("_", " "), f"{facts.before.get(name, float('nan')):.4g}", f"{value:.4g}")
        for name, value in facts.after.items()
    ]
    table = markdown_rows(("", "before", "after"), rows, "<>>")
    return [(measures if validation.datasets else "") + use, "", table.rstrip()]
