"""Where a run stands, on disk: weights, the optimiser's state, the position. Nothing in it is pickled.

A checkpoint is a folder ``step-00000300`` with ``weights.safetensors``, ``optimiser.safetensors`` and ``state.json``.
It is written beside its place and renamed when it is whole. There are no generators' states in it because there are
none: whatever is random is drawn anew from the seed and the step.
"""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from mderank.errors import InputError, TrainingError
from mderank.util.files import atomic_folder

WEIGHTS, OPTIMISER, STATE = "weights.safetensors", "optimiser.safetensors", "state.json"
_PREFIX = "step-"


def save(
    folder: Path,
    step: int,
    weights: Mapping[str, torch.nn.Parameter],
    optimiser: torch.optim.Optimizer,
    state: dict[str, Any],
    *,
    keep: int,
) -> Path:
    """Write the checkpoint of a step and remove all but the last ``keep``."""
    place = folder / f"{_PREFIX}{step:08d}"
    with writing(place, folder) as draft:
        save_file({name: value.detach().cpu().contiguous() for name, value in weights.items()}, draft / WEIGHTS)
        save_file(_optimiser_tensors(weights, optimiser), draft / OPTIMISER)
        (draft / STATE).write_text(json.dumps(state | {"step": step}, indent=2) + "\n", encoding="utf-8")
    for old in checkpoints(folder)[:-keep]:
        shutil.rmtree(old, ignore_errors=True)
    return place


@contextlib.contextmanager
def writing(place: Path, checkpoints_folder: Path) -> Iterator[Path]:
    """A folder to write into, which takes its ``place`` when all of it is written."""
    try:
        with atomic_folder(place) as draft:
            yield draft
    except (OSError, SafetensorError) as error:
        raise unwritable(place, error, checkpoints_folder) from error


def unwritable(place: Path, error: Exception, folder: Path) -> TrainingError:
    """What to say when something could not be written."""
    reason = getattr(error, "strerror", None) or str(error)
    return TrainingError(f"{place} cannot be written: {reason}; {going_on(folder)}")


def going_on(folder: Path) -> str:
    """Which checkpoint is there, and how to go on with it."""
    there = checkpoints(folder)
    if not there:
        return "there is no checkpoint yet: put it right and run the same command again"
    return f"the last good checkpoint is {there[-1]}: put it right and run the same command again to go on from there"


def checkpoints(folder: Path) -> list[Path]:
    """Those that are there, the oldest first."""
    return sorted(place for place in folder.glob(f"{_PREFIX}*") if (place / STATE).is_file())


def read_state(place: Path) -> dict[str, Any]:
    """The position and what was measured until then."""
    try:
        state = json.loads((place / STATE).read_text(encoding="utf-8"))
        if not isinstance(state, dict):
            raise ValueError("it is no JSON object")
    except (OSError, ValueError) as error:
        raise InputError(f"{place / STATE} cannot be read ({error}): remove {place}, an older one is taken") from error
    return state


def load(place: Path, weights: Mapping[str, torch.nn.Parameter], optimiser: torch.optim.Optimizer) -> None:
    """Put the weights and the optimiser's state of a checkpoint where they belong."""
    restore(place / WEIGHTS, weights)
    tensors = _load(place / OPTIMISER)
    for name, parameter in weights.items():
        found = {kind: tensors[f"{name}/{kind}"] for kind in _KINDS if f"{name}/{kind}" in tensors}
        if found:
            optimiser.state[parameter] = {
                kind: value if kind == "step" else value.to(parameter.device) for kind, value in found.items()
            }


def restore(file: Path, weights: Mapping[str, torch.nn.Parameter]) -> None:
    """Put the weights of a file where they belong."""
    tensors = _load(file)
    if tensors.keys() != weights.keys():
        raise InputError(f"{file} is of another model: remove the checkpoints, or choose another folder")
    with torch.no_grad():
        for name, parameter in weights.items():
            parameter.copy_(tensors[name])


_KINDS = ("step", "exp_avg", "exp_avg_sq")  # of AdamW


def _optimiser_tensors(
    weights: Mapping[str, torch.nn.Parameter], optimiser: torch.optim.Optimizer
) -> dict[str, torch.Tensor]:
    return {
        f"{name}/{kind}": optimiser.state[parameter][kind].detach().cpu().contiguous()
        for name, parameter in weights.items()
        if parameter in optimiser.state
        for kind in _KINDS
    }


def _load(file: Path) -> dict[str, torch.Tensor]:
    try:
        tensors: dict[str, torch.Tensor] = load_file(file)
        return tensors
    except (OSError, SafetensorError) as error:
        raise InputError(f"{file} cannot be read ({error}): remove {file.parent}, an older one is taken") from error
