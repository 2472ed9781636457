import shutil

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mderank import ModelError
from mderank.encoding import BUNDLED_MODEL_FOLDER, load_encoder
from mderank.encoding.word_piece_vectors import WordPieceVectors


@pytest.fixture(scope="module")
def vectors():
    return WordPieceVectors()


def test_rows_are_those_of_the_embedding_layer(vectors):
    onnx = pytest.importorskip("onnx")
    graph = onnx.load(BUNDLED_MODEL_FOLDER / "model.onnx").graph
    stored = {each.name: each for each in graph.initializer if "word_embeddings" in each.name}
    table, factors = (
        onnx.numpy_helper.to_array(stored[f"module.embeddings.word_embeddings.weight_{part}"])
        for part in ("int8", "scale")
    )
    ids = np.asarray([0, 101, 11034, 30521])
    assert_allclose(vectors.rows(ids), table[ids] * factors[ids, None], rtol=1e-6)
    assert vectors.rows(ids).dtype == np.float32


def test_pieces_are_those_of_the_encoder(vectors):
    text = "Unbelievably naïve café-goers, 国際連合 🪸 and [SEP]."
    one, other = vectors.tokenize(text), load_encoder(threads=1).tokenize(text)
    for name in ("ids", "starts", "ends"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()


def test_an_encoder_without_such_a_table(tmp_path):
    for name in ("encoder.json", "tokenizer.json"):
        shutil.copy(BUNDLED_MODEL_FOLDER / name, tmp_path / name)
    with pytest.raises(ModelError, match=r"model\.onnx has no embeddings of word pieces"):
        WordPieceVectors(tmp_path)
    (tmp_path / "model.onnx").write_bytes(b"\x08\x07")
    with pytest.raises(ModelError, match=r"model\.onnx has no embeddings of word pieces"):
        WordPieceVectors(tmp_path)
