import json
import pickle
import shutil
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mderank import MDERank, ModelError, OptionError, load_encoder
from mderank.encoding import BUNDLED_MODEL_FOLDER, EncoderInputs
from mderank.encoding.onnx import OnnxEncoder

IDS = np.array([[101, 11034, 12664, 3965, 102]])


@pytest.fixture(scope="module")
def encoder():
    return load_encoder()


@pytest.fixture
def folder(tmp_path):
    """The bundled model's small files; its graph is linked."""
    for name in ("encoder.json", "tokenizer.json"):
        shutil.copy(BUNDLED_MODEL_FOLDER / name, tmp_path)
    (tmp_path / "model.onnx").symlink_to(BUNDLED_MODEL_FOLDER / "model.onnx")
    return tmp_path


def test_the_embedded_model(encoder):
    spec = encoder.spec
    assert (spec.name, spec.layers, spec.dimension, spec.max_length) == ("minilm-l6", 6, 384, 512)
    assert (spec.one_pass, spec.pooling, spec.capacity) == (True, "mean", 510)


@pytest.mark.slow
def test_every_layer_has_its_own_states(encoder):
    states = [encoder.hidden_states(EncoderInputs(IDS), layer) for layer in range(7)]
    assert {each.shape for each in states} == {(1, 5, 384)}
    assert all(np.abs(one - other).max() > 0.01 for one, other in pairwise(states))


def test_embeddings_do_not_depend_on_the_other_words(encoder):
    other = IDS.copy()
    other[0, 3] = 2000
    assert_array_equal(
        encoder.hidden_states(EncoderInputs(IDS), 0)[0, :3], encoder.hidden_states(EncoderInputs(other), 0)[0, :3]
    )
    assert (
        np.abs(
            encoder.hidden_states(EncoderInputs(IDS), 1)[0, :3] - encoder.hidden_states(EncoderInputs(other), 1)[0, :3]
        ).max()
        > 1e-4
    )


def test_left_out_positions_and_mask_are_the_plain_ones():
    encoder = load_encoder(precision="float32")
    given = EncoderInputs(IDS, np.arange(5)[None], np.ones((1, 5, 5), np.bool_))
    assert_allclose(encoder.hidden_states(given, 6), encoder.hidden_states(EncoderInputs(IDS), 6), atol=5e-6)


def test_what_is_not_seen_does_not_matter(encoder):
    visible = np.ones((1, 5, 5), np.bool_)
    visible[0, [0, 1, 2, 4], 3] = False
    other = IDS.copy()
    other[0, 3] = 2000
    one, two = (encoder.hidden_states(EncoderInputs(ids, None, visible), 6)[0] for ids in (IDS, other))
    assert_array_equal(one[[0, 1, 2, 4]], two[[0, 1, 2, 4]])


@pytest.mark.parametrize("layer", range(7))
def test_keyphrases_from_every_layer(encoder, text, layer):
    extractor = MDERank(encoder, layer=layer)
    keyphrases = extractor.extract(text)
    assert len(keyphrases) > 5
    assert keyphrases[0].score > 0


def test_layers_counted_from_the_last(encoder, text):
    assert MDERank(encoder, layer=-1).layer == 6
    assert MDERank(encoder, layer=-7).layer == 0
    assert MDERank(encoder, layer=-1).extract(text) == MDERank(encoder).extract(text)


@pytest.mark.parametrize("layer", [7, -8, 100])
def test_layers_that_do_not_exist(encoder, layer):
    with pytest.raises(OptionError, match="'minilm-l6' has 0 to 6"):
        MDERank(encoder, layer=layer)


def test_pickling_opens_the_files_again(encoder):
    copy = pickle.loads(pickle.dumps(encoder))
    assert_array_equal(copy.hidden_states(EncoderInputs(IDS), 6), encoder.hidden_states(EncoderInputs(IDS), 6))


@pytest.mark.slow
def test_a_folder_or_its_graph_name_the_same_model(folder, encoder):
    for model in (folder, str(folder), folder / "model.onnx"):
        assert_allclose(
            load_encoder(model).hidden_states(EncoderInputs(IDS), 6),
            encoder.hidden_states(EncoderInputs(IDS), 6),
            atol=1e-6,
        )


@pytest.mark.parametrize("name", ["tokenizer.json", "model.onnx"])
def test_a_missing_file(folder, name):
    (folder / name).unlink()
    with pytest.raises(ModelError, match=rf"has no {name}: write the folder again with mderank export"):
        load_encoder(folder)


@pytest.mark.parametrize(
    "change", [{"layers": None}, {"pooling": "median"}, {"prefix": 3}], ids=["no layers", "pooling", "prefix"]
)
def test_a_broken_spec(folder, change):
    data = json.loads((folder / "encoder.json").read_text()) | change
    data = {key: value for key, value in data.items() if value is not None}
    (folder / "encoder.json").write_text(json.dumps(data))
    with pytest.raises(ModelError, match=r"encoder\.json cannot be read.*write the folder again with mderank export"):
        load_encoder(folder)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe"])
def test_a_spec_that_is_no_json_object(folder, content):
    (folder / "encoder.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"encoder\.json cannot be read"):
        load_encoder(folder)


def test_a_file_that_is_no_graph(folder):
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").write_bytes(b"no graph")
    with pytest.raises(ModelError, match="cannot be loaded by ONNX Runtime"):
        load_encoder(folder)


def graph(inputs, outputs):
    """A graph that does nothing but has these names."""
    onnx = pytest.importorskip("onnx")
    helper, kinds = onnx.helper, onnx.TensorProto
    made = [helper.make_tensor_value_info(name, kinds.INT64, ["batch", "length"]) for name in inputs]
    given = [helper.make_tensor_value_info(name, kinds.INT64, ["batch", "length"]) for name in outputs]
    nodes = [helper.make_node("Identity", [inputs[0]], [name]) for name in outputs]
    model = helper.make_model(helper.make_graph(nodes, "g", made, given), opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 8
    return model.SerializeToString()


ALL_STATES = [f"hidden_{layer}" for layer in range(7)]


@pytest.mark.parametrize(
    ("inputs", "outputs"),
    [
        (["input_ids", "attention_mask", "token_type_ids"], ["last_hidden_state"]),
        (["input_ids", "position_ids", "attention_mask"], ALL_STATES),
        (["input_ids"], ALL_STATES),
    ],
    ids=["the usual export", "a mask of two dimensions", "no mask"],
)
def test_another_graph(folder, inputs, outputs):
    (folder / "model.onnx").unlink()
    (folder / "model.onnx").write_bytes(graph(inputs, outputs))
    with pytest.raises(ModelError, match=r"does not take .*make it from the original encoder with mderank export"):
        load_encoder(folder)


def test_layers_that_the_graph_does_not_give(folder):
    data = json.loads((folder / "encoder.json").read_text()) | {"layers": 12}
    (folder / "encoder.json").write_text(json.dumps(data))
    with pytest.raises(ModelError, match="hidden_12"):
        OnnxEncoder(folder)


def test_a_graph_without_its_spec(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match=r"mderank export did not write: its folder has no encoder\.json"):
        load_encoder(tmp_path / "model.onnx")


@pytest.mark.parametrize("option", [{"device": "cuda"}, {"dtype": "float16"}])
def test_options_of_torch(option):
    with pytest.raises(OptionError, match="is for torch, but 'minilm-l6' runs on ONNX Runtime"):
        load_encoder(**option)


def test_options_of_torch_that_onnx_has_anyway(encoder):
    assert load_encoder(device="cpu", dtype="float32").spec == encoder.spec
