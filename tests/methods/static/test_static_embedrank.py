"""EmbedRank with vectors whose means and cosines can be worked out by hand."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from tests.helpers import texts

from mderank import MMR, Document, MaxSum, ModelError, OptionError
from mderank.methods import Sent2VecEmbedRank, TextEmbedRank, VectorEmbedRank
from mderank.methods.registry import METHODS
from mderank.methods.static import WordVectors
from mderank.testing import FakeTagger

TAGGER = FakeTagger({"sees": "VBZ"})
VECTORS = WordVectors(
    {"reef": 0, "coral": 1, "boat": 2, "old": 3, "sees": 4},
    np.array([[4, 0], [0, 4], [3, 3], [1, 7], [-100, -100]], dtype=np.float32),
)
TEXT = "The boat sees the coral reef, the old boat and a whale of the reef."


def test_by_hand():
    found = VectorEmbedRank(VECTORS, tagger=TAGGER).extract(TEXT, top_k=None)
    # Nouns and adjectives: boat coral reef old boat whale reef; the verb does not count, and the whale is unknown.
    # Their sum is (3 + 0 + 4 + 1 + 3 + 4, 3 + 4 + 0 + 7 + 3 + 0) = (15, 17), of length sqrt(514).
    # boat (3, 3), coral reef (2, 2): 96 / sqrt(18 * 514). old boat (2, 5): 115 / sqrt(29 * 514). reef: 15 / sqrt(514).
    expected = {
        "boat": 96 / sqrt(18 * 514),
        "coral reef": 96 / sqrt(18 * 514),
        "old boat": 115 / sqrt(29 * 514),
        "reef": 15 / sqrt(514),
        "whale": 0,
    }
    assert {each.text: each.score for each in found} == pytest.approx(expected)
    assert texts(found) == ["boat", "coral reef", "old boat", "reef", "whale"]
    assert [each.raw_score for each in found] == [each.score for each in found]


def test_a_phrase_without_a_vector_comes_last_even_after_those_below_zero():
    vectors = WordVectors({"reef": 0, "boat": 1}, np.array([[1, 0], [-0.5, 0]], dtype=np.float32))
    found = VectorEmbedRank(vectors, tagger=TAGGER).extract("A whale, a reef and a boat.", top_k=None)
    assert [(each.text, each.score) for each in found] == [("reef", 1), ("boat", -1), ("whale", 0)]
    diverse = VectorEmbedRank(vectors, tagger=TAGGER, diversity=MMR(diversity=1)).extract("A whale, a reef and a boat.")
    assert texts(diverse) == ["reef", "boat", "whale"]


def test_texts_of_which_nothing_is_known():
    extractor = VectorEmbedRank(VECTORS, tagger=TAGGER)
    assert texts(extractor.extract("A whale and a shark.")) == ["whale", "shark"]
    assert extractor.extract("Of the and.") == extractor.extract("") == []


def test_universal_tags_and_degrees_of_adjectives():
    penn = Document.from_tagged([("older", "JJR"), ("Boat", "NNP"), ("sees", "VBZ"), ("reef", "NN")])
    universal = Document.from_tagged(
        [("older", "ADJ"), ("Boat", "PROPN"), ("sees", "VERB"), ("reef", "NOUN")], tagset="universal"
    )
    heard = []

    class Listener:
        def embed(self, texts):
            heard.append(list(texts))
            return VECTORS.embed(texts)

    for document in (penn, universal):
        assert set(texts(TextEmbedRank(Listener()).extract(document))) >= {"reef"}
    assert [some[0] for some in heard] == ["older Boat reef", "older Boat reef"]
    assert heard[1][1:] == ["older Boat", "reef"]


def test_mmr_is_that_of_the_paper():
    assert VectorEmbedRank(VECTORS, diversity=MMR(diversity=0.5)).diversity == MMR(diversity=0.5, scaling="standard")
    plain = texts(VectorEmbedRank(VECTORS, tagger=TAGGER).extract(TEXT, top_k=2))
    diverse = texts(VectorEmbedRank(VECTORS, tagger=TAGGER, diversity=MMR(diversity=0.8)).extract(TEXT, top_k=2))
    assert plain == ["boat", "coral reef"]  # both (1, 1)
    assert diverse == ["boat", "reef"]  # least like the boat
    # Of all pairs among the four that are known: old boat (2, 5) and reef (4, 0), 2 / sqrt(29).
    pair = VectorEmbedRank(VECTORS, tagger=TAGGER, diversity=MaxSum(4)).extract(TEXT, top_k=2)
    assert texts(pair) == ["old boat", "reef"]


def test_vectors_from_a_file(tmp_path):
    file = tmp_path / "vectors.txt"
    file.write_text("reef 4 0\ncoral 0 4\nboat 3 3\nold 1 7\nsees -100 -100\n")
    expected = VectorEmbedRank(VECTORS, tagger=TAGGER).extract(TEXT)
    assert METHODS["embedrank-vectors"].make(vectors=file, tagger=TAGGER).extract(TEXT) == expected
    fewer = VectorEmbedRank(str(file), 2, tagger=TAGGER)
    assert {each.text for each in fewer.extract(TEXT) if each.score > 0} == {"coral reef", "reef"}


def test_what_the_command_line_can_set():
    method = METHODS["embedrank-vectors"]
    assert {name: setting.describe() for name, setting in method.parameters().items()} == {
        "vectors": "a file or none",
        "max_vectors": "a whole number of at least 1 or none",
    }
    assert method.parse("max_vectors=5") == ("max_vectors", 5)
    assert {name: setting.describe() for name, setting in METHODS["embedrank-sent2vec"].parameters().items()} == {
        "sent2vec": "a file or none"
    }


def test_options_that_are_missing_or_wrong(tmp_path):
    with pytest.raises(OptionError, match=r"needs a file of word vectors: .*--set vectors=FILE.*GloVe"):
        VectorEmbedRank()
    with pytest.raises(OptionError, match="max_vectors must be a whole number of at least 1 or none, not 0"):
        VectorEmbedRank(VECTORS, 0)
    with pytest.raises(OptionError, match="max_vectors is for a file"):
        VectorEmbedRank(VECTORS, 5)
    with pytest.raises(OptionError, match=r"needs a model: .*--set sent2vec=FILE"):
        Sent2VecEmbedRank()


def test_an_embedder_of_ones_own():
    class Letters:
        """How often a, b and c are in a text."""

        def embed(self, texts):
            return [[text.count(letter) for letter in "abc"] for text in texts]

    for extractor in (TextEmbedRank(Letters(), tagger=TAGGER), Sent2VecEmbedRank(Letters(), tagger=TAGGER)):
        found = extractor.extract("An abc is near a cab, a bb and a dd.", top_k=None)
        # The nouns: abc cab bb dd. a: 2, b: 4, c: 2.
        assert {each.text: each.score for each in found} == pytest.approx(
            {"abc": 8 / sqrt(3 * 24), "cab": 8 / sqrt(3 * 24), "bb": 4 / sqrt(24), "dd": 0}
        )


@pytest.mark.parametrize("vectors", [np.zeros((1, 3)), np.zeros(7), np.zeros((2, 2, 2))])
def test_an_embedder_that_gives_something_else(vectors):
    class Wrong:
        def embed(self, texts):
            return vectors

    with pytest.raises(ModelError, match=r"Wrong\.embed gave .* for 2 texts"):
        TextEmbedRank(Wrong(), tagger=TAGGER).extract("A reef.")
