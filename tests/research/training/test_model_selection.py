import pytest

from mderank.research.training.model_selection import monitored, patience_is_over, record, selects_best
from mderank.research.training.run_folder import TrainingState
from mderank.research.training.settings import ValidationSettings


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({}, "held_out_accuracy"),
        ({"datasets": ("mine",)}, "f1"),
        ({"datasets": ("mine",), "monitor": "accuracy"}, "held_out_accuracy"),
        ({"monitor": "accuracy"}, "held_out_accuracy"),
    ],
)
def test_what_decides_which_encoder_is_best(settings, name):
    assert monitored(ValidationSettings(**settings)) == name


@pytest.mark.parametrize(
    ("settings", "selects"),
    [({}, True), ({"select": "last"}, False), ({"every": 0}, False), ({"held_out": 0}, False),
     ({"held_out": 0, "datasets": ("mine",)}, True)],
)  # fmt: skip
def test_the_best_encoder_is_published_if_anything_is_measured(settings, selects):
    assert selects_best(ValidationSettings(**settings)) == selects


def test_the_best_validation_is_remembered_and_the_others_are_counted():
    settings, state = ValidationSettings(patience=2), TrainingState()
    better = []
    for step, value in enumerate((50.0, 60.0, 60.0, 55.0)):
        state.step = step
        assert not patience_is_over(settings, state)
        better.append(record(settings, state, {"held_out_accuracy": value, "held_out_loss": 1.0}))
    assert better == [True, True, False, False]  # a tie is not better
    assert (state.best, state.best_step, state.waited) == (60.0, 1, 2)
    assert state.first["held_out_accuracy"] == 50.0
    assert state.best_values["held_out_accuracy"] == 60.0
    assert state.last_values["held_out_accuracy"] == 55.0
    assert patience_is_over(settings, state)
    assert not patience_is_over(ValidationSettings(), state)
    state.step = 4
    assert record(settings, state, {"held_out_accuracy": 61.0})
    assert state.waited == 0
