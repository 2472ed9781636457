"""Writes docs/cli.md from the commands' own help: python docs/generate_cli.py"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click
from click.testing import CliRunner

from mderank.cli import cli

PAGE = Path(__file__).parent / "cli.md"

INTRODUCTION = """# The command line

The help of every command, as `--help` prints it. `python docs/generate_cli.py` makes this page.
"""


def reference() -> str:
    """Every command's help, as one page."""
    parts = [INTRODUCTION]
    for arguments in _commands(cli, []):
        title = " ".join(["mderank", *arguments])
        text = CliRunner().invoke(cli, [*arguments, "--help"], prog_name="mderank", terminal_width=100).output
        lines = "\n".join(line.rstrip() for line in text.rstrip().split("\n"))
        parts.append(f"## {title}\n\n```text\n{lines}\n```\n")
    return "\n".join(parts)


def _commands(command: click.Command, names: list[str]) -> Iterator[list[str]]:
    """The names of a command, and of those below it."""
    yield names
    for name, below in sorted(getattr(command, "commands", {}).items()):
        yield from _commands(below, [*names, name])


if __name__ == "__main__":
    PAGE.write_text(reference(), encoding="utf-8")
