"""ELMo against a computation in numpy, word by word and step by step, on small random weights in its own format."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from click.testing import CliRunner

from mderank import MDERank, MissingExtraError, ModelError, OptionError
from mderank.cli import cli
from mderank.document import Span
from mderank.encoding import load_encoder
from mderank.methods import SIFRank, SIFRankPlus
from mderank.methods.frequencies import general_frequency
from mderank.methods.sifrank import elmo as elmo_module
from mderank.methods.sifrank.elmo import Elmo
from mderank.methods.sifrank.load import load_word_encoder
from mderank.testing import FakeTagger

h5py = pytest.importorskip("h5py")
pytest.importorskip("torch").set_num_threads(1)  # on tensors this small, threads only wait for each other

FILTERS = [[1, 3], [2, 4], [3, 5]]
FEATURES, LETTER, CELL, WIDTH = 12, 4, 6, 5
SENTENCES = [["The", "coral", "reef", "lives"], ["Naïve"], ["reef", "reef"], ["a" * 80, "b", "c", "d", "e", "f", "g"]]


def options(**changes):
    record = {
        "lstm": {
            "use_skip_connections": True,
            "projection_dim": WIDTH,
            "cell_clip": 3,
            "proj_clip": 3,
            "dim": CELL,
            "n_layers": 2,
        },
        "char_cnn": {
            "activation": "relu",
            "filters": FILTERS,
            "n_highway": 2,
            "embedding": {"dim": LETTER},
            "n_characters": 262,
            "max_characters_per_token": 50,
        },
    }
    for path, value in changes.items():
        section, _, name = path.partition("__")
        record[section][name] = value
    return record


def arrays(scale=0.6):
    """Random weights under their authors' names."""
    rng = np.random.default_rng(3)
    shapes = {"char_embed": (261, LETTER), "CNN_proj/W_proj": (FEATURES, WIDTH), "CNN_proj/b_proj": (WIDTH,)}
    for number, (width, count) in enumerate(FILTERS):
        shapes |= {f"CNN/W_cnn_{number}": (1, width, LETTER, count), f"CNN/b_cnn_{number}": (count,)}
    for number in range(2):
        for gate in ("transform", "carry"):
            shapes |= {f"CNN_high_{number}/W_{gate}": (FEATURES, FEATURES), f"CNN_high_{number}/b_{gate}": (FEATURES,)}
        for direction in range(2):
            home = f"RNN_{direction}/RNN/MultiRNNCell/Cell{number}/LSTMCell"
            shapes |= {
                f"{home}/W_0": (2 * WIDTH, 4 * CELL),
                f"{home}/B": (4 * CELL,),
                f"{home}/W_P_0": (CELL, WIDTH),
            }
    return {name: rng.normal(scale=scale, size=shape).astype(np.float32) for name, shape in shapes.items()}


def write(folder, record=None, weights=None):
    folder.mkdir(exist_ok=True)
    (folder / "options.json").write_text(json.dumps(record or options()), encoding="utf-8")
    with h5py.File(folder / "weights.hdf5", "w") as file:
        for name, array in (weights or arrays()).items():
            file.create_dataset(name, data=array)
    return folder


@pytest.fixture
def folder(tmp_path):
    return write(tmp_path / "elmo")


class Naive:
    """The model as its paper has it: one word, one step, one direction at a time, in float64."""

    def __init__(self, record, weights):
        self.record = record
        self.weights = {name: array.astype(np.float64) for name, array in weights.items()}

    def layers(self, sentence):
        """The states (3, n, 2p) of a sentence."""
        words = [[258, 256, 259], *([258, *word.encode()[:48], 259] for word in sentence), [258, 257, 259]]
        embedded = [self.word(symbols) for symbols in words]
        found = [[np.concatenate([each, each]) for each in embedded]]
        there, back = embedded, embedded
        for layer in range(2):
            before, after = there, back
            there = self.lstm(0, layer, there)
            back = self.lstm(1, layer, back[::-1])[::-1]
            if layer > 0 and self.record["lstm"]["use_skip_connections"]:
                there = [one + other for one, other in zip(there, before, strict=True)]
                back = [one + other for one, other in zip(back, after, strict=True)]
            found.append([np.concatenate(pair) for pair in zip(there, back, strict=True)])
        return np.asarray(found)[:, 1:-1]

    def word(self, symbols):
        letters = self.weights["char_embed"][symbols + [260] * (50 - len(symbols))]  # stored without the first symbol
        relu = self.record["char_cnn"]["activation"] == "relu"
        features = []
        for number, (width, count) in enumerate(FILTERS):
            weight, bias = self.weights[f"CNN/W_cnn_{number}"][0], self.weights[f"CNN/b_cnn_{number}"]
            for each in range(count):
                best = max(
                    float((letters[at : at + width] * weight[:, :, each]).sum() + bias[each])
                    for at in range(50 - width + 1)
                )
                features.append(max(0.0, best) if relu else np.tanh(best))
        state = np.asarray(features)
        for number in range(2):
            home = f"CNN_high_{number}"
            gate = sigmoid(state @ self.weights[f"{home}/W_carry"] + self.weights[f"{home}/b_carry"])
            new = np.maximum(0, state @ self.weights[f"{home}/W_transform"] + self.weights[f"{home}/b_transform"])
            state = gate * new + (1 - gate) * state
        return state @ self.weights["CNN_proj/W_proj"] + self.weights["CNN_proj/b_proj"]

    def lstm(self, direction, layer, inputs):
        home = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
        matrix, bias, projection = (self.weights[f"{home}/{name}"] for name in ("W_0", "B", "W_P_0"))
        cell_clip, projection_clip = (self.record["lstm"][name] or np.inf for name in ("cell_clip", "proj_clip"))
        memory, output, outputs = np.zeros(CELL), np.zeros(WIDTH), []
        for each in inputs:
            gates = np.concatenate([each, output]) @ matrix + bias
            i, j, f, o = gates[:CELL], gates[CELL : 2 * CELL], gates[2 * CELL : 3 * CELL], gates[3 * CELL :]
            memory = np.clip(sigmoid(f + 1) * memory + sigmoid(i) * np.tanh(j), -cell_clip, cell_clip)
            output = np.clip((sigmoid(o) * np.tanh(memory)) @ projection, -projection_clip, projection_clip)
            outputs.append(output)
        return outputs


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"char_cnn__activation": "tanh"},
        {"lstm__use_skip_connections": False},
        {"lstm__cell_clip": 0.2, "lstm__proj_clip": 0.1},
        {"lstm__cell_clip": None, "lstm__proj_clip": None},
    ],
    ids=["as released", "tanh", "no skips", "clipped", "unclipped"],
)
def test_every_layer_is_what_the_equations_give(tmp_path, changes):
    record = options(**changes)
    model = Elmo(write(tmp_path / "elmo", record))
    naive = Naive(record, arrays())
    for sentence in SENTENCES:
        expected = naive.layers(sentence)
        assert expected.shape == (3, len(sentence), 2 * WIDTH)
        for layer in range(3):
            np.testing.assert_allclose(model.hidden_states([sentence], layer)[0], expected[layer], atol=2e-6)
        np.testing.assert_allclose(model.hidden_states([sentence], None)[0], expected.mean(axis=0), atol=2e-6)


def test_clipping_is_no_idle_thing_in_these_tests():
    free, clipped = (
        Naive(options(lstm__cell_clip=clip, lstm__proj_clip=clip), arrays()).layers(SENTENCES[0]) for clip in (3, 0.1)
    )
    assert np.abs(free[1] - clipped[1]).max() > 0.01


@pytest.mark.parametrize("layer", [0, 1, 2, None])
def test_sentences_of_different_lengths_do_not_disturb_each_other(folder, layer, monkeypatch):
    model = Elmo(folder)
    alone = [model.hidden_states([sentence], layer)[0] for sentence in SENTENCES]
    monkeypatch.setattr(elmo_module, "_STEPS", 3)
    monkeypatch.setattr(elmo_module, "_LETTERS", 2)
    for one, other in zip(model.hidden_states(SENTENCES, layer), alone, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-6)


def test_words_of_a_text(folder, monkeypatch):
    monkeypatch.setattr(elmo_module, "_BATCH", 8)
    text = "The coral reef lives. A fish, a reef."
    words = [Span(0, 3), Span(4, 9), Span(10, 14), Span(15, 20), Span(24, 28), Span(32, 36)]
    segments = [range(4), range(4, 5), range(5, 6), range(6, 6)]
    model = Elmo(folder)
    found = {}
    for indices, states in model.word_states(text, words, segments, [21], 2):
        found |= dict(zip(indices.tolist(), states, strict=True))
    naive = Naive(options(), arrays())
    expected = [*naive.layers(["The", "coral", "reef", "lives"])[2], naive.layers(["fish"])[2, 0]]
    expected.append(naive.layers(["reef"])[2, 0])
    np.testing.assert_allclose([found[index] for index in range(6)], expected, atol=2e-6)


def test_it_remembers_no_earlier_text(folder):
    model = Elmo(folder)
    before = model.hidden_states([["reef"]], 2)[0]
    model.hidden_states(SENTENCES, 2)
    np.testing.assert_array_equal(model.hidden_states([["reef"]], 2)[0], before)


def test_what_it_is(folder):
    model = load_word_encoder(folder)
    assert isinstance(model, Elmo)
    assert (model.spec.layers, model.spec.dimension, model.spec.layer) == (2, 2 * WIDTH, 1)
    copy = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(copy.hidden_states(SENTENCES[:1], 1)[0], model.hidden_states(SENTENCES[:1], 1)[0])


def test_files_under_the_names_that_they_are_released_with(tmp_path):
    folder = write(tmp_path / "elmo")
    (folder / "options.json").rename(folder / "elmo_small_options.json")
    (folder / "weights.hdf5").rename(folder / "elmo_small_weights.hdf5")
    write(folder)
    assert Elmo(folder / "elmo_small_weights.hdf5").options.layers == 2
    with pytest.raises(ModelError, match=r"several weights \(elmo_small_weights.hdf5, weights.hdf5\): name one"):
        load_word_encoder(folder)


def test_missing_files(folder):
    (folder / "weights.hdf5").rename(folder / "gone")
    with pytest.raises(ModelError, match="has ELMo's options but no weights"):
        load_word_encoder(folder)
    with pytest.raises(ModelError, match=r"'.*weights.hdf5' does not exist"):
        load_word_encoder(folder / "weights.hdf5")
    (folder / "gone").rename(folder / "weights.hdf5")
    (folder / "options.json").unlink()
    with pytest.raises(ModelError, match=r"needs its options beside it.*there is none"):
        load_word_encoder(folder)


def test_weights_that_are_none(folder):
    (folder / "weights.hdf5").write_bytes(b"no weights")
    with pytest.raises(ModelError, match="is not an HDF5 file"):
        Elmo(folder)


def test_a_name_that_is_missing(tmp_path):
    weights = arrays()
    del weights["CNN_high_1/W_carry"]
    with pytest.raises(ModelError, match="has no 'CNN_high_1/W_carry': these are not the weights"):
        Elmo(write(tmp_path / "elmo", weights=weights))


def test_a_shape_that_is_another(tmp_path):
    with pytest.raises(ModelError, match=r"'char_embed' has the shape \(261, 4\), but .* makes it \(261, 5\)"):
        Elmo(write(tmp_path / "elmo", options(char_cnn__embedding={"dim": 5})))
    with pytest.raises(ModelError, match=r"Cell0/LSTMCell/W_0' has the shape \(10, 24\), but .* makes it \(10, 28\)"):
        Elmo(write(tmp_path / "elmo", options(lstm__dim=7)))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "is not an options file of ELMo"),
        ("[]", "is not an options file of ELMo"),
        ('{"lstm": {}}', "says nothing of 'char_cnn'"),
        (json.dumps(options(char_cnn__n_characters=261)), "n_characters is 261, and must be 262"),
        (json.dumps(options(char_cnn__activation="gelu")), "the activation is 'gelu'"),
        (json.dumps(options(lstm__n_layers=0)), "no model has these sizes"),
        (json.dumps(options(char_cnn__filters=[])), "no model has these sizes"),
        (json.dumps(options(char_cnn__filters=[[51, 2]])), "no model has these sizes"),
        (json.dumps(options(lstm__dim=10**9)), "is refused: sizes go up to 100,000"),
        (json.dumps(options(char_cnn__n_highway=10**9)), "is refused: sizes go up to 100,000"),
        (json.dumps(options(lstm__n_layers=101)), "and layers to 100; take the files of the original model"),
        ("[" * 100_000, "is not an options file of ELMo"),
        (" " * 1_000_001, "more than 1,000,000 bytes"),
    ],
)
def test_options_that_are_none(folder, content, message):
    (folder / "options.json").write_text(content, encoding="utf-8")
    with pytest.raises(ModelError, match=message):
        Elmo(folder)


def external(file, other, shape):
    file.create_dataset("char_embed", shape, np.float32, external=[(str(other), 0, h5py.h5f.UNLIMITED)])


def virtual(file, other, shape):
    layout = h5py.VirtualLayout(shape, np.float32)
    layout[:] = h5py.VirtualSource(str(other), "char_embed", shape)
    file.create_virtual_dataset("char_embed", layout)


def linked(file, other, shape):
    file["char_embed"] = h5py.ExternalLink(str(other), "char_embed")


def linked_folder(file, other, shape):
    file["char_embed"] = np.zeros(shape, np.float32)
    del file["CNN"]
    file["CNN"] = h5py.ExternalLink(str(other), "/")


@pytest.mark.parametrize("lead_out", [external, virtual, linked, linked_folder])
def test_weights_that_are_in_another_file(folder, tmp_path, lead_out):
    other = write(tmp_path / "other") / "weights.hdf5"
    with h5py.File(folder / "weights.hdf5", "a") as file:
        shape = file["char_embed"].shape
        del file["char_embed"]
        lead_out(file, other, shape)
    with pytest.raises(ModelError, match=r"weights\.hdf5 is refused: .*take the files of the original model"):
        Elmo(folder)


def test_weights_that_take_no_space(folder):
    with h5py.File(folder / "weights.hdf5", "a") as file:
        shape = file["char_embed"].shape
        del file["char_embed"]
        file.create_dataset("char_embed", shape, np.float32, chunks=True)  # never written
    with pytest.raises(ModelError, match="'char_embed' takes more than 20 times the space"):
        Elmo(folder)


def test_sifrank_reads_it(folder, tmp_path):
    text = "The old harbour is near the coral reef. A reef is a good harbour for small boats, and for fish, by the sea."
    (tmp_path / "text.txt").write_text(text, encoding="utf-8")
    extractor = SIFRank(folder, tagger=FakeTagger())
    assert isinstance(extractor.encoder, Elmo)
    found = extractor.extract(text, top_k=None)
    assert pickle.loads(pickle.dumps(extractor)).extract(text, top_k=None) == found

    # The first sentence is shorter than a segment, so that the whole text is one; words are aligned.
    (document,) = FakeTagger().tag([text])
    words = [token.text for token in document.tokens]
    states = Naive(options(), arrays()).layers(words)[1]
    weight = {word: 2.7e-4 / (2.7e-4 + general_frequency(word.lower(), "en")) for word in words}
    content = [index for index, token in enumerate(document.tokens) if token.tag in ("NN", "JJ")]
    aligned = {
        word.lower(): states[[index for index, each in enumerate(words) if each.lower() == word.lower()]].mean(axis=0)
        for word in words
    }
    about = sum(weight[words[index]] * aligned[words[index].lower()] for index in content)
    phrase = weight["coral"] * aligned["coral"] + weight["reef"] * aligned["reef"]
    expected = phrase @ about / np.linalg.norm(phrase) / np.linalg.norm(about)
    assert next(each.score for each in found if each.text == "coral reef") == pytest.approx(expected, abs=1e-5)


def test_the_command_line_reads_it(folder, tmp_path):
    (tmp_path / "text.txt").write_text("The old harbour is near the coral reef.", encoding="utf-8")
    arguments = ["extract", str(tmp_path / "text.txt"), "--method", "sifrank-plus", "--model", str(folder)]
    result = CliRunner().invoke(cli, [*arguments, "-f", "jsonl"])
    assert result.exit_code == 0, result.output
    found = {each["text"]: each["score"] for each in json.loads(result.stdout)["keyphrases"]}
    expected = SIFRankPlus(folder).extract("The old harbour is near the coral reef.")
    assert found == pytest.approx({each.text: each.score for each in expected})


def test_methods_that_mask_refuse_it(folder):
    with pytest.raises(ModelError, match="is ELMo, which reads words and has no mask"):
        MDERank(folder)
    with pytest.raises(ModelError, match="is ELMo"):
        load_encoder(folder)


def test_what_it_does_not_take(folder):
    for option in ({"dtype": "float16"}, {"threads": 2}):
        with pytest.raises(OptionError, match="ELMo runs on torch in float32"):
            load_word_encoder(folder, **option)
    with pytest.raises(ModelError, match="the device 'bogus' cannot be used"):
        load_word_encoder(folder, device="bogus")


def test_the_extra_is_named(folder, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'mderank\[elmo\]'"):
        Elmo(folder)
