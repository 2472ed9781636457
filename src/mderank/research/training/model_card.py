"""The model card: what was trained, on what, how, and what was measured."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from mderank.research.training.recipe import Recipe
from mderank.util.environment import versions

_PACKAGES = ("torch", "transformers", "accelerate", "tokenizers", "spacy", "numpy")

_WHAT = {
    "one-pass": "all pairs of a document from one packed forward pass",
    "distill": "one packed pass learns the changes that the original encoder has in the exact form",
    "triplet": "the paper's triplets, one pair of a document from three passes",
}


def write_card(folder: Path, recipe: Recipe, state: dict[str, Any], facts: dict[str, Any]) -> None:
    """Write ``README.md``; ``state`` is that of the run, ``facts`` what it found out about the corpus."""
    (folder / "README.md").write_text(card(recipe, state, facts), encoding="utf-8")


def card(recipe: Recipe, state: dict[str, Any], facts: dict[str, Any]) -> str:
    """The card as Markdown."""
    base = Path(recipe.model.name).name if Path(recipe.model.name).is_dir() else recipe.model.name
    objective, labels = recipe.objective, recipe.labels
    distilled = objective.kind == "distill"
    keeping = [f"{objective.mlm:g} × its language model's loss"] if objective.mlm else []
    keeping += [f"{objective.stay:g} × the distance from the original ({objective.stay_to})"] if objective.stay else []
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
        f"mderank extract --model FOLDER {_pooling(facts)}paper.txt",
        "mderank export FOLDER ONNX_FOLDER     # for ONNX Runtime, without torch",
        "```",
        "",
        "## Training",
        "",
        f"- **Objective**: {_WHAT[objective.kind]}"
        + ("" if distilled else f"; {objective.loss} loss on {objective.scale} scores, margin {objective.margin:g}")
        + (f"; plus {' and '.join(keeping)}" if keeping else "")
        + ".",
        "- **Labels**: none."
        if distilled
        else f"- **Labels**: the first {recipe.sampling.places} phrases of `{labels.method}` ({labels.candidates} "
        f"candidates), {recipe.sampling.kind} sampling. No document was labelled by people.",
        f"- **Corpus**: {facts['corpus']}; {facts['documents']} documents of {recipe.corpus.min_words} to "
        f"{recipe.corpus.max_words} words, {facts['held_out']} others held out.",
        f"- **Steps**: {state['step']} of {facts['steps']} steps of {recipe.training.batch} documents; the weights are "
        f"those of step {facts['weights_of']}.",
        "",
        "## Measured",
        "",
        *_metrics(recipe, state, facts),
        "",
        "## Recipe",
        "",
        "```toml",
        _anywhere(recipe, base).as_toml().rstrip(),
        "```",
        "",
        ", ".join(f"{name} {version}" for name, version in versions(_PACKAGES).items()),
        "",
    ]
    return "\n".join(lines)


def _anywhere(recipe: Recipe, base: str) -> Recipe:
    """The recipe without the paths of the machine that it ran on."""
    files = tuple(Path(file).name if Path(file).is_absolute() else file for file in recipe.corpus.files)
    sets = tuple(Path(name).name if Path(name).is_absolute() else name for name in recipe.validation.sets)
    return replace(
        recipe,
        model=replace(recipe.model, name=base),
        corpus=replace(recipe.corpus, files=files),
        validation=replace(recipe.validation, sets=sets),
    )


def _pooling(facts: dict[str, Any]) -> str:
    """What must be said of the pooling: mean and max are found by themselves."""
    return "--pooling cls --exact " if facts["pooling"] == "cls" else ""


def _metrics(recipe: Recipe, state: dict[str, Any], facts: dict[str, Any]) -> list[str]:
    first, measured = state.get("first") or {}, facts["measured"]
    if not measured:
        return ["Nothing: the recipe has no validation."]
    selected = recipe.validation.select == "best"
    told = f"F1 in per cent, protocol `{recipe.validation.protocol}`, first {recipe.validation.documents} documents. "
    return [
        (told if recipe.validation.sets else "")
        + (
            "These documents decided which weights to keep: the figures are not a test."
            if selected
            else "These documents were not trained on; the weights are those of the last step, whatever was measured."
        ),
        "",
        "| | before | after |",
        "|---|---|---|",
        *(
            f"| {name.replace('_', ' ')} | {first.get(name, float('nan')):.4g} | {value:.4g} |"
            for name, value in measured.items()
        ),
    ]
