"""`--config FILE`: options from a TOML file."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def config(tmp_path):
    def write(text):
        file = tmp_path / "options.toml"
        file.write_text(text)
        return file

    return write


def keyphrases(result):
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)["keyphrases"]


@pytest.mark.slow
def test_the_file_gives_options_and_the_command_line_comes_first(run, example, config):
    file = config('top-k = 3\nformat = "jsonl"\nmethod = "firstphrases"\nmax_words = 50\nquiet = true\n')
    plain = run("extract", example, "-k", 3, "-f", "jsonl", "--method", "firstphrases", "--max-words", 50, "-q")
    from_file = run("extract", example, "--config", file)
    assert from_file.stdout == plain.stdout
    assert from_file.stderr == ""
    over = run("extract", "--config", file, "-k", 1, example, "--method", "tfidf")
    assert len(keyphrases(over)) == 1
    assert over.stdout == run("extract", example, "-k", 1, "-f", "jsonl", "--method", "tfidf", "--max-words", 50).stdout
    # The value that is also the default is no less the user's.
    assert len(keyphrases(run("extract", example, "--config", file, "--top-k", 10))) == 10


def test_keys_have_dashes_or_underscores(run, example, config):
    dashes = run("extract", example, "--config", config('max-words = 20\nmax-phrase-words = 1\nformat = "jsonl"'))
    assert {len(each["text"].split()) for each in keyphrases(dashes)} == {1}
    underscores = run("extract", example, "--config", config('max_words = 20\nmax_phrase_words = 1\nformat = "jsonl"'))
    assert dashes.stdout == underscores.stdout


@pytest.mark.slow
def test_the_options_of_a_method_are_a_table_and_each_can_be_set_anew(run, example, config):
    common = ("extract", example, "-f", "jsonl", "-k", 5, "--explain", "--method", "fusion")
    file = config("[params]\nposition = 0\nfrequency = 2\n")
    from_file = keyphrases(run(*common, "--config", file))
    assert from_file == keyphrases(run(*common, "--set", "position=0", "--set", "frequency=2"))
    assert {each["contributions"]["position"] for each in from_file} == {0}
    anew = keyphrases(run(*common, "--config", file, "--set", "position=1"))
    assert anew == keyphrases(run(*common, "--set", "position=1", "--set", "frequency=2"))


def test_yes_and_no_in_the_table(run, example, config):
    common = ("extract", example, "-f", "jsonl", "--method", "tfidf")
    nested = run(*common, "--config", config("[params]\nnested = true\n"))
    assert keyphrases(nested) == keyphrases(run(*common, "--set", "nested=yes"))
    assert nested.stdout != run(*common).stdout


@pytest.mark.parametrize(
    ("text", "complaints"),
    [
        ("topp = 3", ["the option 'topp' is unknown", "'mderank extract' has", " top-k, "]),
        ('paths = "x"', ["the option 'paths' is unknown"]),
        ('config = "x"', ["the option 'config' is unknown"]),
        ("top_k = 3.5", ["top_k = 3.5", "must be a whole number of at least 0, not 3.5"]),
        ("top-k = true", ["top-k = True", "must be a whole number"]),
        ("top-k = [1]", ["top-k = [1]", "must be a whole number"]),
        ('exact = "yes"', ["exact = 'yes'", "exact must be true or false"]),
        ('format = "xml"', ["format = 'xml'", "not one of"]),
        ("diversity = 2", ["diversity = 2", "a number from 0 to 1"]),
        ("max-words = 3\nmax_words = 4", ["'max_words' is there twice"]),
        ('params = "mask_effect=1"', ["params must be names with values"]),
        ("[params]\nmask_effect = [1]", ["mask_effect = [1]", "a parameter is a number"]),
        ('method = "fusion"\n[params]\nmask_efect = 1', ["mask_efect", "did you mean mask_effect?"]),
        ('method = "random"\nexact = true', ["the method 'random' does not take exact"]),
        ("top-k = ", ["is not a TOML file"]),
    ],
)
def test_an_error_names_the_file_the_key_and_what_is_valid(run, example, config, text, complaints):
    result = run("extract", example, "--config", config(text))
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    for complaint in ("options.toml", *complaints):
        assert complaint in result.stderr


def test_a_file_that_is_not_there_or_no_text(run, example, tmp_path):
    result = run("extract", example, "--config", tmp_path / "none.toml")
    assert result.exit_code == 2
    assert "none.toml: cannot be read" in result.stderr
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    assert "bytes.toml is not a TOML file" in run("extract", example, "--config", tmp_path / "bytes.toml").stderr


def test_evaluate_takes_one_too(run, config, tmp_path):
    data = tmp_path / "birds.jsonl"
    data.write_text(json.dumps({"id": "a", "text": "A barn owl sees in the dark.", "keyphrases": ["barn owl"]}) + "\n")
    file = config(f'dataset = ["{data}"]\nmethod = "fusion"\nmax-words = 30\nout = "{tmp_path / "runs"}"\n'
                  "[params]\nposition = 0.5\n")  # fmt: skip
    assert run("evaluate", "--config", file, "-q").exit_code == 0
    (folder,) = (tmp_path / "runs").glob("*/fusion-max_words=30-position=0.5")
    options = json.loads((folder / "run.json").read_text())["options"]
    assert (options["max_words"], options["params"]) == (30, {"position": 0.5})
    assert run("evaluate", "--config", file, "-q", "--set", "position=0.7").exit_code == 0
    assert (tmp_path / "runs" / "birds" / "fusion-max_words=30-position=0.7").is_dir()
