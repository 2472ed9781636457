"""Options, errors and exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

import mderank
from mderank.encoding import exact as exact_form

PROGRAM = [sys.executable, "-c", "from mderank.cli import main; main()"]


def phrases(result):
    return [each["text"] for each in json.loads(result.stdout)["keyphrases"]]


def test_version(run):
    assert run("--version").stdout == f"mderank, version {mderank.__version__}\n"


def test_help_teaches(run):
    top = run("--help").stdout
    assert "mderank extract paper.txt" in top
    assert "Exit codes" in top
    text = run("extract", "--help").stdout
    assert [line for line in text.splitlines() if line in ("Input:", "Results:", "Candidates:", "Method:")] == [
        "Input:",
        "Results:",
        "Candidates:",
        "Method:",
    ]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--pattern", "<NN>", "--ngrams", "1-2"], "pattern and ngrams exclude each other"),
        (["--pattern", "NN"], "outside angle brackets"),
        (["--diversity", "0.5", "--max-sum", "20"], "diversity and max_sum exclude each other"),
        (["--max-sum", "20", "--top-k", "0"], "needs a top_k from 1 to 20, not 0"),
        (["--max-sum", "5"], "needs a top_k from 1 to 5, not 10"),
        (["--ngrams", "3-1"], "ngrams must be a range N-M with 1 <= N <= M"),
        (["--ngrams", "x"], "ngrams must be a range N-M"),
        (["--pooling", "cls"], "--exact"),
        (["--layer", "9"], "has 0 to 6"),
        (["--device", "cuda"], "runs on ONNX Runtime"),
        (["--model", "./nowhere"], "does not exist"),
        (["--phrases", "nowhere.txt"], "nowhere.txt: cannot be read"),
        (["--tagger", "xx_nothing"], "cannot be loaded"),
    ],
)
def test_one_line_names_the_cause_and_exit_code_2(run, example, arguments, complaint):
    result = run("extract", example, *arguments)
    assert complaint in result.stderr + result.stdout
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
    assert "Traceback" not in result.stderr


def test_an_unknown_option_value_is_a_usage_error(run, example):
    result = run("extract", example, "--masking", "some")
    assert result.exit_code == 2
    assert "all" in result.stderr


@pytest.mark.slow
def test_candidates_can_be_chosen(run, example, tmp_path):
    listed = tmp_path / "list.txt"
    listed.write_text("tide gauges\nneural network\n")
    assert set(phrases(run("extract", example, "--phrases", listed, "-f", "jsonl"))) == {
        "tide gauges",
        "neural network",
    }
    words = phrases(run("extract", example, "--ngrams", "2", "-f", "jsonl", "-k", 0, "--dedupe", "none"))
    assert {len(word.split()) for word in words} == {2}
    nouns = phrases(run("extract", example, "--pattern", "<NN.*>", "-f", "jsonl", "-k", 0))
    assert all(len(noun.split()) == 1 for noun in nouns)
    short = phrases(run("extract", example, "--max-phrase-words", 1, "-f", "jsonl", "-k", 0))
    assert all(len(phrase.split()) == 1 for phrase in short)


def test_comments_in_a_file_of_phrases_are_counted_and_can_be_escaped(run, tmp_path):
    listed = tmp_path / "list.txt"
    listed.write_text("# animals\nowl\n\\#mice\n#plants\n  \n")
    given = ("extract", "-f", "jsonl", "--method", "firstphrases", "--phrases", listed)
    result = run(*given, stdin="The owl eats #mice and plants.")
    assert phrases(result) == ["owl", "#mice"]
    note = f"mderank: note: {listed}: 2 lines begin with #: they are comments; a phrase with # is written \\#\n"
    assert result.stderr == note
    assert run(*given, "-q", stdin="The owl eats mice.").stderr == ""
    listed.write_text("owl\n#x\n")
    assert "1 line begins with #: it is a comment; a phrase" in run(*given, stdin="The owl eats mice.").stderr


@pytest.mark.slow
def test_stop_words_and_exclusions(run, example, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("tide\n")
    assert not any(
        "tide" in each.lower()
        for each in phrases(run("extract", example, "--stop-words", words, "-f", "jsonl", "-k", 0))
    )
    excluded = phrases(run("extract", example, "--exclude", words, "-f", "jsonl", "-k", 0))
    assert "tide" not in excluded
    assert "tide gauges" in excluded


@pytest.mark.slow
def test_results_can_be_limited_and_diversified(run, example):
    everything = json.loads(run("extract", example, "-f", "jsonl", "-k", 0).stdout)["keyphrases"]
    limit = (everything[5]["score"] + everything[6]["score"]) / 2
    assert (
        len(json.loads(run("extract", example, "-f", "jsonl", "-k", 0, "--min-score", limit).stdout)["keyphrases"]) == 6
    )
    plain = phrases(run("extract", example, "-f", "jsonl"))
    assert plain == [each["text"] for each in everything[:10]]
    assert phrases(run("extract", example, "-f", "jsonl", "--diversity", "0.5")) != plain
    unlike = phrases(run("extract", example, "-f", "jsonl", "-k", 3, "--max-sum", 6))
    assert len(unlike) == 3
    assert set(unlike) <= set(plain[:6])
    assert unlike != plain[:3]
    assert phrases(run("extract", example, "-f", "jsonl", "-k", 3, "--max-sum", 3)) == plain[:3]


def contains(one, other):
    return f" {other.lower()} " in f" {one.lower()} "


@pytest.mark.slow
def test_how_much_phrases_overlap(run, tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("The barn owl hunts at night. A barn owl nest is a nest of sticks. Young barn owls leave the nest.")
    arguments = ("extract", file, "-k", 0, "-f", "jsonl", "--method")
    found = {overlap: phrases(run(*arguments, "mderank", "--overlap", overlap)) for overlap in ("none", "any")}
    assert found["any"] == phrases(run(*arguments, "mderank"))
    assert any(contains(one, other) for one in found["any"] for other in found["any"] if one != other)
    assert not any(contains(one, other) for one in found["none"] for other in found["none"] if one != other)
    little = run(*arguments, "fusion", "--overlap", "little").stdout
    assert run(*arguments, "fusion").stdout == little != run(*arguments, "fusion", "--overlap", "any").stdout
    none = json.loads(run(*arguments, "fusion", "--overlap", "none").stdout)["keyphrases"]
    assert any(each.get("related") for each in none)
    for each in none:
        assert all(contains(other, each["text"]) or contains(each["text"], other) for other in each.get("related", ()))
    config = tmp_path / "mine.toml"
    config.write_text('overlap = "none"')
    assert json.loads(run(*arguments, "fusion", "--config", config).stdout)["keyphrases"] == none


def test_options_about_terms_keep_the_terms(run, tmp_path):
    file, words = tmp_path / "a.txt", tmp_path / "words.txt"
    file.write_text("Type 2 diabetes is common. Type 2 diabetes has a cause. The Bank of England lends money.")
    words.write_text("common\n")
    arguments = ("extract", file, "-k", 0, "-f", "jsonl")
    assert "Type 2 diabetes" in phrases(run(*arguments))  # which is no noun phrase by tags
    assert "Type 2 diabetes" in phrases(run(*arguments, "--stop-words", words))
    assert "Type 2 diabetes" in phrases(run(*arguments, "--max-phrase-words", 3))
    assert "Type 2 diabetes" not in phrases(run(*arguments, "--max-phrase-words", 2))
    by_pattern = phrases(run(*arguments, "--pattern", "<NN.*>+<IN><NN.*>+"))
    assert by_pattern == ["Bank of England"]
    result = run(*arguments, "--max-phrase-words", 0)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1)
    assert "give a limit" in result.stderr


def test_methods_say_how_much_overlap_is_theirs(run):
    assert "unless --overlap says otherwise: little" in run("methods", "fusion").stdout
    assert "unless --overlap says otherwise: any" in run("methods", "yake").stdout
    assert "unithood" in run("methods", "fusion").stdout


@pytest.mark.parametrize("masking", ["all", "once", "highest", "subset"])
@pytest.mark.parametrize("form", [[], ["--exact"]])
def test_every_masking_in_both_forms(run, tmp_path, masking, form):
    file = tmp_path / "a.txt"
    file.write_text("The barn owl is a bird of prey. A barn owl sees in the dark.")
    found = phrases(run("extract", file, "--method", "mderank", "--masking", masking, "-f", "jsonl", *form))
    assert found[0] == "barn owl"


def test_tokens_computed_at_once_are_an_option_of_the_exact_form(run, tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("The barn owl is a bird of prey. A barn owl sees in the dark.")
    exact = ("extract", file, "--method", "mderank", "--exact", "-f", "jsonl")
    assert run(*exact, "--batch-tokens", 40).stdout == run(*exact).stdout
    for arguments, complaint in (
        (("--batch-tokens", 40), "add exact=True (--exact)"),
        (("--batch-tokens", 40, "--method", "yake"), "the method 'yake' does not take batch_tokens"),
        (("--batch-tokens", 0, "--exact"), "x>=1"),
    ):
        result = run("extract", file, *arguments)
        assert result.exit_code == 2
        assert complaint in result.stderr
    text = " ".join(run("extract", "--help").stdout.split())
    assert f"{exact_form.CPU_BATCH_TOKENS} on the CPU, {exact_form.GPU_BATCH_TOKENS} on a GPU" in text


GERMAN = "Die Flut ist nicht nur die Summe von Wind und Gezeiten, und das gilt auch für die Mündung der großen Flüsse."


def test_an_english_tagger_that_was_named_says_once_that_a_text_is_not(run):
    lines = (json.dumps({"text": GERMAN}) + "\n") * 2
    with pytest.warns(mderank.LanguageWarning, match="--tagger") as caught:
        run("extract", "-f", "jsonl", "--tagger", "encoder", stdin=lines)
    assert len(caught) == 1


def test_each_text_is_read_in_its_language(run):
    lines = json.dumps({"text": GERMAN}) + "\n" + json.dumps({"text": "Storm surges flood the harbour of the town."})
    german, english = map(json.loads, run("extract", "-f", "jsonl", stdin=lines).stdout.splitlines())
    assert (german["language"]["code"], english["language"]["code"]) == ("de", "en")
    assert any("English" in warning for warning in german["language"]["warnings"])
    assert english["language"]["warnings"] == []
    assert {"Flut", "Gezeiten"} & {each["text"] for each in german["keyphrases"]}


def test_the_language_of_a_record_and_of_all(run):
    record = json.dumps({"text": "Flut Wind Gezeiten", "language": "german"})
    assert json.loads(run("extract", "-f", "jsonl", stdin=record).stdout)["language"]["code"] == "de"
    other = json.dumps({"text": "Flut Wind Gezeiten", "lang": "pl"})
    row = json.loads(run("extract", "-f", "jsonl", "--language-field", "lang", stdin=other).stdout)
    assert row["language"]["code"] == "pl"
    row = json.loads(run("extract", "-f", "jsonl", "--language", "nl", stdin=other).stdout)
    assert row["language"]["code"] == "nl"


def test_the_languages(run, tmp_path):
    rows = {row["code"]: row for row in json.loads(run("languages", "--json").stdout)}
    assert rows["en"]["tagger"] == "bundled tagger"
    assert rows["de"]["name"] == "German"
    (tmp_path / "flut.txt").write_text(GERMAN, encoding="utf-8")
    assert " de " in run("languages", str(tmp_path / "flut.txt")).stdout


def test_models_and_info(run, tmp_path):
    rows = json.loads(run("models", "--json").stdout)
    assert rows[0] == {"model": "minilm-l6", "status": "bundled", "note": rows[0]["note"]}
    assert "bert-base-uncased" in [row["model"] for row in rows]
    pickled = tmp_path / "old"
    pickled.mkdir()
    (pickled / "config.json").write_text("{}")
    assert "no safetensors" in run("models", tmp_path).stdout
    (pickled / "pytorch_model.bin").write_bytes(b"")
    assert "converted to safetensors on first use" in run("models", tmp_path).stdout
    facts = json.loads(run("info", "--json").stdout)
    assert (facts["model"], facts["layers"], facts["one pass"]) == ("minilm-l6", 6, "yes")
    assert run("info").stdout.startswith("mderank ")


def program(*arguments, **options):
    return subprocess.run([*PROGRAM, *map(str, arguments)], capture_output=True, text=True, check=False, **options)


@pytest.mark.slow
def test_the_program_prints_warnings_in_one_line(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("Η θάλασσα ανεβαίνει όταν φυσά ο άνεμος και η πίεση πέφτει κοντά στην ακτή.", encoding="utf-8")
    result = program("extract", file, "--tagger", "encoder")
    assert result.returncode == 0
    (line,) = result.stderr.splitlines()
    assert line.startswith("mderank: warning: the text is plainly not English")
    assert program("extract", file, "--tagger", "encoder", "--quiet").stderr == ""
    assert program("extract", file).stderr == ""


@pytest.mark.slow
def test_a_closed_pipe_is_quiet(example):
    lines = json.dumps({"text": example.read_text()}) + "\n"
    head = subprocess.Popen(["head", "-c", "10"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    result = subprocess.run(
        [*PROGRAM, "extract", "-f", "json", "-k", "0"],
        input=(lines * 200).encode(),
        stdout=head.stdin,
        stderr=subprocess.PIPE,
        check=False,
    )
    head.stdin.close()
    assert head.stdout.read() == b'[\n{\n  "id"'
    head.stdout.close()
    head.wait()
    assert result.stderr == b""


@pytest.mark.slow
def test_torch_is_not_imported_for_the_embedded_model(example):
    code = "import sys; from mderank.cli import cli; cli(standalone_mode=False); assert 'torch' not in sys.modules"
    command = [sys.executable, "-c", code, "extract", str(example)]
    result = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, "COLUMNS": "100"})
    assert result.returncode == 0, result.stderr
    assert "tide" in result.stdout


def test_an_option_of_a_method_alone_is_set_by_name(run, example):
    result = run("extract", example, "--method", "tfidf", "--set", "colour=red")
    assert result.exit_code == 2
    assert "unknown parameter of 'tfidf' 'colour'" in result.stderr


def test_a_method_tells_what_it_does(run):
    text = run("methods", "embedrank").stdout
    assert "Bennani-Smires" in text
    assert "1. Tag the text" in text
    result = run("methods", "bogus")
    assert result.exit_code == 2
    assert "it is one of mderank, fusion, embedrank" in result.stderr
