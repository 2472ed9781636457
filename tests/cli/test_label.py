"""``mderank label`` as a process: how it starts, that a killed one loses nothing, and what it refuses."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
from tests.serve.conftest import PATIENCE

httpx = pytest.importorskip("httpx")
FAKE = Path(__file__).parents[1] / "labelling" / "fake_label.py"
TEXT = "The old harbour is near the coral reef. A storm surge has hit the coral reef."


class Process:
    """``mderank label`` in a process of its own."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, str(FAKE), "--port", "0", "--no-browser", *map(str, arguments)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        self.said = ""
        for line in self.process.stderr:
            self.said += line
            if found := re.search(r"labelling at (http://\S+)", line):
                self.client = httpx.Client(base_url=f"{found[1]}/v1/", timeout=PATIENCE, trust_env=False)
                return
        pytest.fail(self.said)

    def end(self, sent: signal.Signals) -> int:
        assert self.process.stderr is not None
        self.process.send_signal(sent)
        code = self.process.wait(PATIENCE)
        self.said += self.process.stderr.read()
        self.process.stderr.close()
        self.client.close()
        return code


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "docs"
    folder.mkdir()
    for name in "abc":
        (folder / f"{name}.txt").write_text(f"{TEXT} {name}")
    return folder


@pytest.mark.slow
def test_a_killed_process_loses_no_click(folder, tmp_path):
    labels = tmp_path / "labels.jsonl"
    first = Process(folder, "-o", labels)
    assert "0 of 3 documents labelled" in first.said
    url = str(first.client.base_url)
    for name, phrase in enumerate(("coral reef", "storm surge")):
        body = {"phrase": phrase, "verdict": "right"}
        assert first.client.post(f"documents/{name}/verdict", json=body).status_code == 200
    assert first.client.post("documents/0/done", json={"done": True}).status_code == 200
    assert first.end(signal.SIGKILL) == -signal.SIGKILL
    lines = [json.loads(line) for line in labels.read_text().splitlines()]
    assert [(each["id"], each["keyphrases"], each["done"]) for each in lines] == [
        ("docs/a.txt", ["coral reef"], True),
        ("docs/b.txt", ["storm surge"], False),
    ]
    again = Process(folder, "-o", labels)
    assert "1 of 3 documents labelled" in again.said
    assert url.startswith("http://127.0.0.1:")
    states = [each["state"] for each in again.client.get("documents").json()["documents"]]
    assert states == ["done", "started", "new"]
    verdicts = {each["text"]: each["verdict"] for each in again.client.get("documents/1").json()["phrases"]}
    assert verdicts["storm surge"] == "right"
    assert again.end(signal.SIGTERM) == 0
    assert "Traceback" not in again.said


@pytest.mark.slow
def test_a_second_one_for_the_same_labels_is_refused(folder, tmp_path, run):
    labels = tmp_path / "labels.jsonl"
    first = Process(folder, "-o", labels)
    result = run("label", folder, "-o", labels, "--port", 0, "--no-browser")
    assert result.exit_code == 2
    assert "another mderank label has" in result.stderr
    assert first.end(signal.SIGINT) == 0


def test_what_the_user_is_told(folder, tmp_path, run):
    def refused(*arguments: object) -> str:
        result = run("label", "--no-browser", *arguments)
        assert result.exit_code == 2
        return str(result.stderr)

    assert "Missing argument" in refused()
    (tmp_path / "empty").mkdir()
    assert "no file that can be read" in refused(tmp_path / "empty")
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n')
    assert "is not a line of labels; choose another file" in refused(folder, "-o", tmp_path / "other.jsonl")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert "--port 0 takes a free one" in refused(folder, "-o", tmp_path / "labels.jsonl", "--port", port)
    assert "No such option" in refused(folder, "--host", "0.0.0.0")


@pytest.mark.slow
def test_without_the_extra_the_error_names_it(folder):
    code = f"import sys; sys.modules['fastapi'] = None\nfrom mderank.cli import cli\ncli(['label', {str(folder)!r}])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "mderank: error: mderank label needs the extra 'serve': pip install 'mderank[serve]'\n"


@pytest.mark.slow
def test_a_browser_opens_when_it_is_asked_for(folder, tmp_path, run, monkeypatch):
    command, opened, served = import_module("mderank.cli.label"), [], []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr(command, "run_server", lambda app, *_, **__: (served.append(app), app.state.session.close()))
    for arguments, count in ((("--no-open",), 0), (("--browser",), 1), (("--open",), 2), ((), 2)):
        result = run("label", folder, "-o", tmp_path / "labels.jsonl", "--port", 0, *arguments)
        assert result.exit_code == 0, result.stderr
        assert len(opened) == count
    assert len(served) == 4
    assert all(each.startswith("http://127.0.0.1:") for each in opened)
