"""``mderank serve``: an HTTP API, and a page to see why a phrase is key."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import click

from mderank.cli._config import config_option
from mderank.cli._options import DEFAULT_MODEL, SectionedCommand, import_spacy_without_torch, option
from mderank.errors import InputError, MDERankWarning, MissingExtraError, OptionError
from mderank.serve.config import Settings

F = TypeVar("F", bound=Callable[..., Any])

LOOPBACK = ("127.0.0.1", "::1", "localhost")
KEY = "MDERANK_API_KEY"
_DEFAULTS = Settings()


def _limit(name: str, help_: str) -> Callable[[F], F]:
    """An option for a field of `Settings`."""
    value = getattr(_DEFAULTS, name)
    kind = click.IntRange(1) if isinstance(value, int) else click.FloatRange(0, min_open=True)
    return option("Limits", f"--{name.replace('_', '-')}", type=kind, default=value, show_default=True, metavar="N",
                  help=help_)  # fmt: skip


@click.command(cls=SectionedCommand)
@option("Server", "--host", default="127.0.0.1", show_default=True,
        help="Address to listen on; 0.0.0.0: all, which lets other machines in.")  # fmt: skip
@option("Server", "--port", "-p", type=click.IntRange(0, 65535), default=8000, show_default=True,
        help="Port to listen on; 0: any that is free.")  # fmt: skip
@option("Server", "--open/--no-open", "opens", default=None,
        help="Open the page in a browser.  [default: at a terminal, on this machine]")  # fmt: skip
@option("Server", "--api-key-file", metavar="FILE", help=f"Ask clients for the key in FILE, or in ${KEY}.")
@option("Server", "--cors", multiple=True, metavar="ORIGIN",
        help="Let pages of ORIGIN use the API, e.g. https://example.org; repeatable.  [default: none]")  # fmt: skip
@option("Server", "--allow-host", multiple=True, metavar="NAME",
        help="Name that clients may call the server by; repeatable.  [default: localhost there, else any]")  # fmt: skip
@option("Server", "--verbose", "-v", is_flag=True, help="Write a line for every request to standard error.")
@_limit("max_body", "Bytes of a request.")
@_limit("max_file", "Bytes of a file that is sent to be read.")
@_limit("max_text", "Characters of a document; more count with costly options.")
@_limit("max_batch", "Documents of a request.")
@_limit("max_queue", "Documents that wait, beyond which clients are told to come back.")
@_limit("max_queued_text", "Characters of all documents that wait.")
@_limit("max_connections", "Connections at a time.")
@_limit("timeout", "Seconds for an answer.")
@_limit("body_timeout", "Seconds for a request to arrive.")
@option("Method", "--model", "-m", default=DEFAULT_MODEL, show_default=True, metavar="NAME|DIR",
        help="The encoder: see 'mderank models'.")  # fmt: skip
@option("Method", "--tagger", metavar="NAME",
        help="spaCy pipeline by name or folder, e.g. de_core_news_sm.  [default: English]")  # fmt: skip
@option("Method", "--device", metavar="NAME", help="For torch models: cpu, cuda, cuda:1, mps.")
@option("Method", "--dtype", type=click.Choice(["float32", "float16", "bfloat16"]), help="For torch models.")
@option("Method", "--threads", type=click.IntRange(1), metavar="N",
        help="Cores for one encoder call.  [default: all]")  # fmt: skip
@config_option
def serve(host: str, port: int, opens: bool | None, verbose: bool, **options: Any) -> None:
    """Serve an HTTP API, and a page to see why a phrase is key.

    Nothing leaves this machine, and no network is needed. The page is at http://127.0.0.1:8000; the API is described
    there at /openapi.json, and in docs/serve.md. Clients choose among methods and their options; the encoder is chosen
    here. Ctrl-C, or SIGTERM, stops the server after it has answered what it accepted.
    """
    try:
        import uvicorn

        from mderank.serve.app import create_app
        from mderank.serve.connection_timeout import impatient
    except ImportError as error:
        raise error if isinstance(error, MissingExtraError) else MissingExtraError("mderank serve", "serve") from error
    from mderank.encoding import load_encoder
    from mderank.tagging import SpacyTagger

    settings = _settings(host, options)
    listening = _listen(host, port)
    if options["tagger"] is None:
        import_spacy_without_torch()
    warnings.filterwarnings("ignore", category=MDERankWarning)  # they are about texts, which are not ours
    encoder = load_encoder(
        options["model"], device=options["device"], dtype=options["dtype"], threads=options["threads"]
    )
    app = create_app(encoder, lambda: SpacyTagger(options["tagger"]), settings)
    logging.basicConfig(format="mderank: %(message)s", level=logging.INFO if verbose else logging.WARNING)
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            http=impatient(settings.body_timeout),
            ws="none",
            lifespan="on",
            log_config=None,
            access_log=verbose,
            server_header=False,
            proxy_headers=False,
            limit_concurrency=settings.max_connections,
            timeout_keep_alive=75,  # longer than any Retry-After
            # Every request has its own limits of time, so that this is never reached but by a fault.
            timeout_graceful_shutdown=int(settings.timeout + settings.body_timeout) + 5,
        )
    )
    address = _address(host, listening)
    _greet(host, address, settings, opens)
    # What uvicorn restores, and calls, once all is answered: then we end as we should, and not by a signal.
    signal.signal(signal.SIGTERM, lambda *_: None)
    with suppress(KeyboardInterrupt):
        server.run(sockets=[listening])


def _settings(host: str, options: dict[str, Any]) -> Settings:
    limits = {field.name: options[field.name] for field in fields(Settings) if field.name in options}
    hosts = options["allow_host"]
    if not hosts and host in LOOPBACK:
        hosts = LOOPBACK
    limits |= {"api_key": _key(options["api_key_file"]), "hosts": tuple(hosts), "cors": tuple(options["cors"])}
    return Settings(**limits)


def _key(file: str | None) -> str | None:
    """The API key. Not an option itself, since other users of a machine can see those."""
    if file is None:
        return os.environ.get(KEY) or None
    try:
        key = Path(file).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: the API key cannot be read: {error}") from error
    if not key:
        raise InputError(f"{file}: there is no API key in this file")
    return key


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise OptionError(
            f"cannot listen on {host}:{port} ({error.strerror or error}): name another, --port 0 for any"
        ) from error


def _address(host: str, listening: socket.socket) -> str:
    port = listening.getsockname()[1]
    shown = "127.0.0.1" if host == "0.0.0.0" else "::1" if host == "::" else host
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"


def _greet(host: str, address: str, settings: Settings, opens: bool | None) -> None:
    if host not in LOOPBACK and settings.api_key is None:
        click.echo(
            f"mderank: warning: whoever reaches {host} may use this server: set ${KEY} to ask for a key", err=True
        )
    click.echo(f"mderank: serving at {address} (Ctrl-C stops)", err=True)
    if opens or (opens is None and host in LOOPBACK and sys.stderr.isatty() and sys.stdin.isatty()):
        import webbrowser

        webbrowser.open(address)
