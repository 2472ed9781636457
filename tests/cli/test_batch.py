"""`mderank batch`: many documents to a folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mderank import load_style
from mderank.cli._terminal import Throughput

# A method without an encoder: what takes time is spaCy, which every worker process loads.
QUICK = ("--method", "firstphrases", "--processes", 1, "--threads", 1)


@pytest.fixture
def lines(tmp_path):
    file = tmp_path / "in.jsonl"
    file.write_text("".join(f'{{"id": {number}, "text": "The {number} owls eat a mouse."}}\n' for number in range(5)))
    return file


def rows(out: Path) -> str:
    return "".join(part.read_text() for part in sorted(out.glob("part-*")))


@pytest.mark.slow
def test_a_style_is_part_of_the_run(run, tmp_path):
    file, style = tmp_path / "in.jsonl", tmp_path / "mine.json"
    file.write_text('{"id": "a", "text": "Coral reefs feed fish. Warm water harms the coral reefs of the lagoon."}\n')
    style.write_text(load_style("tags").to_json())
    arguments = ("--style", style, "-k", 3, "--threads", 1)
    assert run("batch", file, tmp_path / "out", *arguments, "--processes", 1).exit_code == 0
    (row,) = map(json.loads, rows(tmp_path / "out").splitlines())
    single = json.loads(run("extract", file, "-f", "jsonl", *arguments).stdout)
    assert row["keyphrases"] == single["keyphrases"]
    style.write_text(load_style("terms").to_json())  # another style under the same name is another run
    refused = run("batch", file, tmp_path / "out", *arguments, "--processes", 1)
    assert refused.exit_code == 2


@pytest.mark.slow
def test_rows_are_those_of_extract(run, lines, tmp_path):
    with lines.open("a") as stream:
        stream.write('{oops\n{"id": "last", "text": "Sea ice melts."}\n')
    result = run("batch", lines, tmp_path / "out", *QUICK, "-k", 2, "--shard-documents", 3, "--batch-size", 2)
    assert result.exit_code == 1
    assert "7 documents in 3 files" in result.stderr
    assert "1 failed: their rows have the error" in result.stderr
    assert "documents/s" in result.stderr
    assert rows(tmp_path / "out") == run("extract", lines, *QUICK[:2], "-k", 2, "-f", "jsonl").stdout
    again = run("batch", lines, tmp_path / "out", *QUICK, "-k", 2, "--shard-documents", 3)
    assert again.exit_code == 1
    assert "7 of them from an earlier run" in again.stderr
    assert "documents/s" not in again.stderr


@pytest.mark.slow
def test_quiet_says_nothing(run, lines, tmp_path):
    result = run("batch", lines, tmp_path / "out", *QUICK, "-q")
    assert (result.exit_code, result.output) == (0, "")


@pytest.mark.slow
def test_other_settings_and_input_that_changed_are_refused(run, lines, tmp_path):
    words = tmp_path / "words.txt"
    words.write_text("mouse\n")
    arguments = ("batch", lines, tmp_path / "out", *QUICK, "--exclude", words)
    assert run(*arguments).exit_code == 0
    result = run(*arguments, "-k", 3)
    assert result.exit_code == 2
    assert "started with other settings (settings.top_k: 10, now 3)" in result.stderr
    words.write_text("owl\n")
    assert "(settings.exclude: ['mouse'], now ['owl'])" in run(*arguments).stderr
    words.write_text("mouse\n")
    lines.write_text(lines.read_text().replace("eat", "see"))
    result = run(*arguments)
    assert result.exit_code == 2
    assert f"{lines}: the input has changed since the run began" in result.stderr


@pytest.mark.slow
def test_tokens_computed_at_once_are_no_setting_of_a_run(run, lines, tmp_path):
    arguments = ("batch", lines, tmp_path / "out", "--method", "mderank", "--exact", "--processes", 1, "--threads", 1)
    assert run(*arguments).exit_code == 0
    again = run(*arguments, "--batch-tokens", 100)
    assert again.exit_code == 0, again.stderr
    assert "5 of them from an earlier run" in again.stderr


@pytest.mark.slow
def test_the_first_failure_can_stop_the_run(run, tmp_path):
    (tmp_path / "in.jsonl").write_text('{oops\n{"text": "Sea ice melts."}\n')
    result = run("batch", tmp_path / "in.jsonl", tmp_path / "out", *QUICK, "--fail-fast")
    assert result.exit_code == 1
    assert "mderank: error:" in result.stderr
    assert "in.jsonl:1: this line is not JSON" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-", "out"), "standard input cannot be read again"),
        (("in.jsonl", "out", "--address", "x"), "--address is for"),
        (("in.jsonl", "out", "--gpus", "1"), "--gpus is for"),
        (("none.jsonl", "out"), "there is no such file"),
        (("in.jsonl", "out", "--method", "yake", "--model", "x"), "the method 'yake' does not take model"),
        (("in.jsonl", "out", "--model", "./none"), "the model folder './none' does not exist"),
        (("in.jsonl",), "the output folder OUT is missing: mderank batch in.jsonl OUT"),
    ],
)
def test_wrong_usage(run, lines, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    result = run("batch", *arguments)
    assert result.exit_code == 2
    assert message in result.stderr


@pytest.mark.slow
def test_other_files_in_a_folder_are_told(run, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text("Sea ice melts.")
    (tmp_path / "in" / "b.xyz").touch()
    result = run("batch", tmp_path / "in", tmp_path / "out", *QUICK)
    assert "in the folders, not read: 1 other file (1 .xyz)" in result.stderr


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="this system does not show processes as files")
def test_a_worker_that_is_killed_does_not_take_the_program_with_it(tmp_path):
    file = tmp_path / "in.jsonl"
    file.write_text("".join(f'{{"id": {number}, "text": "The owls eat a mouse."}}\n' for number in range(3000)))
    program = "from mderank.cli import main; main()"
    command = [sys.executable, "-c", program, "batch", file, tmp_path / "out", *map(str, QUICK)]
    with subprocess.Popen([*command, "--shard-documents", "100"], stderr=subprocess.PIPE, text=True) as process:
        for killed in range(1, 4):
            while len(list((tmp_path / "out").glob("part-*"))) < 5 * killed and process.poll() is None:
                time.sleep(0.01)
            for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
                if b"multiprocessing.spawn" in Path(f"/proc/{child}/cmdline").read_bytes():
                    os.kill(int(child), signal.SIGKILL)
        assert process.stderr is not None
        told = process.stderr.read()
    assert process.returncode == 0, told
    assert "worker processes died and were replaced" in told
    assert [json.loads(line)["id"] for line in rows(tmp_path / "out").splitlines()] == list(range(3000))


def test_throughput_in_words(capsys):
    now = [100.0]
    shown = Throughput("documents", clock=lambda: now[0])
    shown.found(1000)
    assert str(shown) == "1,000 documents found"
    shown.advance(400)  # from an earlier run
    assert str(shown) == "400 of 1,000 documents"
    now[0] += 10
    shown.advance(100)
    assert str(shown) == "500 of 1,000 documents, 10.0 documents/s, 50 s left"
    assert capsys.readouterr().err == ""
    now[0] += 60
    shown.advance(100)
    assert "mderank: 600 of 1,000 documents, 2.9 documents/s, 2 min 20 s left" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("nope.jsonl", "nope.jsonl: there is no such file"),
        ("tables", "tables: this folder has no file that can be read"),
        ("*.txt", "*.txt: no file matches this pattern"),
    ],
)
def test_an_input_without_files_makes_no_folder(run, tmp_path, name, told):
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "a.csv").touch()
    result = run("batch", tmp_path / name, tmp_path / "out")
    assert result.exit_code == 2
    assert told in result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_the_summary_says_why_documents_failed(run, tmp_path):
    file = tmp_path / "in.jsonl"
    file.write_text('{oops\n{"id": "a", "text": 5}\n{"id": "b", "text": "Sea ice melts."}\n{worse\n{"id": "c"}\n')
    out = tmp_path / "out"
    result = run("batch", file, out, *QUICK)
    assert result.exit_code == 1
    told = result.stderr.splitlines()[-4:]
    shown = str(file) if len(str(file)) <= 78 else f"…{str(file)[-77:]}"  # the end of a long path
    syntax = "this line is not JSON: Expecting property name enclosed in double quotes at column 2"
    number = "the field 'text' is a number, not a string (fields: id, text); name another: --text-field"
    assert told == [
        f"mderank: 2 × {syntax}; e.g. {shown}:1",
        f"mderank: 1 × {number}; e.g. a",
        "mderank: 1 × the field 'text' is missing (fields: id); name another: --text-field; e.g. c",
        f"mderank: all of them: mderank collection {out} --failed",
    ]
    listed = run("collection", out, "--failed").stdout.splitlines()
    assert [line.partition(": ")[0] for line in listed] == [f"{file}:1", "a", f"{file}:4", "c"]
    assert listed[1] == f"a: {file}:2: {number}"
    assert [row["id"] for row in json.loads(run("collection", out, "--failed", "-f", "json").stdout)] == [
        f"{file}:1",
        "a",
        f"{file}:4",
        "c",
    ]
    assert run("collection", out, "--failed", "-f", "html").exit_code == 2


@pytest.mark.slow
def test_rare_reasons_are_counted_together(run, tmp_path):
    file = tmp_path / "in.jsonl"
    bad = ["{oops", "[]", '{"text": 5}', '{"txt": "a"}', "[[", '"', '{"text": "' + "x" * 200 + '"}', "5"]
    file.write_text("\n".join(bad) + "\n")
    told = run("batch", file, tmp_path / "out", *QUICK, "--max-document-chars", 40).stderr.splitlines()
    assert sum(" × " in line for line in told) == 5
    assert any(line.endswith("for other reasons") for line in told)


@pytest.mark.slow
def test_fields_are_carried_and_a_run_begins_anew(run, tmp_path):
    file, out = tmp_path / "in.jsonl", tmp_path / "out"
    file.write_text('{"id": "a", "title": "Ice", "body": "Sea ice melts.", "year": 2020, "error": "none"}\n')
    fields = ("--text-field", "body", "--title-field", "title", "--carry", "year")
    assert run("batch", file, out, *QUICK, *fields).exit_code == 0
    (row,) = map(json.loads, rows(out).splitlines())
    assert (row["text"], row["year"], row["error"]) == ("Ice\n\nSea ice melts.", 2020, None)
    refused = run("batch", file, out, *QUICK, *fields, "--carry", "error=problem")
    assert refused.exit_code == 2
    assert "choose another folder, or begin anew: --overwrite" in refused.stderr
    again = run("batch", file, out, *QUICK, *fields, "--carry", "error=problem", "--overwrite")
    assert again.exit_code == 0
    assert json.loads(rows(out))["problem"] == "none"
    assert rows(out) == run("extract", file, *QUICK[:2], *fields, "--carry", "error=problem", "-f", "jsonl").stdout
    again = run("batch", file, out, *QUICK, *fields, "--carry", "yaer", "--overwrite")
    assert "the first records have no field 'yaer' (fields: id, title, body, year, error)" in again.stderr
    table = run("collection", out)
    assert table.exit_code == 0
    assert "sea ice" in table.stdout.lower()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--carry", "error"), "carry 'error': 'error' is the name of a column of every row: give another, error=NAME"),
        (("--overwrite", "--retry-failed"), "--overwrite begins anew, and --retry-failed resumes: give one of them"),
    ],
)
def test_options_of_rows_that_cannot_be(run, lines, tmp_path, arguments, message):
    result = run("batch", lines, tmp_path / "out", *QUICK, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert not (tmp_path / "out").exists()
