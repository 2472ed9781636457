"""``mderank mcp``: a server for the Model Context Protocol on standard input and output."""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import click

from mderank.cli._config import config_option
from mderank.cli._options import SectionedCommand, extraction_options, make_options, option


@click.command(cls=SectionedCommand, short_help="Serve the Model Context Protocol (MCP) to chat clients.")
@option("Server", "--allow", "folders", multiple=True, metavar="FOLDER",
        help="Let clients name files below FOLDER; repeatable.  [default: clients send texts only]")  # fmt: skip
@option("Limits", "--max-text-chars", type=click.IntRange(1), default=200_000, show_default=True, metavar="N",
        help="Characters of a document.")  # fmt: skip
@extraction_options()
@config_option
def mcp(folders: tuple[str, ...], max_text_chars: int, **settings: Any) -> None:
    """Serve the Model Context Protocol (MCP) on standard input and output.

    Chat clients and editors start this command themselves; docs/mcp.md shows their configuration. They get two tools:
    extract_keyphrases and explain_keyphrase. The server needs no network, and sends nothing to other machines. The
    options are defaults; clients choose top_k, language, method, phrases and seeds. Needs: pip install 'mderank[mcp]'
    """
    from mderank.integrations.mcp import create_server

    server = create_server(make_options(settings), folders=folders, max_text_chars=max_text_chars)
    if sys.stdin is not None and sys.stdin.isatty():
        click.echo("mderank: waiting for an MCP client on standard input (Ctrl-D stops); see docs/mcp.md", err=True)
    # A thread waits for the next line of standard input, and could not be stopped: the process ends at once.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: os._exit(0))
    server.run("stdio")
