import json
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mderank import ExactFallbackWarning, InputError, MDERank, MissingExtraError, ModelError, load_encoder
from mderank.encoding import Inputs, export
from mderank.testing import FakeTagger

for needed in ("torch", "onnx", "onnxscript"):
    pytest.importorskip(needed)


def packed(encoder):
    """A sequence of twelve tokens, of which the last two stand for the fourth and fifth and do not see them."""
    ids = np.array([[*encoder.spec.prefix, *range(20, 28), *encoder.spec.suffix, *[encoder.spec.mask_id] * 2]])
    visible = np.ones((1, 12, 12), np.bool_)
    visible[:, :10, 10:] = False
    visible[:, 10:, 3:5] = False
    return Inputs(ids, encoder.spec.first_position + np.array([[*range(10), 3, 4]]), visible)


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_exported_encoder_is_the_original(tiny_model, tmp_path, text, kind):
    original = load_encoder(tiny_model(kind))
    lines = []
    spec = export.export(str(tiny_model(kind)), tmp_path / "out", name="tiny", report=lines.append)
    exported = load_encoder(tmp_path / "out")
    assert exported.spec == spec
    assert (spec.name, spec.one_pass, spec.first_position) == ("tiny", True, original.spec.first_position)
    for layer in range(3):
        assert_allclose(exported.states(packed(original), layer), original.states(packed(original), layer), atol=1e-4)
    one, two = (MDERank(encoder, tagger=FakeTagger()).extract(text) for encoder in (original, exported))
    assert [each.text for each in one] == [each.text for each in two]
    assert any("one pass yes" in line for line in lines)


def test_what_is_written(tiny_model, tmp_path):
    export.export(str(tiny_model("bert")), tmp_path / "new" / "out")
    folder = tmp_path / "new" / "out"
    assert sorted(file.name for file in folder.iterdir()) == ["encoder.json", "model.onnx", "tokenizer.json"]
    notes = json.loads((folder / "encoder.json").read_text())
    assert notes["source"] == notes["name"] == tiny_model("bert").name
    assert notes["storage"] == "float32"
    assert notes["agreement"]["difference"] < 1e-3
    assert [file.name for file in folder.parent.iterdir()] == ["out"]
    assert str(tmp_path).encode() not in (folder / "model.onnx").read_bytes()


def test_an_empty_folder_is_taken(tiny_model, tmp_path):
    export.export(str(tiny_model("bert")), tmp_path)
    assert (tmp_path / "model.onnx").is_file()


def test_a_folder_that_is_not_empty(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="is not an empty folder"):
        export.export("any", tmp_path)
    with pytest.raises(InputError, match="is not an empty folder"):
        export.export("any", tmp_path / "notes.txt")
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_an_encoder_that_cannot_do_one_pass_is_exported_for_the_exact_form(tiny_model, tmp_path, text):
    spec = export.export(str(tiny_model("mpnet")), tmp_path / "out")
    assert not spec.one_pass
    with pytest.warns(ExactFallbackWarning):
        exported = MDERank(tmp_path / "out", tagger=FakeTagger())
    original = MDERank(tiny_model("mpnet"), tagger=FakeTagger(), exact=True)
    assert [each.text for each in exported.extract(text)] == [each.text for each in original.extract(text)]


def test_int8_takes_less_and_stays_close(tiny_model, tmp_path, monkeypatch):
    # A tiny vocabulary is below the size from which a table is worth storing in int8: lower it to that of the model.
    monkeypatch.setattr(export, "SMALLEST_INT8", 256)
    export.export(str(tiny_model("bert")), tmp_path / "whole")
    monkeypatch.setattr(export, "_SAME_RANKS", 0.8)
    export.export(str(tiny_model("bert")), tmp_path / "small", storage="int8")
    whole, small = (tmp_path / name / "model.onnx" for name in ("whole", "small"))
    assert small.stat().st_size < whole.stat().st_size
    original, exported = load_encoder(tiny_model("bert")), load_encoder(tmp_path / "small")
    difference = np.abs(original.states(packed(original), 2) - exported.states(packed(original), 2))
    assert 1e-6 < difference.max() < 0.5


@pytest.mark.parametrize("storage", ["float32", "int8"])
def test_a_form_that_does_not_agree_is_refused_and_nothing_is_written(tiny_model, tmp_path, monkeypatch, storage):
    monkeypatch.setattr(export, "compare", lambda one, other: {"difference": 0.2, "ranks": 0.9})
    with pytest.raises(ModelError, match=r"does not agree with the original .*0\.9000.*nothing was written"):
        export.export(str(tiny_model("bert")), tmp_path / "out", storage=storage)
    assert list(tmp_path.iterdir()) == []


def test_comparing_an_encoder_with_itself(tiny_model):
    encoder = load_encoder(tiny_model("bert"))
    assert export.compare(encoder, encoder) == {"difference": 0.0, "ranks": pytest.approx(1.0)}


def test_spearman_by_hand():
    # Differences of rank 0, 1, 1, 2, 2: 1 - 6 · 10 / (5 · 24)
    assert export.spearman(np.array([1.0, 2, 3, 4, 5]), np.array([10.0, 30, 20, 60, 50])) == pytest.approx(0.8)
    assert export.spearman(np.array([1.0, 2, 3]), np.array([3.0, 2, 1])) == pytest.approx(-1)


@pytest.mark.parametrize("blocked", ["onnx", "onnxscript"])
def test_without_the_extra(monkeypatch, tmp_path, blocked):
    monkeypatch.setitem(sys.modules, blocked, None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mderank\[export\]'"):
        export.export("bert-base-uncased", tmp_path / "out")
