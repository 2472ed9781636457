"""What every request passes before the application sees it: which host, which key, how large a body, how fast.

Pure ASGI, since it decides before a body is read. Behind the gate a request's body is there as a whole, and a client
that goes away cancels what is done for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import logging
import time
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mderank.serve.config import Settings
from mderank.serve.errors import CODES, ApiError
from mderank.serve.metrics import Metrics

_log = logging.getLogger("mderank.serve")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"content-security-policy", POLICY.encode("ascii")),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cache-control", b"no-store"),
]
READ = "/v1/read"
_JSON = ("/v1/extract", "/v1/extract/batch")
_DISCARDED = 32_000_000  # bytes of a body that is too large, which are read all the same
_PATIENCE = 5.0  # seconds for them
LOCKED = ("/v1/", "/metrics", "/openapi.json")  # what the API key is for; the page itself holds nothing


class Gate:
    """Lets a request through, or answers it with an error."""

    def __init__(self, app: ASGIApp, *, settings: Settings, metrics: Metrics, paths: Iterable[str]) -> None:
        self._app = app
        self._settings = settings
        self._metrics = metrics
        self._paths = frozenset(paths)
        self._key = _digest(settings.api_key.encode()) if settings.api_key is not None else None
        self._hosts = frozenset(host.lower() for host in settings.hosts)
        self._held = 0  # bytes of bodies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request, counted."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        status = 0

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            await send(message)

        self._metrics.active.inc()
        try:
            await self._pass(scope, receive, counted)
        finally:
            self._metrics.active.dec()
            path = scope["path"] if scope["path"] in self._paths else "other"
            method = scope["method"] if scope["method"] in ("GET", "POST", "HEAD", "OPTIONS") else "other"
            # 499 is what others write for a client that went away.
            self._metrics.requests.labels(path, method, str(status or 499)).inc()
            self._metrics.seconds.labels(path).observe(time.perf_counter() - start)

    async def _pass(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = bytearray()
        try:
            headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
            self._check_host(headers.get(b"host", ""))
            if scope["path"].startswith(LOCKED):
                self._check_key(headers)
            if scope["path"] in _JSON and scope["method"] == "POST":
                _check_json(headers.get(b"content-type", ""))
            await self._read(scope, headers, receive, body)
            await self._answer(scope, bytes(body), receive, send)
        except ApiError as error:
            await send_error(send, error)
        except _Gone:
            pass
        except Exception:
            _log.exception("a request failed: %s %s", scope["method"], scope["path"])
            await send_error(send, ApiError("internal", CODES["internal"][1]))
        finally:
            self._held -= len(body)

    def _check_host(self, host: str) -> None:
        """A page of another site that makes its name ours (DNS rebinding) still says its own name here."""
        name = host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
        if self._hosts and name.strip("[]").lower() not in self._hosts:
            raise ApiError("unknown_host", "this server is not called so: see --allow-host")

    def _check_key(self, headers: dict[bytes, str]) -> None:
        if self._key is None:
            return
        scheme, _, token = headers.get(b"authorization", "").partition(" ")
        given = token.strip() if scheme.lower() == "bearer" else headers.get(b"x-api-key", "")
        if not hmac.compare_digest(_digest(given.encode("latin-1")), self._key):
            raise ApiError("unauthorized", "send the API key: Authorization: Bearer KEY")

    async def _read(self, scope: Scope, headers: dict[bytes, str], receive: Receive, body: bytearray) -> None:
        """The whole body, if it is small enough and comes in time."""
        length = headers.get(b"content-length")
        most = self._settings.max_file if scope["path"] == READ else self._settings.max_body
        too_large = ApiError(
            "body_too_large", f"the body has more than {most:,} bytes", headers={"Connection": "close"}
        )
        if length is not None and (not length.isdigit() or int(length[:20]) > most):
            if length.isdigit() and int(length[:20]) <= _DISCARDED and b"expect" not in headers:
                await _discard(receive)
            raise too_large
        try:
            async with asyncio.timeout(self._settings.body_timeout):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise _Gone
                    chunk = message.get("body", b"")
                    body += chunk
                    self._held += len(chunk)
                    if len(body) > most:
                        await _discard(receive)
                        raise too_large
                    if self._held > self._settings.max_held:
                        raise ApiError("busy", "too many bodies are under way", retry_after=1)
                    if not message.get("more_body", False):
                        return
        except TimeoutError:
            seconds = self._settings.body_timeout
            raise ApiError(
                "slow_body", f"the body did not arrive within {seconds:g} seconds", headers={"Connection": "close"}
            ) from None

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Have the application answer, unless the client goes away first."""
        given = False
        gone = asyncio.Event()

        async def buffered() -> Message:
            nonlocal given
            if not given:
                given = True
                return {"type": "http.request", "body": body, "more_body": False}
            await gone.wait()
            return {"type": "http.disconnect"}

        async def watch() -> None:
            while (await receive())["type"] != "http.disconnect":
                pass
            gone.set()

        answering = asyncio.ensure_future(self._app(scope, buffered, send))
        watching = asyncio.ensure_future(watch())
        try:
            await asyncio.wait((answering, watching), return_when=asyncio.FIRST_COMPLETED)
        finally:  # also if the server itself gives up
            watching.cancel()
            if not answering.done():
                answering.cancel()
        try:
            await answering
        except asyncio.CancelledError:
            if not gone.is_set():
                raise


async def _discard(receive: Receive) -> None:
    """Hear a client out that says too much, for a while: one that is cut off cannot hear why."""
    size = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            while size < _DISCARDED:
                message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


class _Gone(Exception):  # noqa: N818
    """The client went away."""


def _check_json(content_type: str) -> None:
    """JSON must say so: a form of another site's page cannot."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ApiError("unsupported_media_type", "send JSON, and say so: Content-Type: application/json")


def _digest(key: bytes) -> bytes:
    """Of equal length whatever the key's, so that comparing tells nothing of it."""
    return hashlib.sha256(key).digest()


async def send_error(send: Send, error: ApiError) -> None:
    """Answer with an error."""
    body = error.body()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **error.headers}
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": error.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
