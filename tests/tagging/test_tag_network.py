"""The network that finds tags, on arrays that can be worked out by hand."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mderank import ModelError
from mderank.encoding.base import TokenizedText
from mderank.tagging.tag_network import TagNetwork, find_pieces, word_vectors


def pieces(*spans):
    starts, ends = np.asarray(spans, dtype=np.int64).reshape(-1, 2).T
    return TokenizedText(np.zeros(len(starts), dtype=np.int64), starts, ends)


def test_pieces_of_words():
    # "un|believ|able cannot 🪸": one word of three pieces, two words in one piece, one word without a piece
    first, last = find_pieces(pieces((0, 2), (2, 8), (8, 12), (13, 19)), [0, 13, 16, 20], [12, 16, 19, 21])
    assert_array_equal(first, [0, 3, 3, 4])
    assert_array_equal(last, [2, 3, 3, 3])


def test_no_pieces():
    first, last = find_pieces(pieces(), [0], [1])
    assert_array_equal(word_vectors(np.zeros((0, 2), dtype=np.float32), first, last), [[0] * 6])


def test_vectors_of_words():
    rows = np.asarray([[1, 0], [3, 0], [2, 6], [0, 1]], dtype=np.float32) / 18
    found = word_vectors(rows, np.asarray([0, 3, 1, 4]), np.asarray([2, 3, 2, 3]))
    expected = [[1, 0, 2, 6, 2, 2], [0, 1, 0, 1, 0, 1], [3, 0, 2, 6, 2.5, 3], [0] * 6]
    assert_allclose(found, expected, rtol=1e-6)
    assert found.dtype == np.float32


def write(file, **changes):
    """Write a network of two states: the first is larger for words with a 1, and its neighbours see it."""
    one, zero = np.ones(2), np.zeros(2)
    weights = {
        "tags": np.asarray(["JJ", "NN"]),
        "word_weight": np.asarray([[1.0, 0.0], [0.0, 1.0]]), "word_bias": zero,
        "word_norm_weight": one, "word_norm_bias": zero,
        "context0_weight": np.vstack([np.zeros((2, 2)), np.zeros((2, 2)), np.asarray([[9.0, 0.0], [0.0, 0.0]])]),
        "context0_bias": zero, "context0_norm_weight": one, "context0_norm_bias": zero,
        "tag_weight": np.eye(2), "tag_bias": zero,
    }  # fmt: skip
    np.savez(file, **{**weights, **changes})
    return file


def test_a_word_sees_the_word_behind_it_but_no_other_paragraph(tmp_path):
    network = TagNetwork(write(tmp_path / "tagger.npz"))
    assert network.tags == ("JJ", "NN")
    adjective, noun, nothing = [1.0, 0.0], [0.0, 1.0], [0.0, 0.0]
    rows = np.asarray([noun, adjective, nothing, noun, nothing, adjective], dtype=np.float32)
    real = np.asarray([True, True, False, True, False, True])
    found = network.find_tags(rows, real)
    assert_array_equal(found[real], [0, 0, 1, 0])  # the first noun stands before an adjective


def test_no_rows(tmp_path):
    network = TagNetwork(write(tmp_path / "tagger.npz"))
    assert len(network.find_tags(np.zeros((0, 2), dtype=np.float32), np.zeros(0, dtype=np.bool_))) == 0


def test_the_digest_is_that_of_the_file(tmp_path):
    one = TagNetwork(write(tmp_path / "one.npz"))
    other = TagNetwork(write(tmp_path / "other.npz", tag_bias=np.ones(2)))
    assert len(one.digest) == 8
    assert one.digest != other.digest


@pytest.mark.parametrize("content", [b"", b"no weights", None])
def test_a_damaged_file(tmp_path, content):
    file = tmp_path / "tagger.npz"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ModelError, match=r"tagger\.npz has no weights of a tagger"):
        TagNetwork(file)


def test_objects_are_not_unpickled(tmp_path):
    with pytest.raises(ModelError, match="allow_pickle"):
        TagNetwork(write(tmp_path / "tagger.npz", tags=np.asarray([{"JJ"}], dtype=object)))
