"""KeyBERT against a plain computation, phrase by phrase; what diversity does to any method."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from tests.helpers import texts

from mderank import MMR, MaxSum, MDERank, NounPhrases, OptionError
from mderank.encoding import Request, embed
from mderank.methods import EmbedRank, FirstPhrases, KeyBERT
from mderank.methods.base import BaseExtractor
from mderank.methods.scores import CandidateScores
from mderank.testing import FakeEncoder, FakeTagger

TAGGER = FakeTagger()
TEXT = "The Coral reef is near the old harbour. A reef, a boat of the harbour and reefs."
NGRAMS = ["coral reef", "coral", "reef", "old harbour", "old", "harbour", "boat", "reefs"]


def embedding(encoder, text):
    (result,) = embed(encoder, [Request(encoder.tokenize(text), ())], pooling="mean", layer=2, exact=True)
    return result.document / np.linalg.norm(result.document)


class Remembering(FakeEncoder):
    """Keeps what it was asked to read."""

    def __init__(self):
        super().__init__()
        self.read = []

    def tokenize(self, text):
        if hasattr(self, "read"):
            self.read.append(text)
        return super().tokenize(text)


def test_the_candidates_are_one_and_two_words_and_embedded_in_lower_case():
    encoder = Remembering()
    found = KeyBERT(encoder, tagger=TAGGER, dedupe="case").extract(TEXT, top_k=None)
    assert sorted(each.text.lower() for each in found) == sorted(NGRAMS)
    assert encoder.read == [TEXT, *NGRAMS]
    nouns = KeyBERT(encoder, tagger=TAGGER, candidates=NounPhrases()).extract(TEXT, top_k=None)
    assert sorted(texts(nouns)) == ["Coral reef", "boat", "harbour", "old harbour", "reef"]


def test_the_score_is_the_cosine_of_phrase_and_document():
    encoder = FakeEncoder()
    found = KeyBERT(encoder, tagger=TAGGER, dedupe="case").extract(TEXT, top_k=None)
    document = embedding(encoder, TEXT)
    expected = {phrase: embedding(encoder, phrase) @ document for phrase in NGRAMS}
    assert {each.text.lower(): each.score for each in found} == pytest.approx(expected, rel=1e-5)
    assert [text.lower() for text in texts(found)] == sorted(NGRAMS, key=lambda phrase: -expected[phrase])


@pytest.mark.parametrize("diversity", [0.2, 0.5, 0.8])
def test_mmr_is_that_of_cosines_as_they_are(diversity):
    encoder = FakeEncoder({"reef": 2.0})
    vectors = {phrase: embedding(encoder, phrase) for phrase in NGRAMS}
    document = embedding(encoder, TEXT)
    taken = [max(NGRAMS, key=lambda phrase: vectors[phrase] @ document)]
    while len(taken) < 5:
        taken.append(
            max(
                (phrase for phrase in NGRAMS if phrase not in taken),
                key=lambda phrase: (
                    (1 - diversity) * vectors[phrase] @ document
                    - diversity * max(vectors[phrase] @ vectors[other] for other in taken)
                ),
            )
        )
    found = KeyBERT(encoder, tagger=TAGGER, dedupe="case", diversity=MMR(diversity=diversity)).extract(TEXT, top_k=5)
    assert [text.lower() for text in texts(found)] == taken


def test_max_sum_takes_the_least_alike_of_the_best():
    encoder = FakeEncoder({"reef": 2.0})
    vectors = {phrase: embedding(encoder, phrase) for phrase in NGRAMS}
    best = [each.text.lower() for each in KeyBERT(encoder, tagger=TAGGER, dedupe="case").extract(TEXT, top_k=6)]
    expected = min(
        combinations(best, 3),
        key=lambda some: sum(vectors[one] @ vectors[other] for one, other in combinations(some, 2)),
    )
    extractor = KeyBERT(encoder, tagger=TAGGER, dedupe="case", diversity=MaxSum(6))
    assert [text.lower() for text in texts(extractor.extract(TEXT, top_k=3))] == list(expected)
    assert list(extractor.extract_many([TEXT, ""], top_k=3)) == [extractor.extract(TEXT, top_k=3), []]
    with pytest.raises(OptionError, match="say how many"):
        extractor.extract(TEXT, top_k=None)
    with pytest.raises(OptionError, match="make the pool larger"):
        list(extractor.extract_many(["", TEXT], top_k=7))


@pytest.mark.parametrize(("method", "scaling"), [(MDERank, "range"), (EmbedRank, "standard"), (KeyBERT, "none")])
def test_every_method_scales_as_its_paper_does_unless_told_otherwise(method, scaling):
    assert method(FakeEncoder(), tagger=TAGGER, diversity=MMR(diversity=0.7)).diversity == MMR(
        diversity=0.7, scaling=scaling
    )
    for other in ("range", "standard", "none"):
        assert method(FakeEncoder(), tagger=TAGGER, diversity=MMR(diversity=0.7, scaling=other)).diversity == MMR(
            diversity=0.7, scaling=other
        )
    assert method(FakeEncoder(), tagger=TAGGER, diversity=MaxSum(7)).diversity == MaxSum(7)
    assert method(FakeEncoder(), tagger=TAGGER).diversity is None


class Half(BaseExtractor):
    """Knows nothing of every second candidate."""

    has_vectors = True

    def _score(self, readings):
        numbers = [range(len(each.candidates)) for each in readings]
        return [
            CandidateScores(
                np.array([-float(number % 2 == 0) for number in some]),
                np.zeros(len(some)),
                np.array([[float(number % 2), 0.1 * number % 2] for number in some]).reshape(-1, 2),
                [number % 2 == 1 for number in some],
            )
            for some in numbers
        ]


@pytest.mark.parametrize("diversity", [MMR(diversity=0.9), MaxSum(20)])
def test_what_is_not_ranked_comes_last_with_diversity_too(diversity):
    text = "a reef, a bay, a boat, a harbour, a dog, a cat."
    found = texts(Half(tagger=TAGGER, diversity=diversity).extract(text, top_k=5))
    assert set(found[:3]) == {"bay", "harbour", "cat"}
    assert found[3:] == ["reef", "boat"]


def test_max_sum_needs_vectors():
    with pytest.raises(OptionError, match="FirstPhrases has no vectors"):
        FirstPhrases(diversity=MaxSum())
