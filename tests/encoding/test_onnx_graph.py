import numpy as np
import onnxruntime
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from mderank.encoding import BUNDLED_MODEL_FOLDER, EncoderInputs, load_encoder
from mderank.encoding.onnx_graph import Graph, Node, tensors

IDS = np.array([[101, 11034, 12664, 3965, 102]])


def cut(model, output):
    graph = Graph(model)
    graph.cut(output)
    return graph.to_bytes()


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
    encoder = load_encoder(threads=1, precision="float32")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.add_session_config_entry("session.disable_quant_qdq", "1")
    whole = onnxruntime.InferenceSession(model, options)
    size = IDS.shape[1]
    feed = {"input_ids": IDS, "position_ids": np.arange(size)[None],
            "attention_mask": np.zeros((1, 1, size, size), dtype=np.float32)}  # fmt: skip
    for layer, expected in enumerate(whole.run(None, feed)):
        assert_allclose(encoder.hidden_states(EncoderInputs(IDS), layer), expected, atol=5e-6)


@pytest.mark.parametrize("broken", [b"\x3a", b"\x3a\x05abc", b"\x3b\x01", b"\xff" * 4])
def test_what_is_no_model(broken):
    with pytest.raises(ValueError, match="no protocol buffer"):
        cut(broken, "hidden_0")


def test_fields_of_every_kind_are_kept():
    # A number, eight bytes, bytes, four bytes; and an empty graph.
    message = bytes.fromhex("08ac02 110102030405060708 1a03616263 2501020304 3a00")
    assert cut(message, "x") == message


def test_what_is_written_is_what_was_read(model):
    onnx = pytest.importorskip("onnx")
    assert onnx.load_from_string(Graph(model).to_bytes()) == onnx.load_from_string(model)


def test_inputs_outputs_and_constants(model):
    graph = Graph(model)
    assert graph.inputs == {"input_ids": 2, "position_ids": 2, "attention_mask": 4}
    assert graph.outputs == tuple(f"hidden_{layer}" for layer in range(7))
    stored = graph.constant("module.embeddings.word_embeddings.weight_int8")
    assert (stored.shape, stored.dtype) == ((30522, 384), np.int8)
    assert graph.constant("hidden_0") is None


def test_a_graph_of_our_own():
    graph = Graph(bytes.fromhex("0809 3a03 120167 4202 1012"))  # IR version 9, a graph named "g", opset 18
    graph.add_input("x", np.dtype(np.float32), ("rows", "columns"))
    graph.add_output("y", np.dtype(np.float32), ("columns", "rows"))
    graph.add_constant("factor", np.array([[3], [-2]], dtype=np.float32))
    graph.add_constant("factor", np.zeros(1, dtype=np.float32))  # the first one stays
    graph.add_constant("unused", np.zeros(1, dtype=np.int64))
    graph.nodes += [
        Node("Mul", ("x", "factor"), ("product",)),
        Node("Transpose", ("product",), ("y",), {"perm": (1, 0)}),
        Node("Softmax", ("product",), ("nothing",), {"axis": -1}),
    ]
    graph.drop_unused()
    assert [node.op for node in graph.nodes] == ["Mul", "Transpose"]
    assert graph.constant("unused") is None
    again = Graph(graph.to_bytes())
    assert again.nodes[1].attributes == {"perm": (1, 0)}
    assert_array_equal(again.constant("factor"), [[3], [-2]])
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    (result,) = onnxruntime.InferenceSession(again.to_bytes()).run(None, {"x": values})
    assert_array_equal(result, (values * [[3], [-2]]).T)


def test_a_domain_of_new_nodes_is_declared(model):
    onnx = pytest.importorskip("onnx")
    graph = Graph(model)
    graph.nodes.append(Node("Gelu", ("hidden_6",), ("more",), {"axis": -1}, domain="com.microsoft"))
    written = onnx.load_from_string(graph.to_bytes())
    assert [(each.domain, each.version) for each in written.opset_import] == [("", 18), ("com.microsoft", 1)]
    assert written.graph.node[-1].attribute[0].i == -1


def test_tensors_are_found_by_name(model):
    onnx = pytest.importorskip("onnx")
    stored = {each.name: each for each in onnx.load_from_string(model).graph.initializer}
    names = ["module.embeddings.word_embeddings.weight_int8", "val_16_scale"]
    found = tensors(memoryview(model), [*names, "no such tensor"])
    assert sorted(found) == sorted(names)
    for name in names:
        assert bytes(found[name]) == onnx.numpy_helper.to_array(stored[name]).tobytes()
