"""States of words from an encoder of pieces."""

from __future__ import annotations

import numpy as np
import pytest

from mderank.document import Span
from mderank.encoding import EncoderInputs
from mderank.methods.sifrank.load import load_word_encoder
from mderank.methods.sifrank.word_encoder import SubwordWordEncoder, WordEncoder
from mderank.testing import FakeEncoder

TEXT = "The harbour lights, and a small boat. A reef."
WORDS = [Span(0, 3), Span(4, 11), Span(12, 18), Span(18, 19), Span(20, 23), Span(24, 25), Span(26, 31), Span(32, 36),
         Span(36, 37), Span(38, 39), Span(40, 44), Span(44, 45)]  # fmt: skip
ALL = [range(len(WORDS))]


def collect(words, segments=ALL, layer=2, text=TEXT, spans=WORDS, breaks=()):
    """All states by the word's index, the mean of those that came."""
    found = {}
    for indices, states in words.word_states(text, spans, segments, breaks, layer):
        assert len(indices) == len(states)
        for index, state in zip(indices.tolist(), states, strict=True):
            found.setdefault(index, []).append(state)
    return {index: np.mean(states, axis=0) for index, states in sorted(found.items())}


def alone(encoder, text, layer=2):
    """The states of the pieces of a text by itself."""
    ids = [*encoder.spec.prefix, *encoder.tokenize(text).ids, *encoder.spec.suffix]
    return encoder.hidden_states(EncoderInputs(np.asarray([ids])), layer)[0, 1:-1]


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_a_word_is_the_mean_of_its_pieces(layer):
    encoder = FakeEncoder()
    found = collect(SubwordWordEncoder(encoder), layer=layer)
    pieces = alone(encoder, TEXT, layer)  # "harbour" is two pieces, every other word is one
    assert len(pieces) == len(WORDS) + 1
    np.testing.assert_allclose(found[0], pieces[0], rtol=1e-5)
    np.testing.assert_allclose(found[1], (pieces[1] + pieces[2]) / 2, rtol=1e-5)
    np.testing.assert_allclose([found[index] for index in range(2, 12)], pieces[3:], rtol=1e-5)


def test_the_mean_of_all_layers():
    words = SubwordWordEncoder(FakeEncoder())
    every = [collect(words, layer=layer) for layer in range(3)]
    for index, state in collect(words, layer=None).items():
        np.testing.assert_allclose(state, np.mean([layer[index] for layer in every], axis=0), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("one_pass", [True, False])
def test_segments_do_not_see_each_other(one_pass):
    encoder = FakeEncoder(one_pass=one_pass)
    found = collect(SubwordWordEncoder(encoder), [range(4), range(4, 9), range(9, 12), range(12, 12)])
    first = alone(encoder, "The harbour lights,")
    np.testing.assert_allclose(found[1], first[1:3].mean(axis=0), rtol=1e-4)
    np.testing.assert_allclose(
        [found[index] for index in (4, 5, 6, 7, 8)], alone(encoder, "and a small boat."), rtol=1e-4
    )
    np.testing.assert_allclose([found[index] for index in (9, 10, 11)], alone(encoder, "A reef."), rtol=1e-4)


def test_padding_is_only_given_to_encoders_that_can_be_told_so(monkeypatch):
    encoder = FakeEncoder(one_pass=False)
    seen = []
    states = encoder.hidden_states
    monkeypatch.setattr(encoder, "hidden_states", lambda inputs, layer: seen.append(inputs) or states(inputs, layer))
    collect(SubwordWordEncoder(encoder), [range(4), range(4, 9), range(9, 12)])
    assert [inputs.input_ids.shape[0] for inputs in seen] == [1, 1, 1]
    assert all(inputs.attention_mask is None and inputs.position_ids is None for inputs in seen)


def test_a_long_segment_is_cut_where_a_sentence_ends():
    encoder = FakeEncoder(max_length=13)  # 11 pieces and two marks; the text has 13 pieces
    found = collect(SubwordWordEncoder(encoder), breaks=[37, 45])
    np.testing.assert_allclose(found[10], alone(encoder, "A reef.")[1], rtol=1e-4)
    np.testing.assert_allclose(found[7], alone(encoder, "The harbour lights, and a small boat.")[8], rtol=1e-4)


def test_a_word_that_does_not_fit_comes_in_parts():
    encoder = FakeEncoder(max_length=3)  # one piece at a time
    came = [
        index.tolist()
        for index, _ in SubwordWordEncoder(encoder).word_states("harbour", [Span(0, 7)], [range(1)], (), 2)
    ]
    assert came == [[0], [0]]


def test_words_without_pieces_do_not_come():
    found = collect(
        SubwordWordEncoder(FakeEncoder()), [range(3)], text="a   b", spans=[Span(0, 1), Span(2, 3), Span(4, 5)]
    )
    assert list(found) == [0, 2]
    assert collect(SubwordWordEncoder(FakeEncoder()), [], text="", spans=[]) == {}
    assert collect(SubwordWordEncoder(FakeEncoder()), [range(1)], text="  ", spans=[Span(0, 1)]) == {}


def test_loading():
    encoder = FakeEncoder()
    words = load_word_encoder(encoder)
    assert isinstance(words, SubwordWordEncoder)
    assert isinstance(words, WordEncoder)
    assert load_word_encoder(words) is words
    assert (words.spec.name, words.spec.layers, words.spec.dimension, words.spec.layer) == ("fake", 2, 16, 2)
    assert load_word_encoder("minilm-l6").spec.layers == 6
