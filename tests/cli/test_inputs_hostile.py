"""Hostile input on the command line: an error per document, the rest is extracted, and never a traceback."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys

import pytest

from mderank.writing.csv import unescape_cell

GOOD = '{"id": "good", "text": "The barn owl eats a mouse."}\n'
FAST = ("--method", "firstphrases")


def documents(result):
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_the_longest_document_can_be_set(run, tmp_path):
    file = tmp_path / "a.jsonl.gz"
    file.write_bytes(gzip.compress(b"\0" * 1_000_000 + b"\n" + GOOD.encode()))
    result = run("extract", file, "-f", "jsonl", "--max-document-chars", 1000, *FAST)
    assert result.exit_code == 1
    assert [bool(document["error"]) for document in documents(result)] == [True, False]
    assert result.stderr.startswith(f"mderank: error: {file}:1: this line has more than 4,000 bytes, that is 4 per ")
    assert "--max-document-chars 1000: divide it, or raise the limit" in result.stderr
    assert run("extract", file, "--max-document-chars", 0).exit_code == 2


def test_the_longest_document_can_be_set_in_a_file(run, tmp_path):
    (tmp_path / "options.toml").write_text("max-document-chars = 10\n")
    (tmp_path / "a.txt").write_text("The barn owl eats a mouse.")
    result = run("extract", tmp_path / "a.txt", "--config", tmp_path / "options.toml", *FAST)
    assert result.exit_code == 1
    assert "this document has 26 characters, more than --max-document-chars 10" in result.stderr
    result = run(
        "extract", tmp_path / "a.txt", "--config", tmp_path / "options.toml", "--max-document-chars", 26, *FAST
    )
    assert result.exit_code == 0


@pytest.mark.slow
def test_batches_have_the_same_limit(run, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text(GOOD + '{"text": "' + "owl " * 1000 + '"}\n' + GOOD.replace("good", "last"))
    command = ("batch", file, tmp_path / "out", "--processes", 1, *FAST)
    result = run(*command, "--max-document-chars", 500)
    assert result.exit_code == 1
    rows = [json.loads(line) for line in (tmp_path / "out" / "part-000000.jsonl").read_text().splitlines()]
    assert [row["id"] for row in rows] == ["good", f"{file}:2", "last"]
    assert f"{file}:2: this line has more than 2,000 bytes" in rows[1]["error"]
    changed = run(*command)
    assert changed.exit_code == 2
    assert "reading.max_document_chars: 500, now 10000000" in changed.stderr


def test_evaluations_have_the_same_limit(run, tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "1", "text": "The barn owl eats a mouse.", "keyphrases": ["barn owl"]}\n')
    command = ("evaluate", "-d", file, "--out", tmp_path / "runs", *FAST)
    result = run(*command, "--max-document-chars", 25)
    assert result.exit_code == 2
    assert f"{file}:1: this document has more characters than --max-document-chars 25" in result.stderr
    assert run(*command, "--max-document-chars", 26).exit_code == 0


@pytest.mark.parametrize("encoding", ["undefined", "punycode", "base64", "klingon", ""])
def test_an_encoding_that_is_none_is_wrong_usage(run, tmp_path, encoding):
    (tmp_path / "a.txt").write_text("owl")
    result = run("extract", tmp_path / "a.txt", "--encoding", encoding)
    assert result.exit_code == 2
    assert "encoding" in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_one_bad_record_of_each_kind_and_the_rest_goes_on(run, tmp_path):
    lines = [
        '{"n": ' + "9" * 5000 + "}",
        '{"a":' * 9999,
        '{"text": NaN}',
        '{"id": "\\ud800", "text": "Sea ice \\udfff"}',
    ]
    (tmp_path / "a.jsonl").write_text("".join(line + "\n" + GOOD for line in lines))
    (tmp_path / "b.html").write_text("<meta charset=punycode><p>storm<![C x")
    (tmp_path / "c.html").write_text("<p>storm &#" + "9" * 5000 + "; surge")
    result = run("extract", tmp_path, "-f", "jsonl", *FAST)
    assert result.exit_code == 1
    found = documents(result)
    assert [bool(document["error"]) for document in found] == [True, False] * 3 + [False] * 4
    assert len(result.stderr.splitlines()) == 3


@pytest.mark.parametrize("form", ["table", "csv", "html", "json", "jsonl", "markdown"])
@pytest.mark.parametrize("to_file", [False, True])
def test_ids_of_any_characters_are_written(run, tmp_path, form, to_file):
    ids = ["two\nlines", "\ud800", "\x1b[31mred", "a,\"b\"\r", "\0", "=1+1"]  # fmt: skip
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"id": id_, "text": "The owl."}) + "\n" for id_ in ids))
    target = ("-o", tmp_path / "out") if to_file else ()
    result = run("extract", tmp_path / "a.jsonl", "-f", form, *target, *FAST)
    assert result.exit_code == 0, result.exception
    if form == "table" and not to_file:
        assert "\x1b" not in result.stdout
        assert "two\\nlines" in result.stdout.splitlines()
    if form == "markdown" and not to_file:
        assert "\x1b" not in result.stdout
        assert "## two\\\\nlines" in result.stdout.splitlines()


def test_ids_with_line_breaks_read_back_from_csv(run, tmp_path):
    ids = ["one\r", "\rtwo", "three\r\nfour", "five\nsix", 'sev"en', "eight\u2028", "nine"]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps({"id": id_, "text": "The owl."}) + "\n" for id_ in ids))
    run("extract", tmp_path / "a.jsonl", "-f", "csv", "-o", tmp_path / "out.csv", *FAST)
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert [unescape_cell(row["document"]) for row in rows] == ids
    assert (tmp_path / "out.csv").read_bytes().count(b"\n") == len(ids) + 3


def test_an_error_is_one_line_whatever_the_name(run, tmp_path):
    name = "a\nb\x1b[2J.txt"
    (tmp_path / name).write_bytes(b"\xff")
    result = run("extract", tmp_path / name, *FAST)
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "a\\nb\\x1b[2J.txt: byte 0 is not utf-8" in result.stderr


def test_a_text_in_place_of_a_file(run):
    result = run("extract", "storm surges flood the coast " * 50, *FAST)
    assert result.exit_code == 1
    assert result.stderr.endswith(": cannot be read: File name too long\n")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_batches_refuse_pipes(run, tmp_path):
    os.mkfifo(tmp_path / "a.txt")
    result = run("batch", tmp_path / "a.txt", tmp_path / "out", *FAST)
    assert result.exit_code == 2
    assert "a pipe, socket or device cannot be read twice: save it to a file" in result.stderr


def test_a_batch_of_a_name_that_is_too_long(run, tmp_path):
    result = run("batch", "x" * 5000, tmp_path / "out", *FAST)
    assert result.exit_code == 2
    assert "there is no such file, or it may not be read" in result.stderr


def test_a_list_in_csv_output_of_errors_reads_back(run, tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": "x", "text": 5}\n')
    result = run("extract", tmp_path / "a.jsonl", "-f", "csv", *FAST)
    (row,) = csv.DictReader(io.StringIO(result.stdout, newline=""))
    assert "--text-field" in row["error"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("redirect", "code", "message"),
    [
        ("<&-", 2, "standard input is closed"),
        ("--max-document-chars 1000 < /dev/zero", 1, "<stdin>: this file has more than 4,000 bytes"),
        ("$(printf 'caf\\351.txt')", 1, "caf\\udce9.txt: cannot be read: No such file or directory"),
    ],
)
def test_the_command_itself(redirect, code, message):
    command = f'"{sys.executable}" -c "from mderank.cli import main; main()" extract --method firstphrases {redirect}'
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_lone_surrogates_in_labelled_documents(run, tmp_path):
    """JSON can hold them, UTF-8 cannot, and runs and styles are written in UTF-8."""
    rows = [{"id": f"\ud800 {n}", "text": "\ud800 The barn owl eats.", "keyphrases": ["\ud800 owl"]} for n in range(5)]
    data, runs, style = tmp_path / "owls.jsonl", tmp_path / "runs", tmp_path / "owls.json"
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = run("evaluate", "-d", data, "--method", "firstphrases", "--tagger", "encoder", "--out", runs)
    assert result.exit_code == 0, result.stderr
    written = (runs / "owls" / "firstphrases" / "documents.jsonl").read_text(encoding="utf-8").splitlines()
    assert [json.loads(line)["id"] for line in written] == [row["id"] for row in rows]
    result = run("tune", data, "-o", style, "--force")
    assert result.exit_code == 0
    assert "'\\ud800 owl'" in result.stdout
    assert run("extract", data, "--style", style).exit_code == 0
