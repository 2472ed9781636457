from decimal import Decimal, localcontext

import numpy as np
import pytest

from mderank.ranking import centred_similarity, masked_similarity, phrase_similarity


def one_minus_cosine(document, change) -> float:
    """To fifty digits, from the definition."""
    with localcontext() as context:
        context.prec = 50
        before = [Decimal(float(value)) for value in document]
        after = [value + Decimal(float(delta)) for value, delta in zip(before, change, strict=True)]
        dot = sum(one * other for one, other in zip(before, after, strict=True))
        norms = (sum(value * value for value in before) * sum(value * value for value in after)).sqrt()
        return float(1 - dot / norms)


@pytest.mark.parametrize("length", [20.0, 0.2])
@pytest.mark.parametrize("size", [1e1, 1.0, 1e-2, 1e-4, 1e-6, 1e-8])
def test_cosine_against_fifty_digits(size, length):
    generator = np.random.default_rng(1)
    document = generator.normal(size=384)
    document *= length / np.linalg.norm(document)
    changes = size * generator.normal(size=(20, 384))
    similarities, scores = masked_similarity(document, changes, "cosine")
    expected = [one_minus_cosine(document, change) for change in changes]
    np.testing.assert_allclose(scores, expected, rtol=1e-9)
    np.testing.assert_allclose(similarities, 1 - np.array(expected), rtol=1e-12)


def test_differences_of_1e_8_are_told_apart():
    # Across E(d) by 1e-4 and by 1.0001e-4: 1 - cos is half the square of it.
    document = np.array([1.0, 0.0])
    _, scores = masked_similarity(document, np.array([[0.0, 1e-4], [0.0, 1.0001e-4]]), "cosine")
    np.testing.assert_allclose(scores, [0.5e-8, 0.5 * 1.0001e-4**2], rtol=1e-7)


def test_cosine_by_hand():
    # To a right angle, to 45 degrees, to the opposite, along, to beyond a right angle, to nothing, to a right angle.
    document = np.array([2.0, 0.0])
    changes = np.array([[-2.0, 1], [0, 2], [-4, 0], [3, 0], [-3, 1], [-2, 0], [-2, 3]])
    similarities, scores = masked_similarity(document, changes, "cosine")
    half = np.sqrt(0.5)
    np.testing.assert_allclose(scores, [1, 1 - half, 2, 0, 1 + half, 0, 1], atol=1e-15)
    np.testing.assert_allclose(similarities, [0, half, -1, 1, -half, 1, 0], atol=1e-15)


def test_euclidean_by_hand():
    similarities, scores = masked_similarity(np.array([1.0, 1.0]), np.array([[3.0, 4.0], [0.0, 0.0]]), "euclidean")
    assert scores.tolist() == [5, 0]
    assert similarities.tolist() == [-5, 0]


def test_nothing_to_compare_with():
    similarities, scores = masked_similarity(np.zeros(3), np.ones((2, 3)), "cosine")
    assert (similarities.tolist(), scores.tolist()) == ([1, 1], [0, 0])


@pytest.mark.parametrize("name", ["cosine", "euclidean"])
def test_nothing_to_compare(name):
    similarities, scores = masked_similarity(np.ones(3), np.zeros((0, 3)), name)
    assert (len(similarities), len(scores)) == (0, 0)


def test_a_phrase_is_as_important_as_its_direction_is_near_the_document_s():
    # The same direction, at any length; a right angle; the opposite; no direction at all.
    document = np.array([3.0, 4.0])
    phrases = np.array([[6.0, 8.0], [0.03, 0.04], [-4.0, 3.0], [-3.0, -4.0], [0.0, 0.0]])
    similarities, scores = phrase_similarity(document, phrases, "cosine")
    np.testing.assert_allclose(similarities, [1, 1, 0, -1, 0], atol=1e-15)
    assert similarities[4] == 0
    np.testing.assert_allclose(scores, similarities)


def test_a_phrase_is_the_more_important_the_less_its_euclidean_distance():
    similarities, scores = phrase_similarity(np.array([1.0, 1.0]), np.array([[4.0, 5.0], [1.0, 1.0]]), "euclidean")
    assert similarities.tolist() == [-5, 0]
    assert scores.tolist() == [-5, 0]


def test_what_all_phrases_have_in_common_does_not_count_when_centred():
    generator = np.random.default_rng(3)
    document, phrases, common = (generator.normal(size=shape) for shape in (16, (5, 16), 16))
    alone = centred_similarity(document, phrases)
    np.testing.assert_allclose(centred_similarity(document + 50 * common, phrases + 50 * common), alone)
    crowded, _ = phrase_similarity(document + 50 * common, phrases + 50 * common, "cosine")
    assert np.ptp(crowded) < 0.01 < np.ptp(alone)


def test_centred_by_hand():
    # Without their mean (2, 1) the phrases are (1, 0) and (-1, 0), and the document is (3, 4).
    np.testing.assert_allclose(
        centred_similarity(np.array([5.0, 5.0]), np.array([[3.0, 1.0], [1.0, 1.0]])), [0.6, -0.6]
    )


@pytest.mark.parametrize("phrases", [np.zeros((0, 2)), np.ones((1, 2)), np.ones((3, 2))])
def test_phrases_that_do_not_differ_are_not_told_apart_when_centred(phrases):
    np.testing.assert_array_equal(centred_similarity(np.array([1.0, 2.0]), phrases), np.zeros(len(phrases)))
