"""Embeddings of documents that were computed before."""

from __future__ import annotations

import numpy as np
import pytest
from tests.helpers import CountingEncoder

from mderank import FunctionEmbedder, FusionRank, InputError, MDERank, OptionError
from mderank.document import GuidedText
from mderank.methods import EmbedRank, KeyBERT
from mderank.testing import FakeEncoder, FakeTagger

TAGGER = FakeTagger()
TEXTS = ["The coral reef is near the old harbour.", "A boat, a dog and a reef.", "the of", "Old harbours."]


def letters(texts):
    return [[text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts]


@pytest.fixture(params=["encoder", "function"])
def extractor(request):
    model = FakeEncoder() if request.param == "encoder" else FunctionEmbedder(letters, max_words=6)
    return KeyBERT(model, tagger=TAGGER)


def test_embeddings_that_were_kept_give_the_same_results(extractor):
    vectors = extractor.embed_documents(TEXTS)
    assert len(vectors) == len(TEXTS)
    expected = list(extractor.extract_many(TEXTS))
    assert list(extractor.extract_many(TEXTS, embeddings=vectors)) == expected
    assert list(extractor.extract_many(iter(TEXTS), embeddings=vectors.tolist())) == expected
    some = [vectors[0], None, None, list(vectors[3])]
    assert list(extractor.extract_many(TEXTS, embeddings=iter(some))) == expected
    assert extractor.extract(TEXTS[0], embedding=vectors[0]) == expected[0]
    assert extractor.extract(TEXTS[0], embedding=vectors[1]) != expected[0]


def test_seeds_and_embeddings_go_together(extractor):
    vectors = extractor.embed_documents(TEXTS)
    expected = [extractor.extract(text, seeds=["boat"], seed_weight=0.7) for text in TEXTS]
    assert list(extractor.extract_many(TEXTS, seeds=["boat"], seed_weight=0.7, embeddings=vectors)) == expected
    guided = GuidedText(TEXTS[0], ["boat"], 0.7)
    assert extractor.extract(guided, embedding=vectors[0]) == expected[0]
    each = [["boat"], ["boat"], None, ["boat"]]
    found = list(extractor.extract_many(TEXTS, seeds=each, seed_weight=0.7, embeddings=vectors))
    assert found == [*expected[:2], [], expected[3]]


def test_a_text_with_its_embedding_is_not_embedded():
    asked = []

    def model(texts):
        asked.extend(texts)
        return letters(texts)

    text = TEXTS[0]
    (vector,) = letters([text])
    found = EmbedRank(model, tagger=TAGGER).extract(text, embedding=vector)
    assert text not in asked
    assert found == EmbedRank(letters, tagger=TAGGER).extract(text)
    encoder = CountingEncoder()
    extractor = EmbedRank(encoder, tagger=TAGGER, exact=True)
    extractor.extract(text)
    with_document = encoder.sequences
    encoder.sequences = 0
    extractor.extract(text, embedding=np.ones(16))
    assert encoder.sequences < with_document


def test_embeddings_of_any_kind_of_number():
    torch = pytest.importorskip("torch")
    extractor = EmbedRank(letters, tagger=TAGGER)
    expected = list(extractor.extract_many(TEXTS))
    vectors = np.array(letters(TEXTS))
    for given in (vectors, vectors.astype(np.float16), torch.tensor(vectors), torch.tensor(vectors).bfloat16()):
        assert list(extractor.extract_many(TEXTS, embeddings=given)) == expected


@pytest.mark.parametrize(
    ("vector", "problem"),
    [
        ([1.0, float("nan")], "not finite"),
        ([float("inf")] * 26, "not finite"),
        ([[1.0] * 26], r"not an array \(1, 26\) of float64"),
        ([], r"not an array \(0,\)"),
        (5, "not int"),
        ("reef", "not str"),
        (["a"] * 26, "must be a row of numbers"),
        ([1.0, [2.0]], "must be a row of numbers"),
        ([1.0 + 2.0j] * 26, "must be a row of numbers"),
        ([True] * 26, "must be a row of numbers"),
        ([1.0] * 25, "has 25 numbers, and those of the model have 26: compute it with the same model"),
    ],
)
def test_what_is_no_embedding(vector, problem):
    extractor = EmbedRank(letters, tagger=TAGGER)
    with pytest.raises(OptionError, match=problem):
        extractor.extract(TEXTS[0], embedding=vector)


def test_a_row_that_cannot_be_used_is_the_error_of_its_text():
    extractor = EmbedRank(letters, tagger=TAGGER)
    vectors = np.array(letters(TEXTS), dtype=float)
    expected = list(extractor.extract_many(TEXTS))
    vectors[1, 3] = np.nan
    found = list(extractor.extract_many(TEXTS, embeddings=vectors))
    assert [each.error is None for each in found] == [True, False, True, True]
    assert isinstance(found[1].error, InputError)
    assert "row 1 of embeddings has numbers that are not finite" in str(found[1].error)
    assert [found[0], *found[2:]] == [expected[0], *expected[2:]]


def test_what_is_no_text_is_the_error_of_its_place():
    found = list(EmbedRank(letters, tagger=TAGGER).extract_many(["A reef.", 5], embeddings=letters(["A reef.", "5"])))
    assert found[0].texts == ["reef"]
    assert "not int" in str(found[1].error)


def test_as_many_embeddings_as_texts():
    extractor = EmbedRank(letters, tagger=TAGGER)
    for count in (3, 5):
        vectors = letters((TEXTS * 2)[:count])
        with pytest.raises(OptionError, match=f"embeddings has {count} rows for 4 texts: give one for each"):
            extractor.extract_many(TEXTS, embeddings=vectors)
    with pytest.raises(OptionError, match="embeddings has 3 rows, and there are more texts"):
        list(extractor.extract_many(iter(TEXTS), embeddings=letters(TEXTS[:3])))
    with pytest.raises(OptionError, match="embeddings has more rows than the 4 texts"):
        list(extractor.extract_many(TEXTS, embeddings=iter(letters([*TEXTS, "more"]))))


@pytest.mark.parametrize("embeddings", [np.ones(4), np.ones((4, 2, 2)), 5, "abcd"])
def test_what_is_no_matrix(embeddings):
    with pytest.raises(OptionError, match="embeddings must be a matrix with a row for each text, not"):
        EmbedRank(letters, tagger=TAGGER).extract_many(TEXTS, embeddings=embeddings)


def test_one_text_is_not_several():
    extractor = EmbedRank(letters, tagger=TAGGER)
    with pytest.raises(OptionError, match="several texts, not one"):
        extractor.extract_many("A reef.", embeddings=letters(["A reef."]))
    with pytest.raises(OptionError, match="several texts, not one"):
        extractor.embed_documents("A reef.")


@pytest.mark.parametrize("method", [MDERank, FusionRank])
def test_methods_that_mask_refuse_a_text_with_its_embedding(method):
    text = GuidedText(TEXTS[0], embedding=np.ones(16))
    with pytest.raises(OptionError, match="does not take embeddings: use EmbedRank or KeyBERT"):
        method(FakeEncoder(), tagger=TAGGER).extract(text)


def test_texts_without_words_and_no_texts_have_embeddings_too(extractor):
    assert extractor.embed_documents(["", " "]).any() == False  # noqa: E712
    assert len(extractor.embed_documents([])) == 0
    vectors = extractor.embed_documents(["", "A reef."] * 70)
    assert vectors.shape[0] == 140
    assert not vectors[::2].any(axis=1).any()
    assert vectors[1::2].any(axis=1).all()
