"""EmbedRank against embeddings that are computed one by one."""

from __future__ import annotations

import numpy as np
import pytest
from tests.helpers import texts

from mderank import MMR
from mderank.document import Span
from mderank.encoding import Request, embed
from mderank.methods import EmbedRank
from mderank.testing import FakeEncoder, FakeTagger

TAGGER = FakeTagger()
TEXT = "The old harbour is near the reef. A reef, a boat and reefs."


@pytest.mark.parametrize("pooling", ["mean", "max", "cls"])
@pytest.mark.parametrize("similarity", ["cosine", "euclidean"])
def test_embedrank_is_the_nearness_of_phrase_and_document(pooling, similarity):
    encoder = FakeEncoder(max_length=32)
    found = EmbedRank(encoder, tagger=TAGGER, pooling=pooling, similarity=similarity, dedupe="case").extract(TEXT)

    def embedding(text):
        (result,) = embed(encoder, [Request(encoder.tokenize(text), ())], pooling=pooling, layer=2, exact=True)
        return result.document

    document = embedding(TEXT)
    for each in found:
        phrase = embedding(each.text)
        cosine = phrase @ document / np.linalg.norm(phrase) / np.linalg.norm(document)
        expected = cosine if similarity == "cosine" else -np.linalg.norm(phrase - document)
        assert each.score == pytest.approx(expected, rel=1e-5)
        assert each.raw_score == each.score


def test_embedrank_in_one_pass_is_not_an_approximation():
    long = " ".join(f"The old harbour{letter} is near the reef{letter}." for letter in "abcdefghijklmn")
    encoder = FakeEncoder(max_length=40)
    packed = EmbedRank(encoder, tagger=TAGGER).extract(long, top_k=None)
    apart = EmbedRank(encoder, tagger=TAGGER, exact=True).extract(long, top_k=None)
    assert texts(packed) == texts(apart)
    assert [each.score for each in packed] == pytest.approx([each.score for each in apart], rel=1e-5)


def test_embedrank_with_mmr_takes_unlike_phrases():
    text = "The coral reef, a coral reef bay and a boat are near the coral reef."
    plain = texts(EmbedRank(FakeEncoder(), tagger=TAGGER).extract(text, top_k=2))
    diverse = texts(EmbedRank(FakeEncoder(), tagger=TAGGER, diversity=MMR(diversity=1)).extract(text, top_k=2))
    assert all("coral" in phrase for phrase in plain)
    assert "boat" in diverse


def test_embedrank_on_the_embedded_model():
    text = "Storm surges flood the coast. A storm surge is a rise of the sea in a storm."
    assert EmbedRank().extract(text)[0].text.lower() in ("storm surge", "storm surges")


def test_masks_and_phrases_in_the_same_pass_do_not_disturb_each_other(monkeypatch):
    encoder = FakeEncoder()
    pieces = encoder.tokenize(TEXT)
    masks = [(Span(4, 15),), (Span(28, 32), Span(36, 40)), (Span(44, 48),)]
    phrases = [encoder.tokenize(phrase) for phrase in ("old harbour", "reef", "a boat of the harbour")]

    def run(**parts):
        return embed(encoder, [Request(pieces, (), **parts)], pooling="max", layer=2, exact=False)[0]

    both = run(masks=masks, phrases=phrases)
    np.testing.assert_allclose(both.changes, run(masks=masks).changes, rtol=1e-6)
    np.testing.assert_allclose(both.phrases, run(phrases=phrases).phrases, rtol=1e-6)
    monkeypatch.setattr("mderank.encoding.one_pass.MAX_SEQUENCE_TOKENS", 8)
    monkeypatch.setattr("mderank.encoding.one_pass.PHRASE_SEQUENCE_TOKENS", 6)
    spread = run(masks=masks, phrases=phrases)
    np.testing.assert_allclose(both.changes, spread.changes, rtol=1e-6)
    np.testing.assert_allclose(both.phrases, spread.phrases, rtol=1e-6)
