"""The folder of a training run: lock, recipe, checkpoints, encoders.

    recipe.json, recipe.toml   all settings
    log.csv, curves.svg        the losses and measurements, see `train_log`
    checkpoints/               the state of the run; the same command resumes from the last one
    model/                     the encoder, for ``--model``: the best one measured, or that of the last step
    last/                      the encoder of the last step, if an earlier one was better

A checkpoint is a folder ``step-00000300`` with ``weights.safetensors``, ``optimiser.safetensors`` and ``state.json``.
It is written to a temporary folder and renamed when it is complete. Nothing in it is pickled. It holds no states of
random generators, because everything random is drawn anew from the seed and the step.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mderank.errors import InputError, TrainingError
from mderank.research.training.recipe import Recipe
from mderank.util.files import atomic_folder, claim_settings, open_locked, remove_temporary

if TYPE_CHECKING:
    import torch

LOG_FILE, CURVES_FILE, RECIPE_FILE = "log.csv", "curves.svg", "recipe.json"
_CHECKPOINTS, _LOCK = "checkpoints", ".lock"
_WEIGHTS, _OPTIMISER, _STATE = "weights.safetensors", "optimiser.safetensors", "state.json"
_PREFIX = "step-"
_ADAMW_STATE = ("step", "exp_avg", "exp_avg_sq")


@dataclass
class TrainingState:
    """The position of a run and what was measured until then: what a checkpoint holds beside weights.

    Attributes:
        step: The number of steps that are done.
        seconds: The time that they took.
        first: The measurements before the first step.
        best: The best value of the monitored measurement, if anything was measured.
        best_step: The step of that value.
        best_values: All measurements of that step.
        last_values: The measurements of the last validation.
        waited: The number of validations since the best one.
        finished: Whether nothing is left to do.
        scaler: The state of the gradient scaler, in half precision.
    """

    step: int = 0
    seconds: float = 0.0
    first: dict[str, float] = field(default_factory=dict)
    best: float | None = None
    best_step: int = 0
    best_values: dict[str, float] = field(default_factory=dict)
    last_values: dict[str, float] = field(default_factory=dict)
    waited: int = 0
    finished: bool = False
    scaler: dict[str, Any] | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the state as plain data for JSON."""
        return dict(self.__dict__)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TrainingState:
        """Make a state from plain data; unknown names are ignored."""
        return cls(**{name: data[name] for name in cls().as_dict() if name in data})


class RunFolder:
    """The folder of one training run.

    Args:
        path: Path of the folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.log, self.curves = path / LOG_FILE, path / CURVES_FILE
        self.model, self.last = path / "model", path / "last"
        self._checkpoints = path / _CHECKPOINTS

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Reserve the folder for this run. Of several processes that train together, the first one does it.

        Raises:
            TrainingError: Another run holds the folder, or the folder cannot be written.
        """
        if int(os.environ.get("RANK", "0")):
            yield
            return
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            stream = open_locked(self.path / _LOCK)
        except BlockingIOError:
            raise TrainingError(
                f"another process is training in {self.path}: wait for it, stop it, or choose another folder"
            ) from None
        except OSError as error:
            raise self.write_error(self.path, error) from error
        with stream:
            remove_temporary(self.path)
            remove_temporary(self._checkpoints)
            yield

    def check_recipe(self, recipe: Recipe) -> None:
        """Write the recipe, or check that the recipe of the run in the folder is the same.

        Args:
            recipe: The recipe.

        Raises:
            InputError: The folder holds a run of another recipe.
            TrainingError: The folder cannot be written.
        """
        file = self.path / RECIPE_FILE
        with self.writing(file):
            new = not file.is_file()
            claim_settings(file, recipe.as_dict(), lambda before, now: recipe.differences(before))
            if new:
                file.with_suffix(".toml").write_text(recipe.as_toml(), encoding="utf-8")

    # --- checkpoints --------------------------------------------------------------------------------------------------

    def checkpoints(self) -> list[Path]:
        """Return the folders of the checkpoints, the oldest first."""
        return sorted(path for path in self._checkpoints.glob(f"{_PREFIX}*") if (path / _STATE).is_file())

    def save_checkpoint(
        self,
        state: TrainingState,
        weights: Mapping[str, torch.nn.Parameter],
        optimiser: torch.optim.Optimizer,
        *,
        keep: int,
    ) -> Path:
        """Write a checkpoint, and remove all but the last ones.

        Args:
            state: The position of the run.
            weights: All parameters by name.
            optimiser: The optimiser.
            keep: The number of checkpoints to keep.

        Returns:
            The checkpoint's folder.

        Raises:
            TrainingError: The checkpoint cannot be written. Older checkpoints are kept.
        """
        folder = self._checkpoints / f"{_PREFIX}{state.step:08d}"
        with self.writing(folder), atomic_folder(folder) as temporary:
            _save_tensors(
                {name: value.detach().cpu().contiguous() for name, value in weights.items()}, temporary / _WEIGHTS
            )
            _save_tensors(_optimiser_tensors(weights, optimiser), temporary / _OPTIMISER)
            (temporary / _STATE).write_text(json.dumps(state.as_dict(), indent=2) + "\n", encoding="utf-8")
        for old in self.checkpoints()[:-keep]:
            shutil.rmtree(old, ignore_errors=True)
        return folder

    @contextmanager
    def write_encoder(self, folder: Path) -> Iterator[Path]:
        """Write a folder that appears when it is complete.

        Args:
            folder: The folder, `model` or `last`.

        Yields:
            A temporary folder to write into.

        Raises:
            TrainingError: The folder cannot be written.
        """
        with self.writing(folder), atomic_folder(folder) as temporary:
            yield temporary

    # --- errors -------------------------------------------------------------------------------------------------------

    @contextmanager
    def writing(self, path: Path) -> Iterator[None]:
        """Raise errors of writing as a `TrainingError` that names the last good checkpoint.

        Args:
            path: The file or folder that is written, for the message.
        """
        from safetensors import SafetensorError

        try:
            yield
        except (OSError, SafetensorError) as error:
            raise self.write_error(path, error) from error

    def write_error(self, path: Path, error: Exception) -> TrainingError:
        """Return the error for a path that cannot be written."""
        reason = getattr(error, "strerror", None) or str(error)
        return TrainingError(f"{path} cannot be written: {reason}; {self.resume_hint()}")

    def resume_hint(self) -> str:
        """Return a sentence that names the last good checkpoint and says how to resume."""
        there = self.checkpoints()
        if not there:
            return "there is no checkpoint yet: put it right and run the same command again"
        return f"the last good checkpoint is {there[-1]}: put it right and run the same command again to resume there"


def load_checkpoint(
    folder: Path, weights: Mapping[str, torch.nn.Parameter], optimiser: torch.optim.Optimizer
) -> TrainingState:
    """Load a checkpoint into the parameters and the optimiser.

    Args:
        folder: The checkpoint's folder.
        weights: All parameters by name.
        optimiser: The optimiser.

    Returns:
        The position of the run.

    Raises:
        InputError: The checkpoint cannot be read, or is of another model.
    """
    state = _read_state(folder)
    load_weights(folder, weights)
    tensors = _load_tensors(folder / _OPTIMISER)
    for name, parameter in weights.items():
        found = {kind: tensors[f"{name}/{kind}"] for kind in _ADAMW_STATE if f"{name}/{kind}" in tensors}
        if found:
            optimiser.state[parameter] = {
                kind: value if kind == "step" else value.to(parameter.device) for kind, value in found.items()
            }
    return state


def load_weights(folder: Path, weights: Mapping[str, torch.nn.Parameter]) -> None:
    """Load the weights of a checkpoint.

    Args:
        folder: The checkpoint's folder.
        weights: All parameters by name, which get the checkpoint's values.

    Raises:
        InputError: The checkpoint cannot be read, or is of another model.
    """
    import torch

    tensors = read_weights(folder)
    if tensors.keys() != weights.keys():
        raise InputError(f"{folder} is of another model: remove the checkpoints, or choose another folder")
    with torch.no_grad():
        for name, parameter in weights.items():
            parameter.copy_(tensors[name])


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """Read the weights of a checkpoint.

    Args:
        folder: The checkpoint's folder.

    Returns:
        The weights by name.

    Raises:
        InputError: They cannot be read.
    """
    return _load_tensors(folder / _WEIGHTS)


def _read_state(folder: Path) -> TrainingState:
    file = folder / _STATE
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise ValueError("it is not a JSON object")
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read ({error}): remove {folder}; an older one is used then") from error
    return TrainingState.from_dict(data)


def _optimiser_tensors(
    weights: Mapping[str, torch.nn.Parameter], optimiser: torch.optim.Optimizer
) -> dict[str, torch.Tensor]:
    return {
        f"{name}/{kind}": optimiser.state[parameter][kind].detach().cpu().contiguous()
        for name, parameter in weights.items()
        if parameter in optimiser.state
        for kind in _ADAMW_STATE
    }


def _save_tensors(tensors: dict[str, torch.Tensor], file: Path) -> None:
    from safetensors.torch import save_file

    save_file(tensors, file)


def _load_tensors(file: Path) -> dict[str, torch.Tensor]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        tensors: dict[str, torch.Tensor] = load_file(file)
        return tensors
    except (OSError, SafetensorError) as error:
        raise InputError(f"{file} cannot be read ({error}): remove {file.parent}; an older one is used then") from error
