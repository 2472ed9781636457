"""What every encoder must do, whatever computes it."""

from __future__ import annotations

import pickle
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from tests.conftest import TEXT

from mderank import load_encoder
from mderank.encoding import EncoderInputs
from mderank.encoding.probe import can_do_one_pass, first_position
from mderank.testing import FakeEncoder

SHORT = "Warm water bleaches coral."
ENCODERS = ("fake", "bundled", "bert", "roberta", "distilbert", "mpnet")


@pytest.fixture(params=ENCODERS)
def encoder(request, tiny_model):
    if request.param == "fake":
        return FakeEncoder()
    if request.param == "bundled":
        return load_encoder(precision="float32")
    return load_encoder(tiny_model(request.param), device="cpu")


def sequence(encoder, text):
    """The ids of a text as the encoder takes them, ``(1, S)``."""
    return encoder.spec.add_special_tokens(encoder.tokenize(text).ids)[None]


def states(encoder, ids, mask=None, layer=None):
    return encoder.hidden_states(EncoderInputs(ids, None, mask), encoder.spec.layers if layer is None else layer)


def test_tokens_lie_in_the_text_one_after_the_other(encoder):
    tokens = encoder.tokenize(TEXT)
    assert len(tokens) == len(tokens.ids) == len(tokens.starts) == len(tokens.ends) > 10
    assert (tokens.starts < tokens.ends).all()
    assert (tokens.starts[1:] >= tokens.ends[:-1]).all()
    assert tokens.ends[-1] <= len(TEXT)
    covered = "".join(TEXT[start:end] for start, end in zip(tokens.starts, tokens.ends, strict=True))
    assert covered.replace(" ", "") == TEXT.replace(" ", ""), "no word is without a token"
    assert len(encoder.tokenize("")) == 0


def test_a_text_is_never_cut(encoder):
    many = encoder.tokenize(" ".join([TEXT] * 30))
    assert len(many) > encoder.spec.max_length
    assert many.ends[-1] == len(TEXT) * 30 + 29


@pytest.mark.slow
def test_every_layer_has_a_state_for_every_token(encoder):
    ids = sequence(encoder, SHORT)
    found = [states(encoder, ids, layer=layer) for layer in range(encoder.spec.layers + 1)]
    for each in found:
        assert each.shape == (1, ids.shape[1], encoder.spec.dimension)
        assert each.dtype == np.float32
        assert np.isfinite(each).all()
    for lower, upper in pairwise(found):
        assert not np.allclose(lower, upper)


def test_what_is_computed_beside_a_sequence_does_not_matter(encoder):
    ids = sequence(encoder, SHORT)
    other = np.roll(ids, 1, axis=1)
    alone = states(encoder, ids)
    assert_allclose(states(encoder, np.concatenate([other, ids]))[1:], alone, rtol=1e-4, atol=1e-5)


def test_what_is_not_attended_to_does_not_matter(encoder):
    if not encoder.spec.one_pass:
        pytest.skip("it takes no attention mask of its own")
    ids = sequence(encoder, SHORT)
    size = ids.shape[1]
    padded = np.concatenate([ids, np.full((1, 3), encoder.spec.pad_id)], axis=1)
    changed = np.concatenate([ids, ids[:, :3]], axis=1)
    mask = np.zeros((1, size + 3, size + 3), dtype=bool)
    mask[:, :, :size] = True
    alone = states(encoder, ids)
    assert_allclose(states(encoder, padded, mask)[:, :size], alone, rtol=1e-4, atol=1e-5)
    assert_allclose(states(encoder, changed, mask)[:, :size], alone, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_what_it_says_of_itself_is_so(encoder):
    spec = encoder.spec
    assert can_do_one_pass(encoder) == spec.one_pass
    if spec.one_pass:
        assert first_position(encoder) == spec.first_position
    assert spec.capacity == spec.max_length - len(spec.prefix) - len(spec.suffix)
    assert spec.mask_id not in encoder.tokenize(TEXT).ids


def test_a_copy_in_another_process_computes_the_same(encoder):
    ids = sequence(encoder, SHORT)
    copy = pickle.loads(pickle.dumps(encoder))
    assert copy.spec == encoder.spec
    np.testing.assert_array_equal(states(copy, ids), states(encoder, ids))
