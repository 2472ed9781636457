"""Servers for tests: real ones, on a free port of this machine, with a fake encoder that can be held up."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.browser import chromium

pytest.importorskip("fastapi", reason="needs pip install '.[serve]'")
httpx = pytest.importorskip("httpx")

import uvicorn  # noqa: E402

from mderank.encoding.base import EncoderInputs  # noqa: E402
from mderank.serve.app import create_app  # noqa: E402
from mderank.serve.config import ServerConfig  # noqa: E402
from mderank.serve.connection import ConnectionLimits  # noqa: E402
from mderank.serve.service import Service  # noqa: E402
from mderank.testing import FakeEncoder, FakeTagger  # noqa: E402
from mderank.util.arrays import Floats  # noqa: E402

REEFS = "The coral reef is near the harbour. A storm has hit the coral reef and the old harbour."
HEAD = b"POST /v1/extract HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
PATIENCE = 120.0  # seconds after which a test that hangs is given up


def until(condition: Callable[[], object]) -> None:
    """Wait for something that other threads do."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.005)


class GatedEncoder(FakeEncoder):
    """A fake encoder that waits at a gate, and counts those who do."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.gate.set()
        self.waiting = 0
        self.calls: list[int] = []  # sequences that were computed together

    def hidden_states(self, inputs: EncoderInputs, layer: int) -> Floats:
        self.waiting += 1
        assert self.gate.wait(PATIENCE)
        self.waiting -= 1
        self.calls.append(len(inputs.input_ids))
        return super().hidden_states(inputs, layer)


@dataclass
class Running:
    """A server and a client of it."""

    url: str
    port: int
    encoder: GatedEncoder
    service: Service
    server: uvicorn.Server
    client: Any = field(init=False)

    def __post_init__(self) -> None:
        self.client = httpx.Client(base_url=self.url, timeout=PATIENCE, trust_env=False)

    def extract(self, text: str = REEFS, **options: Any) -> Any:
        return self.client.post("/v1/extract", json={"text": text, **options})

    def code(self, response: Any, status: int) -> str:
        """The code of an error, which has the documented form."""
        assert response.status_code == status, response.text
        assert response.headers["content-type"] == "application/json"
        error = response.json()["error"]
        assert set(error) == {"code", "message", "details"}
        assert error["message"]
        return str(error["code"])


@contextlib.contextmanager
def running_app(app: Any) -> Iterator[tuple[int, uvicorn.Server]]:
    """The application on a free port, ready; the port, and what can be told to stop."""
    listening = socket.create_server(("127.0.0.1", 0))
    limits = ConnectionLimits(app.state.service.config)
    config = uvicorn.Config(app, http=limits, ws="none", lifespan="on", log_config=None, access_log=False)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
    thread.start()
    until(lambda: app.state.service.ready)
    yield listening.getsockname()[1], server
    server.should_exit = True
    thread.join(PATIENCE)
    assert not thread.is_alive()


@contextlib.contextmanager
def running_server(
    styles: Sequence[Any] = (), make_tagger: Callable[[], Any] = FakeTagger, **settings: Any
) -> Iterator[Running]:
    """A server with these settings."""
    encoder = GatedEncoder()
    app = create_app(None, ServerConfig(**settings), encoder=encoder, make_tagger=make_tagger, styles=styles)
    with running_app(app) as (port, server):
        encoder.calls.clear()
        running = Running(f"http://127.0.0.1:{port}", port, encoder, app.state.service, server)
        yield running
        encoder.gate.set()
        running.client.close()


@pytest.fixture
def serve() -> Iterator[Callable[..., Running]]:
    """A function from settings to a running server; all are stopped after the test."""
    with contextlib.ExitStack() as stack:
        yield lambda **settings: stack.enter_context(running_server(**settings))


@pytest.fixture(scope="session")
def shared() -> Iterator[Running]:
    """A running server with the usual settings, for tests that leave it as it was."""
    with running_server() as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """A real browser; tests are skipped where there is none."""
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser, shared: Running) -> Iterator[Callable[..., Any]]:
    """A function to a page that has loaded. What it logs as an error, or asks of any other server, fails the test."""
    contexts, wrong = [], []

    def visit(fragment: str = "", server: Running = shared, wait: bool = True, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        context.set_default_timeout(15_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on("dialog", lambda dialog: wrong.append(f"a dialog: {dialog.message}"))
        page.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
        page.on("request", lambda asked: None if asked.url.startswith(server.url) else wrong.append(asked.url))
        page.goto(f"{server.url}/{fragment}")
        if wait:
            page.locator("#status").filter(has_text="Keyphrases: ").wait_for()
            page.locator("#results:not([aria-busy])").wait_for()
        return page

    yield visit
    for context in contexts:
        context.close()
    assert wrong == []
