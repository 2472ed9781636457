import numpy as np
import pytest
from numpy.testing import assert_allclose

from mderank import Span
from mderank.encoding import EncoderInputs, Request, embed
from mderank.encoding.probe import can_do_one_pass, first_position, is_anisotropic
from mderank.testing import FakeEncoder

pytest.importorskip("torch")
from mderank.encoding.torch import TorchEncoder

FITTING = ["bert", "roberta", "electra", "distilbert"]
UNFIT = ["mpnet", "bigbird"]


@pytest.fixture(scope="module")
def encoders(tiny_model):
    return {kind: TorchEncoder(str(tiny_model(kind)), device="cpu") for kind in FITTING + UNFIT}


@pytest.mark.parametrize("kind", FITTING)
def test_absolute_positions_and_dense_attention_can(encoders, kind):
    assert encoders[kind].spec.one_pass


@pytest.mark.parametrize("kind", UNFIT)
def test_relative_positions_and_sparse_attention_cannot(encoders, kind):
    assert not encoders[kind].spec.one_pass


@pytest.mark.parametrize("kind", FITTING)
def test_who_can_has_packed_states_as_the_masked_text_has_them_after_one_layer(encoders, kind, text):
    # After one layer there is nothing approximate in the rows under a mask: see test_packing.
    encoder = encoders[kind]
    spec = encoder.spec
    ids = np.array([*spec.prefix, *encoder.tokenize(text).ids[:20], *spec.suffix])
    rows = np.array([3, 4, 9])
    masked = ids.copy()
    masked[rows] = spec.mask_id
    size = len(ids) + len(rows)
    visible = np.ones((1, size, size), np.bool_)
    visible[0, :, len(ids) :] = False
    visible[0, len(ids) :, rows] = False
    visible[0, len(ids) :, len(ids) :] = True
    positions = spec.first_position + np.concatenate([np.arange(len(ids)), rows])
    packed = np.concatenate([ids, np.full(len(rows), spec.mask_id)])
    both = encoder.hidden_states(EncoderInputs(packed[None], positions[None], visible), 1)[0]
    assert_allclose(both[: len(ids)], encoder.hidden_states(EncoderInputs(ids[None]), 1)[0], atol=1e-5)
    assert_allclose(both[len(ids) :], encoder.hidden_states(EncoderInputs(masked[None]), 1)[0][rows], atol=1e-5)


def test_roberta_s_positions_begin_after_its_padding(encoders):
    spec = encoders["roberta"].spec
    assert (spec.pad_id, spec.first_position, spec.max_length) == (1, 2, 64)


@pytest.mark.parametrize("kind", ["bert", "electra", "distilbert"])
def test_other_positions_begin_at_zero(encoders, kind):
    assert (encoders[kind].spec.first_position, encoders[kind].spec.max_length) == (0, 66)


def test_sparse_attention_that_sets_in_late_is_found(tmp_path, tiny_model):
    # Up to (5 + 2 · 3) · 64 = 704 tokens this BigBird is a BERT.
    from transformers import AutoTokenizer, BigBirdConfig, BigBirdModel

    tokenizer = AutoTokenizer.from_pretrained(tiny_model("bert"))
    tokenizer.save_pretrained(tmp_path)
    config = BigBirdConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=32, num_attention_heads=2, num_hidden_layers=1
    )
    BigBirdModel(config).save_pretrained(tmp_path)
    assert not TorchEncoder(str(tmp_path), device="cpu").spec.one_pass


def test_a_sliding_window_is_found(tmp_path, tiny_model):
    from transformers import AutoTokenizer, ModernBertConfig, ModernBertModel

    tokenizer = AutoTokenizer.from_pretrained(tiny_model("bert"))
    tokenizer.save_pretrained(tmp_path)
    config = ModernBertConfig(
        vocab_size=len(tokenizer),
        hidden_size=16,
        intermediate_size=32,
        num_attention_heads=2,
        num_hidden_layers=4,
        initializer_range=0.5,
        local_attention=128,
        pad_token_id=0,
        bos_token_id=1,
        cls_token_id=1,
        eos_token_id=2,
        sep_token_id=2,
    )
    ModernBertModel(config).save_pretrained(tmp_path)
    assert not TorchEncoder(str(tmp_path), device="cpu").spec.one_pass


def test_bigbird_gives_the_same_whichever_text_came_first(tiny_model, text):
    # At a short text it goes over to full attention: the long text after it must be sparse again.
    def embedded(encoder, some):
        request = Request(encoder.tokenize(some), (), [(Span(0, 5),)])
        return embed(encoder, [request], pooling="mean", layer=2, exact=True)[0]

    folder = str(tiny_model("bigbird"))
    long, short = " ".join([text] * 3), "Coral reefs"
    first, second = TorchEncoder(folder, device="cpu"), TorchEncoder(folder, device="cpu")
    long_first, short_second = embedded(first, long), embedded(first, short)
    short_first, long_second = embedded(second, short), embedded(second, long)
    np.testing.assert_array_equal(long_first.document, long_second.document)
    np.testing.assert_array_equal(long_first.changes, long_second.changes)
    np.testing.assert_array_equal(short_first.document, short_second.document)
    np.testing.assert_array_equal(short_first.changes, short_second.changes)


def test_the_fake_encoder_can():
    assert first_position(FakeEncoder()) == 0
    assert can_do_one_pass(FakeEncoder())


class ByIndex(FakeEncoder):
    """Takes positions and ignores them."""

    def hidden_states(self, inputs, layer):
        batch, size = inputs.input_ids.shape
        by_index = np.broadcast_to(np.arange(size) % self.spec.max_length, (batch, size))
        return super().hidden_states(EncoderInputs(inputs.input_ids, by_index, inputs.attention_mask), layer)


class Leaky(FakeEncoder):
    """Takes an attention mask and ignores it."""

    def hidden_states(self, inputs, layer):
        return super().hidden_states(EncoderInputs(inputs.input_ids, inputs.position_ids), layer)


class Refusing(FakeEncoder):
    """Takes no positions."""

    def hidden_states(self, inputs, layer):
        if inputs.position_ids is not None:
            raise TypeError("unexpected keyword argument 'position_ids'")
        return super().hidden_states(inputs, layer)


class NotANumber(FakeEncoder):
    def hidden_states(self, inputs, layer):
        return super().hidden_states(inputs, layer) * np.nan


@pytest.mark.parametrize("kind", [ByIndex, Leaky, NotANumber])
def test_encoders_that_only_seem_to_obey_cannot(kind):
    assert not can_do_one_pass(kind(max_length=64))


@pytest.mark.parametrize("kind", [Refusing, NotANumber])
def test_no_first_position(kind):
    assert first_position(kind()) is None


class Crowded(FakeEncoder):
    """All states have a large part in common."""

    def hidden_states(self, inputs, layer):
        return super().hidden_states(inputs, layer) + np.float32(10)


def test_unrelated_words_that_are_nearly_alike():
    assert is_anisotropic(Crowded())
    assert not is_anisotropic(FakeEncoder())


def test_only_sentence_encoders_are_taken_for_anisotropic(encoders):
    assert {encoder.spec.pooling for encoder in encoders.values()} == {"max"}
    assert not any(encoder.spec.anisotropic for encoder in encoders.values())
