"""ASGI middleware that checks the host, the API key, and the size and speed of the body of every request.

It decides before the body is read. The application gets each body as a whole, and its work is cancelled when the client
disconnects.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import ipaddress
import logging
import re
import time
from collections.abc import Iterable

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mderank.serve.config import ServerConfig
from mderank.serve.connection import connection_of
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
# A name or an address, and a port; addresses of IPv6 are in brackets, names never (RFC 3986).
_HOST = re.compile(r"(?:\[(?P<address>[0-9A-Fa-f:.]{2,45})\]|(?P<name>[A-Za-z0-9._-]{1,253}))(?::[0-9]{0,5})?")
READ = "/v1/read"
_JSON = ("/v1/extract", "/v1/extract/batch")
_MAX_DISCARDED_BYTES = 32_000_000  # read and discarded of a body that is too large
_DISCARD_SECONDS = 5.0
LOCKED = ("/v1/", "/metrics", "/openapi.json")  # paths that need the API key; the page itself is public


class RequestLimitMiddleware:
    """Passes a request on to the application, or answers it with an error.

    Args:
        app: Application behind the middleware.
        config: Limits, API key and accepted hosts.
        metrics: Counters of requests.
        paths: Paths that metrics name; all others are counted as "other".
    """

    def __init__(self, app: ASGIApp, *, config: ServerConfig, metrics: Metrics, paths: Iterable[str]) -> None:
        self._app = app
        self._config = config
        self._metrics = metrics
        self._paths = frozenset(paths)
        self._key = _digest(config.api_key.encode()) if config.api_key is not None else None
        self._hosts = frozenset(host.lower() for host in config.hosts)
        self._buffered_bytes = 0  # of all bodies in memory

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        status = 0
        connection = connection_of(scope)

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), *_HEADERS]
            try:
                async with asyncio.timeout(self._config.write_timeout_seconds):
                    await send(message)
            except TimeoutError:
                if connection is not None:
                    connection.abort()
                raise _ClientDisconnected from None

        self._metrics.active.inc()
        if connection is not None:
            connection.request_begun()
        try:
            await self._handle(scope, receive, counted)
        finally:
            self._metrics.active.dec()
            if connection is not None:
                connection.request_ended()
            path = scope["path"] if scope["path"] in self._paths else "other"
            method = scope["method"] if scope["method"] in ("GET", "POST", "HEAD", "OPTIONS") else "other"
            # 499 is the usual status for a client that disconnected (nginx).
            self._metrics.requests.labels(path, method, str(status or 499)).inc()
            self._metrics.seconds.labels(path).observe(time.perf_counter() - start)

    async def _handle(self, scope: Scope, receive: Receive, send: Send) -> None:
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
        except _ClientDisconnected:
            pass
        except Exception:
            _log.exception("a request failed: %s %s", scope["method"], scope["path"])
            await send_error(send, ApiError("internal", CODES["internal"][1]))
        finally:
            self._buffered_bytes -= len(body)

    def _check_host(self, host: str) -> None:
        """Refuse unknown hosts. Under DNS rebinding, a page of another site still sends its own name."""
        if self._hosts and _host_name(host) not in self._hosts:
            raise ApiError(
                "unknown_host",
                "the Host header names another server: the operator allows names with --allow-host",
            )

    def _check_key(self, headers: dict[bytes, str]) -> None:
        if self._key is None:
            return
        scheme, _, token = headers.get(b"authorization", "").partition(" ")
        given = token.strip() if scheme.lower() == "bearer" else headers.get(b"x-api-key", "")
        if not hmac.compare_digest(_digest(given.encode("latin-1")), self._key):
            raise ApiError("unauthorized", "the API key is missing or wrong: send Authorization: Bearer KEY")

    async def _read(self, scope: Scope, headers: dict[bytes, str], receive: Receive, body: bytearray) -> None:
        """Read the whole body, within the limits of size and time."""
        length = headers.get(b"content-length")
        most = self._config.max_file_bytes if scope["path"] == READ else self._config.max_body_bytes
        too_large = ApiError(
            "body_too_large", f"the body has more than {most:,} bytes: send less", headers={"Connection": "close"}
        )
        if length is not None and (not length.isdigit() or int(length[:20]) > most):
            if length.isdigit() and int(length[:20]) <= _MAX_DISCARDED_BYTES and b"expect" not in headers:
                await _discard(receive)
            raise too_large
        try:
            async with asyncio.timeout(self._config.body_timeout_seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        raise _ClientDisconnected
                    chunk = message.get("body", b"")
                    body += chunk
                    self._buffered_bytes += len(chunk)
                    if len(body) > most:
                        await _discard(receive)
                        raise too_large
                    if self._buffered_bytes > self._config.max_buffered_bytes:
                        raise ApiError("busy", "too many large requests arrive at once: try again", retry_after=1)
                    if not message.get("more_body", False):
                        return
        except TimeoutError:
            seconds = self._config.body_timeout_seconds
            raise ApiError(
                "slow_body",
                f"the body did not arrive within {seconds:g} seconds: send it faster or in parts",
                headers={"Connection": "close"},
            ) from None

    async def _answer(self, scope: Scope, body: bytes, receive: Receive, send: Send) -> None:
        """Have the application answer, unless the client disconnects first."""
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
        finally:  # also when the server stops
            watching.cancel()
            if not answering.done():
                answering.cancel()
        try:
            await answering
        except asyncio.CancelledError:
            if not gone.is_set():
                raise


async def _discard(receive: Receive) -> None:
    """Read and discard the rest of an oversized body. Clients read the error only after they have sent everything."""
    size = 0
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DISCARD_SECONDS):
            while size < _MAX_DISCARDED_BYTES:
                message = await receive()
                size += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return


def _host_name(host: str) -> str | None:
    """Return the name or address of a Host header without its port; None if it is neither.

    >>> _host_name("LocalHost:8000"), _host_name("[::1]:8000"), _host_name("[localhost]"), _host_name("]localhost[")
    ('localhost', '::1', None, None)
    """
    found = _HOST.fullmatch(host)
    if found is None:
        return None
    if found["address"] is None:
        return found["name"].lower()
    try:
        return ipaddress.IPv6Address(found["address"]).compressed
    except ValueError:
        return None


class _ClientDisconnected(Exception):  # noqa: N818
    """The client disconnected."""


def _check_json(content_type: str) -> None:
    """Require the JSON media type, which forms of other sites' pages cannot send (CSRF)."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind != "application/json":
        raise ApiError("unsupported_media_type", "the body must be JSON: send it with Content-Type: application/json")


def _digest(key: bytes) -> bytes:
    """Hash a key, so that the time of a comparison does not depend on its length."""
    return hashlib.sha256(key).digest()


async def send_error(send: Send, error: ApiError) -> None:
    """Send an error response."""
    body = error.body()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), **error.headers}
    raw = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers.items()]
    await send({"type": "http.response.start", "status": error.status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
