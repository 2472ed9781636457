import pytest

from mderank.ranking import rank
from mderank.ranking.order import significant


def test_higher_scores_first():
    assert rank([0.1, 0.3, 0.2], [0, 0, 0], [True] * 3) == [1, 2, 0]


def test_ties_by_first_occurrence_then_by_the_given_order():
    assert rank([0.2, 0.2, 0.2], [9, 4, 4], [True] * 3) == [1, 2, 0]


def test_rounding_noise_is_a_tie():
    assert rank([0.123456001, 0.123456002], [0, 5], [True] * 2) == [0, 1]
    assert rank([1.00001e-8, 1.00002e-8], [0, 5], [True] * 2) == [0, 1]


def test_small_scores_are_told_apart():
    assert rank([1.0001e-8, 1.0003e-8], [0, 5], [True] * 2) == [1, 0]


def test_what_hid_nothing_comes_last():
    assert rank([0.0, 0.0, 0.4], [0, 7, 3], [False, True, False]) == [1, 2, 0]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (0.0, 0.0),
        (123456.0, 123460.0),
        (0.000123456, 0.00012346),
        (-0.000123456, -0.00012346),
        (9.99999, 10.0),
        (1.234567e-300, 1.2346e-300),
        (5e-324, 5e-324),
    ],
)
def test_five_significant_digits(value, expected):
    assert significant(value) == expected
