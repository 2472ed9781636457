"""Models of strangers: every file is checked before a library opens it."""

import json
import os
import shutil

import numpy as np
import pytest

from mderank import ModelError, load_encoder
from mderank.encoding import BUNDLED_MODEL_FOLDER, EncoderInputs, file_checks, onnx_graph
from mderank.encoding.file_checks import check_graph_file, check_transformers_folder, read_tokenizer_file
from mderank.encoding.onnx_graph import find_external_data
from mderank.encoding.tokenizer import load_tokenizer, prepare_tokenizer, tokenize

PLACES = ["initializer", "sparse initializer", "sparse indices", "constant", "list of tensors", "sparse constant",
          "graph of a node", "graphs of a node", "graph of a graph", "function", "default of a function",
          "training"]  # fmt: skip

# --- ONNX graphs ------------------------------------------------------------------------------------------------------


def external_tensor(location, shape=(4,)):
    """A tensor whose numbers are in another file."""
    onnx = pytest.importorskip("onnx")
    tensor = onnx.TensorProto(name="w", data_type=onnx.TensorProto.FLOAT, dims=shape, data_location=1)
    for key, value in (("location", location), ("offset", "0"), ("length", "16")):
        tensor.external_data.add(key=key, value=value)
    return tensor


def places(tensor):
    """A model for every place in which a tensor can stand."""
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    plain = helper.make_tensor("i", onnx.TensorProto.INT64, [1], [0])
    value = helper.make_tensor_value_info("y", 1, [4])

    def model(*nodes, **fields):
        graph = helper.make_graph(nodes, "g", [], [value], **fields)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])

    def node(name, content):
        made = onnx.NodeProto(op_type="Constant", output=["y"])
        made.attribute.append(helper.make_attribute(name, content))
        return made

    inner = model(initializer=[tensor]).graph
    sparse = onnx.SparseTensorProto(values=tensor, indices=plain, dims=[4])
    function = onnx.FunctionProto(name="f", domain="d", node=[node("value", tensor)])
    with_function = model()
    with_function.functions.append(function)
    with_default = model()
    with_default.functions.append(onnx.FunctionProto(attribute_proto=[helper.make_attribute("a", tensor)]))
    trained = model()
    trained.training_info.append(onnx.TrainingInfoProto(initialization=inner))
    return {
        "initializer": model(initializer=[tensor]),
        "sparse initializer": model(sparse_initializer=[sparse]),
        "sparse indices": model(sparse_initializer=[onnx.SparseTensorProto(values=plain, indices=tensor)]),
        "constant": model(node("value", tensor)),
        "list of tensors": model(node("values", [plain, tensor])),
        "sparse constant": model(node("sparse_value", sparse)),
        "graph of a node": model(node("then_branch", inner)),
        "graphs of a node": model(node("branches", [inner, inner])),
        "graph of a graph": model(node("then_branch", model(node("then_branch", inner)).graph)),
        "function": with_function,
        "default of a function": with_default,
        "training": trained,
    }


@pytest.mark.parametrize("location", ["../../etc/passwd", "/etc/passwd", "weights.bin", "a/../../x", "C:\\x", ""])
@pytest.mark.parametrize("place", PLACES)
def test_external_data_is_found_wherever_it_stands(place, location):
    model = places(external_tensor(location))[place]
    assert location in find_external_data(memoryview(model.SerializeToString()))


def test_external_data_without_a_name():
    onnx = pytest.importorskip("onnx")
    tensor = onnx.TensorProto(name="w", data_location=1)
    model = places(tensor)["initializer"]
    assert find_external_data(memoryview(model.SerializeToString())) == ["an unnamed file"]


def test_the_bundled_graph_has_all_in_one_file():
    model = (BUNDLED_MODEL_FOLDER / "model.onnx").read_bytes()
    assert find_external_data(memoryview(model)) == []


@pytest.fixture
def folder(tmp_path):
    """The bundled model's files, in a folder below another."""
    folder = tmp_path / "stranger" / "model"
    folder.mkdir(parents=True)
    for name in ("encoder.json", "tokenizer.json", "model.onnx"):
        shutil.copy(BUNDLED_MODEL_FOLDER / name, folder)
    return folder


@pytest.fixture
def never_opened(monkeypatch):
    """ONNX Runtime must not see the file."""
    import onnxruntime

    from mderank.encoding.onnx import has_exact_int8

    def fail(*_, **__):
        raise AssertionError("ONNX Runtime was given the graph")

    has_exact_int8()  # the graph that checks the processor is ours, and is opened once per process
    monkeypatch.setattr(onnxruntime, "InferenceSession", fail)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["parent", "absolute", "link", "link to the folder above", "beside it"])
def test_a_graph_with_weights_elsewhere_is_never_opened(folder, kind, never_opened):
    """The real model, whose embeddings are said to be in a file that exists and is large enough."""
    onnx = pytest.importorskip("onnx")
    secret = folder.parent / "secret.bin"
    secret.write_bytes(np.zeros(100, np.float32).tobytes())
    (folder / "link.bin").symlink_to(secret)
    (folder / "up").symlink_to(folder.parent)
    shutil.copy(secret, folder / "beside.bin")
    location = {"parent": "../secret.bin", "absolute": str(secret), "link": "link.bin",
                "link to the folder above": "up/secret.bin", "beside it": "beside.bin"}[kind]  # fmt: skip
    model = onnx.load(folder / "model.onnx")
    model.graph.initializer.append(external_tensor(location))
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    with pytest.raises(ModelError, match=r"model\.onnx is refused: it has weights outside.*mderank export") as caught:
        load_encoder(folder)
    assert location in str(caught.value)


def test_a_graph_that_is_empty(tmp_path):
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(ModelError, match=r"model\.onnx cannot be loaded"):
        check_graph_file(tmp_path / "model.onnx")


def test_field_numbers_that_readers_would_cut_off():
    # Field 7 with a bit above the 32nd: a reader of 32 bits sees a graph.
    with pytest.raises(ValueError, match="too large"):
        find_external_data(memoryview(bytes([0xBA, 0x80, 0x80, 0x80, 0x10, 0x00])))


def test_numbers_that_never_end():
    with pytest.raises(ValueError, match="more than ten bytes"):
        find_external_data(memoryview(b"\xff" * 1000))


def test_graphs_in_graphs_in_graphs():
    def message(field, content):
        return onnx_graph._varint(field << 3 | 2) + onnx_graph._varint(len(content)) + content

    graph = b""
    for _ in range(onnx_graph.MAX_DEPTH):
        graph = message(1, message(5, message(6, graph)))
    with pytest.raises(ValueError, match="nested more than 100 deep"):
        find_external_data(memoryview(message(7, graph)))


def test_more_fields_than_a_graph_has(monkeypatch):
    monkeypatch.setattr(onnx_graph, "MAX_FIELDS", 1000)
    with pytest.raises(ValueError, match="more than 1,000 fields"):
        find_external_data(memoryview(b"\x08\x01" * 1001))


def test_ids_that_the_graph_does_not_have_are_one_error():
    encoder = load_encoder()
    with pytest.raises(ModelError, match=r"model\.onnx cannot compute 1 sequences of 2 tokens"):
        encoder.hidden_states(EncoderInputs(np.array([[101, 10_000_000]])), 6)


@pytest.mark.slow
def test_states_of_another_size(folder):
    data = json.loads((folder / "encoder.json").read_text()) | {"dimension": 100}
    (folder / "encoder.json").write_text(json.dumps(data))
    with pytest.raises(ModelError, match=r"gives states of the shape \(1, 2, 384\), and not \(1, 2, 100\)"):
        load_encoder(folder).hidden_states(EncoderInputs(np.array([[101, 102]])), 6)


# --- encoder.json -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"layers": 10**12}, "layers must be a whole number from 1 to 1,000"),
        ({"layers": 0}, "layers must be"),
        ({"layers": True}, "layers must be"),
        ({"dimension": "384"}, "dimension must be"),
        ({"max_length": 10**9}, "max_length must be"),
        ({"max_length": 2}, "leaves no room for a text"),
        ({"max_length": 512.0}, "max_length must be"),
        ({"mask_id": -1}, "mask_id must be"),
        ({"prefix": ["x"]}, "prefix and suffix must be lists of token ids"),
        ({"suffix": "ab"}, "prefix and suffix must be lists of token ids"),
        ({"first_position": -3}, "first_position must be"),
        ({"one_pass": "yes"}, "one_pass must be true or false"),
        ({"name": 7}, "name must be a text"),
        ({"name": "x" * 2_000_000}, "more than 1,000,000 bytes"),
    ],
)
def test_a_spec_with_wrong_values(folder, change, message):
    data = json.loads((folder / "encoder.json").read_text()) | change
    (folder / "encoder.json").write_text(json.dumps(data))
    with pytest.raises(ModelError, match=f"encoder.json cannot be read.*{message}.*mderank export"):
        load_encoder(folder)


@pytest.mark.parametrize("content", ["[" * 100_000, '{"layers": ' + "9" * 5_000 + "}"])
def test_a_spec_that_is_hostile_json(folder, content):
    (folder / "encoder.json").write_text(content)
    with pytest.raises(ModelError, match=r"encoder\.json cannot be read"):
        load_encoder(folder)


# --- tokenizers -------------------------------------------------------------------------------------------------------


def tokenizer_with(tmp_path, **changes):
    content = json.loads((BUNDLED_MODEL_FOLDER / "tokenizer.json").read_text()) | changes
    file = tmp_path / "tokenizer.json"
    file.write_text(json.dumps(content))
    return file


def split_at(pattern):
    return {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}


@pytest.mark.parametrize(
    "changes",
    [
        {"pre_tokenizer": split_at("(a+)+$")},
        {"normalizer": {"type": "Replace", "pattern": {"Regex": "(a|a)*$"}, "content": ""}},
        {"pre_tokenizer": {"type": "Sequence", "pretokenizers": [split_at(" "), split_at("(a?){40}")]}},
    ],
    ids=["pre-tokenizer", "normalizer", "sequence"],
)
def test_a_regular_expression_that_hangs(tmp_path, changes):
    with pytest.raises(ModelError, match=r"tokenizer\.json is refused.*can be matched in several ways.*original model"):
        load_tokenizer(tokenizer_with(tmp_path, **changes))


def test_a_regular_expression_behind_escapes(tmp_path):
    file = tokenizer_with(tmp_path, pre_tokenizer=split_at("(a+)+$"))
    file.write_text(file.read_text().replace('"Regex"', '"\\u0052e\\u0067ex"'))
    with pytest.raises(ModelError, match="can be matched in several ways"):
        load_tokenizer(file)


def test_a_harmless_regular_expression(tmp_path):
    tokenizer = load_tokenizer(tokenizer_with(tmp_path, pre_tokenizer=split_at(r"\s+|-")))
    assert len(tokenize(tokenizer, "coral reef")) > 1


@pytest.mark.slow
def test_a_panic_of_the_tokenizer_is_an_error():
    """tokenizers gives up on such an expression with an exception that is no Exception."""
    from tokenizers import Regex, Tokenizer, pre_tokenizers

    tokenizer = Tokenizer.from_file(str(BUNDLED_MODEL_FOLDER / "tokenizer.json"))
    tokenizer.pre_tokenizer = pre_tokenizers.Split(Regex("(a+)+$"), "isolated")
    with pytest.raises(ModelError, match="cannot divide the text"):
        tokenize(prepare_tokenizer(tokenizer), "a" * 40 + "c")


def test_a_tokenizer_file_that_is_too_large(tmp_path, monkeypatch):
    monkeypatch.setattr(file_checks, "MAX_TOKENIZER_BYTES", 1000)
    with pytest.raises(ModelError, match=r"tokenizer\.json is refused.*more than 1,000 bytes"):
        load_tokenizer(tokenizer_with(tmp_path))


@pytest.mark.slow
def test_no_more_than_the_limit_is_read(tmp_path):
    file = tmp_path / "tokenizer.json"
    with file.open("wb") as stream:
        stream.truncate(1 << 40)  # a terabyte of zeros, which takes no space
    with pytest.raises(ModelError, match="more than 40,000,000 bytes"):
        read_tokenizer_file(file)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "tokenizer.json")
    with pytest.raises(ModelError, match="not a regular file"):
        read_tokenizer_file(tmp_path / "tokenizer.json")


@pytest.mark.parametrize("content", [b'{"Regex": ' + b"[" * 100_000, b'"Regex', b"\xff\xfe Regex"])
def test_a_tokenizer_file_that_is_hostile_json(tmp_path, content):
    (tmp_path / "tokenizer.json").write_bytes(content)
    with pytest.raises(ModelError, match=r"tokenizer\.json is refused"):
        load_tokenizer(tmp_path / "tokenizer.json")


def test_words_of_any_length_in_square_time(tmp_path):
    model = json.loads((BUNDLED_MODEL_FOLDER / "tokenizer.json").read_text())["model"]
    file = tokenizer_with(tmp_path, model=model | {"max_input_chars_per_word": 10**9})
    with pytest.raises(ModelError, match=r"max_input_chars_per_word is 1,000,000,000"):
        load_tokenizer(file)


# --- folders for transformers -----------------------------------------------------------------------------------------


@pytest.fixture
def hugging_face(tiny_model, tmp_path):
    return shutil.copytree(tiny_model("bert"), tmp_path / "stranger")


def change(file, **changes):
    file.write_text(json.dumps(json.loads(file.read_text()) | changes))


def test_an_ordinary_folder(hugging_face):
    check_transformers_folder(hugging_face)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_hidden_layers": 10**9}, "num_hidden_layers is '1000000000', and must be a whole number up to 1,000"),
        ({"hidden_size": "16"}, "hidden_size is '16'"),
        ({"vocab_size": 1e300}, "vocab_size"),
        ({"text_config": {"num_hidden_layers": 10**9}}, "num_hidden_layers"),
        ({"attn_implementation": "stranger/kernel"}, "may be code from the hub"),
        ({"transformers_weights": "adapter_model.bin"}, "names a file of weights of its own"),
    ],
)
def test_a_configuration_that_is_refused(hugging_face, changes, message):
    change(hugging_face / "config.json", **changes)
    with pytest.raises(ModelError, match=rf"config\.json is refused: .*{message}.*original model"):
        load_encoder(hugging_face)


def test_weights_that_the_configuration_names_are_not_unpickled(hugging_face, monkeypatch):
    """transformers reads ``adapter_model.bin`` by torch.load if the configuration says so."""
    torch = pytest.importorskip("torch")
    torch.save({"x": torch.zeros(1)}, hugging_face / "adapter_model.bin")
    change(hugging_face / "config.json", transformers_weights="adapter_model.bin")
    monkeypatch.setattr(torch, "load", lambda *_, **__: pytest.fail("torch.load was called"))
    with pytest.raises(ModelError, match=r"config\.json is refused"):
        load_encoder(hugging_face)


def test_an_adapter(hugging_face):
    (hugging_face / "adapter_config.json").write_text('{"base_model_name_or_path": "stranger/model"}')
    with pytest.raises(ModelError, match=r"adapter_config\.json is refused.*merge it"):
        load_encoder(hugging_face)


@pytest.mark.parametrize("name", ["../model.safetensors", "/etc/model.safetensors", "weights.bin", "..\\x.safetensors"])
def test_an_index_that_leads_out_of_the_folder(hugging_face, name):
    (hugging_face / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"x": name}}))
    with pytest.raises(ModelError, match=r"index\.json is refused: it names .* not a \.safetensors file beside it"):
        load_encoder(hugging_face)


def test_an_index_without_a_map(hugging_face):
    (hugging_face / "model.safetensors.index.json").write_text("{}")
    with pytest.raises(ModelError, match="it has no weight_map"):
        load_encoder(hugging_face)


def test_a_header_that_is_larger_than_any(hugging_face):
    with (hugging_face / "model.safetensors").open("wb") as stream:
        stream.write((50_000_000).to_bytes(8, "little"))
        stream.truncate(100_000_000)
    with pytest.raises(ModelError, match=r"model\.safetensors is refused: its header has 50,000,000 bytes"):
        load_encoder(hugging_face)


@pytest.mark.parametrize("content", [b"", b"1234", (1 << 60).to_bytes(8, "little") + b"{}"])
def test_a_header_that_is_longer_than_its_file(hugging_face, content):
    (hugging_face / "model.safetensors").write_bytes(content)
    with pytest.raises(ModelError, match=r"model\.safetensors is not a safetensors file, or is cut off"):
        load_encoder(hugging_face)


@pytest.mark.parametrize(
    ("name", "size"), [("config.json", 10_000_001), ("vocab.txt", 40_000_001), ("unigram.json", 40_000_001)]
)
def test_a_file_that_is_too_large(hugging_face, name, size):
    with (hugging_face / name).open("wb") as stream:
        stream.truncate(size)
    with pytest.raises(ModelError, match=rf"{name} is refused: it has more than"):
        load_encoder(hugging_face)


@pytest.mark.parametrize("name", ["vocab.json", "unigram.json"])
def test_a_vocabulary_of_many_languages(hugging_face, name):
    (hugging_face / name).write_bytes(b" " * 15_000_000)
    check_transformers_folder(hugging_face)


@pytest.mark.parametrize("content", ["[]", "{", "[" * 100_000])
def test_a_configuration_that_is_none(hugging_face, content):
    (hugging_face / "config.json").write_text(content)
    with pytest.raises(ModelError, match=r"config\.json is refused"):
        load_encoder(hugging_face)


@pytest.mark.parametrize("content", ["[1, 2]", "{}", "7", "[" * 100_000])
def test_a_list_of_modules_that_is_none(hugging_face, content):
    (hugging_face / "modules.json").write_text(content)
    assert load_encoder(hugging_face, device="cpu").spec.pooling == "max"


def test_the_tokenizer_of_such_a_folder_is_checked_too(hugging_face):
    change(hugging_face / "tokenizer.json", pre_tokenizer=split_at("(a+)+$"))
    with pytest.raises(ModelError, match="can be matched in several ways"):
        load_encoder(hugging_face)
