"""A stand-in for the Hugging Face hub on loopback, that serves the repositories of a folder.

``FOLDER/models/OWNER/NAME/*`` and ``FOLDER/models/NAME/*`` are models, ``FOLDER/datasets/OWNER/NAME/*`` are datasets.
Programs use it by the environment variable HF_ENDPOINT, which huggingface_hub reads when it is imported. So a test runs
them in a process of their own, with `environment` and a fresh HF_HOME:

    with StandInHub(folder) as hub:
        subprocess.run([...], env=hub.environment(tmp_path / "home"))

By hand: ``python tests/stand_in_hub.py FOLDER`` prints the address and serves until it is interrupted.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

API = re.compile(r"/api/(?P<kind>models|datasets)/(?P<name>.+?)(?:/(?P<what>revision|tree|paths-info)/(?P<rest>.*))?")
FILE = re.compile(r"/(?P<kind>datasets/)?(?P<name>.+?)/resolve/(?P<revision>[^/]+)/(?P<path>.+)")


class StandInHub:
    """The server, in a thread of its own. ``requests`` lists what it was asked for, as ``METHOD /path``."""

    def __init__(self, folder: Path | str, port: int = 0) -> None:
        self.folder = Path(folder)
        self.requests: list[str] = []
        hub = self

        class Handler(_Handler):
            pass

        Handler.hub = hub
        self._server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
        self._server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    def __enter__(self) -> StandInHub:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None):
        self.close()

    def close(self) -> None:
        """Be unreachable from now on."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def environment(self, home: Path | str, **more: str) -> dict[str, str]:
        """This process's environment, with this hub as the hub and with caches below ``home``."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "MDERANK_CACHE"))}
        ours = {"HF_ENDPOINT": self.address, "HF_HOME": str(Path(home) / "hf"), "HF_HUB_DISABLE_TELEMETRY": "1",
                "MDERANK_CACHE_DIR": str(Path(home) / "mderank"), "NO_PROXY": "127.0.0.1"}  # fmt: skip
        return {**kept, **ours, **more}


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: StandInHub

    def do_GET(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer(self.rfile.read(int(self.headers.get("Content-Length") or 0)))

    def log_message(self, *_: Any) -> None:
        """Be silent."""

    def _answer(self, body: bytes = b"") -> None:
        self.hub.requests.append(f"{self.command} {self.path}")
        path = unquote(urlsplit(self.path).path)
        if found := API.fullmatch(path):
            self._api(found, body)
        elif found := FILE.fullmatch(path):
            self._file("datasets" if found["kind"] else "models", found["name"], found["path"])
        else:
            self._missing("EntryNotFound")

    def _api(self, found: re.Match[str], body: bytes) -> None:
        repository = self._repository(found["kind"], found["name"])
        if repository is None:
            return self._missing("RepoNotFound", 401)
        files = _files(repository)
        _, _, below = (found["rest"] or "").partition("/")
        if found["what"] == "tree":
            deep = parse_qs(urlsplit(self.path).query).get("recursive", [""])[0].lower() in ("true", "1")
            entries = _tree(repository, files, below, deep)
            return self._json(entries) if entries else self._missing("EntryNotFound")
        if found["what"] == "paths-info":
            try:
                wanted = json.loads(body)["paths"]
            except ValueError:
                wanted = parse_qs(body.decode())["paths"]
            entries = _tree(repository, files, "", True)
            return self._json([entry for entry in entries if entry["path"] in wanted])
        described = {"_id": _commit(repository)[:24], "id": found["name"], "sha": _commit(repository), "private": False,
                     "gated": False, "disabled": False, "tags": [], "downloads": 0, "likes": 0, "cardData": {},
                     "lastModified": "2024-01-01T00:00:00.000Z", "createdAt": "2024-01-01T00:00:00.000Z",
                     "siblings": [{"rfilename": name} for name in files]}  # fmt: skip
        return self._json(described)

    def _file(self, kind: str, name: str, path: str) -> None:
        repository = self._repository(kind, name)
        if repository is None:
            return self._missing("RepoNotFound", 401)
        commit = {"X-Repo-Commit": _commit(repository)}
        file = repository / path
        if path not in _files(repository):
            return self._missing("EntryNotFound", headers=commit)
        size = file.stat().st_size
        headers = {**commit, "ETag": f'"{_oid(file)}"', "Accept-Ranges": "bytes"}
        asked = re.fullmatch(r"bytes=(\d*)-(\d*)", self.headers.get("Range", ""))
        if not asked:
            return self._send(200, size, headers, file)
        start, end = 0, size - 1
        if asked[1]:
            start, end = int(asked[1]), min(end, int(asked[2] or end))
        else:
            start = max(0, size - int(asked[2]))
        if start > end:
            return self._send(416, 0, {**headers, "Content-Range": f"bytes */{size}"})
        headers["Content-Range"] = f"bytes {start}-{end}/{size}"
        return self._send(206, end - start + 1, headers, file, start)

    def _repository(self, kind: str, name: str) -> Path | None:
        folder = self.hub.folder / kind / name
        return folder if ".." not in name and folder.is_dir() and _files(folder) else None

    def _missing(self, code: str, status: int = 404, headers: dict[str, str] | None = None) -> None:
        self._send(status, 0, {"X-Error-Code": code, "X-Error-Message": code, **(headers or {})})

    def _json(self, value: Any) -> None:
        content = json.dumps(value).encode()
        self._send(200, len(content), {"Content-Type": "application/json"}, content)

    def _send(
        self, status: int, size: int, headers: dict[str, str], source: Path | bytes = b"", start: int = 0
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": "application/octet-stream", **headers}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(size))
        self.end_headers()
        if self.command == "HEAD":
            return
        if isinstance(source, bytes):
            self.wfile.write(source)
            return
        with source.open("rb") as file:
            file.seek(start)
            while size > 0:
                piece = file.read(min(size, 1 << 20))
                self.wfile.write(piece)
                size -= len(piece)


def _files(repository: Path) -> list[str]:
    return sorted(file.relative_to(repository).as_posix() for file in repository.rglob("*") if file.is_file())


def _oid(file: Path) -> str:
    """Another for another content, without reading it."""
    about = file.stat()
    return hashlib.sha1(f"{file.name} {about.st_size} {about.st_mtime_ns}".encode()).hexdigest()


def _commit(repository: Path) -> str:
    return hashlib.sha1(
        "\n".join(f"{name} {_oid(repository / name)}" for name in _files(repository)).encode()
    ).hexdigest()


def _tree(repository: Path, files: list[str], below: str, deep: bool) -> list[dict[str, Any]]:
    """Files, and folders with them, below a folder of the repository."""
    prefix = below.strip("/") + "/" if below.strip("/") else ""
    inside = [name for name in files if name.startswith(prefix)]
    folders = {str(parent) for name in inside for parent in Path(name).parents if str(parent) not in (".", prefix[:-1])}
    folders = {name for name in folders if name.startswith(prefix)}
    entries: list[dict[str, Any]] = [
        {"type": "directory", "path": name, "size": 0, "oid": hashlib.sha1(name.encode()).hexdigest()}
        for name in sorted(folders)
    ]
    for name in inside:
        file = repository / name
        entries.append({"type": "file", "path": name, "size": file.stat().st_size, "oid": _oid(file)})
    return [entry for entry in entries if deep or "/" not in entry["path"][len(prefix) :]]


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit("usage: python tests/stand_in_hub.py FOLDER [PORT]")
    with StandInHub(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 0) as running:
        print(running.address, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            threading.Event().wait()
