"""What is rewritten computes the same: attention by blocks, tables in int8, and nearly so products in int8."""

import shutil

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import spearmanr

from mderank import FusionRank, MDERank, OptionError, load_encoder
from mderank.encoding import BUNDLED_MODEL_FOLDER, EncoderInputs
from mderank.encoding import onnx as onnx_encoder
from mderank.encoding.blocks import mask_blocks, phrase_blocks
from mderank.encoding.onnx_graph import Graph, Node
from mderank.encoding.onnx_rewrite import (
    BLOCK_INPUTS,
    fuse_gelu,
    keep_tables_small,
    split_attention,
    use_integers,
)
from mderank.encoding.padding import PlainSequence, pad_sequences

WORDS = (
    "Tidal marshes store carbon at rates far above those of most forests. Marsh plants build peat where dams hold the "
    "sediment back, and peat stores the carbon of the marsh for centuries."
)
PHRASES = ("tidal marshes", "carbon", "the sediment of dams", "peat", "a very long phrase about marsh plants and peat")


@pytest.fixture(scope="module", params=["float32", "int16", "int8"])
def encoder(request):
    return load_encoder(threads=1, precision=request.param)


@pytest.fixture(scope="module")
def plain():
    return load_encoder(threads=1, precision="float32")


@pytest.fixture(scope="module")
def model():
    return (BUNDLED_MODEL_FOLDER / "model.onnx").read_bytes()


def with_special_tokens(encoder, text):
    return encoder.spec.add_special_tokens(encoder.tokenize(text).ids)


def masks():
    return [np.array(rows) for rows in ([1, 2], [2], [4], [1, 2, 11, 12, 13, 20, 21, 25], [5, 17])]


class WithoutBlocks:
    """An encoder that is given padded batches with an attention mask."""

    def __init__(self, encoder):
        self.spec, self.tokenize, self.hidden_states = encoder.spec, encoder.tokenize, encoder.hidden_states


def test_blocks_have_the_states_of_the_packed_sequence(plain):
    ids = with_special_tokens(plain, WORDS)
    packed = pad_sequences(plain.spec, [PlainSequence(ids, list(enumerate(masks())))])
    for layer in (1, 6):
        expected = plain.hidden_states(packed, layer)[0]
        assert_allclose(plain.block_states(mask_blocks(plain.spec, ids, masks()), layer), expected, atol=1e-5)


def test_the_window_has_the_states_that_it_has_alone(encoder):
    ids = with_special_tokens(encoder, WORDS)
    states = encoder.block_states(mask_blocks(encoder.spec, ids, masks()), 6)[: len(ids)]
    alone = encoder.block_states(mask_blocks(encoder.spec, ids, []), 6)
    assert_array_equal(states, alone)
    assert_array_equal(encoder.hidden_states(EncoderInputs(ids[None]), 6)[0], alone)


def test_a_phrase_has_the_same_states_beside_any_others(encoder):
    phrases = [with_special_tokens(encoder, phrase) for phrase in PHRASES[:4]]
    together = encoder.block_states(phrase_blocks(encoder.spec, phrases), 6)
    start = 0
    for ids in phrases:
        alone = encoder.block_states(phrase_blocks(encoder.spec, [ids]), 6)
        assert_array_equal(together[start : start + len(ids)], alone)
        start += len(ids)


@pytest.mark.parametrize("method", [FusionRank, MDERank])
def test_the_same_ranking_as_with_an_attention_mask(plain, method):
    blocks, packed = (method(each).extract(WORDS, top_k=None) for each in (plain, WithoutBlocks(plain)))
    assert [each.text for each in blocks] == [each.text for each in packed]
    assert_allclose([each.score for each in blocks], [each.score for each in packed], rtol=1e-5)


@pytest.mark.parametrize("precision", ["float32", "int16", "int8"])
def test_phrases_from_the_cache_change_nothing(precision):
    used = FusionRank(load_encoder(threads=1, precision=precision))
    for text in ("Peat stores carbon.", WORDS, "The carbon of tidal marshes is in peat."):
        fresh = FusionRank(used.encoder)
        assert used.extract(text, top_k=None) == fresh.extract(text, top_k=None)
    assert len(used.phrase_cache) > 10


def test_a_phrase_is_computed_once(plain, monkeypatch):
    extractor = FusionRank(plain)
    first = list(extractor.extract_many([WORDS, WORDS]))
    computed = []
    monkeypatch.setattr(plain, "block_states", lambda inputs, layer: computed.append(inputs) or states(inputs, layer))
    states = onnx_encoder.OnnxEncoder.block_states.__get__(plain)
    assert list(extractor.extract_many([WORDS, WORDS])) == first
    assert [inputs.window > 0 for inputs in computed] == [True, True]  # the windows, and no phrase


def test_int8_ranks_like_float32(plain):
    scores = {}
    for precision in ("float32", "int8"):
        found = MDERank(load_encoder(threads=1, precision=precision)).extract(WORDS, top_k=None)
        scores[precision] = {each.text: each.score for each in found}
    assert scores["float32"].keys() == scores["int8"].keys()
    assert scores["float32"] != scores["int8"]
    pairs = [(scores["float32"][text], scores["int8"][text]) for text in scores["float32"]]
    assert spearmanr(*zip(*pairs, strict=True)).statistic > 0.95


def test_int16_has_the_states_of_float32_but_for_rounding(plain):
    ids = with_special_tokens(plain, WORDS)[None]
    exact, close, rough = (
        load_encoder(threads=1, precision=precision).hidden_states(EncoderInputs(ids), 6)
        for precision in ("float32", "int16", "int8")
    )
    assert 0 < np.abs(close - exact).max() < 0.005
    assert np.abs(rough - exact).max() > 0.02


def test_all_products_with_weights_are_found(model):
    graph = Graph(model)
    assert use_integers(graph) == 36  # six layers: query, key, value, output, and the two of the feed-forward network
    graph.drop_unused()
    # The values of attention have activations of 16 bits: two products.
    assert sum(node.op == "MatMulIntegerToFloat" for node in graph.nodes) == 42


def gelu_graph(root, raised, half):
    graph = Graph(bytes.fromhex("0809 3a03 120167 4202 1012"))
    graph.add_input("x", np.dtype(np.float32), ("rows", "columns"))
    graph.add_output("y", np.dtype(np.float32), ("rows", "columns"))
    graph.add_constant("bias", np.linspace(-1, 1, 64, dtype=np.float32))
    for name, number in (("root", root), ("one", raised), ("half", half)):
        graph.add_constant(name, np.array(number, dtype=np.float32))
    graph.nodes += [
        Node("Add", ("x", "bias"), ("biased",)),
        Node("Div", ("biased", "root"), ("scaled",)),
        Node("Erf", ("scaled",), ("erf",)),
        Node("Add", ("erf", "one"), ("raised",)),
        Node("Mul", ("half", "raised"), ("halved",)),
        Node("Mul", ("biased", "halved"), ("y",)),
    ]
    return graph


def test_a_gelu_is_one_operation(model):
    graph = gelu_graph(2**0.5, 1, 0.5)
    values = np.random.default_rng(0).normal(size=(5, 64)).astype(np.float32) * 4
    before = onnx_encoder._start(graph.to_bytes(), 1).run(None, {"x": values})[0]
    fuse_gelu(graph)
    assert [(node.op, node.inputs) for node in graph.nodes] == [("BiasGelu", ("x", "bias"))]
    assert_allclose(onnx_encoder._start(graph.to_bytes(), 1).run(None, {"x": values})[0], before, atol=1e-6)
    bundled = Graph(model)
    fuse_gelu(bundled)
    assert sum(node.op == "BiasGelu" for node in bundled.nodes) == 6
    assert not any(node.op == "Erf" for node in bundled.nodes)


@pytest.mark.parametrize("numbers", [(2.0, 1, 0.5), (2**0.5, 2, 0.5), (2**0.5, 1, 0.7)])
def test_another_function_with_erf_stays(numbers):
    graph = gelu_graph(*numbers)
    fuse_gelu(graph)
    assert [node.op for node in graph.nodes] == ["Add", "Div", "Erf", "Add", "Mul", "Mul"]


def test_rows_of_a_gelu_keep_more_of_their_digits():
    def product_of_gelu():
        graph = gelu_graph(2**0.5, 1, 0.5)
        weights = np.random.default_rng(2).integers(-127, 128, size=(64, 80)).astype(np.float32)
        weights[0] = 127  # so that weights lose nothing
        graph.add_output("z", np.dtype(np.float32), ("rows", "columns"))
        graph.add_constant("weights", weights)
        graph.nodes.append(Node("MatMul", ("y", "weights"), ("z",)))
        return graph

    def run(graph):
        return onnx_encoder._start(graph.to_bytes(), 1).run(["z"], {"x": values})[0]

    values = np.random.default_rng(0).normal(size=(50, 64)).astype(np.float32) * 4
    values[3] = -30  # GELU gives zeros
    exact, plain, shifted = product_of_gelu(), product_of_gelu(), product_of_gelu()
    fuse_gelu(shifted)
    assert use_integers(plain) == use_integers(shifted) == 1
    errors = [np.abs(run(graph) - run(exact)).mean() for graph in (plain, shifted)]
    assert errors[1] < 0.7 * errors[0]
    assert_allclose(run(shifted)[3], 0, atol=1e-4)


def test_keys_in_another_order_are_turned(model):
    usual, other = Graph(model), Graph(model)
    for place, node in enumerate(other.nodes):
        if node.op == "Mul" and other.constant(node.inputs[1]) is not None and "val_5" in node.outputs[0]:
            other.nodes[place] = Node("Mul", node.inputs[::-1], node.outputs)
    assert usual.to_bytes() != other.to_bytes()
    found = []
    for graph in (usual, other):
        assert split_attention(graph)
        graph.cut("hidden_2")
        graph.drop_unused()
        feed = onnx_encoder._block_feed(np.ones((0, 4)), np.zeros((0, 1)), np.ones((0, 1, 1)), np.zeros(0))
        feed |= {"input_ids": np.array([[101, 11034, 12664, 102]]), "position_ids": np.arange(4)[None]}
        found.append(onnx_encoder._start(graph.to_bytes(), 1).run(["hidden_2"], feed)[0])
    turned = sum(node.attributes.get("perm") == (0, 1, 3, 2) for node in other.nodes)
    assert (turned, sum(node.attributes.get("perm") == (0, 1, 3, 2) for node in usual.nodes)) == (1, 0)
    assert_allclose(*found, atol=1e-5)


@pytest.mark.parametrize("bits", [8, 16])
def test_float32_weights_are_made_int8(bits):
    weights = np.random.default_rng(0).normal(size=(64, 80)).astype(np.float32)
    weights[:, 3] = 0
    graph = Graph(bytes.fromhex("0809 3a03 120167 4202 1012"))
    graph.add_input("x", np.dtype(np.float32), ("rows", "columns"))
    graph.add_output("y", np.dtype(np.float32), ("rows", "columns"))
    graph.add_constant("weights", weights)
    graph.nodes.append(Node("MatMul", ("x", "weights"), ("y",)))
    assert use_integers(graph, bits) == 1
    graph.drop_unused()
    assert graph.constant("weights") is None
    values = np.random.default_rng(1).normal(size=(5, 64)).astype(np.float32)
    values[2] = 0  # a row of zeros has no scale of its own
    session = onnx_encoder._start(graph.to_bytes(), 1)
    (found,) = session.run(None, {"x": values})
    scales = np.maximum(np.abs(weights).max(axis=0) / 127, 1e-30)
    assert_allclose(found, values @ (np.round(weights / scales) * scales), atol=0.25 if bits == 8 else 0.001)
    assert_array_equal(found[2], np.zeros(80))
    # Each row has its own scale: another row changes nothing.
    values[0] *= 1000
    assert_array_equal(session.run(None, {"x": values})[0][1:], found[1:])


def test_tables_in_int8_give_the_same_numbers(model):
    ids = np.array([[101, 11034, 12664, 102]])
    feed = {"input_ids": ids, "position_ids": np.arange(4)[None], "attention_mask": np.zeros((1, 1, 4, 4), np.float32)}
    found = []
    for rewrite in (lambda graph: None, keep_tables_small):
        graph = Graph(model)
        rewrite(graph)
        graph.cut("hidden_0")
        graph.drop_unused()
        feeds = {name: values for name, values in feed.items() if name in graph.inputs}
        found.append(onnx_encoder._start(graph.to_bytes(), 1).run(["hidden_0"], feeds)[0])
    assert_array_equal(*found)


def test_inputs_after_the_split(model):
    graph = Graph(model)
    assert split_attention(graph)
    assert graph.inputs == {
        "input_ids": 2,
        "position_ids": 2,
        **{name: len(of[1]) for name, of in BLOCK_INPUTS.items()},
    }


@pytest.mark.parametrize("op", ["MatMul", "Softmax", "Add"])
def test_a_graph_with_another_attention_stays_as_it_was(model, op):
    graph = Graph(model)
    adds = [node for node in graph.nodes if "attention_mask" in node.inputs]
    softmax = next(node for node in graph.nodes if adds[2].outputs[0] in node.inputs)
    odd = {"Add": adds[2], "Softmax": softmax, "MatMul": next(n for n in graph.nodes if softmax.outputs[0] in n.inputs)}
    place = graph.nodes.index(odd[op])
    graph.nodes[place] = Node("Other", odd[op].inputs, odd[op].outputs)
    before = graph.to_bytes()
    assert not split_attention(graph)
    assert graph.to_bytes() == before


def test_without_the_split_batches_are_padded(monkeypatch, tmp_path):
    expected = FusionRank(load_encoder(threads=1, precision="float32")).extract(WORDS)
    monkeypatch.setattr(onnx_encoder, "split_attention", lambda graph: False)
    folder = shutil.copytree(BUNDLED_MODEL_FOLDER, tmp_path / "model")  # not one of those that tests share
    encoder = load_encoder(folder, threads=1, precision="float32")
    assert not encoder.takes_blocks
    assert [each.text for each in FusionRank(encoder).extract(WORDS)] == [each.text for each in expected]


def test_a_processor_without_8_bit_products(monkeypatch):
    monkeypatch.setattr(onnx_encoder, "has_exact_int8", lambda: False)
    assert load_encoder().precision == "float32"
    with pytest.raises(OptionError, match="needs a processor with 8-bit dot products"):
        load_encoder(precision="int8")


@pytest.mark.parametrize("model", ["minilm-l6", "bert-base-uncased"])
def test_bf16_is_refused_with_its_reason(model):
    with pytest.raises(OptionError, match=r"precision='bf16' is not there.*OpenVINO.*180 MB.*'int16' or 'int8'"):
        load_encoder(model, precision="bf16")


def test_an_unknown_precision():
    with pytest.raises(OptionError, match="unknown precision 'int4': it is one of auto, float32, int16, int8"):
        onnx_encoder.OnnxEncoder(BUNDLED_MODEL_FOLDER, precision="int4")


def test_the_largest_products_fit_here():
    if not onnx_encoder.has_exact_int8():
        pytest.skip("this processor has no 8-bit dot products")
    assert load_encoder().precision == "int8"
