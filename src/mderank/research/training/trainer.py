"""The run: from a recipe to a trained encoder.

    folder/recipe.json     what is done
    folder/log.csv         what came of it, a line every few steps; curves.svg shows it
    folder/checkpoints/    where it stands; the same command goes on from there
    folder/model/          the encoder, for ``--model``: the best so far, or that of the last step (validation.select)
    folder/last/           the encoder of the last step, where another one was better

It runs on the device that Accelerate finds, or in as many processes as ``torchrun`` or ``accelerate launch`` started.
"""

from __future__ import annotations

import math
import os
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mderank.errors import InputError, MDERankWarning, MissingExtraError, TrainingError
from mderank.research.training.recipe import Recipe
from mderank.tagging import Tagger
from mderank.util.files import claim_settings, open_locked, remove_temporary
from mderank.util.format import format_duration

if TYPE_CHECKING:
    import torch
    from accelerate import Accelerator

    from mderank.research.training.losses import Batch

CHECKPOINTS, MODEL, LAST, RECIPE_FILE, CURVES = "checkpoints", "model", "last", "recipe.json", "curves.svg"
LOCK = ".lock"
_PARTS = ("loss", "rank", "mlm", "stay", "accuracy", "pairs")


@dataclass
class State:
    """Where a run stands: what a checkpoint holds beside weights."""

    step: int = 0
    seconds: float = 0.0
    first: dict[str, float] = field(default_factory=dict)  # measured before the first step
    best: float | None = None
    best_step: int = 0
    best_values: dict[str, float] = field(default_factory=dict)
    last_values: dict[str, float] = field(default_factory=dict)  # measured in the last validation
    waited: int = 0  # validations since the best one
    finished: bool = False
    scaler: dict[str, Any] | None = None  # of half precision

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Result:
    """What came of a run.

    Attributes:
        folder: the run's folder.
        model: the folder of the encoder; None if the run was interrupted before one was written.
        last: the folder of the last step's encoder, where ``model`` is that of an earlier step.
        state: where the run stands.
        steps: the steps of the whole run.
    """

    folder: Path
    model: Path | None
    last: Path | None
    state: State
    steps: int


def train(
    recipe: Recipe,
    folder: Path,
    *,
    labels: Path | None = None,
    tagger: Tagger | None = None,
    report: Callable[[str], None] = lambda line: None,
    stop: Callable[[], bool] = lambda: False,
) -> Result:
    """Train an encoder as ``recipe`` says, in ``folder``; a run that is there goes on.

    ``labels`` is where pseudo labels are kept (default: beside ``folder``, so that runs share them); ``stop`` is asked
    after every step whether to write a checkpoint and end.
    """
    try:
        import accelerate  # noqa: F401
        import torch  # noqa: F401
        import transformers  # noqa: F401
    except ImportError as error:
        raise MissingExtraError("mderank train", "train") from error
    folder = Path(folder)
    with _locked(folder):
        run = _Run(recipe, folder, labels or folder.parent / "labels", tagger, report)
        try:
            return run.go(stop)
        except InputError as error:
            from mderank.research.training.run_folder import going_on

            raise TrainingError(f"{error}; {going_on(folder / CHECKPOINTS)}") from error
        finally:
            run.close()


class _Run:
    """One process of a run."""

    def __init__(
        self, recipe: Recipe, folder: Path, labels: Path, tagger: Tagger | None, report: Callable[[str], None]
    ) -> None:
        from mderank.research.training import encoder as model
        from mderank.research.training import validation
        from mderank.research.training.data import Steps
        from mderank.research.training.pseudo_labels import LabelledCorpus, label_corpus
        from mderank.research.training.train_log import Log

        self.recipe, self.folder = recipe, folder
        self.accelerator = _accelerator(recipe)
        self.main = self.accelerator.is_main_process
        self.report: Callable[[str], None] = report if self.main else lambda line: None
        if self.main:
            _claim(folder, recipe)
        self.encoder, self.objective = model.load(recipe, self.accelerator.device)
        with self.accelerator.local_main_process_first():
            file = label_corpus(
                recipe, labels, process=self.accelerator.process_index, tagger=tagger, report=self.report
            )
        self.data = Steps(
            recipe,
            LabelledCorpus(file),
            self.encoder.spec,
            self.encoder.tokenizer,
            process=self.accelerator.process_index,
            processes=self.accelerator.num_processes,
        )
        self.steps = len(self.data)
        self.sets = validation.load_sets(recipe.validation, tagger) if self.main else []
        self.held_out = self.data.held_out(self.objective.pooling) if self.main else []
        self.weights = model.weights(self.objective)
        self.optimiser = self._make_optimiser()
        self.state = self._resume()
        self.prepared, self.stepper = self.accelerator.prepare(self.objective, self.optimiser)
        columns = tuple(f"{each.name} F1@{k}" for each in self.sets for k in (5, 10, 15))
        self.log = (
            Log(folder, folder / CHECKPOINTS, self.state.step, columns, tensorboard=recipe.output.tensorboard)
            if self.main
            else None
        )

    def close(self) -> None:
        if getattr(self, "log", None) is not None:
            assert self.log is not None
            self.log.close()

    # --- the story ------------------------------------------------------------------------------------------------

    def go(self, stop: Callable[[], bool]) -> Result:
        """Measure, then step after step: learn, log, measure, write."""
        state, output = self.state, self.recipe.output
        if state.finished:
            self.report(f"{self.folder} is finished: {state.step} steps")
            return self._result()
        if state.step == 0 and self._validates:
            self._validate({})
        began = time.perf_counter() - state.seconds
        since = _Sums()
        interrupted = False
        for batches in self.data.since(state.step):
            sums, interrupted = self._step(batches, stop)
            since.add(sums)
            state.step += 1
            state.seconds = time.perf_counter() - began
            last = state.step == self.steps
            measured = self._validates and (state.step % self.recipe.validation.every == 0 or last)
            if state.step % output.log_every == 0 or measured or last or interrupted:
                values = self._logged(since, state.seconds - since.began)
                self._report(values, state.seconds / state.step)
                if measured:
                    self._validate(values)
                elif self.log is not None:
                    self.log.write(state.step, values)
                since = _Sums(time.perf_counter() - began)
            state.finished = last or self._patience_is_over()
            if state.finished:  # before the checkpoint, which says that nothing is left to do
                self._finish()
            if state.finished or interrupted or state.step % output.checkpoint_every == 0:
                self._checkpoint()
            if state.finished or interrupted:
                break
        if not state.finished:
            self.report(f"stopped after step {state.step}: the same command resumes from there")
        return self._result()

    def _step(self, batches: list[Batch], stop: Callable[[], bool]) -> tuple[dict[str, float], bool]:
        """One step of the optimiser: the mean loss over all documents of all processes, and its sums for the log."""
        import torch

        settings, accelerator = self.recipe.training, self.accelerator
        self._seed()
        self.objective.train(self.recipe.model.dropout)
        for group in self.stepper.param_groups:
            group["lr"] = self.learning_rate(self.state.step)
        sums = torch.zeros(len(_PARTS) + 2, dtype=torch.float64)
        for number, batch in enumerate(batches, start=1):
            here = batch.to(accelerator.device)
            with _last_only(accelerator, self.prepared, number == len(batches)):
                losses = self.prepared(here)
                # Processes' gradients are averaged: with this factor that is the mean over all documents.
                accelerator.backward(losses["loss"].sum() * (accelerator.num_processes / settings.batch))
            for place, name in enumerate(_PARTS):
                values = losses[name].detach().double()
                # A document without pairs has no accuracy.
                sums[place] += (values.nansum() if name == "accuracy" else values.sum()).cpu()
            sums[-2] += int((losses["pairs"] > 0).sum())
        sums[-1] = float(stop())
        sums = accelerator.reduce(sums.to(accelerator.device, _sum_dtype(accelerator)), "sum").double().cpu()
        norm = accelerator.clip_grad_norm_(self.prepared.parameters(), settings.clip)
        self._refuse_nan(float(sums[0]), norm)
        self.stepper.step()
        self.stepper.zero_grad()
        named = dict(zip((*_PARTS, "with_pairs", "stop"), sums.tolist(), strict=True))
        return named, named.pop("stop") > 0

    def _refuse_nan(self, loss: float, norm: Any) -> None:
        from mderank.research.training.run_folder import going_on

        half = self.recipe.training.precision == "fp16"  # whose scaler skips steps with infinite gradients
        if math.isfinite(loss) and (half or norm is None or math.isfinite(float(norm))):
            return
        what = "loss" if not math.isfinite(loss) else "gradient"
        raise TrainingError(
            f"the {what} of step {self.state.step + 1} is not a number; {going_on(self.folder / CHECKPOINTS)}, with a "
            "lower training.learning_rate, more training.warmup or another training.precision in another folder"
        )

    def learning_rate(self, step: int) -> float:
        """Straight up during the warm-up, then straight down to 0."""
        settings = self.recipe.training
        warm = round(settings.warmup * self.steps)
        share = step / warm if step < warm else (self.steps - step) / max(1, self.steps - warm)
        return settings.learning_rate * share

    def _seed(self) -> None:
        """What is random in a step (dropout) depends on the step and the process only."""
        import numpy as np
        import torch

        if self.recipe.model.dropout:
            place = [self.recipe.training.seed, 4, self.state.step, self.accelerator.process_index]
            torch.manual_seed(int(np.random.SeedSequence(place).generate_state(1)[0]))

    def _make_optimiser(self) -> torch.optim.Optimizer:
        import torch

        settings = self.recipe.training
        trained = [parameter for parameter in self.weights.values() if parameter.requires_grad]
        if not trained:
            raise TrainingError("model.frozen leaves nothing to train")
        return torch.optim.AdamW(trained, lr=settings.learning_rate, weight_decay=settings.weight_decay)

    # --- what is measured, said and written -----------------------------------------------------------------------

    @property
    def _validates(self) -> bool:
        validation = self.recipe.validation
        return bool(validation.every and (validation.sets or validation.held_out))

    def _validate(self, values: dict[str, float]) -> None:
        """Measure, log, and keep the encoder if it is the best so far. All processes learn what came out."""
        from accelerate.utils import broadcast_object_list

        from mderank.research.training import validation

        state, settings = self.state, self.recipe.validation
        measured: dict[str, float] = {}
        if self.main:
            assert self.log is not None
            self.objective.eval()
            measured = validation.held_out(self.objective, self.encoder, self.held_out, self.accelerator.device)
            measured |= validation.f1(settings, self.sets, self.encoder, self.objective.pooling)
            self.log.write(state.step, values | measured)
        shared = [measured]
        broadcast_object_list(shared)
        (measured,) = shared
        value = measured.get(self._monitored, 0.0)
        self.report(f"step {state.step}: " + ", ".join(f"{name} {each:.4g}" for name, each in measured.items()))
        state.last_values = measured
        if state.step == 0:
            state.first = measured
        if state.best is None or value > state.best:
            state.best, state.best_step, state.best_values, state.waited = value, state.step, measured, 0
            if settings.select == "best":
                self._publish(MODEL)
        else:
            state.waited += 1
        self._draw()

    @property
    def _monitored(self) -> str:
        """The measured value that decides which encoder is the best."""
        settings = self.recipe.validation
        monitor = settings.monitor or ("f1" if settings.sets else "accuracy")
        return "f1" if monitor == "f1" else "held_out_accuracy"

    @property
    def _selects(self) -> bool:
        """Whether the published encoder is the best one measured, not that of the last step."""
        return self._validates and self.recipe.validation.select == "best"

    def _patience_is_over(self) -> bool:
        patience = self.recipe.validation.patience
        if patience is None or self.state.waited < patience:
            return False
        self.report(f"no better for {patience} validations: stopped; the best is that of step {self.state.best_step}")
        return True

    def _logged(self, since: _Sums, seconds: float) -> dict[str, float]:
        documents = max(1, since.steps * self.recipe.training.batch)
        values = {name: since.values[name] / documents for name in ("loss", "rank", "mlm", "stay")}
        return {
            "epoch": self.state.step / self.data.steps_an_epoch,
            **values,
            "accuracy": 100 * since.values["accuracy"] / max(1.0, since.values["with_pairs"]),
            "learning_rate": self.learning_rate(self.state.step - 1),
            "seconds": self.state.seconds,
            "pairs_per_second": since.values["pairs"] / max(1e-9, seconds),
        }

    def _report(self, values: dict[str, float], seconds_a_step: float) -> None:
        objective = self.recipe.objective
        parts = ["rank", *(["mlm"] if objective.mlm else []), *(["stay"] if objective.stay else [])]
        left = format_duration(seconds_a_step * (self.steps - self.state.step))
        self.report(
            f"step {self.state.step}/{self.steps}  loss {values['loss']:.4g} ("
            + ", ".join(f"{part} {values[part]:.4g}" for part in parts)
            + f")  pairs in order {values['accuracy']:.1f} %  {seconds_a_step:.2f} s/step  {left} left"
        )

    def _checkpoint(self) -> None:
        from mderank.research.training import run_folder as checkpoint

        scaler = getattr(self.accelerator, "scaler", None)
        self.state.scaler = scaler.state_dict() if scaler is not None else None
        if self.main:
            checkpoint.save(
                self.folder / CHECKPOINTS,
                self.state.step,
                self.weights,
                self.optimiser,
                self.state.as_dict(),
                keep=self.recipe.output.checkpoints,
            )
        self.accelerator.wait_for_everyone()

    def _resume(self) -> State:
        """Go on with the last checkpoint, if there is one."""
        from mderank.research.training import run_folder as checkpoint

        there = checkpoint.checkpoints(self.folder / CHECKPOINTS)
        if not there:
            return State()
        data = checkpoint.read_state(there[-1])
        checkpoint.load(there[-1], self.weights, self.optimiser)
        state = State(**{name: data[name] for name in State().as_dict() if name in data})
        scaler = getattr(self.accelerator, "scaler", None)
        if scaler is not None and state.scaler:
            scaler.load_state_dict(state.scaler)
        if not state.finished:
            self.report(f"going on from {there[-1]}")
        return state

    def _publish(self, name: str) -> None:
        """Write the encoder as it is now to the folder ``name``."""
        from mderank.research.training import encoder as model
        from mderank.research.training.run_folder import writing

        if self.main:
            with writing(self.folder / name, self.folder / CHECKPOINTS) as draft:
                model.write(draft, self.recipe, self.objective)
                self._write_card(draft, self.state.step, self.state.last_values)
        self.accelerator.wait_for_everyone()

    def _write_card(self, folder: Path, weights_of: int, measured: dict[str, float]) -> None:
        """Write the model card of an encoder that has the weights of step ``weights_of``."""
        from mderank.research.training.corpus import describe
        from mderank.research.training.model_card import write_card

        facts = {
            "corpus": describe(self.recipe.corpus, self.recipe.folder),
            "weights_of": weights_of,
            "measured": measured,
            "documents": len(self.data.documents),
            "held_out": len(self.data.others),
            "steps": self.steps,
            "pooling": self.objective.pooling,
        }
        write_card(folder, self.recipe, self.state.as_dict(), facts)

    def _draw(self) -> None:
        from mderank.research.training.curves import write_curves
        from mderank.research.training.train_log import LOG_FILE

        if self.main:
            write_curves({self.folder.name: self.folder / LOG_FILE}, self.folder / CURVES)

    def _finish(self) -> None:
        """Write the encoder of the last step, and say if an earlier one is better."""
        state = self.state
        if not self._selects:
            self._publish(MODEL)
        elif state.best_step != state.step:
            self._publish(LAST)
            if state.best_step == 0 and self.main:
                self._warn_untrained()
        if self._selects and self.main:  # written when the best was found: now it is known how long the run was
            self._write_card(self.folder / MODEL, state.best_step, state.best_values)
        self._draw()

    def _warn_untrained(self) -> None:
        """Warn that no training step was better than the encoder that the run began with."""
        state, name = self.state, self._monitored
        warnings.warn(
            f"training did not improve the encoder: {name.replace('_', ' ')} was {state.best:.4g} before the first "
            f"step and {state.last_values.get(name, float('nan')):.4g} after step {state.step}. {self.folder / MODEL} "
            f"is the untrained encoder; {self.folder / LAST} is that of the last step. Try other labels "
            "(labels.method), a lower training.learning_rate or another validation.monitor.",
            MDERankWarning,
            stacklevel=2,
        )

    def _result(self) -> Result:
        model, last = (self.folder / name for name in (MODEL, LAST))
        return Result(
            self.folder,
            model if model.is_dir() else None,
            last if last.is_dir() else None,
            self.state,
            self.steps,
        )


class _Sums:
    """What the log says is a mean over several steps."""

    def __init__(self, began: float = 0.0) -> None:
        self.began, self.steps = began, 0
        self.values: dict[str, float] = {}

    def add(self, values: dict[str, float]) -> None:
        self.steps += 1
        for name, value in values.items():
            self.values[name] = self.values.get(name, 0.0) + value


def _last_only(accelerator: Accelerator, module: Any, last: bool) -> Any:
    """Processes tell each other their gradients once a step, at its last batch."""
    import contextlib

    return contextlib.nullcontext() if last else accelerator.no_sync(module)


def _sum_dtype(accelerator: Accelerator) -> Any:
    """Float64 where there is such a thing."""
    import torch

    return torch.float32 if accelerator.device.type == "mps" else torch.float64


def _accelerator(recipe: Recipe) -> Accelerator:
    """The device and the processes. Without a GPU, processes exchange gradients by torch's own CPU backend.

    Raises:
        TrainingError: several processes were started, but do not train together.
    """
    import torch
    from accelerate import Accelerator
    from accelerate.utils import DistributedDataParallelKwargs, InitProcessGroupKwargs

    accelerator = Accelerator(
        # Without a GPU it has to be told: it would take each process for a run of its own.
        cpu=recipe.training.device == "cpu" or not torch.accelerator.is_available(),
        mixed_precision=recipe.training.precision,
        # One process labels the corpus or measures while the others wait: that may take hours.
        kwargs_handlers=[
            InitProcessGroupKwargs(timeout=timedelta(days=7)),
            # A pooling layer that the encoder has and MDERank does not use.
            DistributedDataParallelKwargs(find_unused_parameters=True),
        ],
    )
    _check_processes(accelerator.num_processes)
    return accelerator


def _check_processes(together: int) -> None:
    """Refuse a launch whose processes would each train by themselves, into one folder."""
    started = int(os.environ.get("WORLD_SIZE", "1"))
    if together != started:
        raise TrainingError(
            f"{started} processes were started, but they do not train together: start them with torchrun or "
            "accelerate launch, on a CPU with --set training.device=cpu"
        )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Reserve the folder for this run. Of several processes that train together, the first one does."""
    from mderank.research.training.run_folder import unwritable

    if int(os.environ.get("RANK", "0")):
        yield
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        stream = open_locked(folder / LOCK)
    except BlockingIOError:
        raise TrainingError(
            f"another process is training in {folder}: wait for it, stop it, or choose another folder"
        ) from None
    except OSError as error:
        raise unwritable(folder, error, folder / CHECKPOINTS) from error
    with stream:
        remove_temporary(folder)
        remove_temporary(folder / CHECKPOINTS)
        yield


def _claim(folder: Path, recipe: Recipe) -> None:
    """Write the recipe, or make sure that the one which is there is the same."""
    from mderank.research.training.run_folder import unwritable

    file = folder / RECIPE_FILE
    new = not file.is_file()
    try:
        claim_settings(file, recipe.as_dict(), lambda before, now: recipe.differences(before))
        if new:
            (folder / "recipe.toml").write_text(recipe.as_toml(), encoding="utf-8")
    except OSError as error:
        raise unwritable(file, error, folder / CHECKPOINTS) from error
