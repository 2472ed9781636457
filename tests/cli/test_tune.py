"""`mderank tune`: weights for one's own documents."""

from __future__ import annotations

import json
import tomllib

import pytest

TEXTS = {
    "owls": ("The barn owl hunts at night. A barn owl hears a mouse under the snow.", ["barn owl"]),
    "tides": ("A tide gauge measures the tide of the harbour. The harbour is old.", ["tide gauge", "sea"]),
    "reefs": ("Coral reefs feed many fish. Warm water harms coral reefs and the fish.", ["coral reefs"]),
    "nets": ("A neural network learns from examples. The network has many layers.", ["neural networks"]),
}


@pytest.fixture
def dataset(tmp_path):
    def write(texts, name="mine.jsonl"):
        file = tmp_path / name
        lines = [{"id": key, "text": text, "keyphrases": gold} for key, (text, gold) in texts.items()]
        file.write_text("".join(json.dumps(line) + "\n" for line in lines))
        return file

    return write


def test_it_writes_a_file_that_config_takes(run, dataset, example, tmp_path):
    tuned = tmp_path / "tuned.toml"
    result = run("tune", "-d", dataset(TEXTS), "-o", tuned, "--k", 1, "--folds", 2, "--max-words", 30,
                 "--set", "position=3", "--set", "norm=0")  # fmt: skip
    assert result.exit_code == 0, result.stderr
    assert "mine: 4 documents, 2 folds, F1@1, protocol micro-stem (micro average), per cent" in result.stdout
    assert "95 % interval" in result.stdout
    assert "warning: 4 documents are few" in result.stderr
    data = tomllib.loads(tuned.read_text())
    weights = data.pop("params")
    assert data == {"method": "fusion", "max-words": 30}
    assert list(weights) == ["mask_effect", "norm", "frequency", "position", "length", "unithood"]
    assert weights["norm"] == 0
    assert weights["position"] in [3 * factor for factor in (0, 0.25, 0.5, 1, 2, 4)]
    by_hand = [item for name, value in weights.items() for item in ("--set", f"{name}={value}")]
    assert (
        run("extract", example, "-f", "jsonl", "--config", tuned).stdout
        == run("extract", example, "-f", "jsonl", "--method", "fusion", "--max-words", 30, *by_hand).stdout
    )


def test_it_says_plainly_if_it_does_not_help_and_writes_the_weights_as_they_were(run, dataset, tmp_path):
    tuned = tmp_path / "tuned.toml"
    # One phrase in each text, which every weight finds.
    texts = {"a": ("The owl.", ["owl"]), "b": ("The gull.", ["gull"])}
    result = run("tune", "-d", dataset(texts), "-o", tuned, "--set", "mask_effect=0.07")
    assert result.exit_code == 0, result.stderr
    assert "Tuning does not help here" in result.stdout
    assert "# Tuning does not help here" in tuned.read_text()
    assert tomllib.loads(tuned.read_text())["params"]["mask_effect"] == 0.07


def test_quiet(run, dataset, tmp_path):
    result = run("tune", "-d", dataset(TEXTS), "-o", tmp_path / "tuned.toml", "-q")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "")
    assert (tmp_path / "tuned.toml").is_file()


def test_a_set_for_testing_is_warned_of(run, dataset, tmp_path):
    dataset(TEXTS, "inspec.jsonl")
    result = run("tune", "-d", "inspec", "--data-dir", tmp_path, "--no-verify", "-o", tmp_path / "tuned.toml")
    assert result.exit_code == 0, result.stderr
    assert "warning: 'inspec' is a test dataset" in result.stderr


def test_documents_that_were_left_out_are_named(run, dataset, tmp_path):
    texts = {**TEXTS, "bare": ("Nobody has labelled this text.", [])}
    result = run("tune", "-d", dataset(texts), "-o", tmp_path / "tuned.toml")
    assert "note: the document 'bare' has no keyphrases and is left out" in result.stderr
    assert "mine: 4 documents" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--protocol", "best"], "unknown protocol 'best'"),
        (["--limit", "1"], "two at least"),
        (["--set", "chnge=1"], "it is one of mask_effect, norm, frequency, position"),
        (["--method", "yake"], "is not 'fusion'"),
        (["--folds", "1"], "x>=2"),
        (["-d", "nowhere.jsonl"], "nowhere.jsonl: there is no such file"),
    ],
)
def test_errors(run, dataset, tmp_path, arguments, complaint):
    result = run("tune", "-d", dataset(TEXTS), "-o", tmp_path / "tuned.toml", *arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert not (tmp_path / "tuned.toml").exists()


def test_without_any_label_there_is_nothing_to_choose_by(run, dataset, tmp_path):
    texts = {"a": ("The owl.", []), "b": ("The gull.", [])}
    result = run("tune", "-d", dataset(texts), "-o", tmp_path / "tuned.toml")
    assert result.exit_code == 2
    assert "none of the documents has keyphrases" in result.stderr


def test_a_judged_dataset_is_refused(run, tmp_path):
    result = run("tune", "--dataset", "everyday", "-o", tmp_path / "tuned.toml")
    assert result.exit_code == 2
    assert "everyday has judged phrases, and F1 needs gold keyphrases" in result.stderr
