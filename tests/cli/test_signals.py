"""Commands that end before their time, as processes with real signals, pipes and full disks."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest
from click.testing import CliRunner

from mderank.cli import cli
from mderank.cli._signals import Terminated, ends_in_one_line, handle_signals, signals_held, stopped_with
from mderank.errors import InputError

PATIENCE = 120.0  # seconds after which a test that hangs is given up
COMMAND = [sys.executable, "-c", "from mderank.cli import main; main()"]
CHUNK = 64  # documents that are extracted together
SIGNALS = [pytest.param(signal.SIGINT, 130, "interrupted", id="ctrl-c"),
           pytest.param(signal.SIGTERM, 143, "terminated", id="sigterm")]  # fmt: skip

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals as on Linux and macOS")


def start(*arguments: object, **settings) -> subprocess.Popen:
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **settings}
    # A shell's background job, as which the tests may run, ignores Ctrl-C, and so would the command.
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # noqa: PLW1509
        **streams,
    )


def finish(process: subprocess.Popen) -> tuple[int, str, str]:
    """The exit code, and what was still to read of the output."""
    assert process.stdin is not None
    watchdog = threading.Timer(PATIENCE, process.kill)
    watchdog.start()
    out, err = process.stdout.read() if process.stdout else "", process.stderr.read() if process.stderr else ""
    code = process.wait(PATIENCE)
    watchdog.cancel()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
    return code, out, err


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)


def write_documents(process: subprocess.Popen, count: int, first: str = "") -> None:
    """Write documents to the standard input, which stays open: the command waits for more."""
    assert process.stdin is not None
    process.stdin.write(first)
    process.stdin.writelines(json.dumps({"id": n, "text": f"A coral reef of {n} fish."}) + "\n" for n in range(count))
    process.stdin.flush()


def labelled(file: Path, count: int) -> Path:
    rows = ({"id": str(n), "text": f"A coral reef of {n} fish.", "keyphrases": ["coral reef"]} for n in range(count))
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return file


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code", "told"), SIGNALS)
def test_extract_keeps_what_was_written(number, code, told):
    process = start("extract", "-i", "jsonl", "-f", "jsonl", "--method", "yake")
    write_documents(process, CHUNK + 1)
    lines = [process.stdout.readline() for _ in range(CHUNK)]
    process.send_signal(number)
    assert finish(process) == (code, "", f"mderank: {told}; {CHUNK} documents written\n")
    assert [json.loads(line)["id"] for line in lines] == list(range(CHUNK))


@pytest.mark.slow
@pytest.mark.parametrize("form", ["table", "json", "csv", "html", "jsonl", "markdown"])
def test_the_first_paper_is_written_when_it_is_done(tmp_path, form):
    paper = json.dumps({"id": "first paper", "text": "A coral reef of fish. " * 400})
    # Unbuffered, Python loses the rest of a write that a signal interrupts.
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    process = start("extract", "-i", "jsonl", "-f", form, "--method", "yake", env=buffered)
    process.stdin.write(f"{paper}\n")
    process.stdin.flush()  # and no second paper for now
    written = ""
    while "coral reef" not in written:
        line = process.stdout.readline()
        assert line, "it ended"
        written += line
    process.send_signal(signal.SIGINT)
    code, out, err = finish(process)
    assert (code, err) == (130, "mderank: interrupted; 1 document written\n")
    if form == "json":
        assert json.loads(written + out)[0]["id"] == "first paper"
    if form == "html":
        assert (written + out).endswith("</html>\n")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code", "told"), SIGNALS)
def test_a_file_of_extract_is_kept_under_another_name(tmp_path, number, code, told):
    file = tmp_path / "out.json"
    file.write_text("an older file")
    process = start("extract", "-i", "jsonl", "-f", "json", "--method", "yake", "-o", file)
    write_documents(process, CHUNK, "this is not JSON\n")
    assert process.stderr.readline().startswith("mderank: error: <stdin>:1")
    process.send_signal(number)
    ended, _, err = finish(process)
    written = len(json.loads(Path(f"{file}.partial").read_text()))  # it is whole JSON
    some = "1 document" if written == 1 else f"{written} documents"
    assert (ended, err) == (code, f"mderank: {told}; {some} written to {file}.partial\n")
    assert 0 < written <= CHUNK + 1
    assert file.read_text() == "an older file"
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code", "told"), SIGNALS)
def test_evaluate_resumes(tmp_path, number, code, told):
    data = labelled(tmp_path / "reefs.jsonl", 20_000)
    process = start("evaluate", "-d", data, "--method", "yake", "--out", tmp_path / "runs")
    written = tmp_path / "runs" / "reefs" / "yake" / "documents.jsonl"
    until(lambda: written.is_file() and written.stat().st_size)
    process.send_signal(number)
    assert finish(process) == (code, "", f"mderank: {told}; run the same command again to resume\n")
    kept = written.read_text()
    assert 0 < kept.count("\n") < 20_000
    resumed = start("evaluate", "-d", data, "--method", "yake", "--out", tmp_path / "runs")
    until(lambda: written.stat().st_size > len(kept))
    resumed.send_signal(number)
    assert finish(resumed)[0] == code
    assert written.read_text().startswith(kept[: kept.rindex("\n")])


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code", "told"), SIGNALS)
def test_batch_keeps_finished_files(tmp_path, number, code, told):
    data, out = labelled(tmp_path / "reefs.jsonl", 20_000), tmp_path / "out"
    process = start("batch", data, out, "--method", "yake", "--shard-documents", 50, "--processes", 1)
    until(lambda: list(out.glob("part-*.jsonl")))
    process.send_signal(number)
    ended, _, err = finish(process)
    assert (ended, err) == (code, f"mderank: {told}; run the same command again to resume\n")
    assert all(file.read_text().count("\n") == 50 for file in out.glob("part-*.jsonl"))


@pytest.mark.slow
def test_a_pipe_that_nobody_reads_is_quiet():
    process = start("extract", "-i", "jsonl", "-f", "jsonl", "--method", "yake")
    write_documents(process, CHUNK)
    process.stdout.readline()
    process.stdout.close()
    process.stdout = None
    write_documents(process, CHUNK)
    process.stdin.close()
    assert process.stderr.read() == ""
    assert process.wait(PATIENCE) == 141
    process.stderr.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("arguments", [["--help"], ["methods"], ["extract", "--method", "yake"]])
@pytest.mark.slow
def test_standard_output_on_a_full_disk(arguments):
    with open("/dev/full", "w") as full:
        process = start(*arguments, stdout=full)
    write_documents(process, 1)
    process.stdin.close()
    told = "mderank: error: the output cannot be written: No space left on device\n"
    assert finish(process) == (2, "", told)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_device_is_written_and_not_replaced(tmp_path):
    device = tmp_path / "full"
    device.symlink_to("/dev/full")
    (tmp_path / "a.txt").write_text("A coral reef.")
    result = CliRunner().invoke(cli, ["extract", str(tmp_path / "a.txt"), "--method", "yake", "-o", str(device)])
    assert result.stderr == f"mderank: error: {device}: cannot be written: No space left on device\n"
    assert result.exit_code == 2
    assert Path("/dev/full").is_char_device()


@pytest.mark.parametrize("out", ["a.txt/out.json", "absent/out.json", "."])
def test_a_place_where_no_file_can_be(tmp_path, monkeypatch, out):
    monkeypatch.chdir(tmp_path)
    Path("a.txt").write_text("A coral reef.")
    result = CliRunner().invoke(cli, ["extract", "a.txt", "--method", "yake", "-o", out])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"mderank: error: {out}: cannot be written: ")
    assert result.stderr.count("\n") == 1
    assert [each.name for each in tmp_path.iterdir()] == ["a.txt"]


class _FullDisk:
    """A stream that holds so many characters."""

    def __init__(self, stream, room: int) -> None:
        self._stream, self._room = stream, room

    def write(self, text: str) -> int:
        self._room -= len(text)
        if self._room < 0:
            raise OSError(28, "No space left on device")
        return self._stream.write(text)

    def __getattr__(self, name: str):
        return getattr(self._stream, name)


def test_a_disk_that_fills_up_leaves_nothing_half_written(tmp_path, monkeypatch):
    file = labelled(tmp_path / "reefs.jsonl", 20)
    extract = import_module("mderank.cli.extract")
    make = extract.make_writer
    monkeypatch.setattr(extract, "make_writer", lambda form, stream, **how: make(form, _FullDisk(stream, 2_000), **how))
    out = tmp_path / "out.jsonl"
    result = CliRunner().invoke(cli, ["extract", str(file), "-f", "jsonl", "--method", "yake", "-o", str(out)])
    assert (result.exit_code, result.stderr) == (
        2,
        f"mderank: error: {out}: cannot be written: No space left on device\n",
    )
    assert [each.name for each in tmp_path.iterdir()] == ["reefs.jsonl"]


def test_a_folder_of_runs_on_a_full_disk(tmp_path, monkeypatch):
    from mderank.research.evaluation import evaluate

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(evaluate, "_write_summary", full)
    data, out = labelled(tmp_path / "reefs.jsonl", 2), tmp_path / "runs"
    result = CliRunner().invoke(cli, ["evaluate", "-d", str(data), "--method", "yake", "--out", str(out)])
    told = f"mderank: error: {out}: cannot be written: No space left on device; run the same command again to resume\n"
    assert (result.exit_code, result.stderr) == (2, told)


@pytest.mark.parametrize("stopped", [KeyboardInterrupt, Terminated])
def test_every_command_ends_in_one_line(tmp_path, monkeypatch, stopped):
    def stop(*_, **__):
        raise stopped

    data = labelled(tmp_path / "reefs.jsonl", 2)
    for name in ("inspec", "semeval2017", "semeval2010", "duc2001", "krapivin", "nus"):
        labelled(tmp_path / f"{name}.jsonl", 2)
    monkeypatch.setattr("mderank.collection.open_output", stop)
    monkeypatch.setattr("mderank.research.tuning.learn_style", stop)
    stopping = type("Stopping", (), {"__init__": lambda *_: None, "plan": lambda _: None, "run": stop})
    monkeypatch.setattr("mderank.research.reproduction.reproduce.Reproduction", stopping)
    monkeypatch.setattr("mderank.serve.app.create_app", stop)
    weights = str(tmp_path / "style.json")
    code, told = (143, "terminated") if stopped is Terminated else (130, "interrupted")
    for arguments, remedy in (
        (["collection", "out"], ""),
        (["tune", str(data), "-o", weights], f"; {weights} was not written"),
        (["reproduce", "table2", "-q", "--runs", str(tmp_path), "--out", str(tmp_path), "--no-verify",
          "--data-dir", str(tmp_path)], "; run the same command again to resume"),
        (["serve", "--port", "0", "--no-open"], ""),
    ):  # fmt: skip
        result = CliRunner().invoke(cli, arguments)
        assert (result.exit_code, result.stderr) == (code, f"mderank: {told}{remedy}\n"), arguments


@pytest.fixture
def handled() -> Iterator[None]:
    """Signals of this process are handled as those of a command."""
    before = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
    handle_signals()
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handled")
def test_a_step_is_finished_first_unless_the_signal_comes_again():
    steps = []
    with pytest.raises(SystemExit), ends_in_one_line(), signals_held():  # noqa: PT012
        signal.raise_signal(signal.SIGTERM)
        steps.append("finished")
    with pytest.raises(SystemExit), ends_in_one_line(), signals_held():  # noqa: PT012
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        steps.append("never")
    with pytest.raises(SystemExit), ends_in_one_line():  # noqa: PT012
        signal.raise_signal(signal.SIGTERM)
        steps.append("never")
    assert steps == ["finished"]


def lost(signalled: signal.Signals, error: Exception | None = None) -> None:
    """What a library in C makes of a signal: an error of its own, or nothing."""
    with contextlib.suppress(KeyboardInterrupt):
        signal.raise_signal(signalled)
    if error is not None:
        raise error


@pytest.mark.usefixtures("handled")
@pytest.mark.parametrize("error", [ImportError("initialization failed"), InputError("a text"), OSError(5, "I/O")])
@pytest.mark.parametrize(("number", "code", "told"), SIGNALS)
def test_a_signal_that_becomes_another_error_stops_the_command(capsys, number, code, told, error):
    with pytest.raises(SystemExit) as ended, ends_in_one_line(), stopped_with("it can be resumed"):
        lost(number, error)
    assert ended.value.code == code
    assert capsys.readouterr().err == f"mderank: {told}; it can be resumed\n"
    with pytest.raises(ImportError), ends_in_one_line():  # the next command has errors of its own
        raise ImportError("no such module")


@pytest.mark.usefixtures("handled")
@pytest.mark.parametrize("error", [None, RuntimeError("Error calling __set_name__")])
def test_a_signal_that_is_taken_for_an_error_of_a_document(tmp_path, monkeypatch, error):
    """Else the command would go on with the next document, or have a traceback."""
    extract = import_module("mderank.cli.extract")
    documents = extract.extract_documents

    def stopped(*arguments):
        made = documents(*arguments)
        yield next(made)
        lost(signal.SIGTERM, error)
        yield from made

    monkeypatch.setattr(extract, "extract_documents", stopped)
    data, out = labelled(tmp_path / "reefs.jsonl", 3), tmp_path / "out.jsonl"
    result = CliRunner().invoke(cli, ["extract", str(data), "-f", "jsonl", "--method", "yake", "-o", str(out)])
    assert (result.exit_code, result.stderr) == (143, f"mderank: terminated; 1 document written to {out}.partial\n")
    assert Path(f"{out}.partial").read_text().count("\n") == 1


def test_an_error_of_the_system_names_its_file():
    from mderank.cli._signals import OneLine

    with pytest.raises(OneLine, match=r"^/x/y: Permission denied$"), ends_in_one_line():
        raise PermissionError(13, "Permission denied", "/x/y")
