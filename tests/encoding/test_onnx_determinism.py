"""The bundled model's results are the same to the last bit, whatever else is computed beside them."""

import json
import random

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from mderank import MDERank, Span, load_encoder
from mderank.encoding import Request, embed

SUBJECTS = "reef marsh sediment harbour compiler allocator estuary peat carbon winter wage letter".split()
VERBS = "holds follows builds reports moves measures blames plans".split()


def document(seed: int, words: int) -> str:
    chosen = random.Random(seed)
    return " ".join(
        f"The {chosen.choice(SUBJECTS)} {chosen.choice(SUBJECTS)} {chosen.choice(VERBS)} the {chosen.choice(SUBJECTS)}."
        for _ in range(words // 6)
    )


TEXTS = [document(seed, words) for seed, words in enumerate([6, 30, 31, 48, 60, 90, 150, 240, 600])]


def request(encoder, text):
    pieces = encoder.tokenize(text)
    masks = [
        (Span(start, start + len(word)),) for word in SUBJECTS for start in [text.find(f" {word} ") + 1] if start > 0
    ]
    return Request(pieces, (), masks)


def embedded(encoder, texts, pooling="mean", **options):
    requests = [request(encoder, text) for text in texts]
    return embed(encoder, requests, **{"pooling": pooling, "layer": encoder.spec.layers, "exact": False, **options})


def assert_identical(some, others):
    for one, other in zip(some, others, strict=True):
        assert_array_equal(one.document, other.document)
        assert_array_equal(one.changes, other.changes)


@pytest.fixture(scope="module")
def encoder():
    return load_encoder(threads=1)


@pytest.fixture(scope="module")
def alone(encoder):
    return [embedded(encoder, [text])[0] for text in TEXTS]


@pytest.mark.slow
def test_whatever_the_batch(encoder, alone):
    assert_identical(embedded(encoder, TEXTS), alone)


@pytest.mark.slow
def test_whatever_the_order(encoder, alone):
    order = np.random.default_rng(3).permutation(len(TEXTS)).tolist()
    shuffled = embedded(encoder, [TEXTS[index] for index in order])
    assert_identical(shuffled, [alone[index] for index in order])


@pytest.mark.slow
def test_whatever_the_number_of_threads(alone):
    assert_identical(embedded(load_encoder(threads=2), TEXTS), alone)


@pytest.mark.slow
def test_max_pooling_too(encoder):
    together = embedded(encoder, TEXTS, pooling="max")
    assert_identical(together, [embedded(encoder, [text], pooling="max")[0] for text in TEXTS])


@pytest.mark.slow
def test_the_exact_form_too(encoder):
    together = embedded(encoder, TEXTS[:4], exact=True)
    assert_identical(together, [embedded(encoder, [text], exact=True)[0] for text in TEXTS[:4]])


@pytest.mark.slow
@pytest.mark.parametrize("batch_tokens", [1, 100, 32_768])
def test_whatever_the_tokens_computed_at_once_in_the_exact_form(encoder, batch_tokens):
    usual = embedded(encoder, TEXTS[:5], pooling="max", exact=True)
    assert_identical(embedded(encoder, TEXTS[:5], pooling="max", exact=True, batch_tokens=batch_tokens), usual)


@pytest.mark.slow
@pytest.mark.data
def test_real_abstracts(data_dir, encoder):
    with (data_dir / "inspec.jsonl").open(encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line, _ in zip(lines, range(12), strict=False)]
    one = MDERank(encoder)
    two = MDERank(load_encoder(threads=2), tagger=one.tagger)
    single = [one.extract(text, None) for text in texts]
    assert list(one.extract_many(texts, None)) == single
    assert list(two.extract_many(reversed(texts), None)) == single[::-1]
