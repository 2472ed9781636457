import json
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose

from mderank import ExactFallbackWarning, InputError, MDERank, MissingExtraError, ModelError, load_encoder
from mderank.encoding import EncoderInputs, export, onnx_rewrite
from mderank.testing import FakeTagger

for needed in ("torch", "onnx", "onnxscript"):
    pytest.importorskip(needed)


def packed(encoder):
    """A sequence of twelve tokens, of which the last two stand for the fourth and fifth and do not see them."""
    ids = np.array([[*encoder.spec.prefix, *range(20, 28), *encoder.spec.suffix, *[encoder.spec.mask_id] * 2]])
    visible = np.ones((1, 12, 12), np.bool_)
    visible[:, :10, 10:] = False
    visible[:, 10:, 3:5] = False
    return EncoderInputs(ids, encoder.spec.first_position + np.array([[*range(10), 3, 4]]), visible)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_the_exported_encoder_is_the_original(tiny_model, tmp_path, text, kind):
    original = load_encoder(tiny_model(kind))
    lines = []
    spec = export.export(str(tiny_model(kind)), tmp_path / "out", name="tiny", report=lines.append)
    exported = load_encoder(tmp_path / "out")
    assert exported.spec == spec
    assert (spec.name, spec.one_pass, spec.first_position) == ("tiny", True, original.spec.first_position)
    for layer in range(3):
        assert_allclose(
            exported.hidden_states(packed(original), layer), original.hidden_states(packed(original), layer), atol=1e-4
        )
    one, two = (MDERank(encoder, tagger=FakeTagger()).extract(text) for encoder in (original, exported))
    assert [each.text for each in one] == [each.text for each in two]
    assert any("one pass yes" in line for line in lines)


@pytest.mark.slow
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


@pytest.mark.slow
def test_computed_in_int8(tiny_model, tmp_path, monkeypatch):
    monkeypatch.setattr(onnx_rewrite, "_SMALLEST", 64)
    lines = []
    export.export(str(tiny_model("bert")), tmp_path / "out", compute="int8", report=lines.append)
    notes = json.loads((tmp_path / "out" / "encoder.json").read_text())
    assert (notes["storage"], notes["compute"]) == ("float32", "int8")
    assert notes["agreement"]["ranks_int8"] >= 0.98
    assert any("computed in int8: rank agreement" in line for line in lines)
    chosen, plain = load_encoder(tmp_path / "out"), load_encoder(tmp_path / "out", precision="float32")
    assert (chosen.precision, plain.precision) == ("int8", "float32")
    assert chosen.takes_blocks
    one, two = (encoder.hidden_states(packed(plain), 2) for encoder in (chosen, plain))
    # A small random model: each number has more weight than in a trained one.
    assert 0 < np.abs(one - two).mean() < 0.1


@pytest.mark.slow
def test_int8_that_does_not_agree_is_refused(tiny_model, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "_SAME_RANKS", 1.1)
    with pytest.raises(ModelError, match="does not agree with the original"):
        export.export(str(tiny_model("bert")), tmp_path / "out", compute="int8")
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
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


@pytest.mark.slow
def test_an_encoder_that_cannot_do_one_pass_is_exported_for_the_exact_form(tiny_model, tmp_path, text):
    spec = export.export(str(tiny_model("mpnet")), tmp_path / "out")
    assert not spec.one_pass
    with pytest.warns(ExactFallbackWarning):
        exported = MDERank(tmp_path / "out", tagger=FakeTagger())
    original = MDERank(tiny_model("mpnet"), tagger=FakeTagger(), exact=True)
    assert [each.text for each in exported.extract(text)] == [each.text for each in original.extract(text)]


@pytest.mark.slow
def test_int8_takes_less_and_stays_close(tiny_model, tmp_path, monkeypatch):
    # A tiny vocabulary is below the size from which a table is worth storing in int8: lower it to that of the model.
    monkeypatch.setattr(export, "SMALLEST_INT8", 256)
    export.export(str(tiny_model("bert")), tmp_path / "whole")
    monkeypatch.setattr(export, "_SAME_RANKS", 0.8)
    export.export(str(tiny_model("bert")), tmp_path / "small", storage="int8")
    whole, small = (tmp_path / name / "model.onnx" for name in ("whole", "small"))
    assert small.stat().st_size < whole.stat().st_size
    original, exported = load_encoder(tiny_model("bert")), load_encoder(tmp_path / "small")
    difference = np.abs(original.hidden_states(packed(original), 2) - exported.hidden_states(packed(original), 2))
    assert 1e-6 < difference.max() < 0.5


@pytest.mark.slow
@pytest.mark.parametrize("storage", ["float32", "int8"])
def test_a_form_that_does_not_agree_is_refused_and_nothing_is_written(tiny_model, tmp_path, monkeypatch, storage):
    monkeypatch.setattr(export, "compare", lambda one, other: {"difference": 0.2, "ranks": 0.9})
    with pytest.raises(ModelError, match=r"does not agree with the original .*0\.9000.*nothing was written"):
        export.export(str(tiny_model("bert")), tmp_path / "out", storage=storage)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("storage", ["float32", "int8"])
def test_bigbird_is_refused_since_its_attention_changes_with_the_length(tiny_model, tmp_path, storage):
    # All tokens of a text see each other up to (5 + 2 · 1) · 4 = 28 tokens.
    with pytest.raises(ModelError, match=r"attention changes with the length .*of 29 tokens and more .*--model"):
        export.export(str(tiny_model("bigbird")), tmp_path / "out", storage=storage)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("storage", ["float32", "int8"])
def test_bigbird_is_refused_even_if_short_texts_agree(tiny_model, tmp_path, storage):
    from transformers import AutoTokenizer, BigBirdConfig, BigBirdModel

    torch = pytest.importorskip("torch")
    tokenizer = AutoTokenizer.from_pretrained(tiny_model("bigbird"))
    tokenizer.save_pretrained(tmp_path / "bigbird")
    torch.manual_seed(7)
    # The block size and the number of random blocks of google/bigbird-roberta-base, which is a BERT up to 704 tokens.
    config = BigBirdConfig(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=32, num_attention_heads=2, num_hidden_layers=2,
        max_position_embeddings=1024, initializer_range=0.5)  # fmt: skip
    BigBirdModel(config).save_pretrained(tmp_path / "bigbird")
    with pytest.raises(ModelError, match=r"On texts of 705 tokens and more their states differ by .*mderank\[torch\]"):
        export.export(str(tmp_path / "bigbird"), tmp_path / "out", storage=storage)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["bert", "roberta", "electra", "mpnet", "distilbert"])
def test_encoders_are_checked_up_to_their_maximum(tiny_model, tmp_path, kind):
    lines = []
    export.export(str(tiny_model(kind)), tmp_path / "out", report=lines.append)
    maximum = load_encoder(tiny_model(kind)).spec.max_length
    assert f"the same on sequences of 16 to {maximum} tokens" in lines


@pytest.mark.slow
def test_longer_sequences_than_are_checked_are_reported(tiny_model, tmp_path, monkeypatch):
    monkeypatch.setattr(export, "LONGEST_CHECKED", 40)
    lines = []
    export.export(str(tiny_model("bert")), tmp_path / "out", report=lines.append)
    assert "the same on sequences of 16 to 40 tokens (the encoder takes longer ones, which were not compared)" in lines


def test_a_graph_that_fails_on_long_texts_is_refused(tiny_model):
    class Fixed:
        """Computes short sequences only."""

        def hidden_states(self, inputs, layer):
            if inputs.input_ids.shape[1] > 50:
                raise RuntimeError("the shape is fixed")
            return encoder.hidden_states(inputs, layer)

    encoder = load_encoder(tiny_model("bert"))
    with pytest.raises(ModelError, match="On texts of 51 tokens and more ONNX Runtime cannot compute them"):
        export._check_lengths("bert", encoder, Fixed())
