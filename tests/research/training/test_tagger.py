"""Training of the bundled tagger, on a few sentences."""

import gzip
import json

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mderank import SpacyTagger
from mderank.encoding.word_piece_vectors import WordPieceVectors
from mderank.research.training import tagger
from mderank.research.training.tagger import CASES, PENN_TAGS, SEPARATOR, TaggerSettings, label, train_tagger
from mderank.tagging.encoder_tagger import network_inputs
from mderank.tagging.tag_network import TagNetwork
from mderank.tagging.tokenizer import tokenize

TEXTS = ["Coral reefs protect the coast.\n\nWarm water bleaches coral.", "The Bank of England held interest rates."]
SETTINGS = TaggerSettings(width=16, layers=2, epochs=60, stretch=8, learning_rate=0.02, warm_up=5)


@pytest.fixture(scope="module")
def words():
    return label(TEXTS, SpacyTagger(), WordPieceVectors())


def test_every_paragraph_ends_in_a_separator(words):
    assert [int(row) for row in np.flatnonzero(words.tags == SEPARATOR)] == [6, 12, 21]
    (document,) = SpacyTagger().tag(TEXTS[:1])
    assert [PENN_TAGS[tag] for tag in words.tags[:12] if tag != SEPARATOR] == [token.tag for token in document.tokens]
    assert {len(words.features[case]) for case in CASES} == {22}


def test_inputs_are_those_of_the_tagger(words):
    paragraphs = [paragraph for text in TEXTS for paragraph in text.split("\n\n")]
    expected, real = network_inputs(paragraphs, [tokenize(text) for text in paragraphs])
    found, found_real = words.inputs(slice(0, 22), "as written", WordPieceVectors())
    assert_array_equal(found_real, real)
    assert_array_equal(found[real], expected[real])


def test_capitals_have_no_capital_features(words):
    assert_array_equal(words.features["capitals"], words.features["lower"])
    assert (words.features["as written"] != words.features["lower"]).any()


@pytest.mark.slow
def test_it_learns_and_gives_the_same_again(words, tmp_path):
    weights = train_tagger(words, SETTINGS, lambda _: None)
    again = train_tagger(words, SETTINGS, lambda _: None)
    assert sorted(weights) == sorted(again)
    for name, array in weights.items():
        assert_array_equal(array, again[name])
    np.savez(tmp_path / "tagger.npz", **weights)
    network = TagNetwork(tmp_path / "tagger.npz")
    inputs, real = words.inputs(slice(0, 22), "as written", WordPieceVectors())
    found = network.find_tags(inputs, real)
    assert (found == words.tags)[real].mean() > 0.9


@pytest.mark.slow
def test_the_command(tmp_path, monkeypatch):
    (tmp_path / "wikitext2").mkdir()
    lines = " = Reef = \n \n Coral reefs protect the coast . \n = = Water = = \n Warm water bleaches coral . \n"
    (tmp_path / "wikitext2" / "train.raw.gz").write_bytes(gzip.compress(lines.encode()))
    (tmp_path / "tuning").mkdir()
    record = {"id": "1", "title": "Interest rates", "text": "The bank held them.", "keyphrases": ["rates"]}
    (tmp_path / "tuning" / "mine.jsonl").write_text(json.dumps(record) + "\n", encoding="utf-8")
    monkeypatch.setattr(tagger, "TUNING_SETS", ("mine",))
    texts = list(tagger.training_texts(tmp_path))
    assert texts[:3] == [
        "Coral reefs protect the coast.",
        "Warm water bleaches coral.",
        "Interest rates\n\nThe bank held them.",
    ]
    assert len(texts) == 3 + 145 * tagger.EVERYDAY_TIMES
    monkeypatch.setattr(tagger, "training_texts", lambda _: iter(texts[:3]))
    tagger.main(["--data", str(tmp_path), "--output", str(tmp_path / "tagger.npz"), "--epochs", "1"])
    assert TagNetwork(tmp_path / "tagger.npz").tags == PENN_TAGS
