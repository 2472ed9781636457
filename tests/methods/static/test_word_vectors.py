from __future__ import annotations

import pickle

import numpy as np
import pytest

from mderank import InputError
from mderank.methods.static import TextEmbedder, WordVectors

VECTORS = WordVectors(
    {"reef": 0, "Reef": 1, "coral": 2, "state-of-the-art": 3},
    np.array([[1, 0], [0, 4], [3, 2], [5, 5]], dtype=np.float32),
)


def test_a_text_is_the_mean_of_its_words():
    texts = ["reef coral", "reef reef coral", "coral", "reef unheard coral", "unheard", ""]
    expected = [[2, 1], [5 / 3, 2 / 3], [3, 2], [2, 1], [0, 0], [0, 0]]
    np.testing.assert_allclose(VECTORS.embed(texts), expected)
    assert VECTORS.embed([]).shape == (0, 2)


def test_words_are_looked_up_as_they_stand_and_else_in_lower_case():
    np.testing.assert_allclose(VECTORS.embed(["Reef", "REEF", "Coral", "State-of-the-art"])[:, 0], [0, 1, 3, 5])
    assert "CORAL" in VECTORS
    assert "corals" not in VECTORS


def test_they_are_an_embedder_and_can_be_sent_to_another_process():
    assert isinstance(VECTORS, TextEmbedder)
    copy = pickle.loads(pickle.dumps(VECTORS))
    np.testing.assert_array_equal(copy.embed(["reef coral"]), VECTORS.embed(["reef coral"]))


@pytest.mark.parametrize(("rows", "shape"), [({"a": 1}, (1, 2)), ({"a": -1}, (1, 2)), ({"a": 0}, (2,))])
def test_every_word_needs_a_row(rows, shape):
    with pytest.raises(InputError, match="a row for every word"):
        WordVectors(rows, np.zeros(shape, dtype=np.float32))
