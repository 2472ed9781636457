import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mderank.encoding.pooling import Hidden, _highest_shown, make_pool

FIRST = np.array([[1.0, 8.0], [4.0, 2.0], [7.0, 5.0]], np.float32)
SECOND = np.array([[3.0, 3.0], [9.0, 1.0]], np.float32)


def rows(*indices: int):
    return np.array(indices)


def states(*vectors: tuple[float, float]):
    return np.array(vectors, np.float32)


def test_mean_of_one_window():
    pool = make_pool("mean", 2, 2)
    pool.add(0, FIRST)
    pool.replace(0, FIRST, [Hidden(0, rows(1), states((1, 5))), Hidden(1, rows(0, 2), states((2, 2), (7, 8)))])
    result = pool.finish()
    assert_allclose(result.document, [12 / 3, 15 / 3])
    assert_allclose(result.changes, [[-3 / 3, 3 / 3], [(1 + 0) / 3, (-6 + 3) / 3]])


def test_mean_of_two_windows_divides_once():
    pool = make_pool("mean", 2, 2)
    pool.add(0, FIRST)
    pool.add(1, SECOND)
    pool.replace(0, FIRST, [Hidden(0, rows(1), states((1, 5)))])
    pool.replace(1, SECOND, [Hidden(0, rows(0), states((4, 4))), Hidden(1, rows(1), states((0, 0)))])
    result = pool.finish()
    assert_allclose(result.document, [24 / 5, 19 / 5])
    assert_allclose(result.changes, [[(-3 + 1) / 5, (3 + 1) / 5], [-9 / 5, -1 / 5]])


def test_max_asks_the_other_rows_where_a_hidden_one_held_the_maximum():
    pool = make_pool("max", 3, 2)
    pool.add(0, FIRST)
    hidden = [
        Hidden(0, rows(2), states((0, 0))),  # (7, 8) without row 2: (4, 8)
        Hidden(1, rows(0, 2), states((5, 1), (2, 3))),  # row 1 is (4, 2); of the masks (5, 3)
        Hidden(2, rows(1), states((9, 9))),  # held no maximum, and its mask is larger than all
    ]
    pool.replace(0, FIRST, hidden)
    result = pool.finish()
    assert_array_equal(result.document, [7, 8])
    assert_array_equal(result.changes, [[-3, 0], [-2, -5], [2, 1]])


def test_max_of_two_windows_is_the_maximum_over_both():
    pool = make_pool("max", 2, 2)
    pool.add(0, FIRST)
    pool.add(1, SECOND)
    pool.replace(0, FIRST, [Hidden(0, rows(0), states((0, 0)))])
    pool.replace(1, SECOND, [Hidden(1, rows(1), states((2, 0)))])
    result = pool.finish()
    assert_array_equal(result.document, [9, 8])
    assert_array_equal(result.changes, [[0, -3], [-2, 0]])


def test_max_does_not_mind_which_pass_of_a_window_comes_first():
    pool = make_pool("max", 2, 2)
    pool.replace(0, FIRST, [Hidden(0, rows(2), states((0, 0)))])
    pool.add(0, FIRST)
    pool.replace(0, FIRST, [Hidden(1, rows(0), states((0, 0)))])
    assert_array_equal(pool.finish().changes, [[-3, 0], [0, -3]])


def test_max_with_every_row_hidden():
    pool = make_pool("max", 1, 2)
    pool.add(0, SECOND)
    pool.replace(0, SECOND, [Hidden(0, rows(0, 1), states((1, 2), (2, 1)))])
    assert_array_equal(pool.finish().changes, [[2 - 9, 2 - 3]])


def test_cls_is_the_mean_of_the_windows_first_states():
    pool = make_pool("cls", 2, 2)
    pool.add(0, FIRST)
    pool.add(1, SECOND)
    pool.reencode(1, SECOND, 0, states((5, 0), (100, 100)))
    result = pool.finish()
    assert_allclose(result.document, [2, 5.5])
    assert_allclose(result.changes, [[1, -1.5], [0, 0]])


def test_cls_of_one_window_is_its_first_state():
    pool = make_pool("cls", 1, 2)
    pool.add(0, FIRST)
    assert_array_equal(pool.finish().document, FIRST[0])


def test_cls_has_no_one_pass_form():
    with pytest.raises(NotImplementedError):
        make_pool("cls", 1, 2).replace(0, FIRST, [])


@pytest.mark.parametrize("name", ["mean", "max"])
def test_reencoded_windows(name):
    pool = make_pool(name, 1, 2)
    pool.add(0, FIRST)
    pool.add(1, SECOND)
    pool.reencode(1, SECOND, 0, states((3, 9), (0, 1)))
    expected = {"mean": [-9 / 5, 6 / 5], "max": [7 - 9, 9 - 8]}[name]
    assert_allclose(pool.finish().changes, [expected])


@pytest.mark.parametrize(("name", "focus"), [("mean", 0), ("mean", 10), ("max", 0), ("cls", 0)])
def test_a_document_without_words(name, focus):
    result = make_pool(name, 1, 3, phrases=2, focus=focus).finish()
    assert_array_equal(result.document, [0, 0, 0])
    assert_array_equal(result.changes, [[0, 0, 0]])
    assert_array_equal(result.contexts, [[0, 0, 0]])
    assert_array_equal(result.phrases, [[0, 0, 0], [0, 0, 0]])
    assert result.share == 1


@pytest.mark.parametrize(("name", "focus"), [("mean", 0), ("mean", 10), ("max", 0)])
def test_a_mask_that_hides_nothing_changes_nothing(name, focus):
    nothing = Hidden(0, rows(), np.zeros((0, 2), np.float32))
    pool = make_pool(name, 2, 2, focus=focus)
    pool.add(0, FIRST)
    pool.replace(0, FIRST, [nothing])
    assert_array_equal(pool.finish().changes, np.zeros((2, 2)))
    pool.replace(0, FIRST, [nothing, Hidden(1, rows(2), states((0, 0)))])
    assert_allclose(pool.finish().changes, [[0, 0], [4 - 7, 0] if name == "max" else [-7 / 3, -5 / 3]])


@pytest.mark.parametrize("focus", [0, 10])
def test_means_are_taken_in_float64(focus):
    pool = make_pool("mean", 0, 1, focus=focus)
    pool.add(0, np.array([[2.0**24], [1.0]], np.float32))  # float32 has no 2^24 + 1
    assert pool.finish().document == [2**23 + 0.5]


def test_differences_below_float32_survive():
    # 1e-7 beside sums of about 1e6, of which float32 would keep nothing.
    states_ = np.full((1_000_000, 1), 1.0, np.float32)
    step = np.finfo(np.float32).eps
    pool = make_pool("mean", 1, 1)
    pool.add(0, states_)
    pool.replace(0, states_, [Hidden(0, rows(5), np.array([[1 + step]]))])
    assert pool.finish().changes[0, 0] == float(step) / 1_000_000


@pytest.mark.parametrize(("name", "focus"), [("mean", 0), ("mean", 10), ("max", 0), ("cls", 0)])
def test_contexts_are_the_mean_states_of_what_is_hidden_over_all_windows(name, focus):
    pool = make_pool(name, 4, 2, focus=focus)
    pool.add(0, FIRST)
    pool.add(1, SECOND)
    pool.add_contexts(FIRST, [(0, rows(1)), (1, rows(0, 2)), (2, rows())])
    pool.add_contexts(SECOND, [(0, rows(0, 1)), (3, rows(1))])
    assert_allclose(pool.finish().contexts, [[(4 + 3 + 9) / 3, (2 + 3 + 1) / 3], [4, 6.5], [0, 0], [9, 1]])


def test_windows_far_from_the_subject_count_less() -> None:
    near, far = np.array([[1.0, 0.0], [1.0, 0.0]]), np.array([[0.0, 1.0], [0.0, 1.0]])
    pool = make_pool("mean", 1, 2, focus=10.0)
    for window, states in enumerate((near, near, far)):
        pool.add(window, states)
        pool.replace(window, states, [Hidden(0, np.array([0]), np.zeros((1, 2)))])
    result = pool.finish()
    assert result.document[0] > 0.99
    assert result.changes[0, 0] < 10 * result.changes[0, 1]  # both negative: the far window hardly changes anything
    assert 4 / 6 <= result.share < 4.1 / 6


@pytest.mark.parametrize("exact", [True, False])
def test_focus_by_hand(exact) -> None:
    # The first window's direction is (1, 0), that of all tokens (3, 1) / sqrt(10), and the subject their sum. The
    # second window's cosine, relative to the first one's, is 1 / (sqrt(10) + 3) = sqrt(10) - 3; its weight the square.
    first, second = np.array([[3.0, 0], [3.0, 0]]), np.array([[0, 2.0]])
    weight = (np.sqrt(10) - 3) ** 2
    pool = make_pool("mean", 2, 2, focus=2.0)
    for window, given, mask in ((0, first, 0), (1, second, 0), (1, second, 1)):
        if mask == 0:
            pool.add(window, given)
        if exact:
            masked = given.copy()
            masked[0] = mask
            pool.reencode(window, given, mask, masked)
        else:
            pool.replace(window, given, [Hidden(mask, rows(0), np.full((1, 2), mask))])
    result = pool.finish()
    count = 2 + weight
    assert_allclose(result.document, [6 / count, 2 * weight / count])
    assert_allclose(result.changes, [[-3 / count, -2 * weight / count], [weight / count, -weight / count]], rtol=1e-6)
    assert result.share == pytest.approx(count / 3)


@pytest.mark.parametrize(("name", "expected"), [("max", [9, 8]), ("cls", [2, 5.5])])
def test_focus_is_for_the_mean_only(name, expected) -> None:
    pool = make_pool(name, 0, 2, focus=5.0)
    pool.add(0, FIRST)
    pool.add(1, SECOND)
    assert_array_equal(pool.finish().document, expected)
    assert len(pool.finish().phrases) == 0


def test_a_document_without_a_direction_has_no_focus() -> None:
    # All tokens together point away from the first window: there is no subject, and all windows count the same.
    pool = make_pool("mean", 0, 2, focus=5.0)
    pool.add(0, np.array([[1.0, 0]]))
    pool.add(1, np.array([[-1.0, 0]] * 3))
    result = pool.finish()
    assert_allclose(result.document, [-0.5, 0])
    assert result.share == 1


def test_windows_count_the_same_whatever_their_order() -> None:
    states = [
        np.array([[1.0, 0.2], [0.9, 0.1]]),
        np.array([[0.5, 0.5], [0.2, 1.0]]),
        np.array([[1.0, 0.0], [0.8, 0.3]]),
    ]
    results = []
    for order in ((0, 1, 2), (2, 1, 0)):
        pool = make_pool("mean", 1, 2, focus=4.0)
        for window in order:
            pool.replace(window, states[window], [Hidden(0, np.array([1]), np.ones((1, 2)))])
            pool.add(window, states[window])
        results.append(pool.finish())
    np.testing.assert_allclose(results[0].document, results[1].document, rtol=1e-12)
    np.testing.assert_allclose(results[0].changes, results[1].changes, rtol=1e-6)


def test_one_window_is_its_mean() -> None:
    states = np.array([[1.0, 2.0], [3.0, 4.0]])
    plain, focused = make_pool("mean", 1, 2), make_pool("mean", 1, 2, focus=10.0)
    for pool in (plain, focused):
        pool.add(0, states)
        pool.replace(0, states, [Hidden(0, np.array([1]), np.array([[0.5, 0.5]]))])
    assert focused.finish().share == 1
    np.testing.assert_allclose(focused.finish().document, plain.finish().document)
    np.testing.assert_allclose(focused.finish().changes, plain.finish().changes)


def test_max_over_windows_looks_at_as_many_as_a_mask_hides_in_and_one_more():
    rng = np.random.default_rng(0)
    tops = rng.normal(size=(12, 5))
    ordered = np.argsort(-tops, axis=0)
    hidden = np.zeros(12, dtype=bool)
    hidden[[0, 3, 7]] = True
    expected = tops[~hidden].max(axis=0)
    ordered[4:] = 99  # a window that does not exist: it would not be found
    assert_array_equal(_highest_shown(tops, ordered, hidden), expected)
    assert_array_equal(_highest_shown(tops[:1], np.zeros((1, 5), int), np.ones(1, bool)), np.full(5, -np.inf))
