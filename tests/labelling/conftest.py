"""A labelling page for tests: a real server on a free port, with a fake encoder and tagger."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs pip install '.[serve]'")
httpx = pytest.importorskip("httpx")

import uvicorn  # noqa: E402
from tests.serve.conftest import PATIENCE, GatedEncoder, until  # noqa: E402

from mderank.labelling.app import create_label_app  # noqa: E402
from mderank.labelling.documents import find_documents  # noqa: E402
from mderank.labelling.label_file import LabelFile  # noqa: E402
from mderank.labelling.session import LabelSession  # noqa: E402
from mderank.methods.fusionrank import FusionRank  # noqa: E402
from mderank.reading import ReadOptions  # noqa: E402
from mderank.testing import FakeTagger  # noqa: E402

THINGS = ("harbour", "storm", "whale", "lighthouse", "anchor", "ferry", "island", "cliff", "beach", "lagoon", "dune",
          "current", "tide", "swell", "sail", "crew", "captain", "cargo", "dock", "pier")  # fmt: skip


def text_of(number: int) -> str:
    """A text with the same phrases in it each time, and some of its own."""
    thing, other = THINGS[number % len(THINGS)], THINGS[(number + 7) % len(THINGS)]
    return (
        f"The old {thing} is near the coral reef. A storm surge has hit the {other} and the coral reef. "
        f"The deep {other} of the bay is new. Sensor {number}B has the {thing} water level, and the long {thing} wall."
    )


@dataclass
class Labelling:
    """A page, its session and its files."""

    url: str
    session: LabelSession
    encoder: GatedEncoder
    client: Any
    file: Path

    def get(self, path: str) -> Any:
        response = self.client.get(f"/v1/{path}")
        assert response.status_code == 200, response.text
        return response.json()

    def post(self, path: str, **body: Any) -> Any:
        response = self.client.post(f"/v1/{path}", json=body)
        assert response.status_code == 200, response.text
        return response.json()

    def verdict(self, number: int, phrase: str, verdict: str | None) -> Any:
        return self.post(f"documents/{number}/verdict", phrase=phrase, verdict=verdict)

    def label(self, numbers: range, phrase: str = "coral reef") -> None:
        """Tick one phrase in each of these documents, and say that they are labelled."""
        for number in numbers:
            self.verdict(number, phrase, "right")
            self.post(f"documents/{number}/done", done=True)

    def lines(self) -> dict[str, dict[str, Any]]:
        """The file of labels, by id."""
        if not self.file.exists():
            return {}
        return {line["id"]: line for line in map(json.loads, self.file.read_text(encoding="utf-8").splitlines())}

    def learned(self) -> Any:
        """Wait until nothing is being learned."""
        until(lambda: self.get("style")["status"] != "learning")
        return self.get("style")


@contextlib.contextmanager
def labelling_server(folder: Path, *paths: str, **settings: Any) -> Iterator[Labelling]:
    """A page for the documents of a folder; the labels are beside it."""
    encoder = GatedEncoder()
    file = folder.parent / "labels.jsonl"
    extractor = FusionRank(encoder, tagger=FakeTagger())
    documents = find_documents(paths or (str(folder),), ReadOptions(), file)
    settings = {"style_file": folder.parent / "mine.json", "top_k": 6, **settings}
    session = LabelSession(documents, LabelFile(file), extractor, **settings)
    app = create_label_app(session)
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(uvicorn.Config(app, http="h11", ws="none", lifespan="on", log_config=None))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until(lambda: server.started)
    url = f"http://127.0.0.1:{listening.getsockname()[1]}"
    with httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False) as client:
        yield Labelling(url, session, encoder, client, file)
    encoder.gate.set()
    server.should_exit = True
    thread.join(PATIENCE)
    assert not thread.is_alive()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Twelve documents."""
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(12):
        (folder / f"{number:02}.txt").write_text(text_of(number), encoding="utf-8")
    return folder


@pytest.fixture
def start() -> Iterator[Callable[..., Labelling]]:
    """A function from a folder to a running page; all are stopped after the test."""
    with contextlib.ExitStack() as stack:
        yield lambda *arguments, **settings: stack.enter_context(labelling_server(*arguments, **settings))


@pytest.fixture
def page(start, folder) -> Labelling:
    """A running page for twelve documents."""
    return start(folder)
