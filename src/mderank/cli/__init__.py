"""The command line: one file a command, thin over the library."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

import click

import mderank
from mderank.cli._signals import OneLine, ends_in_one_line, handle_signals

EPILOG = """\b
Examples:
  mderank extract paper.txt                      the ten keyphrases of a file
  mderank extract papers/ -o papers.html         every file of a folder, highlighted in its text
  cat abstracts.jsonl | mderank extract -f jsonl -k 10 > keyphrases.jsonl
  mderank extract --vocabulary thesaurus.ttl report.pdf
  mderank batch papers/ out && mderank collection out   many documents, and what they are about
  mderank serve                                  a page in the browser, and an HTTP API
  mderank label papers/                          tick what is right, and it learns how you tag
\b
Exit codes:
  0  all documents were read      2  wrong usage, or a model that cannot be loaded
  1  some document failed         130 interrupted, 143 terminated (SIGTERM)
"""


# One module each. A command is imported when it is called, or when all are listed: starting stays fast.
SECTIONS = {
    "Extract": ("extract", "batch", "collection", "serve", "mcp"),
    "Your own phrases": ("vocabulary", "label", "tune", "styles"),
    "What there is": ("methods", "models", "languages", "info"),
    "Research": ("datasets", "evaluate", "compare", "reproduce", "train", "export"),
}
COMMANDS = tuple(name for names in SECTIONS.values() for name in names)


class _LazyCommands(MutableMapping[str, click.Command]):
    """All commands by name, each imported when it is first asked for."""

    def __init__(self) -> None:
        self._commands: dict[str, click.Command | None] = dict.fromkeys(COMMANDS)

    def __getitem__(self, name: str) -> click.Command:
        command = self._commands[name]
        if command is None:
            command = self._commands[name] = getattr(import_module(f"mderank.cli.{name}"), name)
        return command

    def __setitem__(self, name: str, command: click.Command) -> None:
        self._commands[name] = command

    def __delitem__(self, name: str) -> None:
        del self._commands[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._commands)

    def __len__(self) -> int:
        return len(self._commands)


class _Group(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order of the help."""
        return list(COMMANDS)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """One list of commands a section."""
        width = max(map(len, COMMANDS))
        for title, names in SECTIONS.items():
            commands = [(name, self.commands[name]) for name in names]
            limit = formatter.width - 6 - width
            with formatter.section(title):
                formatter.write_dl(
                    [(name.ljust(width), command.get_short_help_str(limit)) for name, command in commands]
                )

    def main(self, *args: Any, **extra: Any) -> Any:
        """Help and version end in one line too, where they cannot be written."""
        try:
            with ends_in_one_line():
                return super().main(*args, **extra)
        except OneLine as error:
            if not extra.get("standalone_mode", True):
                raise
            error.show()
            sys.exit(error.exit_code)

    def invoke(self, ctx: click.Context) -> Any:
        """Errors of ours are one line and an exit code, never a traceback."""
        with ends_in_one_line():
            return super().invoke(ctx)


@click.group(
    cls=_Group,
    commands=_LazyCommands(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=EPILOG,
)
@click.version_option(mderank.__version__, "--version", "-V", prog_name="mderank")
def cli() -> None:
    """Extract keyphrases from documents, each with its score and its occurrences in the text.

    A phrase matters if the document's embedding changes when the phrase is masked (MDERank, Zhang et al. 2022). It
    works offline, on a CPU, on documents of any length. Start with: mderank extract FILE
    """


def main() -> None:
    """The program."""
    handle_signals()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            # The same bytes on every system: UTF-8, and line ends as they are written.
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    warnings.showwarning = _show_warning
    cli()


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, mderank.MDERankWarning):
        click.echo(f"mderank: warning: {message}", err=True)
