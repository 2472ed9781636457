"""Seeds that make no sense are refused with a reason."""

from __future__ import annotations

import numpy as np
import pytest

from mderank import OptionError, Options
from mderank.document import GuidedText
from mderank.errors import InputError
from mderank.seeds import LONGEST_SEED, MOST_SEEDS, check_seeds


def test_spaces_and_repetitions_do_not_matter():
    assert check_seeds([" coral \n bleaching ", "reef", "reef"]) == ("coral bleaching", "reef")
    assert check_seeds([]) == ()
    assert len(check_seeds([f"seed {number}" for number in range(MOST_SEEDS)])) == MOST_SEEDS
    assert check_seeds(["a" * LONGEST_SEED]) == ("a" * LONGEST_SEED,)


@pytest.mark.parametrize(
    ("seeds", "reason"),
    [
        ("coral", r"not one string: seeds=\['coral'\]"),
        (5, "a list of phrases, not 5"),
        (["reef", 5], "number 2 is 5"),
        (["reef", " \t"], r"blank phrase \(number 2\)"),
        (["a" * (LONGEST_SEED + 1)], f"has {LONGEST_SEED + 1} characters"),
        ([f"seed {number}" for number in range(10_000)], f"more than {MOST_SEEDS} phrases"),
    ],
)
def test_other_seeds_are_refused(seeds, reason):
    with pytest.raises(OptionError, match=reason):
        check_seeds(seeds)
    with pytest.raises(OptionError, match=reason):
        GuidedText("The reef.", seeds)
    with pytest.raises(OptionError, match="seed"):
        Options(seeds=seeds)


@pytest.mark.parametrize("weight", [-0.1, 1.1, float("nan"), True, "0.5"])
def test_other_weights_are_refused(weight):
    with pytest.raises(OptionError, match="seed_weight must be a number from 0 to 1"):
        GuidedText("The reef.", (), weight)
    with pytest.raises(OptionError, match="seed_weight"):
        Options(seed_weight=weight)


def test_a_weight_of_numpy():
    assert GuidedText("The reef.", (), np.float32(0.5)).weight == 0.5


def test_a_text_with_seeds_has_a_text():
    with pytest.raises(InputError, match="not int"):
        GuidedText(5, ["reef"])
    with pytest.raises(InputError, match="not GuidedText"):
        GuidedText(GuidedText("The reef."), ["reef"])
