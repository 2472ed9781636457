"""The choice of a run's encoder to publish, and early stopping."""

from __future__ import annotations

from mderank.research.training.run_folder import TrainingState
from mderank.research.training.settings import ValidationSettings


def monitored(settings: ValidationSettings) -> str:
    """Return the name of the measurement that decides which encoder is the best."""
    monitor = settings.monitor or ("f1" if settings.datasets else "accuracy")
    return "f1" if monitor == "f1" else "held_out_accuracy"


def selects_best(settings: ValidationSettings) -> bool:
    """Return whether the published encoder is the best one measured, not that of the last step."""
    return settings.enabled and settings.select == "best"


def record(settings: ValidationSettings, state: TrainingState, measured: dict[str, float]) -> bool:
    """Record the measurements of a validation.

    Args:
        settings: The validation's settings.
        state: The state of the run, which is changed.
        measured: The measurements by name.

    Returns:
        Whether the encoder is better than all before.
    """
    state.last_values = measured
    if state.step == 0:
        state.first = measured
    value = measured.get(monitored(settings), 0.0)
    if state.best is None or value > state.best:
        state.best, state.best_step, state.best_values, state.waited = value, state.step, measured, 0
        return True
    state.waited += 1
    return False


def patience_is_over(settings: ValidationSettings, state: TrainingState) -> bool:
    """Return whether so many validations brought nothing better that the run stops."""
    return settings.patience is not None and state.waited >= settings.patience
