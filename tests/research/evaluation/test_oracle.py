"""The best ranking that gold keyphrases allow."""

from __future__ import annotations

from tests.helpers import texts

from mderank.candidates import NGrams
from mderank.research.evaluation.oracle import Oracle
from mderank.tagging import load_tagger
from mderank.testing import FakeTagger

TAGGER = FakeTagger()
TEXT = "The old harbour is near the reef. A reef, a boat and reefs."


def test_oracle_puts_gold_first():
    oracle = Oracle({TEXT: ["boats", "whale"], "other": []}, tagger=TAGGER)
    assert texts(oracle.extract(TEXT)) == ["boat", "old harbour", "reef"]
    assert [each.score for each in oracle.extract(TEXT)] == [1, 0, 0]
    assert texts(Oracle({TEXT: ["boats"]}, tagger=TAGGER, max_words=11).extract(TEXT))[0] == "boat"


def test_gold_keyphrases_in_another_language():
    text = "Les réseaux neuronaux de la ville."
    oracle = Oracle({text: ["neuronal"]}, {text: "fr"}, tagger=load_tagger(language="fr"), candidates=NGrams(1, 1))
    assert texts(oracle.extract(text))[0] == "neuronaux"
