import json
import pickle
import shutil

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mderank import FusionRank, ModelError, OptionError, Span, load_encoder
from mderank.encoding import Request, embed
from mderank.encoding.onnx import read_spec
from mderank.encoding.text_prefix import default_text_prefix
from mderank.encoding.tokenizer import load_tokenizer, prefix_tokens
from mderank.testing import FakeTagger

pytest.importorskip("torch")
from mderank.encoding.torch import TorchEncoder

KINDS = ["multilingual", "xlm-roberta"]


@pytest.fixture
def e5(tiny_model, tmp_path):
    """A tiny encoder that a test may spoil."""
    return shutil.copytree(tiny_model("multilingual"), tmp_path / "multilingual-e5-small")


@pytest.fixture
def prefixed(tiny_model):
    return TorchEncoder(str(tiny_model("multilingual")), device="cpu", text_prefix="query: ")


def test_the_tokens_of_a_prefix_are_those_that_it_has_before_a_text(tiny_model):
    for kind in ("bert", "roberta", *KINDS):
        tokenizer = load_tokenizer(tiny_model(kind) / "tokenizer.json")
        found = prefix_tokens(tokenizer, "query: ")
        assert tokenizer.encode("query: coral reefs", add_special_tokens=False).ids[: len(found)] == list(found)
        assert len(tokenizer.encode("query: coral", add_special_tokens=False).ids) > len(found) > 1
    assert prefix_tokens(tokenizer, "") == ()


def test_every_text_is_read_behind_the_prefix(prefixed, tiny_model):
    plain = load_encoder(tiny_model("multilingual"))
    assert prefixed.spec.text_prefix == "query: "
    ids = prefixed.tokenize("coral reefs").ids
    assert ids.tolist() == plain.tokenize("coral reefs").ids.tolist()  # offsets are those of the text
    expected = plain.spec.add_special_tokens(plain.tokenize("query: coral reefs").ids)
    assert prefixed.spec.add_special_tokens(ids).tolist() == expected.tolist()
    assert prefixed.spec.capacity == plain.spec.capacity - (len(expected) - len(ids) - 2)


def test_one_pass_and_exact_put_it_before_windows_and_phrases(prefixed, tiny_model, text):
    encoder = prefixed
    tokens = encoder.tokenize(text)
    masks = [(Span(0, 5),), (Span(60, 65), Span(90, 97))]
    request = Request(tokens, (), masks, [encoder.tokenize("coral reefs")])
    results = [embed(encoder, [request], pooling="mean", layer=2, exact=exact)[0] for exact in (False, True)]
    for one, two in ((results[0].document, results[1].document), (results[0].phrases, results[1].phrases)):
        assert_allclose(one, two, atol=1e-5)
    plain = load_encoder(tiny_model("multilingual"))
    written = embed(
        plain, [Request(plain.tokenize(""), (), (), [plain.tokenize("query: coral reefs")])],
        pooling="mean", layer=2, exact=False,
    )[0]  # fmt: skip
    assert_allclose(results[0].phrases, written.phrases, atol=1e-5)
    assert np.linalg.norm(results[0].changes, axis=1).min() > 0


def test_the_model_s_own_default_prompt(e5):
    file = e5 / "config_sentence_transformers.json"
    prompts = {"query": "query: ", "passage": "passage: "}
    file.write_text(json.dumps({"prompts": prompts, "default_prompt_name": "passage"}))
    assert load_encoder(e5).spec.text_prefix == "passage: "
    file.write_text(json.dumps({"prompts": prompts, "default_prompt_name": None}))
    assert load_encoder(e5).spec.text_prefix == ""


@pytest.mark.parametrize(
    "content",
    ["", "[]", "{}", '{"prompts": 3, "default_prompt_name": "q"}',
     json.dumps({"prompts": {"q": "x" * 1000}, "default_prompt_name": "q"})],
)  # fmt: skip
def test_a_configuration_that_names_none(tmp_path, content):
    (tmp_path / "config_sentence_transformers.json").write_text(content)
    assert default_text_prefix(tmp_path) == ""


def test_a_prefix_that_is_too_long(e5):
    with pytest.raises(OptionError, match="at most 200"):
        TorchEncoder(str(e5), text_prefix="x" * 1000)


def test_pickling_keeps_the_prefix(prefixed):
    assert pickle.loads(pickle.dumps(prefixed)).spec == prefixed.spec


def spec_file(folder, **changes):
    data = {"name": "x", "layers": 2, "dimension": 4, "max_length": 16, "mask_id": 4, "pad_id": 0, "prefix": [1, 9],
            "suffix": [2], "first_position": 0, "one_pass": True, "pooling": "mean"}  # fmt: skip
    (folder / "encoder.json").write_text(json.dumps(data | changes))
    return folder


def test_a_folder_that_was_written_without_one(tmp_path):
    assert read_spec(spec_file(tmp_path)).text_prefix == ""
    assert read_spec(spec_file(tmp_path, text_prefix="query: ")).text_prefix == "query: "


@pytest.mark.parametrize("prefix", [None, 3, ["query: "], "x" * 1000])
def test_a_prefix_that_is_none(tmp_path, prefix):
    with pytest.raises(ModelError, match="text_prefix must be a text"):
        read_spec(spec_file(tmp_path, text_prefix=prefix))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_exported(tiny_model, tmp_path, text, kind):
    pytest.importorskip("onnx")
    pytest.importorskip("onnxscript")
    from mderank.encoding.export import export

    spec = export(str(tiny_model(kind)), tmp_path / "out", text_prefix="query: ")
    exported = load_encoder(tmp_path / "out")
    assert (exported.spec, exported.takes_blocks, spec.text_prefix) == (spec, True, "query: ")
    original = TorchEncoder(str(tiny_model(kind)), device="cpu", text_prefix="query: ")
    one, two = (FusionRank(encoder, tagger=FakeTagger()).extract(text) for encoder in (original, exported))
    assert [each.text for each in one] == [each.text for each in two]
