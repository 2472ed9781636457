from __future__ import annotations

import numpy as np
import pytest
from tests.helpers import CountingEncoder

from mderank import MaskAll, MaskHighest, MaskOnce, MaskSubset, MDERank
from mderank.research.reproduction.encoder_cache import CachingEncoder
from mderank.testing import FakeEncoder, FakeTagger

TEXTS = [
    "The storm surge is high. A storm surge model needs the tide of the old harbour. The tide is low near the harbour.",
    "The reef is near the old harbour. " * 12,  # more than one window
]


def ranking(encoder, **options):
    extractor = MDERank(encoder, tagger=FakeTagger(), exact=True, **options)
    return [
        [(each.text, each.score) for each in keyphrases] for keyphrases in extractor.extract_many(TEXTS, top_k=None)
    ]


VARIANTS = [
    {"masking": masking, "pooling": pooling, "similarity": similarity}
    for masking in (MaskAll(), MaskOnce(), MaskHighest(), MaskSubset())
    for pooling in ("mean", "max")
    for similarity in ("cosine", "euclidean")
]


def test_what_is_remembered_is_what_would_have_been_computed():
    memory = CachingEncoder(FakeEncoder())
    for options in VARIANTS:
        assert ranking(memory, **options) == ranking(FakeEncoder(), **options)


def test_variants_are_encoded_once():
    counting = CountingEncoder()
    memory = CachingEncoder(counting)
    ranking(memory)
    first = counting.sequences
    windows = _windows(counting)
    ranking(memory, similarity="euclidean", pooling="max")
    assert counting.sequences - first == windows  # the documents themselves, no variant
    before = counting.sequences
    ranking(memory, masking=MaskOnce())
    alone = CountingEncoder()
    ranking(alone, masking=MaskOnce())
    assert windows < counting.sequences - before < alone.sequences


def _windows(encoder):
    """How many windows the texts have."""
    capacity = encoder.spec.capacity
    return sum(int(np.ceil(len(encoder.tokenize(text)) / capacity)) for text in TEXTS)


def test_layers_and_other_poolings_are_kept_apart():
    memory = CachingEncoder(FakeEncoder(), poolings=("mean",))
    assert ranking(memory, layer=1) == ranking(FakeEncoder(), layer=1)
    assert ranking(memory, layer=2) == ranking(FakeEncoder(), layer=2)
    assert ranking(memory, pooling="cls") == ranking(FakeEncoder(), pooling="cls")


def test_it_can_forget_and_says_what_it_saved():
    counting = CountingEncoder()
    memory = CachingEncoder(counting)
    ranking(memory)
    once, saved = counting.sequences, memory.saved
    ranking(memory)
    assert memory.saved > saved
    memory.clear()
    before = counting.sequences
    ranking(memory)
    assert counting.sequences - before == once


def test_it_passes_for_the_encoder():
    memory = CachingEncoder(FakeEncoder(layers=3))
    assert memory.spec.layers == 3
    assert memory.CLS == FakeEncoder.CLS
    with pytest.raises(AttributeError):
        _ = memory.nothing
    one_pass = MDERank(memory, tagger=FakeTagger()).extract(TEXTS[0])
    assert [each.text for each in one_pass] == [
        each.text for each in MDERank(FakeEncoder(layers=3), tagger=FakeTagger()).extract(TEXTS[0])
    ]
