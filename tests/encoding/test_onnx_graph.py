import numpy as np
import onnxruntime
import pytest
from numpy.testing import assert_array_equal

from mderank.encoding import BUNDLED_MODEL_FOLDER, EncoderInputs, load_encoder
from mderank.encoding.onnx_graph import cut

IDS = np.array([[101, 11034, 12664, 3965, 102]])


@pytest.fixture(scope="module")
def model():
    return (BUNDLED_MODEL_FOLDER / "model.onnx").read_bytes()


@pytest.mark.parametrize("layer", [0, 2, 5])
def test_nothing_above_the_layer_is_left(model, layer):
    onnx = pytest.importorskip("onnx")
    whole, below = onnx.load_from_string(model).graph, onnx.load_from_string(cut(model, f"hidden_{layer}")).graph
    assert [each.name for each in below.output] == [f"hidden_{layer}"]
    assert list(below.node) == list(whole.node)[: len(below.node)]
    assert f"hidden_{layer}" in below.node[-1].output
    assert len(below.node) < (layer + 1) / 6 * len(whole.node)
    assert list(below.input) == list(whole.input)
    assert len(below.initializer) == len(whole.initializer)


def test_the_last_layer_needs_all(model):
    onnx = pytest.importorskip("onnx")
    whole, below = onnx.load_from_string(model), onnx.load_from_string(cut(model, "hidden_6"))
    assert list(below.graph.node) == list(whole.graph.node)
    assert below.opset_import == whole.opset_import
    assert below.ir_version == whole.ir_version


@pytest.mark.slow
def test_states_are_those_of_the_whole_graph(model):
    encoder = load_encoder(threads=1)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    whole = onnxruntime.InferenceSession(model, options)
    size = IDS.shape[1]
    feed = {"input_ids": IDS, "position_ids": np.arange(size)[None],
            "attention_mask": np.zeros((1, 1, size, size), dtype=np.float32)}  # fmt: skip
    for layer, expected in enumerate(whole.run(None, feed)):
        assert_array_equal(encoder.hidden_states(EncoderInputs(IDS), layer), expected)


@pytest.mark.parametrize("broken", [b"\x3a", b"\x3a\x05abc", b"\x3b\x01", b"\xff" * 4])
def test_what_is_no_model(broken):
    with pytest.raises(ValueError, match="no protocol buffer"):
        cut(broken, "hidden_0")


def test_fields_of_every_kind_are_kept():
    # A number, eight bytes, bytes, four bytes; and an empty graph.
    message = bytes.fromhex("08ac02 110102030405060708 1a03616263 2501020304 3a00")
    assert cut(message, "x") == message
