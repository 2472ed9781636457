"""Nothing from a file is unpickled in the user's process: the unpicklers are replaced, and everything is loaded."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from mderank import methods

PACKAGE = Path(methods.__file__).parents[1]
# Run first in a process: from then on every unpickler raises. Bytecode of Python's own modules is still read.
REFUSING = """
import _pickle
import pickle
import sys


class PickleOpenedError(BaseException):
    '''No Exception, so that no library can catch it and go on.'''


def refuse(*_, **__):
    raise PickleOpenedError("a pickle was opened")


class RefusingUnpickler:
    '''Libraries make subclasses of it when they are imported; none may be used.'''

    def __init__(self, *_, **__):
        refuse()

    load = find_class = persistent_load = refuse


for module in (pickle, _pickle):
    for name in ("load", "loads", "_load", "_loads"):
        if hasattr(module, name):
            setattr(module, name, refuse)
    for name in ("Unpickler", "_Unpickler"):
        if hasattr(module, name):
            setattr(module, name, RefusingUnpickler)


def watch(event, _arguments):
    '''What reaches the unpickler in C by another way raises this event.'''
    if event == "pickle.find_class":
        refuse()


sys.addaudithook(watch)
"""

# Where bytes are unpickled that mderank itself has pickled, for its own processes; and the converter of old weights,
# which is a process of its own and uses torch's restricted unpickler.
OWN_PICKLES = {
    "batch/worker.py": {"pickle.loads"},
    "batch/engines/remote.py": {"pickle.loads"},
    "serve/worker.py": {"pickle.load"},
}
CONVERTER = {"encoding/convert_weights.py": {"torch.load"}}
# With allow_pickle=False, which a test below checks.
ARRAYS = {"tagging/tag_network.py": {"np.load"}}
UNPICKLERS = {"pickle.load", "pickle.loads", "pickle.Unpickler", "torch.load", "joblib.load", "dill.load", "dill.loads",
              "cloudpickle.load", "cloudpickle.loads", "marshal.load", "marshal.loads", "shelve.open", "np.load",
              "numpy.load", "pandas.read_pickle", "pd.read_pickle"}  # fmt: skip


# torch's restricted unpickler is written in Python and uses none of the others.
RESTRICTED = """
import torch._weights_only_unpickler
torch._weights_only_unpickler.Unpickler = RefusingUnpickler
torch._weights_only_unpickler.load = refuse
"""


def calls(file: Path) -> set[str]:
    """The dotted names that a file calls or mentions."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    return {ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def imports(file: Path) -> set[str]:
    """The names that a file imports one by one, with their module."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    found = (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {f"{node.module}.{each.name}" for node in found for each in node.names}


def test_unpicklers_are_named_in_known_files_only():
    found = {
        file.relative_to(PACKAGE).as_posix(): names
        for file in PACKAGE.rglob("*.py")
        if (names := (calls(file) | imports(file)) & UNPICKLERS)
    }
    assert found == OWN_PICKLES | CONVERTER | ARRAYS


def test_arrays_are_read_without_pickles():
    for file in ARRAYS:
        tree = ast.parse((PACKAGE / file).read_text(encoding="utf-8"))
        loads = [each for each in ast.walk(tree) if isinstance(each, ast.Call) and ast.unparse(each.func) == "np.load"]
        assert loads
        assert all("allow_pickle=False" in map(ast.unparse, each.keywords) for each in loads)


def test_the_converter_restricts_its_unpickler():
    (call,) = (
        node
        for node in ast.walk(ast.parse((PACKAGE / "encoding/convert_weights.py").read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "torch.load"
    )
    assert {each.arg: ast.unparse(each.value) for each in call.keywords}["weights_only"] == "True"


def run_refusing(script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a script in a process in which every unpickler raises."""
    code = REFUSING + (RESTRICTED if "torch" in script else "") + script
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        capture_output=True, text=True, check=False, env={**os.environ, "HF_HUB_OFFLINE": "1"},
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "script",
    [
        "import pickle; pickle.loads(pickle.dumps(1))",
        "import pickle, io; pickle.load(io.BytesIO(pickle.dumps([1])))",
        "import pickle, io; pickle.Unpickler(io.BytesIO(pickle.dumps([1]))).load()",
        "import _pickle, pickle; _pickle.loads(pickle.dumps(1))",
        "import numpy as np, io; f = io.BytesIO(); np.save(f, [{}]); f.seek(0); np.load(f, allow_pickle=True)",
        "import torch, io; f = io.BytesIO(); torch.save({}, f); f.seek(0); torch.load(f, weights_only=False)",
        "import torch, io; f = io.BytesIO(); torch.save({}, f); f.seek(0); torch.load(f, weights_only=True)",
    ],
)
def test_the_test_itself_notices_a_pickle(script):
    if "torch" in script:
        pytest.importorskip("torch")
    done = run_refusing(script)
    assert done.returncode != 0
    assert "PickleOpenedError" in done.stderr


EXTRACT = """
from mderank import FusionRank, MDERank, build_extractor, Options
text = "Coral reefs protect the coast from storms. Warm water bleaches coral reefs."
assert FusionRank().extract(text) and MDERank().extract(text)
for method in ("yake", "textrank", "tfidf", "multipartiterank"):
    assert build_extractor(Options(method=method)).extract(text)
"""
PIPELINE = """
import spacy, sys
from mderank.tagging import SpacyTagger
nlp = SpacyTagger().nlp
nlp.to_disk(sys.argv[1])
assert list(SpacyTagger(sys.argv[1]).tag(["Coral reefs protect the coast."]))
"""
TORCH = """
import sys, torch
from mderank import MDERank, load_encoder
assert MDERank(load_encoder(sys.argv[1], device="cpu")).extract("Coral reefs protect the coast from storms.")
"""
FREQUENCIES = """
import sys
from pathlib import Path
from mderank.methods.frequencies import DocumentFrequencies, WordFrequencies, general_frequency
file = Path(sys.argv[1]) / "counts.json.gz"
DocumentFrequencies(2, {"reef": 1}).save(file)
assert DocumentFrequencies.load(file).documents == 2
WordFrequencies({"reef": 1}).save(file)
assert WordFrequencies.load(file).words == 1
assert general_frequency("reef", "en") > 0
"""
VECTORS = """
import sys
from pathlib import Path
from mderank.methods.static.vector_files import read_vectors
file = Path(sys.argv[1]) / "vectors.txt"
file.write_text("reef 1 2\\ncoral 3 4\\n")
assert len(read_vectors(file)[0]) == 2
"""
CHECKPOINT = """
import sys, torch
from pathlib import Path
from mderank.research.training import run_folder
file = Path(sys.argv[1]) / "weights.safetensors"
run_folder._save_tensors({"x": torch.ones(2)}, file)
assert run_folder._load_tensors(file)["x"].sum() == 2
"""
ELMO = """
import sys, torch
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from tests.methods.sifrank.test_elmo import write
from mderank.methods.sifrank.elmo import Elmo
assert Elmo(write(Path(sys.argv[1]) / "elmo"), device="cpu").hidden_states([["reef"]], 1)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "needs"),
    [
        pytest.param(EXTRACT, (), id="the bundled encoder and the English pipeline"),
        pytest.param(PIPELINE, (), id="the folder of a spaCy pipeline"),
        pytest.param(FREQUENCIES, ("wordfreq",), id="frequencies"),
        pytest.param(VECTORS, (), id="word vectors"),
        pytest.param(CHECKPOINT, ("torch", "safetensors", "accelerate"), id="a checkpoint"),
        pytest.param(ELMO, ("torch", "h5py"), id="ELMo"),
    ],
)
def test_nothing_is_unpickled(script, needs, tmp_path):
    for package in needs:
        pytest.importorskip(package)
    done = run_refusing(script, tmp_path / "it" if script == PIPELINE else tmp_path, Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("pickled", [False, True], ids=["safetensors", "pytorch_model.bin"])
def test_nothing_is_unpickled_for_a_hugging_face_encoder(tiny_model, tmp_path, monkeypatch, pickled):
    """Weights in a pickle are converted by another process, which is not the user's."""
    import shutil

    import torch
    from safetensors.torch import load_file

    folder = shutil.copytree(tiny_model("bert"), tmp_path / "model")
    monkeypatch.setenv("MDERANK_CACHE_DIR", str(tmp_path / "cache"))
    if pickled:
        torch.save(load_file(folder / "model.safetensors"), folder / "pytorch_model.bin")
        (folder / "model.safetensors").unlink()
    done = run_refusing(TORCH, folder)
    assert done.returncode == 0, done.stderr
