"""``mderank serve``: the HTTP API and its page."""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from mderank.cli._config import config_option
from mderank.cli._options import (
    SectionedCommand,
    extraction_options,
    make_options,
    option,
)
from mderank.cli._server import address_of, listen
from mderank.errors import InputError, MissingExtraError, ModelError
from mderank.serve.config import LOOPBACK, OPERATOR_OPTIONS, ServerConfig

F = TypeVar("F", bound=Callable[..., Any])

KEY = "MDERANK_API_KEY"
_DEFAULTS = ServerConfig()
_OTHER_FILES = 100  # that the server has open beside its connections


def _limit(name: str, help_: str) -> Callable[[F], F]:
    """An option for a field of `ServerConfig`."""
    value = getattr(_DEFAULTS, name)
    kind = click.IntRange(1) if isinstance(value, int) else click.FloatRange(0, min_open=True)
    return option("Limits", f"--{name.replace('_', '-')}", type=kind, default=value, show_default=True, metavar="N",
                  help=help_)  # fmt: skip


@click.command(cls=SectionedCommand)
@option("Server", "--host", default="127.0.0.1", show_default=True,
        help="Address to listen on. 0.0.0.0 accepts other machines: put a reverse proxy in front.")  # fmt: skip
@option("Server", "--port", "-p", metavar="N", type=click.IntRange(0, 65535), default=8000, show_default=True,
        help="Port to listen on; 0 chooses a free one.")  # fmt: skip
@option("Server", "--open/--no-open", "opens", default=None,
        help="Open the page in a browser.  [default: only at a terminal and on loopback]")  # fmt: skip
@option("Server", "--api-key-file", metavar="FILE", help=f"Require the API key in FILE (or in ${KEY}).")
@option("Server", "--style", "styles", multiple=True, metavar="NAME|FILE",
        help="Offer a style to clients: a name of 'mderank styles', or a file; repeatable.")  # fmt: skip
@option("Server", "--cors", multiple=True, metavar="ORIGIN",
        help="Allow pages of ORIGIN to call the API, e.g. https://example.org; repeatable.")  # fmt: skip
@option("Server", "--allow-host", multiple=True, metavar="NAME",
        help="Accepted Host header; repeatable.  [default: localhost on loopback, else any]")  # fmt: skip
@option("Server", "--verbose", "-v", is_flag=True, help="Log every request to standard error.")
@_limit("max_body_bytes", "Bytes of a request body.")
@_limit("max_file_bytes", "Bytes of a file sent to /v1/read.")
@_limit("max_text_chars", "Characters of a document; costly options count as a longer text.")
@_limit("max_request_documents", "Documents per request.")
@_limit("max_queue_documents", "Documents in a queue; further requests get 503.")
@_limit("max_queue_chars", "Characters of all documents in a queue.")
@_limit("max_connections", "Open connections.")
@_limit("timeout_seconds", "Seconds from a request to its answer.")
@_limit("header_timeout_seconds", "Seconds for the headers of a request to arrive.")
@_limit("body_timeout_seconds", "Seconds for a request body to arrive.")
@_limit("write_timeout_seconds", "Seconds for a client to read its answer.")
@extraction_options(only=OPERATOR_OPTIONS)
@config_option
def serve(host: str, port: int, opens: bool | None, verbose: bool, **options: Any) -> None:
    """Serve the HTTP API and a page that explains each score.

    The server needs no network and sends nothing to other machines. The page is at http://127.0.0.1:8000. The API is
    described at /openapi.json and in docs/serve.md. Clients choose the method and its options; the encoder is chosen
    here. Ctrl-C or SIGTERM stops the server after it has answered all accepted requests.
    """
    try:
        import uvicorn

        from mderank.serve.app import create_app
        from mderank.serve.connection import KEEP_ALIVE_SECONDS, ConnectionLimits
    except ImportError as error:
        raise error if isinstance(error, MissingExtraError) else MissingExtraError("mderank serve", "serve") from error
    config = _config(host, options)
    with listen(host, port) as listening:
        _allow_open_files(config.max_connections + _OTHER_FILES)
        app = create_app(make_options(options), config, styles=options["styles"])
        service = app.state.service
        logging.basicConfig(format="mderank: %(message)s", level=logging.INFO if verbose else logging.WARNING)
        server = uvicorn.Server(
            uvicorn.Config(
                app,
                http=ConnectionLimits(config),  # type: ignore[arg-type] # a function that makes protocols
                ws="none",
                lifespan="on",
                log_config=None,
                access_log=verbose,
                server_header=False,
                proxy_headers=False,
                timeout_keep_alive=int(KEEP_ALIVE_SECONDS) + 1,  # ours comes first
                # Every request has its own timeouts, so that only a bug reaches this one.
                timeout_graceful_shutdown=int(
                    config.timeout_seconds + config.body_timeout_seconds + config.write_timeout_seconds + 5
                ),
            )
        )

        def loaded() -> None:
            if service.failure is not None:
                server.should_exit = True
            elif not server.should_exit:
                _greet(host, address_of(host, listening), config, opens)

        service.on_loaded = loaded
        try:
            service.start()  # a model that cannot be loaded ends the command here
            # uvicorn raises the signal again after shutdown. This handler makes the process end with exit code 0.
            signal.signal(signal.SIGTERM, lambda *_: None)
            with suppress(KeyboardInterrupt):
                server.run(sockets=[listening])
        finally:
            service.close()
    if service.failure is not None:
        raise ModelError(f"the server could not be loaded: {service.failure}") from service.failure


def _allow_open_files(count: int) -> None:
    """Raise the limit of open files as far as the system allows: each connection is one."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count if most == resource.RLIM_INFINITY else min(count, most)
    if now != resource.RLIM_INFINITY and now < wanted:
        with suppress(ValueError, OSError):  # macOS has a second limit, which it does not show here
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def _config(host: str, options: dict[str, Any]) -> ServerConfig:
    limits = {field.name: options[field.name] for field in fields(ServerConfig) if field.name in options}
    hosts = options["allow_host"]
    if not hosts and host in LOOPBACK:
        hosts = LOOPBACK
    limits |= {"api_key": _key(options["api_key_file"]), "hosts": tuple(hosts), "cors": tuple(options["cors"])}
    return ServerConfig(**limits)


def _key(file: str | None) -> str | None:
    """Return the API key. It is not an option, because other users of a machine can see command lines."""
    if file is None:
        return os.environ.get(KEY) or None
    try:
        key = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: the API key cannot be read: {error}") from error
    if not key:
        raise InputError(f"{file}: the file is empty: write an API key into it")
    return key


def _greet(host: str, address: str, config: ServerConfig, opens: bool | None) -> None:
    if host not in LOOPBACK:
        if config.api_key is None:
            click.echo(f"mderank: warning: everyone who reaches {host} can use this server: set ${KEY}", err=True)
        click.echo(
            "mderank: warning: there is no encryption and no limit per client: put a reverse proxy in front, see "
            "docs/serve.md",
            err=True,
        )
    click.echo(f"mderank: serving at {address} (Ctrl-C stops)", err=True)
    if opens or (opens is None and host in LOOPBACK and sys.stderr.isatty() and sys.stdin.isatty()):
        import webbrowser

        webbrowser.open(address)
