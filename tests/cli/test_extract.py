"""What `mderank extract` writes."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from tests.helpers import HtmlPage


def test_table_in_a_pipe_has_no_colour(run, example):
    result = run("extract", example, "-k", 2)
    assert "\x1b" not in result.stdout
    heading, first, second = result.stdout.splitlines()[:3]
    assert heading == str(example)
    assert re.fullmatch(r" +1  1\.\d+ +█{10} +3×  storm surges", first)
    assert second.endswith("surge model")


def test_json_is_one_array(run, example, tmp_path):
    assert [document["id"] for document in json.loads(run("extract", example, example, "-f", "json").stdout)] == [
        str(example)
    ]
    (tmp_path / "empty.jsonl").write_text("")
    assert json.loads(run("extract", tmp_path / "empty.jsonl", "-f", "json").stdout) == []


def test_csv(run, example, tmp_path):
    result = run("extract", example, tmp_path / "missing.txt", "-f", "csv", "-k", 2)
    first, second, failed = csv.DictReader(io.StringIO(result.stdout))
    assert (first["rank"], first["keyphrase"], first["count"]) == ("1", "storm surges", "3")
    start, end = map(int, second["spans"].split()[0].split(":"))
    assert example.read_text()[start:end] == "surge model"
    assert "No such file" in failed["error"]


@pytest.mark.parametrize("name", ["out.md", "OUT.MD", "out.markdown"])
def test_markdown_by_the_suffix_of_the_file(run, example, tmp_path, name):
    missing = tmp_path / "missing.txt"
    result = run("extract", example, missing, "-k", 2, "-o", tmp_path / name)
    assert result.exit_code == 1
    lines = (tmp_path / name).read_text(encoding="utf-8").splitlines()
    assert lines[0] == "# Keyphrases"
    assert "| 1 | storm surges | 3 | 0.987 | 1.377 |" in lines
    assert any(line.startswith("> Could not be read: ") for line in lines)
    assert sum(line.startswith("## ") for line in lines) == 2


def test_html_shows_the_text_with_its_keyphrases(run, example):
    page = HtmlPage(run("extract", example, "-f", "html", "-k", 5).stdout)
    assert example.read_text() in page.text
    assert page.marked.count("storm surges") == 2  # and once "Storm surges"
    assert page.marked.count("shallow estuaries") == 2
    assert "script" not in page.tags


def test_html_is_safe_against_markup_in_the_text(run, tmp_path):
    text = (
        "The storm <script>alert(1)</script> surge <img src=x onerror=alert(2)> & \"storm\" 'surge' \x07 </div></html>"
    )
    file = tmp_path / "<b>bold.txt"
    file.write_text(text)
    output = run("extract", file, "-f", "html").stdout
    page = HtmlPage(output)
    allowed = "html head meta title style body header section h1 h2 div ol li a span mark p details summary"
    assert set(page.tags) <= set(allowed.split())
    assert text.replace("\x07", "\ufffd") in page.text
    assert "<b>bold.txt" in page.text
    assert "default-src 'none'" in output


def test_html_names_what_was_not_read(run, example):
    page = HtmlPage(run("extract", example, "-f", "html", "--max-words", "20").stdout)
    assert "Not read" in page.text
    assert example.read_text() in page.text


def test_output_file_appears_whole_or_not_at_all(run, example, tmp_path):
    file = tmp_path / "out.csv"
    result = run("extract", example, "-f", "csv", "-o", file)
    assert result.stdout == ""
    assert file.read_text().startswith("document,rank")
    assert [each.name for each in tmp_path.iterdir()] == ["out.csv"]
    result = run("extract", example, "-o", tmp_path / "no" / "out.csv")
    assert result.exit_code == 2
    assert f"there is no folder {tmp_path / 'no'}; create it first" in result.stderr


def test_what_was_not_read_and_what_does_not_occur_is_said_on_stderr(run, example, tmp_path):
    phrases = tmp_path / "list.txt"
    phrases.write_text("# of ours\nstorm surge\nsolar panel\n\n")
    result = run("extract", example, "--phrases", phrases, "--max-words", 100, "-f", "jsonl")
    assert result.exit_code == 0
    assert "the last 148 words were not read (--max-words 100)" in result.stderr
    assert "1 listed phrase does not occur: solar panel" in result.stderr
    document = json.loads(result.stdout)
    assert document["missing_phrases"] == ["solar panel"]
    assert example.read_text()[: document["truncated"][0]].split() == example.read_text().split()[:100]
    assert run("extract", example, "--phrases", phrases, "--max-words", 100, "-q").stderr == ""


@pytest.mark.parametrize(
    ("name", "begins"),
    [("a.html", "<!doctype html>"), ("a.json", "["), ("a.jsonl", '{"id"'), ("a.csv", "document,rank"), ("a.txt", "")],
)
def test_the_suffix_of_the_output_is_its_format(run, example, tmp_path, name, begins):
    assert run("extract", example, "--method", "firstphrases", "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").lower().startswith(begins)
    run("extract", example, "--method", "firstphrases", "-o", tmp_path / name, "-f", "jsonl")
    assert (tmp_path / name).read_text(encoding="utf-8").startswith('{"id"')


def test_an_input_is_not_written_over(run, tmp_path):
    note = tmp_path / "note.md"
    note.write_text("The owl eats a mouse.")
    for path in (note, tmp_path):
        result = run("extract", path, "-o", note)
        assert result.exit_code == 2
        assert f"--output {note} is one of the files to read: name another file" in result.stderr
    assert note.read_text() == "The owl eats a mouse."


@pytest.mark.parametrize(
    ("name", "noted"), [("a.txt", False), ("a", False), ("a.tsv", True), ("a.jsonl.gz", True), ("a.ndjson", False)]
)
def test_a_suffix_of_no_output_format_is_noted(run, example, tmp_path, name, noted):
    arguments = ("extract", example, "--method", "firstphrases", "-o", tmp_path / name)
    assert ("no output format has this suffix: it is written as a table" in run(*arguments).stderr) == noted
    assert not run(*arguments, "-q").stderr
    assert not run(*arguments, "-f", "csv").stderr


def test_an_input_without_documents_is_noted(run, tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("id,text\n")
    result = run("extract", file, "-f", "json")
    assert (result.exit_code, json.loads(result.stdout)) == (0, [])
    assert "the input has no documents" in result.stderr
    assert not run("extract", file, "-q").stderr


def test_seeds(run, example, tmp_path):
    def first(*arguments):
        return json.loads(run("extract", example, "-f", "json", *arguments).stdout)[0]["keyphrases"][0]["text"]

    assert first() == "storm surges"
    assert first("--seeds", "deep learning") == "neural network"
    assert first("--seeds", "tide gauges, sea level", "--seeds", "tide gauge", "--seed-weight", 1) == "tide gauges"
    config = tmp_path / "mine.toml"
    config.write_text('seeds = ["deep learning"]\n')
    assert first("--config", config) == "neural network"
    assert first("--config", config, "--seeds", "tide gauges") == "tide gauges"
    config.write_text('seeds = "deep learning, statistics"\n')
    assert first("--config", config) == "neural network"


def test_seeds_of_each_record(run, example, tmp_path):
    file = tmp_path / "in.jsonl"
    rows = [{"text": example.read_text(), **own} for own in ({"about": "deep learning"}, {"about": []}, {})]
    file.write_text("".join(json.dumps(each) + "\n" for each in rows))
    found = run("extract", file, "-f", "jsonl", "-k", 1, "--seeds-field", "about", "--seeds", "tide gauges").stdout
    assert [json.loads(line)["keyphrases"][0]["text"] for line in found.splitlines()] == [
        "neural network", "storm surges", "tide gauges"]  # fmt: skip


def test_seeds_that_make_no_sense_are_refused(run, example):
    for seeds, reason in ((" , ", "blank phrase"), (",".join(map(str, range(101))), "more than 100 phrases")):
        result = run("extract", example, "--seeds", seeds)
        assert result.exit_code == 2
        assert reason in result.stderr
    result = run("extract", example, "--seeds", "sea", "--method", "yake")
    assert result.exit_code == 2
    assert "use fusion, embedrank, keybert, mderank" in result.stderr
