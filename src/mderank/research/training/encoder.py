"""The trained encoder: loading it from a hub name or folder, and saving it as a folder for ``--model``."""

from __future__ import annotations

import copy
import json
import shutil
from pathlib import Path
from typing import Any

import torch

from mderank.encoding.base import PoolingName
from mderank.encoding.model_folder import model_folder
from mderank.encoding.torch import TorchEncoder
from mderank.errors import ModelError, OptionError
from mderank.research.training.losses import Objective
from mderank.research.training.recipe import Recipe

# Files of sentence encoders beside their weights. The pooling is in modules.json and its folder.
_SENTENCE_FILES = ("modules.json", "config_sentence_transformers.json", "sentence_bert_config.json")
_POOLING_FOLDER = "1_Pooling"


def load_trainable(recipe: Recipe, device: torch.device) -> tuple[TorchEncoder, Objective]:
    """Load the encoder of a recipe, and the objective that trains it.

    Args:
        recipe: Model, objective and seed are used.
        device: The device.

    Returns:
        The encoder, and the objective. Both share the weights that are trained.

    Raises:
        ModelError: The encoder or its language model's head cannot be loaded.
        OptionError: The recipe has no model, or the model cannot be trained this way.
    """
    name = recipe.model.name
    if not name:
        raise OptionError("the recipe has no model: give model.name, a hub name or a folder")
    # Layers that the checkpoint does not have (BERT's pooling layer) are drawn at random. They are saved, not used.
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(recipe.training.seed)
        encoder = TorchEncoder(name, device=str(device))
    pooling: PoolingName = recipe.model.pooling or encoder.spec.pooling
    if recipe.objective.kind != "triplet" and not encoder.spec.one_pass:
        raise OptionError(
            f"the encoder '{name}' cannot do one-pass masking (its positions or its attention do not allow it): "
            "objective.kind = 'triplet'"
        )
    original = None
    if recipe.objective.drift_weight or recipe.objective.kind == "distill":
        original = copy.deepcopy(encoder.module).eval().requires_grad_(False)
    head = _load_head(name, encoder.module).to(device) if recipe.objective.mlm_weight else None
    objective = Objective(recipe.objective, encoder.module, pooling=pooling, head=head, original=original)
    _freeze(encoder.module, recipe.model.frozen, name)
    return encoder, objective


def _load_head(name: str, body: torch.nn.Module) -> torch.nn.Module:
    """Load the model with its language model's head, around ``body``."""
    from transformers import AutoModelForMaskedLM

    try:
        whole, info = AutoModelForMaskedLM.from_pretrained(
            model_folder(name), use_safetensors=True, trust_remote_code=False, output_loading_info=True
        )
    except (OSError, ValueError) as error:
        raise ModelError(f"the language model of '{name}' cannot be loaded: {error}") from error
    if info["missing_keys"]:
        raise OptionError(
            f"'{name}' has no language model's head ({sorted(info['missing_keys'])[0]} is missing), so that "
            "objective.mlm_weight must be 0: use objective.drift_weight instead"
        )
    setattr(whole, whole.base_model_prefix, body)
    whole.tie_weights()
    module: torch.nn.Module = whole.eval()
    return module


def _freeze(module: torch.nn.Module, prefixes: tuple[str, ...], name: str) -> None:
    names = [each for each, _ in module.named_parameters()]
    for prefix in prefixes:
        if not any(each.startswith(prefix) for each in names):
            parts = ", ".join(dict.fromkeys(each.split(".")[0] + "." for each in names))
            raise OptionError(f"model.frozen: nothing in '{name}' begins with '{prefix}'; it begins with {parts}")
    for each, parameter in module.named_parameters():
        if each.startswith(prefixes):
            parameter.requires_grad_(False)


def parameters(objective: Objective) -> dict[str, torch.nn.Parameter]:
    """Return every parameter by name; shared ones appear once."""
    return dict(objective.named_parameters())


def save_encoder(folder: Path, recipe: Recipe, objective: Objective) -> None:
    """Save the encoder in the format of Hugging Face, with its tokenizer and its pooling.

    Args:
        folder: The folder, which exists.
        recipe: The recipe, for the original's name.
        objective: The objective with the trained encoder.

    Raises:
        OSError: The folder cannot be written.
    """
    from transformers import AutoTokenizer

    module: Any = objective.head if objective.head is not None else objective.encoder
    module.save_pretrained(folder)
    # Not the encoder's own tokenizer, whose truncation is switched off.
    original = model_folder(recipe.model.name)
    AutoTokenizer.from_pretrained(original, trust_remote_code=False).save_pretrained(folder)
    if objective.pooling == "mean":
        _write_pooling(original, folder, objective)


def _write_pooling(original: Path, folder: Path, objective: Objective) -> None:
    """Record mean pooling as sentence encoders do; the original's own files are copied if it has any."""
    if (original / "modules.json").is_file():
        for name in _SENTENCE_FILES:
            if (original / name).is_file():
                shutil.copy(original / name, folder / name)
        if (original / _POOLING_FOLDER).is_dir():
            shutil.copytree(original / _POOLING_FOLDER, folder / _POOLING_FOLDER)
        return
    modules = [
        {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"},
        {"idx": 1, "name": "1", "path": _POOLING_FOLDER, "type": "sentence_transformers.models.Pooling"},
    ]
    size = int(getattr(objective.encoder.config, "hidden_size"))  # noqa: B009
    pooling = {"word_embedding_dimension": size, "pooling_mode_mean_tokens": True, "pooling_mode_cls_token": False}
    (folder / _POOLING_FOLDER).mkdir()
    (folder / _POOLING_FOLDER / "config.json").write_text(json.dumps(pooling, indent=2) + "\n", encoding="utf-8")
    (folder / "modules.json").write_text(json.dumps(modules, indent=2) + "\n", encoding="utf-8")
