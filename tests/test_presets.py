"""`--preset paper` and `MDERank.paper`: MDERank as its paper runs it."""

from __future__ import annotations

import json

import pytest

from mderank import MaskAll, MDERank, NGrams, NounPhrases, OptionError
from mderank.cli.extract import extract
from mderank.presets import PRESETS
from mderank.testing import FakeEncoder, FakeTagger

# Nine words that are one candidate; forms that differ in case, and in their endings; more words than the paper reads.
LONG = "salt water winter storm harbour coast reef fish committee"
BEGINNING = (
    f"The {LONG} met the press. Coral reefs protect the coast. A coral reef feeds fish, and Coral Reefs recover. "
    "Warm water bleaches the coral reefs."
)
ENDING = "The marine reserves are far beyond the end."
TEXT = " ".join([BEGINNING, *["The reefs lose the fish and the storms lose the coast."] * 60, ENDING])


def keyphrases(result):
    assert result.exit_code == 0, result.stderr
    return [(each["text"], float(f"{each['score']:.6g}")) for each in json.loads(result.stdout)["keyphrases"]]


@pytest.fixture
def paper_text(tmp_path):
    file = tmp_path / "paper.txt"
    file.write_text(TEXT)
    return file


@pytest.fixture
def evaluated(run, tmp_path):
    """What ``mderank evaluate`` finds in the text, by the options that it is given."""

    def predictions(*arguments):
        data = tmp_path / "set.jsonl"
        data.write_text(json.dumps({"id": "a", "text": TEXT, "keyphrases": ["coral reef"]}) + "\n")
        out = tmp_path / "runs"
        result = run("evaluate", "-d", data, *arguments, "--out", out, "--label", "it", "-q")
        assert result.exit_code == 0, result.stderr
        line = json.loads((out / "set" / "it" / "documents.jsonl").read_text())
        assert line["error"] is None
        return [(text, score) for text, score, _ in line["predictions"]]

    return predictions


def test_it_is_what_evaluate_runs_phrase_for_phrase(run, evaluated, paper_text, tiny_model):
    model = tiny_model("bert-512")
    expected = evaluated("--method", "mderank", "--model", model, "--exact")
    on_the_command_line = run("extract", paper_text, "--preset", "paper", "--model", model, "-k", 0, "-f", "jsonl")
    assert keyphrases(on_the_command_line) == expected
    in_python = MDERank.paper(model).extract(TEXT, top_k=None)
    assert [(each.text, float(f"{each.score:.6g}")) for each in in_python] == expected
    # What the options of before do not do.
    found = {text.lower() for text, _ in expected}
    assert LONG in found  # of more than eight words
    assert {"coral reef", "coral reefs"} <= found  # not one entry
    assert sum(text.lower() == "coral reefs" for text, _ in expected) == 1
    assert "marine reserves" not in found  # behind the cut
    assert in_python.truncated is not None
    assert "the last" in on_the_command_line.stderr
    assert "--max-words 512, --max-tokens 512" in on_the_command_line.stderr


def test_evaluate_takes_it_too(run, evaluated, tiny_model, tmp_path):
    model = tiny_model("bert-512")
    expected = evaluated("--method", "mderank", "--model", model, "--exact")
    data, runs = tmp_path / "set.jsonl", tmp_path / "preset"
    assert run("evaluate", "-d", data, "--preset", "paper", "--model", model, "--out", runs, "-q").exit_code == 0
    (folder,) = runs.glob("set/*")
    assert folder.name == f"mderank-preset=paper-model={model.name}"
    line = json.loads((folder / "documents.jsonl").read_text())
    assert [(text, score) for text, score, _ in line["predictions"]] == expected
    settings = json.loads((folder / "run.json").read_text())
    assert settings["resolved"] == {"exact": True, "layer": 2, "pooling": "max"}
    assert "preset" not in settings


def test_it_sets_what_the_paper_has():
    assert PRESETS["paper"].given() == {
        "method": "mderank",
        "model": "bert-base-uncased",
        "exact": True,
        "masking": "all",
        "pooling": "max",
        "similarity": "cosine",
        "max_words": 512,
        "max_tokens": 512,
        "max_phrase_words": 0,
        "dedupe": "case",
        "tokenizer": "spacy",
    }
    extractor = MDERank.paper(FakeEncoder(), tagger=FakeTagger())
    assert (extractor.exact, extractor.pooling, extractor.layer, extractor.similarity) == (True, "max", 2, "cosine")
    assert (extractor.max_words, extractor.max_tokens, extractor.dedupe) == (512, 512, "case")
    assert (extractor.masking, extractor.candidates) == (MaskAll(), NounPhrases(max_phrase_words=None))


def test_options_given_besides_come_first_in_python():
    extractor = MDERank.paper(FakeEncoder(), pooling="mean", max_words=None, candidates=NGrams(1, 2), dedupe="none")
    assert (extractor.pooling, extractor.max_words, extractor.dedupe) == ("mean", None, "none")
    assert extractor.candidates == NGrams(1, 2)
    assert extractor.exact


@pytest.mark.slow
def test_options_given_besides_come_first_on_the_command_line(run, paper_text, tmp_path):
    spelled_out = (
        "--method",
        "mderank",
        "--pooling",
        "max",
        "--dedupe",
        "case",
        "--max-tokens",
        512,
        "--tokenizer",
        "spacy",
    )
    for besides, same in (
        (("--max-words", 40), ("--exact", "--max-words", 40, "--max-phrase-words", 0)),
        (("--max-words", 40, "--max-phrase-words", 2), ("--exact", "--max-words", 40, "--max-phrase-words", 2)),
        (("--max-words", 40, "--ngrams", "1-2"), ("--exact", "--max-words", 40, "--ngrams", "1-2")),
        (("--no-exact", "--max-words", 100), ("--max-words", 100, "--max-phrase-words", 0)),
    ):
        preset = run("extract", paper_text, "-f", "jsonl", "-k", 0, "--preset", "paper", "-m", "minilm-l6", *besides)
        plain = run("extract", paper_text, "-f", "jsonl", "-k", 0, *spelled_out, *same)
        assert keyphrases(preset) == keyphrases(plain)


@pytest.mark.slow
def test_a_file_of_options_has_it_and_comes_before_it(run, paper_text, tmp_path):
    config = tmp_path / "mine.toml"
    config.write_text('preset = "paper"\nmodel = "minilm-l6"\nmax-words = 40\nformat = "jsonl"\n')
    plain = ("--preset", "paper", "--model", "minilm-l6", "-f", "jsonl")
    assert run("extract", paper_text, "--config", config).stdout == (
        run("extract", paper_text, *plain, "--max-words", 40).stdout
    )
    assert run("extract", paper_text, "--config", config, "--max-words", 30).stdout == (
        run("extract", paper_text, *plain, "--max-words", 30).stdout
    )
    # The file says otherwise than the preset on the command line: the file comes first.
    config.write_text('model = "minilm-l6"\nexact = false\nmax-words = 40\nformat = "jsonl"\n')
    assert run("extract", paper_text, "--config", config, "--preset", "paper").stdout == (
        run("extract", paper_text, *plain, "--no-exact", "--max-words", 40).stdout
    )


@pytest.mark.slow
def test_batch_takes_it_and_knows_what_it_sets(run, paper_text, tmp_path):
    options = ("--model", "minilm-l6", "--max-words", 40, "--processes", 1, "--threads", 1)
    result = run("batch", paper_text, tmp_path / "out", "--preset", "paper", *options)
    assert result.exit_code == 0, result.stderr
    (part,) = (tmp_path / "out").glob("part-*")
    plain = run("extract", paper_text, "--preset", "paper", *options[:4], "-f", "jsonl")
    assert part.read_text() == plain.stdout
    other = run("batch", paper_text, tmp_path / "out", "--preset", "paper", "--dedupe", "stem", *options)
    assert other.exit_code == 2
    assert "dedupe: 'case', now 'stem'" in other.stderr


@pytest.mark.parametrize("command", ["extract", "batch", "evaluate"])
def test_another_method_is_refused(run, command, paper_text, tmp_path):
    inputs = {
        "extract": [paper_text],
        "batch": [paper_text, tmp_path / "out"],
        "evaluate": ["-d", tmp_path / "none.jsonl"],
    }
    result = run(command, *inputs[command], "--preset", "paper", "--method", "yake")
    assert result.exit_code == 2
    assert result.stderr == (
        "mderank: error: --preset paper is for the method 'mderank', not for yake: leave out --preset or --method\n"
    )


def test_another_method_in_a_file_is_refused_and_the_file_named(run, paper_text, tmp_path):
    config = tmp_path / "mine.toml"
    config.write_text('method = "fusion"\n')
    result = run("extract", paper_text, "--config", config, "--preset", "paper")
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "not for fusion" in result.stderr
    assert "mine.toml" in result.stderr


def test_an_unknown_preset_and_options_that_do_not_fit(run, paper_text):
    result = run("extract", paper_text, "--preset", "best")
    assert result.exit_code == 2
    assert "'best' is not 'paper'" in result.stderr
    result = run("extract", paper_text, "--preset", "paper", "--model", "minilm-l6", "--min-confidence", 0.2)
    assert result.exit_code == 2
    assert "the method 'mderank' does not take min_confidence" in result.stderr
    with pytest.raises(OptionError, match="not 'median'"):
        MDERank.paper(FakeEncoder(), pooling="median")


def test_the_help_says_what_it_stands_for():
    """The options that the help spells out are the preset's; the rest are defaults of the command line."""
    (text,) = (each.help for each in extract.params if each.name == "preset")
    spelled_out = text.partition("that is ")[2].rstrip(".").split()
    values = {}
    for index, word in enumerate(spelled_out):
        if word.startswith("--"):
            following = spelled_out[index + 1 : index + 2] or ["--"]
            values[word[2:].replace("-", "_")] = True if following[0].startswith("--") else following[0]
    defaults = {"masking": "all", "similarity": "cosine"}
    told = {name: value if value in (True, None) else str(value) for name, value in PRESETS["paper"].given().items()}
    assert {**values, **defaults} == told


def test_a_method_says_what_is_the_paper_s_and_what_is_ours(run):
    text = " ".join(run("methods", "mderank").stdout.split())
    for part in ("--preset paper", "One encoder pass", "Mean pooling", "windows", "at most eight words", "same stems",
                 "spaCy", "CoreNLP", "stop words is our own"):  # fmt: skip
        assert part in text
