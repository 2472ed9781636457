import numpy as np
import pytest

from mderank import MMR, OptionError

# Three phrases that move the document in nearly the same direction, and one across.
SCORES = np.array([1.0, 0.9, 0.8, 0.2, 0.0])
VECTORS = np.array([[1.0, 0.0], [2.0, 0.0], [3.0, 4.0], [0.0, 5.0], [-1.0, 0.0]])


def test_relevance_alone_keeps_the_order():
    assert MMR(diversity=0).order(SCORES, VECTORS) == [0, 1, 2, 3, 4]


def test_by_hand():
    # Relevance is the score, since scores run from 0 to 1. After 0 is taken the similarities are 1, .6, 0, -1:
    #   1: .45 - .5 = -.05   2: .4 - .3 = .1   3: .1 - 0 = .1   4: 0 + .5 = .5     -> 4
    # to 4 they are -1, -.6, 0: the largest of both 1, .6, 0: gains -.05, .1, .1   -> 2, the better-ranked
    # to 2 they are .6, -, .8: the largest 1, .8: gains -.05, .1 - .4 = -.3        -> 1, then 3
    assert MMR(diversity=0.5).order(SCORES, VECTORS) == [0, 4, 2, 1, 3]


def test_diversity_alone():
    # Nothing is similar to nothing: the best-ranked is taken first; then the opposite; then what is across both.
    assert MMR(diversity=1).order(SCORES, VECTORS)[:3] == [0, 4, 3]


def test_top_k():
    assert MMR(diversity=0.5).order(SCORES, VECTORS, 2) == [0, 4]
    assert MMR(diversity=0.5).order(SCORES, VECTORS, 0) == []
    assert MMR(diversity=0.5).order(SCORES, VECTORS, 99) == [0, 4, 2, 1, 3]


def test_equal_scores_are_equally_relevant():
    assert MMR(diversity=0.5).order(np.ones(3), np.array([[1.0, 0], [1, 0], [0, 1]])) == [0, 2, 1]


def test_a_phrase_that_moved_nothing_is_like_none():
    assert MMR(diversity=0.5).order(np.array([1.0, 0.9, 0.0]), np.array([[1.0, 0], [1, 0], [0, 0]])) == [0, 2, 1]


def test_none_to_take():
    assert MMR(diversity=0.5).order(np.zeros(0), np.zeros((0, 2))) == []


@pytest.mark.parametrize("diversity", [-0.1, 1.1, float("nan"), "0.5", None])
def test_out_of_range(diversity):
    with pytest.raises(OptionError, match=r"from 0 \(relevance alone\) to 1, not"):
        MMR(diversity=diversity)


def naive_standard(scores, vectors, relevance):
    """Equations 2 and 3 of EmbedRank's paper, all pairs at once, with its scaling by minimum and maximum."""

    def scaled(values):
        normal = (values - values.min()) / values.max()
        return 0.5 + (normal - normal.mean()) / normal.std()

    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    count = len(scores)
    to_document = scaled(scores)
    between = np.full((count, count), np.nan)
    for taken in range(count):
        others = [each for each in range(count) if each != taken]
        between[others, taken] = scaled((unit @ unit[taken])[others])
    order = [int(np.argmax(scores))]
    while len(order) < count:
        left = [each for each in range(count) if each not in order]
        order.append(
            max(left, key=lambda each: relevance * to_document[each] - (1 - relevance) * between[each, order].max())
        )
    return order


@pytest.mark.parametrize("relevance", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_standard_scaling_is_the_equation_of_embedrank(relevance):
    rng = np.random.default_rng(1)
    for _ in range(20):
        vectors = rng.uniform(0.1, 1, size=(12, 4))  # cosines above 0: the paper divides by the largest
        scores = np.sort(rng.uniform(0.2, 0.9, size=12))[::-1]
        assert MMR(diversity=1 - relevance, scaling="standard").order(scores, vectors) == naive_standard(
            scores, vectors, relevance
        )


def test_standard_scaling_by_hand():
    # Scores 4, 2, 0: mean 2, deviation sqrt(8/3). Cosines of 1 and 2 to 0 are 1 and 0: mean .5, deviation .5, so that
    # their standard forms are 1.5 and -.5. Gains at lambda .6: 1: .6 * .5 - .4 * 1.5 = -.3,
    # 2: .6 * (.5 - 2 / 1.63299) + .4 * .5 = -.2348. By range: 1: .6 * .5 - .4 = -.1, 2: 0.
    scores, vectors = np.array([4.0, 2.0, 0.0]), np.array([[1.0, 0], [1, 0], [0, 1]])
    assert MMR(diversity=0.4, scaling="standard").order(scores, vectors) == [0, 2, 1]
    # At lambda .65: 1: .325 - .525 = -.2, 2: .65 * (-.72474) + .175 = -.29608.
    assert MMR(diversity=0.35, scaling="standard").order(scores, vectors) == [0, 1, 2]


def test_without_scaling_scores_and_cosines_are_as_they_are():
    # To 0 the cosines of 1 and 2 are .8 and .6: 1: .5 * .9 - .4 = .05, 2: .5 * .75 - .3 = .075.
    scores, vectors = np.array([0.95, 0.9, 0.75]), np.array([[1.0, 0], [0.8, 0.6], [0.6, 0.8]])
    assert MMR(diversity=0.5, scaling="none").order(scores, vectors) == [0, 2, 1]
    assert MMR(diversity=0.4, scaling="none").order(scores, vectors) == [0, 1, 2]  # .54 - .32 = .22, .45 - .24 = .21
    # By range the relevance of the last is 0: .5 * .75 - .4 = -.025, 0 - .3.
    assert (
        MMR(diversity=0.5, scaling="range").order(scores, vectors)
        == MMR(diversity=0.5).order(scores, vectors)
        == [0, 1, 2]
    )


@pytest.mark.parametrize("scaling", ["range", "standard", "none"])
def test_phrases_that_nothing_tells_apart_keep_their_order(scaling):
    assert MMR(diversity=0.5, scaling=scaling).order(np.full(4, 0.3), np.full((4, 3), 0.1)) == [0, 1, 2, 3]
    assert MMR(diversity=0.5, scaling=scaling).order(np.array([0.5]), np.ones((1, 3))) == [0]
    assert MMR(diversity=0.5, scaling=scaling).order(np.array([0.5, 0.4]), np.zeros((2, 3))) == [0, 1]


def test_gains_that_differ_by_rounding_only_are_equal():
    # 1 and 2 differ in the ninth digit, for 2; below zero too.
    assert MMR(diversity=0.5, scaling="none").order(np.array([0.9, 0.1, 0.1 + 1e-9]), np.eye(3)) == [0, 1, 2]
    same = np.array([[1.0, 0], [1, 0], [1, 0]])
    assert MMR(diversity=0.5, scaling="none").order(np.array([0.9, 0.1, 0.1 + 1e-9]), same) == [0, 1, 2]
    assert MMR(diversity=0.5, scaling="none").order(np.array([0.9, 0.1, 0.1002]), same) == [0, 2, 1]
    assert MMR(diversity=0.5, scaling="none").order(np.array([0.9, 0.1, 0.10001]), np.eye(3)) == [
        0,
        2,
        1,
    ]  # five digits count


def test_an_unknown_scaling():
    with pytest.raises(OptionError, match="one of range, standard, none"):
        MMR(diversity=0.5, scaling="log")


def test_a_phrase_that_all_others_are_equally_like_is_of_mean_similarity_to_them():
    # All are at a right angle to 0, so that their similarity to it is the mean, 0.5. To 1 that of 2 is 0.5 + 1.414 and
    # that of 3 is 0.5 - 0.707: the nearest of those taken is at 1.914 and at 0.5, the difference 1.414.
    vectors = np.array([[0.0, 0, 1], [1, 0, 0], [1, 0, 0], [0, 1, 0]])
    # 2 is better than 3 by 1 / 1.118 = 0.894 deviations: less than that.
    assert MMR(diversity=0.5, scaling="standard").order(np.array([3.0, 2.0, 1.0, 0.0]), vectors) == [0, 1, 3, 2]
    # By 2.9 / 1.491 = 1.945 deviations: more than that.
    assert MMR(diversity=0.5, scaling="standard").order(np.array([4.0, 3.0, 2.9, 0.0]), vectors) == [0, 1, 2, 3]
