"""The four maskings on nested phrases, as in appendix A of the paper."""

import pytest

from mderank import Document, MaskAll, MaskHighest, MaskOnce, MaskSubset, Span
from mderank.keyphrase import Candidate, Occurrence

#       0         1         2         3         4         5
#       01234567890123456789012345678901234567890123456789012345
TEXT = "support vector machine ; support vector ; machine ; data"
DOCUMENT = Document.from_tagged([(word, "NN") for word in TEXT.split()])


def phrase(key, *places):
    """A candidate at these ranges of tokens."""
    tokens = DOCUMENT.tokens
    return Candidate(
        key,
        tuple(
            Occurrence(Span(tokens[start].start, tokens[stop - 1].end), range(start, stop)) for start, stop in places
        ),
    )


CANDIDATES = [
    phrase("machine", (2, 3), (7, 8)),
    phrase("support vector", (0, 2), (4, 6)),
    phrase("support vector machine", (0, 3)),
    phrase("data", (9, 10)),
]


def test_all_hides_every_place_at_once():
    assert MaskAll().masks(DOCUMENT, CANDIDATES) == [
        [((15, 22), (42, 49))],
        [((0, 14), (25, 39))],
        [((0, 22),)],
        [((52, 56),)],
    ]


def test_once_hides_the_first_place():
    assert MaskOnce().masks(DOCUMENT, CANDIDATES) == [[((15, 22),)], [((0, 14),)], [((0, 22),)], [((52, 56),)]]


def test_highest_tries_each_place_alone():
    assert MaskHighest().masks(DOCUMENT, CANDIDATES) == [
        [((15, 22),), ((42, 49),)],
        [((0, 14),), ((25, 39),)],
        [((0, 22),)],
        [((52, 56),)],
    ]


def test_subset_leaves_words_to_the_longest_phrase():
    # "support vector machine" comes first and takes its three words; the others get what is left.
    assert MaskSubset().masks(DOCUMENT, CANDIDATES) == [
        [((42, 49),)],
        [((25, 32), (33, 39))],
        [((0, 7), (8, 14), (15, 22))],
        [((52, 56),)],
    ]


def test_subset_has_no_mask_where_nothing_is_left():
    nested = [phrase("vector", (1, 2)), phrase("support vector machine", (0, 3))]
    assert MaskSubset().masks(DOCUMENT, nested) == [[], [((0, 7), (8, 14), (15, 22))]]


def test_of_equally_long_phrases_subset_takes_the_first_in_the_text():
    overlapping = [phrase("vector machine", (1, 3)), phrase("support vector", (0, 2))]
    assert MaskSubset().masks(DOCUMENT, overlapping) == [[((15, 22),)], [((0, 7), (8, 14))]]


@pytest.mark.parametrize("masking", [MaskAll(), MaskOnce(), MaskHighest(), MaskSubset()])
def test_no_candidates(masking):
    assert masking.masks(DOCUMENT, []) == []


@pytest.mark.parametrize("kind", [MaskAll, MaskOnce, MaskHighest, MaskSubset])
def test_equal_maskings_are_equal(kind):
    assert kind() == kind()
    assert len({kind(), kind()}) == 1
