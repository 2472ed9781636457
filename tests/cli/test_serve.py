"""The server as a process: how it starts, and that it ends only when all that it accepted is answered."""

from __future__ import annotations

import json
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner
from tests.serve.conftest import HEAD, PATIENCE, REEFS, until

from mderank.cli import cli
from mderank.errors import InputError

command = import_module("mderank.cli.serve")
FAKE = Path(__file__).parents[1] / "serve" / "fake_server.py"


class Process:
    """A server in a process of its own."""

    def __init__(self, gate: Path, *arguments: str) -> None:
        gate.touch()
        self.process = subprocess.Popen(
            [sys.executable, str(FAKE), str(gate), "--port", "0", "--no-open", *arguments],
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stderr is not None
        self.said: list[str] = []
        for line in self.process.stderr:
            self.said.append(line)
            if found := re.search(r"serving at (http://\S+)", line):
                self.url = found[1]
                break
        else:
            pytest.fail("".join(self.said))
        self.listening = threading.Thread(target=self._listen, daemon=True)
        self.listening.start()
        self.client = httpx.Client(base_url=self.url, trust_env=False, timeout=PATIENCE)
        until(lambda: self.get("/readyz").status_code == 200)

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)

    def get(self, path: str, **options):
        return self.client.get(path, **options)

    def active(self) -> int:
        """Requests that the server has accepted and not answered, without the one that asks."""
        return int(float(re.search(r"^mderank_requests_active (\S+)", self.get("/metrics").text, re.M)[1])) - 1

    def send(self, body: bytes) -> socket.socket:
        """A request on a connection of its own."""
        host, port = self.url.removeprefix("http://").split(":")
        connection = socket.create_connection((host, int(port)), timeout=PATIENCE)
        connection.sendall(HEAD % len(body) + body)
        return connection

    def end(self) -> None:
        self.client.close()
        self.process.kill()
        self.process.wait(PATIENCE)
        self.listening.join(PATIENCE)
        assert self.process.stderr is not None
        self.process.stderr.close()


@pytest.fixture
def gate(tmp_path) -> Path:
    return tmp_path / "gate"


@pytest.fixture
def server(gate) -> Iterator[Process]:
    process = Process(gate)
    yield process
    process.end()


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def knocked(server: Process) -> bool:
    with server.send(b"{}") as connection:
        return not connection


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_under_load_loses_no_request_that_was_accepted(server: Process, gate: Path, stack, sent):
    gate.unlink()
    bodies = [json.dumps({"text": f"{REEFS} Number {n}.", "top_k": 1}).encode() for n in range(100)]
    connections = [stack.enter_context(server.send(body)) for body in bodies]
    until(lambda: server.active() == 100)
    server.process.send_signal(sent)
    with pytest.raises(OSError):  # noqa: PT011
        until(lambda: knocked(server))  # nobody new is let in
    assert server.process.poll() is None
    gate.touch()
    for connection in connections:
        with connection.makefile("rb") as answer:
            whole = answer.read()
        assert whole.startswith(b"HTTP/1.1 200 OK")
        assert json.loads(whole.partition(b"\r\n\r\n")[2])["keyphrases"]
    assert server.process.wait(PATIENCE) == 0
    assert not [line for line in server.said if "Traceback" in line or "error" in line.lower()], server.said


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@pytest.mark.slow
def test_the_address_is_told_when_requests_are_answered(gate):
    """The encoder waits for the gate while it is tried: the server listens, and is not ready."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, str(FAKE), str(gate), "--port", str(port), "--no-open"], stderr=subprocess.PIPE, text=True
    )
    said: list[str] = []
    listening = threading.Thread(target=lambda: said.extend(process.stderr), daemon=True)  # type: ignore[arg-type]
    listening.start()
    with httpx.Client(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=PATIENCE) as client:

        def status(path: str) -> int:
            try:
                return int(client.get(path).status_code)
            except httpx.TransportError:
                return 0

        until(lambda: status("/healthz") == 200)
        assert status("/readyz") == 503
        assert said == []
        gate.touch()
        until(lambda: said)
        assert said == [f"mderank: serving at http://127.0.0.1:{port} (Ctrl-C stops)\n"]
        assert client.post("/v1/extract", json={"text": REEFS}).status_code == 200, "without waiting"
    process.send_signal(signal.SIGTERM)
    assert process.wait(PATIENCE) == 0
    listening.join(PATIENCE)
    process.stderr.close()  # type: ignore[union-attr]


@pytest.mark.slow
def test_a_model_that_cannot_be_loaded_ends_the_command():
    result = CliRunner().invoke(cli, ["serve", "--no-open", "--port", "0", "--model", "./nowhere"])
    assert result.exit_code == 2
    assert result.stderr.startswith("mderank: error: ")
    assert "./nowhere" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.slow
def test_a_client_that_hangs_up_does_not_end_the_server(server: Process, gate: Path):
    gate.unlink()
    for _ in range(3):
        connection = server.send(json.dumps({"text": REEFS}).encode())
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # resets the connection
        until(lambda: server.active() == 1)
        connection.close()
        until(lambda: server.active() == 0)
    gate.touch()
    assert server.client.post("/v1/extract", json={"text": REEFS}).status_code == 200


@pytest.mark.slow
def test_loopback_only_by_default(server: Process):
    assert server.url.startswith("http://127.0.0.1:")
    assert server.get("/", headers={"host": "evil.example"}).status_code == 403


@pytest.mark.slow
def test_a_key_from_a_file(gate, tmp_path):
    (tmp_path / "key").write_text("s3cret-s3cret-s3cret\n")
    process = Process(gate, "--api-key-file", str(tmp_path / "key"))
    assert process.get("/v1/methods").status_code == 401
    assert process.get("/v1/methods", headers={"X-API-Key": "s3cret-s3cret-s3cret"}).status_code == 200
    process.end()


def refused(*arguments: str, **environment: str) -> str:
    result = CliRunner(env=environment).invoke(cli, ["serve", "--no-open", *arguments])
    assert result.exit_code == 2
    assert result.stderr.startswith("mderank: error: ")
    return result.stderr


def test_what_the_operator_is_told(tmp_path):
    (tmp_path / "empty").write_text("\n")
    assert "the file is empty" in refused("--api-key-file", str(tmp_path / "empty"))
    assert "cannot be read" in refused("--api-key-file", str(tmp_path / "absent"))
    assert "at least 16 characters" in refused(MDERANK_API_KEY="short")
    assert "raise max_queue_documents" in refused("--max-request-documents", "1000")
    assert "cannot listen" in refused("--host", "192.0.2.1")
    assert "the style 'absent' is unknown" in refused("--style", "absent", "--port", "0")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        assert "--port 0 takes a free one" in refused("--port", str(taken.getsockname()[1]))


@pytest.mark.slow
def test_without_the_extra_the_error_names_it():
    code = "import sys; sys.modules['fastapi'] = None\nfrom mderank.cli import cli\ncli(['serve', '--no-open'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr == "mderank: error: mderank serve needs the extra 'serve': pip install 'mderank[serve]'\n"


@pytest.mark.slow
def test_the_command_line_starts_without_the_extra():
    hidden = "import sys; sys.modules['fastapi'] = sys.modules['pydantic'] = None\n"
    code = hidden + "from mderank.cli import cli; cli(['methods'])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_when_a_browser_opens(monkeypatch):
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    config = command.ServerConfig()
    command._greet("127.0.0.1", "http://127.0.0.1:1", config, None)
    assert opened == [], "not where there is no terminal"
    command._greet("127.0.0.1", "http://127.0.0.1:1", config, True)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    command._greet("127.0.0.1", "http://127.0.0.1:2", config, None)
    command._greet("127.0.0.1", "http://127.0.0.1:3", config, False)
    command._greet("0.0.0.0", "http://127.0.0.1:4", config, None)
    assert opened == ["http://127.0.0.1:1", "http://127.0.0.1:2"]


def test_a_server_that_others_can_reach_warns(capsys):
    command._greet("0.0.0.0", "http://127.0.0.1:1", command.ServerConfig(), False)
    said = capsys.readouterr().err
    assert "warning: everyone who reaches 0.0.0.0 can use this server" in said
    assert "warning: there is no encryption and no limit per client: put a reverse proxy in front" in said
    command._greet("0.0.0.0", "http://127.0.0.1:1", command.ServerConfig(api_key="k" * 16), False)
    said = capsys.readouterr().err
    assert "everyone" not in said
    assert "reverse proxy" in said
    command._greet("127.0.0.1", "http://127.0.0.1:1", command.ServerConfig(), False)
    assert "warning" not in capsys.readouterr().err


def test_a_key_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="absent"):
        command._key(str(tmp_path / "absent"))
