import json
import pickle
import shutil
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mderank import ExactFallbackWarning, MDERank, MissingExtraError, ModelError, OptionError, load_encoder
from mderank.encoding import EncoderInputs
from mderank.encoding.base import AttentionEncoder
from mderank.testing import FakeTagger

torch = pytest.importorskip("torch")


@pytest.fixture
def folder(tiny_model, tmp_path):
    """A tiny BERT that a test may spoil."""
    return shutil.copytree(tiny_model("bert"), tmp_path / "bert")


def test_a_folder_by_name(tiny_model):
    spec = load_encoder(tiny_model("bert")).spec
    assert (spec.layers, spec.dimension, spec.max_length) == (2, 16, 66)
    assert (spec.prefix, spec.suffix, spec.mask_id, spec.pad_id) == ((1,), (2,), 4, 0)


def test_plain_encoders_take_the_maximum_and_sentence_encoders_the_mean(folder):
    assert load_encoder(folder).spec.pooling == "max"
    modules = [{"idx": 0, "type": "x.models.Transformer"}, {"idx": 1, "type": "x.models.Pooling"}]
    (folder / "modules.json").write_text(json.dumps(modules))
    assert load_encoder(folder).spec.pooling == "mean"


def test_the_tokenizer_s_own_limit_counts(folder):
    file = folder / "tokenizer_config.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"model_max_length": 40}))
    assert load_encoder(folder).spec.max_length == 40


def test_states_are_those_of_transformers(tiny_model):
    from transformers import AutoModel

    ids = np.array([[1, 40, 50, 60, 2]])
    module = AutoModel.from_pretrained(tiny_model("bert")).eval()
    with torch.inference_mode():
        expected = module(torch.from_numpy(ids), output_hidden_states=True).hidden_states
    encoder = load_encoder(tiny_model("bert"))
    for layer in range(3):
        assert_allclose(encoder.hidden_states(EncoderInputs(ids), layer), expected[layer].numpy(), atol=1e-6)


@pytest.mark.parametrize("kind", ["bert", "roberta", "electra", "mpnet", "distilbert", "bigbird"])
def test_a_lower_layer_costs_no_more_than_it_must(tiny_model, kind):
    from transformers import AutoModel

    ids = np.array([[1, 40, 50, 60, 2], [1, 41, 40, 42, 2]])
    module = AutoModel.from_pretrained(tiny_model(kind)).eval()
    with torch.inference_mode():
        expected = module(torch.from_numpy(ids), output_hidden_states=True).hidden_states[1].numpy()
    encoder = load_encoder(tiny_model(kind), device="cpu")
    assert_allclose(encoder.hidden_states(EncoderInputs(ids), 1), expected, atol=1e-6)
    whole = []
    encoder.module.register_forward_pre_hook(lambda *_: whole.append(1))
    assert_allclose(encoder.hidden_states(EncoderInputs(ids), 1), expected, atol=1e-6)
    assert not whole
    encoder.hidden_states(EncoderInputs(ids), 2)
    assert whole


def test_a_lower_layer_has_the_weights_that_the_model_has_now(tiny_model):
    ids = np.array([[1, 40, 50, 60, 2]])
    encoder = load_encoder(tiny_model("bert"), device="cpu")
    before = encoder.hidden_states(EncoderInputs(ids), 1)
    with torch.no_grad():
        for weights in encoder.module.parameters():
            weights.mul_(0.5)
    after = encoder.hidden_states(EncoderInputs(ids), 1)
    assert np.abs(after - before).max() > 0.01


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_a_lower_layer_in_half_precision(tiny_model, dtype):
    ids = np.array([[1, 40, 50, 60, 2]])
    full = load_encoder(tiny_model("bert"), device="cpu").hidden_states(EncoderInputs(ids), 1)
    encoder = load_encoder(tiny_model("bert"), device="cpu", dtype=dtype)
    half = encoder.hidden_states(EncoderInputs(ids), 1)
    assert encoder._up_to(1) is not encoder.module
    assert encoder._up_to(1).dtype == getattr(torch, dtype)
    assert 0 < np.abs(half - full).max() < 0.1


def test_a_lower_layer_draws_no_random_numbers_from_others(tiny_model):
    encoder = load_encoder(tiny_model("bert"), device="cpu")
    drawn = torch.get_rng_state()
    encoder.hidden_states(EncoderInputs(np.array([[1, 40, 50, 60, 2]])), 1)
    assert torch.equal(torch.get_rng_state(), drawn)


@pytest.mark.parametrize("problem", ["cannot be made", "has other states"])
def test_a_model_that_cannot_be_cut_computes_all_its_layers(tiny_model, monkeypatch, problem):
    from transformers import AutoModel

    ids = np.array([[1, 40, 50, 60, 2]])
    expected = load_encoder(tiny_model("bert"), device="cpu").hidden_states(EncoderInputs(ids), 1)
    make = AutoModel.from_config

    def other(config, **options):
        if problem == "cannot be made":
            raise ValueError("layer_types must have 2 entries")
        config.hidden_act = "relu"
        return make(config, **options)

    monkeypatch.setattr(AutoModel, "from_config", other)
    encoder = load_encoder(tiny_model("bert"), device="cpu")
    assert_array_equal(encoder.hidden_states(EncoderInputs(ids), 1), expected)


@pytest.mark.parametrize("kind", ["bert", "roberta", "electra"])
def test_keyphrases(tiny_model, text, kind):
    extractor = MDERank(tiny_model(kind), tagger=FakeTagger())
    alone = extractor.extract(text)
    assert len(alone) == 10
    assert all(
        text[span.start : span.end].lower() in map(str.lower, each.forms) for each in alone for span in each.spans
    )


@pytest.mark.parametrize("exact", [True, False])
def test_batches_do_not_change_ranks(tiny_model, text, exact):
    extractor = MDERank(tiny_model("bert"), tagger=FakeTagger(), exact=exact)
    texts = [text, "Warm water.", text[:70], text * 3]
    single = [[each.text for each in extractor.extract(some, None)] for some in texts]
    assert [[each.text for each in some] for some in extractor.extract_many(texts, None)] == single


def test_cls_pooling_in_the_exact_form(tiny_model, text):
    encoder = load_encoder(tiny_model("bert"))
    with pytest.raises(OptionError, match="exact form only"):
        MDERank(encoder, tagger=FakeTagger(), pooling="cls")
    assert MDERank(encoder, tagger=FakeTagger(), pooling="cls", exact=True).extract(text)[0].score > 0


@pytest.mark.parametrize("kind", ["mpnet", "bigbird"])
def test_encoders_that_cannot_do_one_pass_say_so_once(tiny_model, text, kind):
    encoder = load_encoder(tiny_model(kind))
    with pytest.warns(ExactFallbackWarning, match="cannot do one-pass masking") as caught:
        extractor = MDERank(encoder, tagger=FakeTagger())
    assert len(caught) == 1
    assert extractor.exact
    assert MDERank(encoder, tagger=FakeTagger(), exact=True).extract(text) == extractor.extract(text)


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision(tiny_model, text, dtype):
    # Of different lengths, so that there is padding.
    extractor = MDERank(load_encoder(tiny_model("bert"), dtype=dtype), tagger=FakeTagger())
    full = MDERank(load_encoder(tiny_model("bert")), tagger=FakeTagger())
    texts = [text, text[:60]]
    for half, whole in zip(extractor.extract_many(texts, None), full.extract_many(texts, None), strict=True):
        scores = {each.text: each.score for each in whole}
        assert half.error is None
        assert [each.score for each in half] == pytest.approx([scores[each.text] for each in half], rel=0.2, abs=0.01)


def test_pickling_loads_the_model_again(tiny_model):
    encoder = load_encoder(tiny_model("bert"))
    ids = np.array([[1, 40, 50, 2]])
    copy = pickle.loads(pickle.dumps(encoder))
    assert copy.spec == encoder.spec
    assert_array_equal(copy.hidden_states(EncoderInputs(ids), 2), encoder.hidden_states(EncoderInputs(ids), 2))


class Bomb:
    """Says that it was unpickled."""

    went_off = False

    def __reduce__(self):
        return (_explode, ())


def _explode():
    Bomb.went_off = True
    return {}


@pytest.mark.parametrize("name", ["model.pt", "model.pth"])
def test_weights_in_other_forms_are_never_loaded(folder, name):
    (folder / "model.safetensors").unlink()
    torch.save(Bomb(), folder / name)
    with pytest.raises(ModelError, match=rf"neither model\.safetensors nor pytorch_model\.bin, and {name} is not read"):
        load_encoder(folder)
    assert not Bomb.went_off


def test_pickled_weights_beside_safetensors_are_passed_over(folder):
    torch.save(Bomb(), folder / "pytorch_model.bin")
    assert load_encoder(folder).spec.one_pass
    assert not Bomb.went_off


def test_a_folder_with_another_s_onnx_graph(folder):
    (folder / "model.safetensors").unlink()
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match="export the original model: mderank export MODEL DIR"):
        load_encoder(folder)


@pytest.mark.parametrize("missing", ["config.json", "model.safetensors"])
def test_a_folder_with_something_missing(folder, missing):
    (folder / missing).unlink()
    with pytest.raises(ModelError, match="cannot be loaded") as caught:
        load_encoder(folder)
    assert "\n" not in str(caught.value)


def test_a_folder_without_a_tokenizer(folder):
    (folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError):
        load_encoder(folder)


def test_an_encoder_without_a_mask_token(folder):
    file = folder / "tokenizer_config.json"
    config = json.loads(file.read_text())
    file.write_text(json.dumps({key: value for key, value in config.items() if key != "mask_token"}))
    with pytest.raises(ModelError, match="has no mask token, which MDERank needs"):
        load_encoder(folder)


def test_a_decoder(tmp_path, tiny_model):
    from transformers import AutoTokenizer, BartConfig, BartModel

    tokenizer = AutoTokenizer.from_pretrained(tiny_model("roberta"))
    tokenizer.save_pretrained(tmp_path)
    sizes = {f"{side}_{what}": 1 for side in ("encoder", "decoder") for what in ("layers", "attention_heads")}
    BartModel(BartConfig(vocab_size=len(tokenizer), d_model=8, **sizes)).save_pretrained(tmp_path)
    with pytest.raises(ModelError, match="is not an encoder"):
        load_encoder(tmp_path)


def test_a_hub_name_without_a_network(monkeypatch):
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(ModelError, match="the model 'nobody/no-such-model' cannot be loaded") as caught:
        load_encoder("nobody/no-such-model")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["./nowhere", "/no/such/folder", "~/models/x", "a/b/c"])
def test_a_folder_that_does_not_exist(name):
    with pytest.raises(ModelError, match="does not exist"):
        load_encoder(name)


@pytest.mark.parametrize("blocked", ["torch", "transformers"])
def test_without_the_extra(monkeypatch, blocked):
    monkeypatch.setitem(sys.modules, blocked, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mderank\[torch\]'"):
        load_encoder("bert-base-uncased")


def test_it_tells_its_device(tiny_model):
    assert load_encoder(tiny_model("bert"), device="cpu").device == "cpu"


def test_the_ranking_does_not_depend_on_the_tokens_computed_at_once(tiny_model, text):
    encoder = load_encoder(tiny_model("bert"), device="cpu")
    usual = MDERank(encoder, exact=True).extract(text, None)
    assert len(usual) > 5
    for batch_tokens in (1, 200):
        found = MDERank(encoder, exact=True, batch_tokens=batch_tokens).extract(text, None)
        assert [each.text for each in found] == [each.text for each in usual]
        assert [each.score for each in found] == pytest.approx([each.score for each in usual], rel=1e-4)


def test_a_device_that_is_not_there(tiny_model):
    with pytest.raises(ModelError, match="try --device cpu"):
        load_encoder(tiny_model("bert"), device="cuda:7" if not torch.cuda.is_available() else "xpu")


def test_a_device_that_does_not_exist(tiny_model):
    with pytest.raises(ModelError, match="try --device cpu"):
        load_encoder(tiny_model("bert"), device="toaster")


def test_options_of_onnx_runtime(tiny_model):
    with pytest.raises(OptionError, match="threads is for ONNX Runtime"):
        load_encoder(tiny_model("bert"), threads=2)


def test_an_unknown_dtype(tiny_model):
    with pytest.raises(OptionError, match="float32, float16, bfloat16"):
        load_encoder(tiny_model("bert"), dtype="int4")


@pytest.mark.parametrize("kind", ["bert", "roberta", "electra", "mpnet", "distilbert"])
def test_attention_is_that_of_transformers(tiny_model, kind):
    from transformers import AutoModel

    ids = np.array([[1, 40, 50, 60, 2], [1, 41, 40, 42, 2]])
    module = AutoModel.from_pretrained(tiny_model(kind), attn_implementation="eager").eval()
    with torch.inference_mode():
        expected = module(torch.from_numpy(ids), output_hidden_states=True, output_attentions=True)
    encoder = load_encoder(tiny_model(kind), device="cpu")
    assert isinstance(encoder, AttentionEncoder)
    for layer in (1, 2):
        states, weights = encoder.hidden_states_and_attentions(EncoderInputs(ids), layer)
        assert weights.shape == (2, 2, 5, 5)
        assert_allclose(weights, expected.attentions[layer - 1].numpy(), atol=1e-6)
        assert_allclose(states, expected.hidden_states[layer].numpy(), atol=1e-5)
        assert_allclose(weights.sum(axis=-1), 1, atol=1e-5)


def test_what_is_not_seen_gets_no_attention(tiny_model):
    ids = np.array([[1, 40, 50, 2]])
    visible = np.ones((1, 4, 4), dtype=np.bool_)
    visible[0, 1:, 2] = False
    _, weights = load_encoder(tiny_model("bert"), device="cpu").hidden_states_and_attentions(
        EncoderInputs(ids, attention_mask=visible), 2
    )
    assert_array_equal(weights[0, :, 1:, 2], 0)
    assert (weights[0, :, 0, 2] > 0).all()


def test_states_are_the_same_before_and_after_attention_was_asked_for(tiny_model):
    encoder = load_encoder(tiny_model("bert"), device="cpu")
    ids = np.array([[1, 40, 50, 60, 41, 2]])
    usual = encoder.module.config._attn_implementation
    before = encoder.hidden_states(EncoderInputs(ids), 2)
    encoder.hidden_states_and_attentions(EncoderInputs(ids), 2)
    assert encoder.module.config._attn_implementation == usual != "eager"
    assert_array_equal(encoder.hidden_states(EncoderInputs(ids), 2), before)


def test_an_encoder_that_keeps_its_attention_to_itself(tiny_model):
    encoder = load_encoder(tiny_model("bert"), device="cpu")
    inner = encoder._model.forward
    encoder._model.forward = lambda **inputs: inner(**{**inputs, "output_attentions": False})
    with pytest.raises(ModelError, match=r"does not give the weights of its attention.*bert-base-uncased"):
        encoder.hidden_states_and_attentions(EncoderInputs(np.array([[1, 40, 2]])), 2)
