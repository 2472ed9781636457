"""What only Linux has is never needed: the package is run without it, in processes that look like another system's.

These are no tests on Windows or macOS, which CI has: they hide modules and attributes that are missing there.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = ROOT / "examples" / "tides.txt"

# Python runs a file of this name in every process that it starts, so the workers of batches and servers have it too.
# Modules of Python that need the missing ones on Linux are imported before. SIGKILL stays: Python ends processes by it.
WINDOWS = """
import asyncio, multiprocessing.connection, os, signal, subprocess, sys, tempfile
for name in ("fcntl", "resource", "termios", "tty", "pty", "pwd", "grp", "syslog"):
    sys.modules[name] = None
for name in ("sched_getaffinity", "sched_setaffinity", "fork", "forkpty", "getuid", "geteuid", "getgid", "mkfifo",
             "nice", "statvfs", "killpg", "getpgid", "setsid", "O_DIRECTORY", "O_NOFOLLOW"):
    if hasattr(os, name):
        delattr(os, name)
for name in ("SIGHUP", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGPIPE", "alarm", "setitimer", "pause"):
    if hasattr(signal, name):
        delattr(signal, name)
"""

# macOS has the modules, and refuses some limits.
MACOS = """
import os, resource
def refuse(*_):
    raise ValueError("current limit exceeds maximum limit")
resource.setrlimit = refuse
del os.sched_getaffinity
"""


# What the package reads or writes without naming an encoding is an error: the default differs between systems.
ENCODING = """
import warnings
warnings.filterwarnings("error", category=EncodingWarning, module="mderank")
"""


@pytest.fixture(params=["windows", "macos"])
def environment(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, str]:
    """The environment of a process that looks like another system's, with an encoding that is not UTF-8."""
    if sys.platform != "linux":
        pytest.skip("this is another system")
    folder = tmp_path / "system"
    folder.mkdir()
    hiding = {"windows": WINDOWS, "macos": MACOS}[request.param]
    (folder / "sitecustomize.py").write_text(hiding + ENCODING, encoding="utf-8")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT / "src"))),
        "PYTHONIOENCODING": "cp1252",
        "PYTHONWARNDEFAULTENCODING": "1",
    }


def run(environment: dict[str, str], *arguments: str, cwd: Path, stdin: bytes = b"") -> bytes:
    command = [sys.executable, "-m", "mderank", *arguments]
    done = subprocess.run(command, cwd=cwd, env=environment, input=stdin, capture_output=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def python(environment: dict[str, str], code: str, cwd: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


@pytest.mark.slow
def test_every_module_of_the_package_is_imported(environment, tmp_path):
    code = (
        "import importlib, pkgutil, mderank\n"
        "count = 0\n"
        "for module in pkgutil.walk_packages(mderank.__path__, 'mderank.'):\n"
        "    try:\n"
        "        importlib.import_module(module.name)\n"
        "        count += 1\n"
        "    except ImportError as error:\n"
        "        assert (error.name or '').partition('.')[0] not in ('mderank', 'fcntl', 'resource', None), error\n"
        "print(count)"
    )
    assert int(python(environment, code, tmp_path)) > 250


@pytest.mark.slow
def test_a_text_is_extracted_and_written(environment, tmp_path):
    (tmp_path / "Größe.txt").write_bytes(TEXT.read_bytes())
    (found,) = json.loads(run(environment, "extract", "Größe.txt", "-f", "json", "-k", "3", cwd=tmp_path))
    assert found["id"] == "Größe.txt"
    assert found["keyphrases"][0]["text"] == "storm surges"
    piped = run(environment, "extract", "-f", "jsonl", "-k", "1", cwd=tmp_path, stdin="Die Größe der Flut.".encode())
    assert "Größe" in json.loads(piped)["keyphrases"][0]["text"]
    run(environment, "extract", "Größe.txt", "-o", "out.html", cwd=tmp_path)
    assert b"storm surge" in (tmp_path / "out.html").read_bytes()


@pytest.mark.slow
def test_a_batch_is_the_same_to_the_byte(environment, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.txt").write_text(f"Storm surges of the year {number} flood the coast.", encoding="utf-8")
    here = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {
        "PYTHONPATH": str(ROOT / "src")
    }
    for name, one in (("a", environment), ("b", here)):
        run(one, "batch", "in", name, "--processes", "1", cwd=tmp_path)
    files = sorted(file.relative_to(tmp_path / "a") for file in (tmp_path / "a").rglob("*") if file.is_file())
    assert len(files) >= 3
    for file in files:
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes(), file


def test_line_ends_of_the_output_are_those_of_linux(tmp_path):
    """Windows opens standard output so that every line feed becomes two characters."""
    code = (
        "import sys\n"
        "sys.stdout.reconfigure(newline='\\r\\n')\n"
        "from mderank.cli import main\n"
        "sys.argv = ['mderank', 'styles']\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        check=True,
    )
    assert done.stdout.count(b"\n") > 2
    assert b"\r" not in done.stdout


@pytest.fixture
def address(environment: dict[str, str], tmp_path: Path) -> Iterator[str]:
    pytest.importorskip("uvicorn", reason="needs the extra 'serve'")
    command = [sys.executable, "-m", "mderank", "serve", "--port", "0", "--no-open"]
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = b""
        for line in process.stderr:
            said += line
            if found := re.search(rb"http://127\.0\.0\.1:\d+", line):
                break
        else:
            pytest.fail(said.decode())
        drain = threading.Thread(target=process.stderr.read, daemon=True)
        drain.start()
        yield found[0].decode()
        process.terminate()
        drain.join()
        assert process.wait(30) == 0


@pytest.mark.slow
def test_the_server_answers_and_reads_files(address):
    def ask(path: str, data: bytes, kind: str) -> dict[str, object]:
        request = urllib.request.Request(address + path, data, {"Content-Type": kind})
        with urllib.request.urlopen(request, timeout=120) as answer:
            return dict(json.load(answer))

    answer = ask("/v1/extract", json.dumps({"text": "A storm surge floods the coast."}).encode(), "application/json")
    assert "storm surge" in str(answer["keyphrases"])
    assert "A storm surge." in str(ask("/v1/read", b"<p>A storm surge.", "text/html")["text"])
