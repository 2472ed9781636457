"""Sent2Vec by a stand-in for its binding, with the binding's own classes, arguments and habits."""

from __future__ import annotations

import pickle
import sys
from types import ModuleType

import numpy as np
import pytest

from mderank import ModelError
from mderank.methods.static import Sent2Vec, TextEmbedder

WORDS = {"coral": [1.0, 0.0], "reef": [0.0, 1.0], "boat": [1.0, 1.0]}


class Sent2vecModel:
    """As in the binding: made without arguments, loads a path that is a str, gives float32."""

    def __init__(self):
        self.path = None

    def load_model(self, model_path, inference_mode=False, timeout_sec=-1):
        model_path.encode("utf-8", "ignore")
        with open(model_path) as file:
            if file.read() != "a model":
                raise ValueError("Model file has wrong file format!")
        self.path = model_path

    def get_emb_size(self):
        return 2

    def embed_sentences(self, sentences, num_threads=1):
        assert self.path
        known = [[WORDS[word] for word in sentence.split() if word in WORDS] for sentence in sentences]
        return np.array([np.mean(each, axis=0) if each else [0, 0] for each in known], np.float32).reshape(-1, 2)


@pytest.fixture
def binding(monkeypatch):
    module = ModuleType("sent2vec")
    module.Sent2vecModel = Sent2vecModel
    monkeypatch.setitem(sys.modules, "sent2vec", module)
    return module


@pytest.fixture
def model(tmp_path):
    file = tmp_path / "model.bin"
    file.write_text("a model")
    return file


def test_texts_are_embedded_in_lower_case(binding, model):
    embedder = Sent2Vec(model)
    assert isinstance(embedder, TextEmbedder)
    vectors = embedder.embed(["Coral REEF", "boat", "unheard"])
    assert vectors.dtype == np.float64
    assert vectors.tolist() == [[0.5, 0.5], [1, 1], [0, 0]]
    assert Sent2Vec(str(model)).embed([]).shape == (0, 2)


def test_in_another_process_it_loads_its_model_again(binding, model):
    copy = pickle.loads(pickle.dumps(Sent2Vec(model)))
    assert copy.embed(["reef"]).tolist() == [[0, 1]]


def test_without_the_binding(monkeypatch, model):
    monkeypatch.setitem(sys.modules, "sent2vec", None)
    with pytest.raises(ModelError, match="pip install git"):
        Sent2Vec(model)


def test_another_package_of_that_name_is_not_taken_for_it(monkeypatch, model):
    monkeypatch.setitem(sys.modules, "sent2vec", ModuleType("sent2vec"))
    with pytest.raises(ModelError, match=r"pip install git.*is another one"):
        Sent2Vec(model)


def test_a_model_that_is_not_there_or_is_none(binding, tmp_path):
    with pytest.raises(ModelError, match=r"nowhere\.bin' is not a file"):
        Sent2Vec(tmp_path / "nowhere.bin")
    file = tmp_path / "text.bin"
    file.write_text("no model")
    with pytest.raises(ModelError, match=r"text\.bin' cannot be loaded: .*wrong file format"):
        Sent2Vec(file)
