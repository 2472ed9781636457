"""The tagger and the encoder that ship for tests."""

import numpy as np

from mderank.encoding import EncoderInputs
from mderank.encoding.base import AttentionEncoder
from mderank.testing import FakeEncoder, FakeTagger


def test_the_fake_tagger_s_tags():
    (document,) = FakeTagger({"runs": "VBZ"}).tag(["The old reef-fish runs, 42 times."])
    assert [(token.text, token.tag) for token in document.tokens] == [
        ("The", "DT"),
        ("old", "JJ"),
        ("reef-fish", "NN"),
        ("runs", "VBZ"),
        (",", ":"),
        ("42", "CD"),
        ("times", "NN"),
        (".", "."),
    ]


def test_the_fake_tagger_s_paragraphs():
    assert next(FakeTagger().tag(["reef fish\n\nsalt\f \f"])).paragraph_starts == {0, 2}
    assert next(FakeTagger().tag([" \f "])).paragraph_starts == set()


def test_the_fake_encoder_s_layers_by_hand():
    encoder = FakeEncoder(layers=2, dimension=3)
    ids = np.array([[2, 20, 30, 3]])
    first = encoder.hidden_states(EncoderInputs(ids), 0)[0]
    second = first / 2 + first.mean(axis=0) / 2
    np.testing.assert_allclose(encoder.hidden_states(EncoderInputs(ids), 1)[0], second, rtol=1e-5)
    np.testing.assert_allclose(
        encoder.hidden_states(EncoderInputs(ids), 2)[0], second / 2 + second.mean(axis=0) / 2, rtol=1e-5, atol=1e-7
    )


def test_the_fake_encoder_s_weights():
    plain, heavy = FakeEncoder(), FakeEncoder({"reef": 3.0})
    (reef,) = plain.tokenize("reef").ids
    ids = np.array([[reef, 20]])
    positions = np.zeros_like(ids)
    blank = plain.hidden_states(EncoderInputs(np.array([[plain.MASK]]), positions[:, :1]), 0)[0, 0]
    before, after = (encoder.hidden_states(EncoderInputs(ids, positions), 0)[0] - blank for encoder in (plain, heavy))
    np.testing.assert_allclose(after[0], 3 * before[0], rtol=1e-4)
    np.testing.assert_allclose(after[1], before[1], rtol=1e-4)


def test_the_fake_encoder_attends_to_all_that_it_sees():
    encoder = FakeEncoder()
    assert isinstance(encoder, AttentionEncoder)
    ids = np.array([[2, 20, 30, 3]])
    states, weights = encoder.hidden_states_and_attentions(EncoderInputs(ids), 2)
    np.testing.assert_array_equal(states, encoder.hidden_states(EncoderInputs(ids), 2))
    np.testing.assert_array_equal(weights, np.full((1, 1, 4, 4), 0.25))
    visible = np.array([[[True, False], [True, True]]])
    np.testing.assert_array_equal(
        encoder.hidden_states_and_attentions(EncoderInputs(ids[:, :2], attention_mask=visible), 1)[1],
        [[[[1, 0], [0.5, 0.5]]]],
    )
