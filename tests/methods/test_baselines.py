"""Exact results on small texts, worked out by hand."""

from __future__ import annotations

import gzip
from math import log2

import numpy as np
import pytest
from tests.helpers import texts

from mderank import MMR, InputError, NounPhrases, OptionError
from mderank.document import Span
from mderank.encoding import Request, embed
from mderank.methods import DocumentFrequencies, EmbedRank, FirstPhrases, Random, TfIdf
from mderank.research.evaluation.oracle import Oracle
from mderank.testing import FakeEncoder, FakeTagger

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


def test_tfidf():
    corpus = ["A reef is big.", "The reef, the boat.", "A boat is old.", "An old harbour.", "The reefs are big.", "Of."]
    frequencies = DocumentFrequencies.of(corpus, tagger=TAGGER)
    assert frequencies.documents == 6
    assert frequencies.counts == {"reef": 3, "boat": 2, "old harbour": 1, "old": 1, "harbour": 1}
    found = TfIdf(frequencies, tagger=TAGGER).extract(TEXT)
    assert {each.text: each.score for each in found} == pytest.approx(
        {"reef": 3 * log2(7 / 4), "old harbour": log2(7 / 2), "boat": log2(7 / 3)}
    )
    assert texts(found) == ["reef", "old harbour", "boat"]


def test_tfidf_without_a_corpus_counts_only():
    found = TfIdf(tagger=TAGGER).extract(TEXT)
    assert [(each.text, each.score) for each in found] == [("reef", 3.0), ("old harbour", 1.0), ("boat", 1.0)]


def test_tfidf_counts_what_stands_inside_longer_phrases_if_asked_to():
    text = "The coral reef is near the old coral reef. A reef."
    found = TfIdf(tagger=TAGGER).extract(text)
    assert [(each.text, each.score) for each in found] == [("coral reef", 1), ("reef", 1), ("old coral reef", 1)]
    found = TfIdf(tagger=TAGGER, nested=True).extract(text)
    assert [(each.text, each.score) for each in found] == [("reef", 3), ("coral reef", 2), ("old coral reef", 1)]


def test_parts_of_candidates_are_counted_once_a_document():
    corpus = ["The coral reef is near the reef.", "A red coral reef."]
    assert DocumentFrequencies.of(corpus, tagger=TAGGER).counts == {
        "coral": 2,
        "reef": 2,
        "coral reef": 2,
        "red": 1,
        "red coral": 1,
        "red coral reef": 1,
    }
    long = "bb cc dd ff gg hh jj kk ll mm"
    counts = DocumentFrequencies.of([long], tagger=TAGGER, candidates=NounPhrases(max_phrase_words=None)).counts
    assert max(len(phrase.split()) for phrase in counts if phrase != long) == 8
    assert counts[long] == 1


@pytest.mark.parametrize("name", ["df.json", "df.json.gz"])
def test_document_frequencies_are_kept_in_a_file(tmp_path, name):
    frequencies = DocumentFrequencies(3, {"a": 1, "b": 2})
    frequencies.save(tmp_path / name)
    assert DocumentFrequencies.load(tmp_path / name) == frequencies


@pytest.mark.parametrize(
    "content", [b"", b"[1]", b"{}", b'{"documents": "x", "counts": {}}', gzip.compress(b"{}")[:-4]]
)
def test_files_that_are_no_document_frequencies(tmp_path, content):
    for name in ("df.json", "df.json.gz"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match="does not hold document frequencies"):
            DocumentFrequencies.load(tmp_path / name)


def test_oracle_puts_gold_first():
    oracle = Oracle({TEXT: ["boats", "whale"], "other": []}, tagger=TAGGER)
    assert texts(oracle.extract(TEXT)) == ["boat", "old harbour", "reef"]
    assert [each.score for each in oracle.extract(TEXT)] == [1, 0, 0]
    assert texts(Oracle({TEXT: ["boats"]}, tagger=TAGGER, max_words=11).extract(TEXT))[0] == "boat"


def test_a_method_without_vectors_has_no_diversity():
    with pytest.raises(OptionError, match="FirstPhrases has no vectors"):
        FirstPhrases(diversity=MMR(diversity=0.5))


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


def test_embedrank_with_mmr_takes_unlike_phrases():
    text = "The coral reef, a coral reef bay and a boat are near the coral reef."
    plain = texts(EmbedRank(FakeEncoder(), tagger=TAGGER).extract(text, top_k=2))
    diverse = texts(EmbedRank(FakeEncoder(), tagger=TAGGER, diversity=MMR(diversity=1)).extract(text, top_k=2))
    assert all("coral" in phrase for phrase in plain)
    assert "boat" in diverse


def test_embedrank_on_the_embedded_model():
    text = "Storm surges flood the coast. A storm surge is a rise of the sea in a storm."
    assert EmbedRank().extract(text)[0].text.lower() in ("storm surge", "storm surges")
