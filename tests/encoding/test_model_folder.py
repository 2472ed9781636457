import io
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from tests.conftest import TEXT
from tests.stand_in_hub import StandInHub

from mderank import MissingExtraError, ModelError, WeightsConvertedWarning, load_encoder
from mderank.encoding import EncoderInputs
from mderank.encoding.model_folder import cache_folder, model_folder

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")

IDS = np.array([[1, 40, 50, 60, 2]])


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """A cache for each test."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("MDERANK_CACHE_DIR", str(folder))
    return folder


def pickled(folder, target):
    """A copy of a model whose weights are in pytorch_model.bin only."""
    from safetensors.torch import load_file

    shutil.copytree(folder, target, ignore=shutil.ignore_patterns("*.safetensors"))
    torch.save(load_file(folder / "model.safetensors"), target / "pytorch_model.bin")
    return target


@pytest.fixture
def old(tiny_model, tmp_path):
    """A tiny BERT with pickled weights, which a test may spoil."""
    return pickled(tiny_model("bert"), tmp_path / "old")


def tiny_bigbird(folder):
    """A BigBird as the hub has it: pickled weights with a language model's head, and a tokenizer in spiece.model."""
    sentencepiece = pytest.importorskip("sentencepiece")
    folder.mkdir(parents=True)
    tokenizer = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([TEXT]), model_writer=tokenizer, vocab_size=100, hard_vocab_limit=False, pad_id=0,
        eos_id=1, bos_id=2, unk_id=3, user_defined_symbols=["[CLS]", "[SEP]", "[MASK]"], minloglevel=2)  # fmt: skip
    (folder / "spiece.model").write_bytes(tokenizer.getvalue())
    config = transformers.BigBirdConfig(
        vocab_size=100, hidden_size=16, intermediate_size=32, num_attention_heads=2, num_hidden_layers=2,
        max_position_embeddings=256, initializer_range=0.5, block_size=4, num_random_blocks=1)  # fmt: skip
    config.save_pretrained(folder)
    torch.manual_seed(7)
    model = transformers.BigBirdForMaskedLM(config).eval()
    torch.save(model.state_dict(), folder / "pytorch_model.bin")
    return model


@pytest.mark.slow
def test_a_folder_with_pickled_weights_is_converted_once(tiny_model, old, cache):
    with pytest.warns(WeightsConvertedWarning, match=r"'.*old' has pickled weights only") as caught:
        encoder = load_encoder(old)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = load_encoder(old)
    expected = load_encoder(tiny_model("bert"))
    for each in (encoder, again):
        assert_array_equal(each.hidden_states(EncoderInputs(IDS), 2), expected.hidden_states(EncoderInputs(IDS), 2))
        assert each.spec.name == str(old)
    (converted,) = (cache / "converted").iterdir()
    assert encoder.folder == converted
    assert str(converted) in str(caught[0].message)
    assert not (old / "model.safetensors").exists()


@pytest.mark.slow
def test_other_weights_and_another_configuration_are_converted_anew(old):
    def found():
        with pytest.warns(WeightsConvertedWarning):
            return model_folder(str(old))

    first = found()
    weights = torch.load(old / "pytorch_model.bin", weights_only=True)
    torch.save({name: tensor * 2 for name, tensor in weights.items()}, old / "pytorch_model.bin")
    second = found()
    config = json.loads((old / "config.json").read_text())
    (old / "config.json").write_text(json.dumps(config | {"hidden_act": "relu"}))
    third = found()
    assert len({first, second, third}) == 3
    assert json.loads((third / "config.json").read_text())["hidden_act"] == "relu"


@pytest.mark.slow
def test_shards(tiny_model, old):
    weights = torch.load(old / "pytorch_model.bin", weights_only=True)
    (old / "pytorch_model.bin").unlink()
    names, index = sorted(weights), {}
    for number, some in enumerate((names[::2], names[1::2]), 1):
        file = f"pytorch_model-{number:05}-of-00002.bin"
        torch.save({name: weights[name] for name in some}, old / file)
        index |= dict.fromkeys(some, file)
    (old / "pytorch_model.bin.index.json").write_text(json.dumps({"metadata": {}, "weight_map": index}))
    with pytest.warns(WeightsConvertedWarning):
        encoder = load_encoder(old)
    assert_array_equal(
        encoder.hidden_states(EncoderInputs(IDS), 2),
        load_encoder(tiny_model("bert")).hidden_states(EncoderInputs(IDS), 2),
    )


@pytest.mark.slow
def test_an_index_that_leads_out_of_the_folder(old, tmp_path):
    os.rename(old / "pytorch_model.bin", tmp_path / "elsewhere.bin")
    (old / "pytorch_model.bin.index.json").write_text(json.dumps({"weight_map": {"a": "../elsewhere.bin"}}))
    with pytest.raises(ModelError, match=r"will not be loaded: .*names '\.\./elsewhere\.bin', which is not"):
        load_encoder(old)


class Bomb:
    """Creates a file when it is unpickled."""

    def __init__(self, file):
        self.file = file

    def __reduce__(self):
        return (os.mkdir, (str(self.file),))


@pytest.mark.slow
@pytest.mark.parametrize("where", ["alone", "beside the weights", "old format"])
def test_code_in_weights_is_never_run(old, tmp_path, cache, where):
    crater = tmp_path / "crater"
    weights = torch.load(old / "pytorch_model.bin", weights_only=True)
    content = Bomb(crater) if where == "alone" else {**weights, "more": Bomb(crater)}
    torch.save(content, old / "pytorch_model.bin", _use_new_zipfile_serialization=where != "old format")
    with pytest.raises(
        ModelError, match=r"weights of '.*old' will not be loaded: pytorch_model\.bin cannot be"
    ) as caught:
        load_encoder(old)
    assert "\n" not in str(caught.value)
    assert not crater.exists()
    assert list((cache / "converted").iterdir()) == []
    torch.load(old / "pytorch_model.bin", weights_only=False)  # so that the test tests something
    assert crater.exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ([1, 2], "does not hold tensors by name"),
        ({"epoch": 3}, "holds 'epoch', which is not an ordinary tensor"),
        (None, "cannot be read as plain tensors"),
    ],
)
def test_files_that_are_no_weights(old, content, message):
    if content is None:
        (old / "pytorch_model.bin").write_bytes(b"version https://git-lfs.github.com/spec/v1\n")
    else:
        torch.save(content, old / "pytorch_model.bin")
    with pytest.raises(ModelError, match=f"will not be loaded: pytorch_model.bin {message}"):
        load_encoder(old)


def test_a_cache_that_cannot_be_written_to(old, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MDERANK_CACHE_DIR", str(tmp_path / "file"))
    with pytest.raises(ModelError, match="set MDERANK_CACHE_DIR to a folder that can be written to"):
        load_encoder(old)


@pytest.mark.slow
def test_a_conversion_that_dies(old, monkeypatch):
    monkeypatch.setattr(sys, "executable", shutil.which("false"))
    with pytest.raises(ModelError, match=r"the conversion ended with exit status 1 .*memory"):
        load_encoder(old)


def test_where_the_cache_is(monkeypatch, tmp_path):
    assert cache_folder() == tmp_path / "cache"
    monkeypatch.delenv("MDERANK_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/var/caches")
    assert cache_folder() == Path("/var/caches/mderank")
    monkeypatch.delenv("XDG_CACHE_HOME")
    assert cache_folder() == Path.home() / ".cache" / "mderank"


@pytest.mark.slow
@pytest.mark.parametrize("blocked", ["sentencepiece", "google.protobuf"])
def test_a_library_of_the_tokenizer_that_is_missing(tmp_path, monkeypatch, blocked):
    tiny_bigbird(tmp_path / "bigbird")
    monkeypatch.setitem(sys.modules, blocked, None)
    with (
        pytest.warns(WeightsConvertedWarning),
        pytest.raises(MissingExtraError, match=r"tokenizer of '.*bigbird', spiece\.model, .*'mderank\[torch\]'"),
    ):
        load_encoder(tmp_path / "bigbird")


@pytest.mark.slow
def test_training_takes_pickled_weights(tiny_model, tmp_path):
    pytest.importorskip("accelerate")
    from mderank.research.training import encoder as trained
    from mderank.research.training.recipe import Recipe

    folder = tmp_path / "bigbird"
    original = tiny_bigbird(folder)
    recipe = Recipe.parse({
        "model": {"name": str(folder), "pooling": "mean"},
        "corpus": {"files": ["corpus.txt"]},
        "objective": {"kind": "triplet", "mlm_weight": 0.5},
    })  # fmt: skip
    with pytest.warns(WeightsConvertedWarning):
        encoder, objective = trained.load_trainable(recipe, torch.device("cpu"))
    assert torch.equal(objective.head.cls.predictions.decoder.weight, original.cls.predictions.decoder.weight)
    (tmp_path / "out").mkdir()
    trained.save_encoder(tmp_path / "out", recipe, objective)
    written = load_encoder(tmp_path / "out")
    assert_allclose(
        written.hidden_states(EncoderInputs(IDS), 2), encoder.hidden_states(EncoderInputs(IDS), 2), atol=1e-6
    )
    assert written.tokenize(TEXT).ids.tolist() == encoder.tokenize(TEXT).ids.tolist()
    assert written.spec.pooling == "mean"


# Loads each model and prints what it is and what it computes.
LOAD = """
import json, sys, warnings
import numpy as np
from mderank import MDERankError, load_encoder
from mderank.encoding import EncoderInputs

for name in sys.argv[1:]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            encoder = load_encoder(name, device="cpu")
        except MDERankError as error:
            print(json.dumps({"name": name, "error": str(error), "kind": type(error).__name__}))
            continue
    states = encoder.hidden_states(EncoderInputs(np.array([[1, 40, 50, 60, 2]])), 2).tolist()
    said = [str(warning.message) for warning in caught]
    print(json.dumps({"name": name, "pooling": encoder.spec.pooling, "states": states, "said": said,
                      "pieces": encoder.tokenize("Coral reefs").ids.tolist()}))
"""


def loaded(environment, *names):
    """By name what a process of its own says of the models, and all that it writes on stderr."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD, *names], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return {row["name"]: row for row in map(json.loads, done.stdout.splitlines())}, done.stderr


@pytest.mark.slow
def test_models_of_the_hub_load_and_then_work_without_it(tiny_model, tmp_path):
    models = tmp_path / "hub" / "models"
    original = tiny_bigbird(models / "google" / "bigbird-roberta-base")
    shutil.copytree(tiny_model("bert"), models / "bert-base-uncased")
    modules = [{"idx": 0, "type": "x.models.Transformer"}, {"idx": 1, "type": "x.models.Pooling"}]
    (models / "bert-base-uncased" / "modules.json").write_text(json.dumps(modules))
    bigbird, bert = names = ("google/bigbird-roberta-base", "bert-base-uncased")
    with StandInHub(tmp_path / "hub") as hub:
        home = tmp_path / "home"
        online, _ = loaded(hub.environment(home), *names)
        # Only files were asked for, and lists of them: transformers would have the hub convert the weights.
        files = re.compile(r"GET /api/models/\S+/(revision|tree)/\S+|(HEAD|GET) /(google/)?b[\w-]+/resolve/\S+")
        assert [request for request in hub.requests if not files.fullmatch(request)] == []
        count = len(hub.requests)
        offline, _ = loaded(hub.environment(home, HF_HUB_OFFLINE="1"), *names, "nobody/no-such-model")
        assert len(hub.requests) == count
        unknown, _ = loaded(hub.environment(home), "nobody/no-such-model")
    unreachable, printed = loaded(hub.environment(home), *names, "nobody/no-such-model")
    assert printed == ""

    with torch.inference_mode():
        states = original(torch.from_numpy(IDS), output_hidden_states=True).hidden_states[2].numpy()
    assert_allclose(online[bigbird]["states"], states, atol=1e-5)
    assert_allclose(
        online[bert]["states"], load_encoder(tiny_model("bert")).hidden_states(EncoderInputs(IDS), 2), atol=1e-5
    )
    assert (online[bigbird]["pooling"], online[bert]["pooling"]) == ("max", "mean")
    assert len(online[bigbird].pop("said")) == 1
    assert online[bert].pop("said") == []
    for later in (offline, unreachable):
        assert [later[name].pop("said") for name in names] == [[], []]
        assert {name: later[name] for name in names} == online

    assert "the Hugging Face hub has no model of that name" in unknown["nobody/no-such-model"]["error"]
    assert "(HF_HUB_OFFLINE is set)" in offline["nobody/no-such-model"]["error"]
    for later in (offline, unreachable):
        error = later["nobody/no-such-model"]["error"]
        assert "'nobody/no-such-model' cannot be loaded: it is neither a folder nor wholly in the cache" in error
        assert "give a folder that holds the model, or load it once while online" in error
        assert "\n" not in error


@pytest.mark.slow
def test_a_model_of_the_hub_with_code_in_its_weights(tiny_model, tmp_path):
    folder = pickled(tiny_model("bert"), tmp_path / "hub" / "models" / "evil" / "bert")
    torch.save({"embeddings": Bomb(tmp_path / "crater")}, folder / "pytorch_model.bin")
    with StandInHub(tmp_path / "hub") as hub:
        found, _ = loaded(hub.environment(tmp_path / "home"), "evil/bert")
    assert found["evil/bert"]["kind"] == "ModelError"
    assert "the weights of 'evil/bert' will not be loaded" in found["evil/bert"]["error"]
    assert not (tmp_path / "crater").exists()


@pytest.mark.slow
def test_what_another_program_left_in_the_hub_s_cache_is_enough(tiny_model, tmp_path):
    models = tmp_path / "hub" / "models"
    shutil.copytree(tiny_model("bert"), models / "bert-base-uncased")
    (models / "bert-base-uncased" / "notes.json").write_text("{}")
    download = (
        "import huggingface_hub as hub; hub.snapshot_download('bert-base-uncased', ignore_patterns=['notes.json'])"
    )
    with StandInHub(tmp_path / "hub") as hub:
        environment = hub.environment(tmp_path / "home")
        subprocess.run([sys.executable, "-c", download], env=environment, check=True, capture_output=True)
    found, _ = loaded(environment, "bert-base-uncased")
    assert "error" not in found["bert-base-uncased"]
