"""`mderank collection`: what all documents of a batch are about."""

from __future__ import annotations

import json

import pytest

PHRASES = (("reef", "fish"), ("fish", "Reefs"), ("storm",))


@pytest.fixture
def made(tmp_path):
    def make(name, some=PHRASES):
        file = tmp_path / f"{name}.jsonl"
        rows = [
            {"id": str(number), "error": None, "keyphrases": [
                {"text": each, "score": 1.0, "spans": [[0, 4]], "forms": [each]} for each in phrases]}
            for number, phrases in enumerate(some)
        ]  # fmt: skip
        file.write_text("".join(json.dumps(row) + "\n" for row in rows))
        return file

    return make


def test_a_table(run, made):
    result = run("collection", made("a"))
    assert result.exit_code == 0
    assert result.stdout == (
        "3 documents, 3 phrases\n"
        "   documents      %  weight  phrase\n"
        "1          2  66.67     1.6  fish\n"
        "2          2  66.67     1.6  Reefs  (reef)\n"
        "3          1  33.33     1.0  storm\n"
    )


def test_a_table_against_another(run, made):
    result = run("collection", made("a"), "--against", made("b", [("fish",)] * 9), "-k", 2)
    lines = result.stdout.splitlines()
    assert lines[0].endswith("b.jsonl")
    assert lines[1].split() == ["documents", "%", "weight", "there", "ratio", "G²", "phrase"]
    assert lines[2].split() == ["1", "2", "66.67", "1.6", "0", "12.5", "7.0", "Reefs", "(reef)"]
    assert len(lines) == 4


def test_json_and_a_page(run, made, tmp_path):
    data = json.loads(run("collection", made("a"), "-f", "json", "--sort", "documents").stdout)
    assert data["phrases"][0]["text"] == "fish"
    assert data["phrases"][0]["share"] == 0.666667
    assert data["phrases"][0]["examples"][0] == {"id": "1", "rank": 1, "spans": [[0, 4]]}
    result = run("collection", made("a"), "-f", "html", "-o", tmp_path / "page.html")
    assert (result.exit_code, result.stdout) == (0, "")
    assert (tmp_path / "page.html").read_text().startswith("<!DOCTYPE html>")


def test_the_suffix_of_the_output_is_its_format(run, made, tmp_path):
    for name, begins in (("a.html", "<!DOCTYPE html>"), ("a.JSON", "{"), ("a.txt", "3 documents")):
        assert run("collection", made("rows"), "-o", tmp_path / name).stderr == ""
        assert (tmp_path / name).read_text().startswith(begins)
    assert "no output format has this suffix" in run("collection", made("rows"), "-o", tmp_path / "a.csv").stderr
    assert run("collection", made("rows"), "--failed", "-o", tmp_path / "a.html").exit_code == 2
    rows = made("rows")
    written = rows.read_bytes()
    result = run("collection", rows, "-o", rows)
    assert (result.exit_code, rows.read_bytes()) == (2, written)
    assert "is one of the files to read" in result.stderr


def test_a_batch_that_is_not_finished_is_said_so(run, tmp_path):
    (tmp_path / "out" / "_mderank").mkdir(parents=True)
    (tmp_path / "out" / "_mderank" / "manifest.json").write_text('{"output": "jsonl"}')
    result = run("collection", tmp_path / "out")
    assert result.exit_code == 0
    assert "the batch is not finished" in result.stderr
    assert run("collection", tmp_path / "out", "-q").stderr == ""


def test_wrong_usage(run, made, tmp_path):
    for arguments, message in (
        ((tmp_path,), "is not a `mderank batch` output folder"),
        ((made("a"), "--sort", "keyness"), "--against"),
        ((tmp_path / "none",), "is not a `mderank batch` output folder"),
    ):
        result = run("collection", *arguments)
        assert result.exit_code == 2
        assert message in result.stderr
