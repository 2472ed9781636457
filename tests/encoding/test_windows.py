import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank.encoding.base import TokenizedText
from mderank.encoding.windows import windows


def words(count: int, size: int = 1) -> TokenizedText:
    """``count`` pieces, ``size`` to a word: piece i is letter i of words that a space parts."""
    index = np.arange(count)
    starts = index + index // size
    return TokenizedText(index, starts, starts + 1)


def sizes(cuts: list[range]) -> list[int]:
    return [len(cut) for cut in cuts]


def test_a_text_that_fits_is_one_window():
    assert windows(words(10), [], 10) == [range(10)]


def test_no_pieces_no_window():
    assert windows(words(0), [], 10) == []


def test_windows_are_balanced_rather_than_full():
    assert sizes(windows(words(1000), [], 510)) == [500, 500]
    assert sizes(windows(words(11), [], 10)) == [5, 6]


def test_a_window_ends_at_the_sentence_end_nearest_its_share():
    # Pieces 0..19, capacity 12: shares of 10. Sentences end after 3, 8, 11 and 20 pieces.
    text = words(20)
    ends = [int(text.ends[count - 1]) for count in (3, 8, 11, 20)]
    assert windows(text, ends, 12) == [range(11), range(11, 20)]


def test_a_sentence_end_in_the_first_half_of_the_share_is_not_used():
    text = words(20)
    assert sizes(windows(text, [int(text.ends[4])], 12)) == [10, 10]
    assert sizes(windows(text, [int(text.ends[5])], 12)) == [6, 7, 7]


def test_a_sentence_end_past_the_capacity_is_not_used():
    text = words(20)
    assert sizes(windows(text, [int(text.ends[12])], 12)) == [10, 10]
    assert sizes(windows(text, [int(text.ends[11])], 12)) == [12, 8]


def test_without_a_sentence_end_a_window_ends_between_two_words():
    # Words of three pieces: the share of 10 is cut back to nine.
    assert windows(words(20, 3), [], 12)[0] == range(9)


def test_one_long_word_is_cut_anywhere():
    assert sizes(windows(words(20, 100), [], 12)) == [10, 10]


@pytest.mark.parametrize("capacity", [1, 2])
def test_tiny_capacities(capacity):
    assert sizes(windows(words(5, 2), [], capacity)) == {1: [1] * 5, 2: [1, 2, 2]}[capacity]


@given(
    count=st.integers(0, 300),
    size=st.integers(1, 9),
    capacity=st.integers(1, 60),
    breaks=st.lists(st.integers(0, 400), max_size=20),
)
def test_windows_cover_everything_once_and_none_is_too_long(count, size, capacity, breaks):
    cuts = windows(words(count, size), breaks, capacity)
    assert [piece for cut in cuts for piece in cut] == list(range(count))
    assert all(1 <= len(cut) <= capacity for cut in cuts)
