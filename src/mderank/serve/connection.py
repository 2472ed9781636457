"""Limits of a connection, around uvicorn's HTTP: how many there are, and how long each may keep the server waiting.

uvicorn takes any `asyncio.Protocol` as its HTTP protocol. The one here passes everything on to uvicorn's own, and
closes the connection when a request's headers, or the reading of an answer, take too long.
"""

from __future__ import annotations

import asyncio
from typing import Any

from starlette.types import Scope
from uvicorn.protocols.http.h11_impl import H11Protocol

from mderank.serve.config import ServerConfig
from mderank.serve.errors import ApiError

KEEP_ALIVE_SECONDS = 75.0  # between two requests; longer than any Retry-After
_CLOSE_SECONDS = 1.0  # that a closing connection has to send what it has
_KEY = "mderank_connection"


class BoundedProtocol(asyncio.Protocol):
    """One connection of a client.

    Args:
        limits: Limits of all connections.
        uvicorn: Arguments of uvicorn's protocol.
    """

    def __init__(self, limits: ConnectionLimits, uvicorn: dict[str, Any]) -> None:
        self._limits = limits
        state = {**uvicorn.pop("app_state"), _KEY: self}  # a request finds its connection in its scope
        self._http = H11Protocol(app_state=state, **uvicorn)
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._requests = 0  # whose headers have arrived, and which are not answered yet
        self._head_begun = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Accept the connection, unless there are too many."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        if len(self._limits.open) >= self._limits.config.max_connections:
            transport.write(_TOO_MANY)
            self._close()
            return
        self._limits.open.add(self)
        self._http.connection_made(transport)
        self._wait(self._limits.config.header_timeout_seconds)

    def data_received(self, data: bytes) -> None:
        """Pass data on. Its first byte begins the time for the headers of a request."""
        if self not in self._limits.open:
            return
        if not self._requests and not self._head_begun:
            self._head_begun = True
            self._wait(self._limits.config.header_timeout_seconds)
        self._http.data_received(data)

    def eof_received(self) -> None:
        """Pass on that the client sends no more. The connection is then closed."""
        if self in self._limits.open:
            self._http.eof_received()

    def pause_writing(self) -> None:
        """Pass on that the client reads slowly."""
        self._http.pause_writing()

    def resume_writing(self) -> None:
        """Pass on that the client reads again."""
        self._http.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._stop_waiting()
        if self in self._limits.open:
            self._limits.open.discard(self)
            self._http.connection_lost(exc)

    def request_begun(self) -> None:
        """Note that the headers of a request have arrived."""
        self._requests += 1
        self._head_begun = False
        self._stop_waiting()

    def request_ended(self) -> None:
        """Note that a request is answered, as far as the server is concerned."""
        self._requests -= 1
        if not self._requests and self in self._limits.open:
            unread = self._transport is not None and self._transport.get_write_buffer_size() > 0
            self._wait(self._limits.config.write_timeout_seconds if unread else KEEP_ALIVE_SECONDS)

    def abort(self) -> None:
        """Close the connection at once."""
        if self._transport is not None:
            self._transport.abort()

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._timer = asyncio.get_running_loop().call_later(seconds, self._close)

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close(self) -> None:
        """Close the connection; what is not sent soon is discarded."""
        assert self._transport is not None
        self._transport.close()
        self._timer = asyncio.get_running_loop().call_later(_CLOSE_SECONDS, self._transport.abort)


class ConnectionLimits:
    """Limits that all connections of a server share. Calling it makes a protocol, as uvicorn does.

    Args:
        config: Limits of the server.

    Attributes:
        open: The connections that are accepted.
    """

    def __init__(self, config: ServerConfig) -> None:
        self.config = config
        self.open: set[BoundedProtocol] = set()

    def __call__(self, **uvicorn: Any) -> BoundedProtocol:
        """Make the protocol of a new connection.

        Args:
            **uvicorn: Arguments of uvicorn's protocol.

        Returns:
            The protocol.
        """
        return BoundedProtocol(self, uvicorn)


def connection_of(scope: Scope) -> BoundedProtocol | None:
    """Return the connection of a request.

    Args:
        scope: Scope of the request.

    Returns:
        The connection; None if another server than ``mderank serve`` runs the application.
    """
    found = scope.get("state", {}).get(_KEY)
    return found if isinstance(found, BoundedProtocol) else None


def _response(error: ApiError) -> bytes:
    body = error.body()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close",
               **error.headers}  # fmt: skip
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {error.status} Service Unavailable\r\n{lines}\r\n".encode("latin-1") + body


_TOO_MANY = _response(ApiError("busy", "too many connections are open: try again", retry_after=1))
