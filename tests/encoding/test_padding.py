"""Sequences as padded batches, and how many of them go together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.testing import assert_array_equal

from mderank.encoding.one_pass import PackedSequence
from mderank.encoding.padding import PlainSequence, batch_by_tokens, pad_sequences, pad_texts
from mderank.testing import FakeEncoder

SPEC = replace(FakeEncoder().spec, first_position=2, pad_id=9)  # positions as RoBERTa counts them


def sees(*rows: str) -> np.ndarray:
    """A matrix of who attends to whom, from rows of 1 and 0."""
    return np.array([[int(mark) for mark in row] for row in rows])


def test_a_phrase_attends_to_itself_and_begins_at_the_first_position():
    window, phrases = np.array([2, 11, 3]), [(0, np.array([2, 12, 3])), (1, np.array([13, 14]))]
    mixed = PackedSequence(None, 0, window, [(0, np.array([1]))], True, phrases)
    inputs = pad_sequences(SPEC, [mixed, PlainSequence(np.array([2, 15, 3]))])
    assert_array_equal(inputs.input_ids, [[2, 11, 3, 1, 2, 12, 3, 13, 14], [2, 15, 3, *[9] * 6]])
    assert_array_equal(inputs.position_ids, [[2, 3, 4, 3, 2, 3, 4, 2, 3], [2, 3, 4, *[2] * 6]])
    expected = sees(
        "111000000",
        "111000000",
        "111000000",
        "101100000",  # the mask does not see what it hides
        "000011100",
        "000011100",
        "000011100",
        "000000011",
        "000000011",
    )
    assert_array_equal(inputs.attention_mask[0], expected)
    assert inputs.attention_mask.dtype == np.bool_


def test_padding_attends_to_itself_only_and_is_seen_by_nothing_else():
    inputs = pad_sequences(SPEC, [PlainSequence(np.array([2, 3])), PlainSequence(np.array([2, 10, 11, 3]))])
    assert_array_equal(inputs.attention_mask[0], sees("1100", "1100", "0010", "0001"))


def test_texts_do_not_attend_to_each_other():
    inputs = pad_texts(SPEC, [np.array([10]), np.array([11, 12])])
    assert_array_equal(inputs.input_ids, [[2, 10, 3, 9], [2, 11, 12, 3]])
    assert_array_equal(inputs.attention_mask, [sees("1110", "1110", "1110", "0001"), np.ones((4, 4))])


def test_a_single_text_needs_no_attention_mask():
    inputs = pad_texts(SPEC, [np.array([10, 11])])
    assert_array_equal(inputs.input_ids, [[2, 10, 11, 3]])
    assert inputs.position_ids is None
    assert inputs.attention_mask is None


def batches(lengths: list[int], room: int, **options: int) -> list[list[int]]:
    return list(batch_by_tokens(lengths, room, lambda length: length, **options))


def test_a_batch_has_at_most_so_many_tokens_with_its_padding():
    assert batches([2, 3, 3, 4, 11, 12], 9) == [[2, 3, 3], [4], [11], [12]]  # 3 x 3 tokens fit just so
    assert batches([2, 3, 3, 4, 11, 12], 8) == [[2, 3], [3, 4], [11], [12]]
    assert batches([2, 3, 3, 4], 9, special=1) == [[2, 3], [3], [4]]
    assert batches([2, 3, 3, 4], 12, special=1) == [[2, 3, 3], [4]]
    assert batches([], 9) == []
