"""First phrases and random ones, on a small text."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from tests.helpers import texts

from mderank import MMR, OptionError
from mderank.methods import FirstPhrases, Random
from mderank.testing import FakeTagger

TAGGER = FakeTagger()
TEXT = "The old harbour is near the reef. A reef, a boat and reefs."


def test_first_phrases():
    found = FirstPhrases(tagger=TAGGER).extract(TEXT)
    assert texts(found) == ["old harbour", "reef", "boat"]
    assert [each.score for each in found] == [1 / 5, 1 / 29, 1 / 45]


def test_random_is_seeded_and_does_not_depend_on_its_neighbours():
    one = Random(1, tagger=TAGGER)
    assert one.extract(TEXT) == Random(1, tagger=TAGGER).extract(TEXT)
    many = " ".join(f"a thing{letter}" for letter in "abcdefghijklmnop")
    assert texts(one.extract(many, top_k=None)) != texts(Random(2, tagger=TAGGER).extract(many, top_k=None))
    scores = [each.score for each in one.extract(many, top_k=None)]
    assert all(0 <= score < 1 for score in scores)
    assert 0.2 < float(np.mean(scores)) < 0.8


def test_a_method_without_vectors_has_no_diversity():
    with pytest.raises(OptionError, match="FirstPhrases has no vectors"):
        FirstPhrases(diversity=MMR(diversity=0.5))


def test_random_reads_the_text_once(monkeypatch):
    """The text is not read again for each of its candidates, and the number is that of seed, text and phrase."""
    read = []
    started = hashlib.blake2b

    def noted(data, **options):
        read.append(len(data))
        return started(data, **options)

    monkeypatch.setattr("mderank.methods.baselines.hashlib.blake2b", noted)
    found = Random(3, tagger=TAGGER).extract(TEXT)
    assert read == [len(f"3\0{TEXT}\0")]
    digest = started(f"3\0{TEXT}\0{found[0].text.lower()}".encode(), digest_size=8).digest()
    assert found[0].score == int.from_bytes(digest, "big") / 2**64
