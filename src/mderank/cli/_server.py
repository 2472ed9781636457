"""Listening and answering, which ``mderank serve`` and ``mderank label`` share."""

from __future__ import annotations

import signal
import socket
from contextlib import suppress
from typing import Any

from mderank.errors import OptionError


def listen(host: str, port: int) -> socket.socket:
    """Open a port, so that a port that is taken is an error before anything is loaded.

    Args:
        host: Address to listen on.
        port: Port; 0 takes a free one.

    Returns:
        The listening socket.

    Raises:
        OptionError: The port cannot be opened.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise OptionError(
            f"cannot listen on {host}:{port} ({error.strerror or error}): "
            "choose another --host or --port; --port 0 takes a free one"
        ) from error


def address_of(host: str, listening: socket.socket) -> str:
    """Return the address that a browser opens.

    Args:
        host: Address that is listened on.
        listening: The socket.

    Returns:
        An HTTP address.
    """
    port = listening.getsockname()[1]
    shown = "127.0.0.1" if host == "0.0.0.0" else "::1" if host == "::" else host
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def run_server(app: Any, listening: socket.socket, *, verbose: bool, max_connections: int, grace_seconds: int) -> None:
    """Answer requests until Ctrl-C or SIGTERM.

    Args:
        app: The ASGI application.
        listening: The socket.
        verbose: Whether to log every request.
        max_connections: Open connections.
        grace_seconds: Time for accepted requests to be answered at the end.
    """
    import uvicorn

    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http="h11",
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=verbose,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=max_connections,
            timeout_keep_alive=75,  # seconds; longer than any Retry-After
            timeout_graceful_shutdown=grace_seconds,
        )
    )
    # uvicorn raises the signal again after shutdown. This handler makes the process end with exit code 0.
    signal.signal(signal.SIGTERM, lambda *_: None)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])
