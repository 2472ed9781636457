"""String similarities with known values, and the filter against comparing everything with everything."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

from mderank.methods.yake.near_duplicates import MEASURES, drop_near_duplicates, jaro, levenshtein, sequence


@pytest.mark.parametrize(
    ("string_similarity", "one", "other", "value"),
    [
        (sequence, "abcd", "bcde", 2 * 3 / 8),
        (sequence, "network", "networks", 2 * 7 / 15),
        (sequence, "a" * 300, "a" * 300, 1),
        (levenshtein, "kitten", "sitting", 1 - 3 / 7),
        (levenshtein, "abc", "", 0),
        (levenshtein, "", "", 1),
        (jaro, "martha", "marhta", (6 / 6 + 6 / 6 + 5 / 6) / 3),
        (jaro, "dixon", "dicksonx", (4 / 5 + 4 / 8 + 4 / 4) / 3),
        (jaro, "abc", "xyz", 0),
        (jaro, "", "", 1),
        (jaro, "", "abc", 0),
    ],
)
def test_string_similarity(string_similarity, one, other, value):
    assert string_similarity(one, other) == pytest.approx(value)
    assert string_similarity(other, one) == pytest.approx(value)


def test_only_what_was_kept_drops_others():
    # The second is like the first, the third is like the second only.
    chain = ["abcdefghij", "abcdefghijk", "abcdefghijkl"]
    assert list(drop_near_duplicates(chain, "sequence", 0.94)) == [0, 2]


@pytest.mark.parametrize("string_similarity", ["sequence", "levenshtein", "jaro"])
@pytest.mark.parametrize("threshold", [0.0, 0.5, 0.8, 0.9, 1.0])
def test_it_is_as_if_all_were_compared(string_similarity, threshold):
    rng = np.random.default_rng(1)
    alphabet = np.array(list("abc é-\u4e00\U0001d400"))
    phrases = ["".join(rng.choice(alphabet, size)) for size in rng.integers(1, 12, 150)]
    kept: list[str] = []
    expected = []
    for index, phrase in enumerate(phrases):
        if not any(MEASURES[string_similarity].similarity(phrase, each) > threshold for each in kept):
            kept.append(phrase)
            expected.append(index)
    assert list(drop_near_duplicates(phrases, string_similarity, threshold)) == expected
    assert len(expected) > 1 or threshold == 0.0


def test_nothing_is_read_that_is_not_asked_for():
    def phrases():
        yield from ("reef", "coral", "boat")
        raise AssertionError("read too far")

    assert list(islice(drop_near_duplicates(phrases(), "sequence", 0.9), 3)) == [0, 1, 2]


def test_none_drops_nothing():
    assert list(drop_near_duplicates(["reef", "reef"], "none", 0.0)) == [0, 1]
