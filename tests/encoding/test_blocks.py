import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mderank.encoding.blocks import mask_blocks, phrase_blocks, phrase_slot
from mderank.testing import FakeEncoder

SPEC = FakeEncoder().spec
WINDOW = np.arange(10, 18)


def rows(*numbers):
    return np.asarray(numbers, dtype=np.int64)


def attended(inputs):
    """For each token of a block, the tokens of blocks that it attends to, from the slots."""
    filled = np.zeros(inputs.slots.size, dtype=bool)
    filled[inputs.places] = True
    width = inputs.slots.shape[1]
    seen = []
    for place in inputs.places:
        slot, within = divmod(int(place), width)
        held = [
            other for other in range(width) if filled[slot * width + other] and inputs.sees_slot[slot, within, other]
        ]
        seen.append([int(inputs.slots[slot, other]) for other in held])
    return seen


def test_masks_follow_the_window_at_the_positions_that_they_hide():
    inputs = mask_blocks(SPEC, WINDOW, [rows(2, 3), rows(5), rows(1, 2, 6)])
    assert inputs.window == 8
    assert_array_equal(inputs.input_ids, [*WINDOW, *[SPEC.mask_id] * 6])
    assert_array_equal(inputs.position_ids - SPEC.first_position, [*range(8), 2, 3, 5, 1, 2, 6])
    assert [np.flatnonzero(~row).tolist() for row in inputs.sees_window] == [[2, 3]] * 2 + [[5]] + [[1, 2, 6]] * 3


def test_a_token_attends_to_its_own_mask_only():
    inputs = mask_blocks(SPEC, WINDOW, [rows(2, 3), rows(5), rows(1, 2, 6)])
    assert attended(inputs) == [[0, 1], [0, 1], [2], [3, 4, 5], [3, 4, 5], [3, 4, 5]]
    # The slots are as wide as the longest mask; the first two share one.
    assert inputs.slots.shape == (2, 3)


def test_a_window_without_masks():
    inputs = mask_blocks(SPEC, WINDOW, [])
    assert inputs.sees_window.shape == (0, 8)
    assert inputs.slots.shape[0] == len(inputs.places) == 0


def test_every_phrase_has_a_slot_of_its_own():
    inputs = phrase_blocks(SPEC, [rows(1, 40, 2), rows(1, 41, 42, 43, 2)])
    assert inputs.window == 0
    assert_array_equal(inputs.input_ids, [1, 40, 2, 1, 41, 42, 43, 2])
    assert_array_equal(inputs.position_ids - SPEC.first_position, [0, 1, 2, 0, 1, 2, 3, 4])
    assert inputs.slots.shape == (2, 8)
    assert_array_equal(inputs.places, [0, 1, 2, 8, 9, 10, 11, 12])
    assert attended(inputs) == [[0, 1, 2]] * 3 + [[3, 4, 5, 6, 7]] * 5


@pytest.mark.parametrize(("length", "width"), [(1, 8), (8, 8), (9, 16), (16, 16), (17, 32), (512, 512)])
def test_width_of_a_phrase(length, width):
    assert phrase_slot(length) == width
