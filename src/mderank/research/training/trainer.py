"""The optimisation loop: from a recipe to a trained encoder.

It runs on the device that Accelerate finds, or in as many processes as ``torchrun`` or ``accelerate launch`` started.
"""

from __future__ import annotations

import math
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mderank.errors import InputError, MDERankWarning, MissingExtraError, TrainingError
from mderank.research.training import model_selection
from mderank.research.training.recipe import Recipe
from mderank.research.training.run_folder import RunFolder, TrainingState, load_checkpoint
from mderank.tagging import Tagger
from mderank.util.format import format_duration

if TYPE_CHECKING:
    import torch

    from mderank.research.training.losses import Batch

_LOSSES = ("loss", "rank", "mlm", "drift")  # per document, in the log
_SUMMED = (*_LOSSES, "accuracy", "pairs")

Progress = Callable[[str], None]


@dataclass(frozen=True)
class TrainingResult:
    """The result of a training run.

    Attributes:
        folder: The run's folder.
        model: The folder of the encoder; None if the run was interrupted before one was written.
        last: The folder of the last step's encoder, if ``model`` is that of an earlier step.
        state: The position of the run, and its measurements.
        steps: The number of steps of the whole run.
    """

    folder: Path
    model: Path | None
    last: Path | None
    state: TrainingState
    steps: int


def train(
    recipe: Recipe,
    out: str | Path,
    *,
    labels: str | Path | None = None,
    tagger: Tagger | None = None,
    progress: Progress = lambda line: None,
    stop: Callable[[], bool] = lambda: False,
) -> TrainingResult:
    """Train an encoder by a recipe, or resume the run in the folder.

    Args:
        recipe: All settings, from `Recipe.load`.
        out: The run's folder. A run of the same recipe in it is resumed.
        labels: The folder of pseudo labels. By default it is beside ``out``, so that runs share it.
        tagger: The tagger for labels and validation; by default that of the recipe.
        progress: Called with lines that report the progress. Nothing is printed.
        stop: Called after every step. If it returns True, a checkpoint is written and the run ends.

    Returns:
        The result: folders, measurements, and whether the run is finished.

    Raises:
        InputError: The folder holds a run of another recipe, or the corpus cannot be read.
        MissingExtraError: torch, transformers or accelerate is not installed.
        OptionError: The recipe does not fit the encoder.
        TrainingError: The run cannot continue. The message names the last good checkpoint.
    """
    try:
        import accelerate  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("mderank train", "train") from error
    folder = RunFolder(Path(out))
    with folder.locked():
        trainer = Trainer(recipe, folder, Path(labels or folder.path.parent / "labels"), tagger, progress)
        try:
            return trainer.run(stop)
        except InputError as error:
            raise TrainingError(f"{error}; {folder.resume_hint()}") from error
        finally:
            trainer.close()


class Trainer:
    """One process of a training run.

    Args:
        recipe: All settings.
        folder: The run's folder, locked.
        labels: The folder of pseudo labels.
        tagger: The tagger for labels and validation; by default that of the recipe.
        progress: Called with lines that report the progress, in the first process only.
    """

    def __init__(
        self, recipe: Recipe, folder: RunFolder, labels: Path, tagger: Tagger | None, progress: Progress
    ) -> None:
        from mderank.research.training import pseudo_labels, validation
        from mderank.research.training.data import StepBatches
        from mderank.research.training.distributed import make_accelerator
        from mderank.research.training.encoder import load_trainable, parameters
        from mderank.research.training.train_log import TrainLog

        self.recipe, self.folder = recipe, folder
        self._log: TrainLog | None = None
        self.accelerator = make_accelerator(recipe.training)
        self.is_main = self.accelerator.is_main_process
        self.progress: Progress = progress if self.is_main else lambda line: None
        if self.is_main:
            folder.check_recipe(recipe)
        self.encoder, self.objective = load_trainable(recipe, self.accelerator.device)
        with self.accelerator.local_main_process_first():
            file = pseudo_labels.label_corpus(
                recipe, labels, process=self.accelerator.process_index, tagger=tagger, progress=self.progress
            )
        self.data = StepBatches(
            recipe,
            pseudo_labels.LabelledCorpus(file),
            self.encoder.spec,
            self.encoder.tokenizer,
            process=self.accelerator.process_index,
            processes=self.accelerator.num_processes,
        )
        self.steps = len(self.data)
        self.datasets = validation.load_datasets(recipe.validation, tagger) if self.is_main else []
        self.held_out = self.data.held_out_samples(self.objective.pooling) if self.is_main else []
        self.weights = parameters(self.objective)
        self.optimiser = self._make_optimiser()
        self.state = self._resume()
        self.model, self.stepper = self.accelerator.prepare(self.objective, self.optimiser)
        if self.is_main:
            columns = [f"{each.name} F1@{k}" for each in self.datasets for k in (5, 10, 15)]
            self._log = TrainLog(folder, self.state.step, columns, tensorboard=recipe.output.tensorboard)

    def close(self) -> None:
        """Close the log."""
        if self._log is not None:
            self._log.close()

    # --- the loop -----------------------------------------------------------------------------------------------------

    def run(self, stop: Callable[[], bool]) -> TrainingResult:
        """Do all steps that are left.

        Args:
            stop: Called after every step. If it returns True, a checkpoint is written and the run ends.

        Returns:
            The result.

        Raises:
            TrainingError: A loss is not a number, or something cannot be written.
        """
        state, output, validation = self.state, self.recipe.output, self.recipe.validation
        if state.finished:
            self.progress(f"{self.folder.path} is finished: {state.step} steps")
            return self._result()
        if state.step == 0 and validation.enabled:
            self._validate({})
        began = time.perf_counter() - state.seconds
        since = _Sums()
        interrupted = False
        for batches in self.data.from_step(state.step):
            sums, interrupted = self._step(batches, stop)
            since.add(sums)
            state.step += 1
            state.seconds = time.perf_counter() - began
            is_last = state.step == self.steps
            validates = validation.enabled and (state.step % validation.every == 0 or is_last)
            if state.step % output.log_every == 0 or validates or is_last or interrupted:
                values = self._averages(since)
                self._report(values)
                if validates:
                    self._validate(values)
                else:
                    self._write_log(values)
                since = _Sums(time.perf_counter() - began)
            state.finished = is_last or self._stops_early()
            if state.finished:  # before the checkpoint, which says that nothing is left to do
                self._finish()
            if state.finished or interrupted or state.step % output.checkpoint_every == 0:
                self._save_checkpoint()
            if state.finished or interrupted:
                break
        if not state.finished:
            self.progress(f"stopped after step {state.step}: the same command resumes from there")
        return self._result()

    def _step(self, batches: list[Batch], stop: Callable[[], bool]) -> tuple[dict[str, float], bool]:
        """Do one step of the optimiser on the mean loss over all documents of all processes.

        Returns:
            The sums for the log, and whether one of the processes was asked to stop.
        """
        import torch

        from mderank.research.training.distributed import sum_over_processes, synchronise_if

        settings, accelerator = self.recipe.training, self.accelerator
        self._seed_dropout()
        self.objective.train(self.recipe.model.dropout)
        for group in self.stepper.param_groups:
            group["lr"] = self.learning_rate(self.state.step)
        sums = torch.zeros(len(_SUMMED) + 2, dtype=torch.float64)
        for number, batch in enumerate(batches, start=1):
            with synchronise_if(number == len(batches), accelerator, self.model):
                losses = self.model(batch.to(accelerator.device))
                # Processes' gradients are averaged: with this factor that is the mean over all documents.
                accelerator.backward(losses["loss"].sum() * (accelerator.num_processes / settings.batch))
            for column, name in enumerate(_SUMMED):
                values = losses[name].detach().double()
                # A document without pairs has no accuracy.
                sums[column] += (values.nansum() if name == "accuracy" else values.sum()).cpu()
            sums[-2] += int((losses["pairs"] > 0).sum())
        sums[-1] = float(stop())
        sums = sum_over_processes(accelerator, sums)
        norm = accelerator.clip_grad_norm_(self.model.parameters(), settings.clip)
        self._check_finite(float(sums[0]), norm)
        self.stepper.step()
        self.stepper.zero_grad()
        named = dict(zip((*_SUMMED, "with_pairs", "stop"), sums.tolist(), strict=True))
        return named, named.pop("stop") > 0

    def _check_finite(self, loss: float, norm: Any) -> None:
        half = self.recipe.training.precision == "fp16"  # whose scaler skips steps with infinite gradients
        if math.isfinite(loss) and (half or norm is None or math.isfinite(float(norm))):
            return
        what = "loss" if not math.isfinite(loss) else "gradient"
        raise TrainingError(
            f"the {what} of step {self.state.step + 1} is not a number; {self.folder.resume_hint()}, with a lower "
            "training.learning_rate, more training.warmup or another training.precision in another folder"
        )

    def learning_rate(self, step: int) -> float:
        """Return the learning rate of a step: it rises in a straight line during warm-up, then falls to 0."""
        settings = self.recipe.training
        warm = round(settings.warmup * self.steps)
        share = step / warm if step < warm else (self.steps - step) / max(1, self.steps - warm)
        return settings.learning_rate * share

    def _seed_dropout(self) -> None:
        """Make dropout a function of the seed, the step and the process."""
        import numpy as np
        import torch

        if self.recipe.model.dropout:
            key = [self.recipe.training.seed, 4, self.state.step, self.accelerator.process_index]
            torch.manual_seed(int(np.random.SeedSequence(key).generate_state(1)[0]))

    def _make_optimiser(self) -> torch.optim.Optimizer:
        import torch

        settings = self.recipe.training
        trained = [parameter for parameter in self.weights.values() if parameter.requires_grad]
        if not trained:
            raise TrainingError("model.frozen leaves nothing to train")
        return torch.optim.AdamW(trained, lr=settings.learning_rate, weight_decay=settings.weight_decay)

    # --- measurements and reports -------------------------------------------------------------------------------------

    def _validate(self, values: dict[str, float]) -> None:
        """Measure, log, and publish the encoder if it is the best so far. All processes get the measurements."""
        from accelerate.utils import broadcast_object_list

        from mderank.research.training import validation

        state, settings = self.state, self.recipe.validation
        measured: dict[str, float] = {}
        if self.is_main:
            self.objective.eval()
            measured = validation.measure_held_out(self.objective, self.encoder, self.held_out, self.accelerator.device)
            measured |= validation.measure_f1(settings, self.datasets, self.encoder, self.objective.pooling)
            self._write_log(values | measured)
        shared = [measured]
        broadcast_object_list(shared)
        (measured,) = shared
        self.progress(f"step {state.step}: " + ", ".join(f"{name} {each:.4g}" for name, each in measured.items()))
        if model_selection.record(settings, state, measured) and settings.select == "best":
            self._publish(self.folder.model)
        self._draw_curves()

    def _stops_early(self) -> bool:
        if not model_selection.patience_is_over(self.recipe.validation, self.state):
            return False
        self.progress(
            f"no better for {self.recipe.validation.patience} validations: stopped; the best is that of step "
            f"{self.state.best_step}"
        )
        return True

    def _averages(self, since: _Sums) -> dict[str, float]:
        """Return a line of the log: means over the steps since the last line."""
        state = self.state
        documents = max(1, since.steps * self.recipe.training.batch)
        return {
            "epoch": state.step / self.data.steps_per_epoch,
            **{name: since.values[name] / documents for name in _LOSSES},
            "accuracy": 100 * since.values["accuracy"] / max(1.0, since.values["with_pairs"]),
            "learning_rate": self.learning_rate(state.step - 1),
            "seconds": state.seconds,
            "pairs_per_second": since.values["pairs"] / max(1e-9, state.seconds - since.began),
        }

    def _report(self, values: dict[str, float]) -> None:
        objective, state = self.recipe.objective, self.state
        parts = ["rank", *(["mlm"] if objective.mlm_weight else []), *(["drift"] if objective.drift_weight else [])]
        seconds = state.seconds / state.step
        self.progress(
            f"step {state.step}/{self.steps}  loss {values['loss']:.4g} ("
            + ", ".join(f"{part} {values[part]:.4g}" for part in parts)
            + f")  pairs in order {values['accuracy']:.1f} %  {seconds:.2f} s/step  "
            + f"{format_duration(seconds * (self.steps - state.step))} left"
        )

    def _write_log(self, values: dict[str, float]) -> None:
        if self._log is not None:
            self._log.write(self.state.step, values)

    def _draw_curves(self) -> None:
        from mderank.research.training.train_log import write_curves

        if self.is_main:
            write_curves({self.folder.path.name: self.folder.log}, self.folder.curves)

    # --- checkpoints and results --------------------------------------------------------------------------------------

    def _save_checkpoint(self) -> None:
        scaler = getattr(self.accelerator, "scaler", None)
        self.state.scaler = scaler.state_dict() if scaler is not None else None
        if self.is_main:
            self.folder.save_checkpoint(self.state, self.weights, self.optimiser, keep=self.recipe.output.checkpoints)
        self.accelerator.wait_for_everyone()

    def _resume(self) -> TrainingState:
        """Load the last checkpoint, if there is one."""
        checkpoints = self.folder.checkpoints()
        if not checkpoints:
            return TrainingState()
        state = load_checkpoint(checkpoints[-1], self.weights, self.optimiser)
        scaler = getattr(self.accelerator, "scaler", None)
        if scaler is not None and state.scaler:
            scaler.load_state_dict(state.scaler)
        if not state.finished:
            self.progress(f"resuming from {checkpoints[-1]}")
        return state

    def _publish(self, folder: Path) -> None:
        """Write the encoder as it is now."""
        from mderank.research.training.encoder import save_encoder

        if self.is_main:
            with self.folder.write_encoder(folder) as temporary:
                save_encoder(temporary, self.recipe, self.objective)
                self._write_card(temporary, self.state.step, self.state.last_values)
        self.accelerator.wait_for_everyone()

    def _write_card(self, folder: Path, weights_of: int, measured: dict[str, float]) -> None:
        """Write the model card of an encoder that has the weights of step ``weights_of``."""
        from mderank.research.training.corpus import describe_corpus
        from mderank.research.training.model_card import CardFacts, write_card

        facts = CardFacts(
            corpus=describe_corpus(self.recipe.corpus, self.recipe.folder),
            documents=len(self.data.documents),
            held_out=len(self.data.held_out),
            steps=self.steps,
            steps_done=self.state.step,
            weights_of=weights_of,
            pooling=self.objective.pooling,
            before=self.state.first,
            after=measured,
        )
        write_card(folder, self.recipe, facts)

    def _finish(self) -> None:
        """Publish the encoder of the last step, and warn if no step was better than the untrained encoder."""
        state = self.state
        if not model_selection.selects_best(self.recipe.validation):
            self._publish(self.folder.model)
        else:
            if state.best_step != state.step:
                self._publish(self.folder.last)
            if state.best_step == 0 and self.is_main:
                self._warn_untrained()
            if self.is_main:  # the card was written when the best was found: now the length of the run is known
                self._write_card(self.folder.model, state.best_step, state.best_values)
        self._draw_curves()

    def _warn_untrained(self) -> None:
        state, name = self.state, model_selection.monitored(self.recipe.validation)
        warnings.warn(
            f"training did not improve the encoder: {name.replace('_', ' ')} was {state.best:.4g} before the first "
            f"step and {state.last_values.get(name, float('nan')):.4g} after step {state.step}. {self.folder.model} "
            f"is the untrained encoder; {self.folder.last} is that of the last step. Try other labels "
            "(labels.method), a lower training.learning_rate or another validation.monitor.",
            MDERankWarning,
            stacklevel=2,
        )

    def _result(self) -> TrainingResult:
        model, last = self.folder.model, self.folder.last
        return TrainingResult(
            self.folder.path,
            model if model.is_dir() else None,
            last if last.is_dir() else None,
            self.state,
            self.steps,
        )


class _Sums:
    """Sums over the steps since the last line of the log."""

    def __init__(self, began: float = 0.0) -> None:
        self.began, self.steps = began, 0
        self.values: dict[str, float] = {}

    def add(self, values: dict[str, float]) -> None:
        self.steps += 1
        for name, value in values.items():
            self.values[name] = self.values.get(name, 0.0) + value
