"""The code blocks of a page: what runs is run, and commands are compared with the command line.

A block is run where it stands, with what the blocks before it left, in a folder of its own that has a copy of
examples/. What cannot be run has a reason on the line before it: ``<!-- not run: it needs a GPU -->``.

- A block with a title, ``json title="mine.jsonl"`` after the backticks, is a file.
- ``python`` with ``>>>`` is a doctest; without, it is a program.
- ``console`` has commands after ``$``, and below them what they print. ``...`` stands for anything. If
  they print ``mderank: error:``, the command must fail with this error.
- ``sh`` is not run. Its options of `mderank`, its extras and its files of this repository must exist.

What is printed must be what the page shows, to the letter. The pages show what the encoder gives in int8. A processor
that cannot compute in it has slightly other scores, and close phrases in another order: see `nearly_equal`.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from click.testing import CliRunner

from mderank.cli import cli
from mderank.encoding import onnx

ROOT = Path(__file__).parents[1]
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS
_FENCE = re.compile(
    r"^ *(?:<!-- not run: (?P<reason>.*?) -->\n *)?(?P<marks>`{3,})(?P<info>[^`\n]*)\n"
    r"(?P<body>.*?)^ *(?P=marks) *$",
    re.MULTILINE | re.DOTALL,
)
_BETWEEN_COMMANDS = {"|", "||", "&&", ";", "&", ">", ">>", "<", "do", "done"}
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_HIDE = str.maketrans("|&;<>", "\ue000\ue001\ue002\ue003\ue004")  # operators inside quotation marks are none
_SHOW = str.maketrans("\ue000\ue001\ue002\ue003\ue004", "|&;<>")
_VALUES = (click.Choice, click.IntRange, click.FloatRange)  # types whose values are checked without any file


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    page: Path
    line: int
    language: str
    title: str
    body: str
    reason: str  # why it is not run; empty for others

    @property
    def place(self) -> str:
        return f"{self.page.relative_to(ROOT)}, line {self.line}"


def blocks(page: Path) -> list[Block]:
    """All fenced blocks, in the order of the page."""
    text = page.read_text(encoding="utf-8")
    found = []
    for fence in _FENCE.finditer(text):
        language, _, rest = fence["info"].strip().partition(" ")
        title = re.search(r'title="([^"]+)"', rest)
        line = text.count("\n", 0, fence.start("marks")) + 1
        body = textwrap.dedent(fence["body"])
        found.append(Block(page, line, language, title[1] if title else "", body, fence["reason"] or ""))
    return found


def runs(block: Block) -> bool:
    """Whether a block is run."""
    return not block.reason and (block.language in ("python", "py", "pycon", "console") or bool(block.title))


def run_page(page: Path, folder: Path) -> int:
    """Run the blocks of a page one after the other; the folder is the current one.

    Returns:
        The number of blocks that were run.
    """
    shutil.copytree(ROOT / "examples", folder / "examples")
    names: dict[str, Any] = {"__name__": "__main__"}
    ran = 0
    for block in blocks(page):
        if not runs(block):
            continue
        ran += 1
        if block.title:
            (folder / block.title).parent.mkdir(parents=True, exist_ok=True)
            (folder / block.title).write_text(block.body, encoding="utf-8")
        elif block.language == "console":
            run_console(block)
        elif ">>>" in block.body:
            run_doctest(block, names)
        else:
            exec(compile(block.body, block.place, "exec"), names)
    return ran


def run_doctest(block: Block, names: dict[str, Any]) -> None:
    test = doctest.DocTestParser().get_doctest(block.body, names, block.place, str(block.page), block.line)
    runner = doctest.DocTestRunner(checker=Checker(), optionflags=FLAGS)
    report: list[str] = []
    result = runner.run(test, out=report.append, clear_globs=False)
    names.update(test.globs)  # the test has a copy
    assert result.failed == 0, "".join(report)


def run_console(block: Block) -> None:
    """Run the commands of a block, and compare what they print on standard output."""
    for command, expected in re.findall(r"^\$ (.*(?:\\\n.*)*)\n((?:(?!\$ ).*\n)*)", block.body, re.MULTILINE):
        printed = error(command) if expected.startswith("mderank: error:") else output(command)
        same = Checker().check_output(expected, printed, doctest.ELLIPSIS)
        assert same, f"{block.place}: {command}\nexpected:\n{expected}\ngot:\n{printed}"


def output(command: str) -> str:
    """What a command prints: of `mderank` in this process, which has the encoder already; others run in a shell."""
    words = shell_words(command)
    if words[0] == "mderank" and not _BETWEEN_COMMANDS & set(words):
        done = CliRunner().invoke(cli, [word.translate(_SHOW) for word in words[1:]])
        assert done.exit_code == 0, f"{command}: {done.output} {done.exception}"
        return done.stdout
    shim = Path("bin") / "mderank"
    if not shim.exists():
        shim.parent.mkdir()
        shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m mderank "$@"\n', encoding="utf-8")
        shim.chmod(0o755)
    environment = {**os.environ, "PATH": f"{shim.parent.resolve()}{os.pathsep}{os.environ['PATH']}"}
    shell = subprocess.run(command, shell=True, capture_output=True, text=True, env=environment, check=False)
    assert shell.returncode == 0, f"{command}: {shell.stderr}"
    return shell.stdout


def error(command: str) -> str:
    """What a command of ours that fails prints on standard error."""
    done = CliRunner().invoke(cli, [word.translate(_SHOW) for word in shell_words(command)[1:]])
    assert done.exit_code != 0, f"{command} did not fail"
    return done.stderr


class Checker(doctest.OutputChecker):
    """Compares to the letter, and nearly where the processor has other numbers."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return super().check_output(want, got, optionflags) or (not onnx.has_exact_int8() and nearly_equal(want, got))


def nearly_equal(shown: str, printed: str) -> bool:
    """Whether two outputs have the same words, in any order, and numbers within five per cent.

    If the page leaves something out, its words must be among the others, and numbers are not compared.
    """
    some, others = (sorted(re.findall(r"[^\W\d_]+", text)) for text in (shown, printed))
    if "..." in shown:
        return set(some) <= set(others)
    one, other = (sorted(float(number) for number in re.findall(r"\d+(?:\.\d+)?", text)) for text in (shown, printed))
    close = all(abs(a - b) <= 0.05 * max(a, b) for a, b in zip(one, other, strict=False))
    return some == others and len(one) == len(other) and close


# --- commands ---------------------------------------------------------------------------------------------------------


def shell_words(line: str) -> list[str]:
    """The words of a line of shell, without its comment; operators are words of their own, and hidden in quotations."""
    hidden = _QUOTED.sub(lambda quoted: quoted[0].translate(_HIDE), line.replace("\\\n", " "))
    lexer = shlex.shlex(hidden, posix=True, punctuation_chars="|&;<>")
    lexer.whitespace_split = True
    lexer.commenters = "#"
    return list(lexer)


def commands(block: Block) -> list[list[str]]:
    """The arguments of each `mderank` of a block of shell."""
    text = block.body.replace("\\\n", " ")
    if block.language == "console":
        text = "\n".join(line[2:] for line in text.splitlines() if line.startswith("$ "))
    found: list[list[str]] = []
    for line in text.splitlines():
        inside, first = False, True  # of a command of ours; whether a word would be a command
        for word in shell_words(line) if "mderank" in line else []:
            if word == "mderank" and first:
                inside = True
                found.append([])
            elif word in _BETWEEN_COMMANDS:
                inside = False
            elif inside and word != "…":
                found[-1].append(word.translate(_SHOW))
            first = word in _BETWEEN_COMMANDS
    return found


def check_command(arguments: list[str]) -> None:
    """Whether the command line has this command, its options, and their values as far as these are names or numbers.

    Raises:
        click.ClickException: If it has not.
    """
    command: click.Command = cli
    context = click.Context(command, info_name="mderank", **command.context_settings)
    while isinstance(command, click.Group) and arguments and not arguments[0].startswith("-"):
        following = command.get_command(context, arguments[0])
        if following is None:
            if command is not cli:
                break  # an argument of a group that is a command too
            raise click.UsageError(f"mderank has no command {arguments[0]}")
        command, arguments = following, arguments[1:]
        context = click.Context(command, parent=context, info_name=command.name, **command.context_settings)
    values, _, _ = command.make_parser(context).parse_args(list(arguments))
    for parameter in command.params:
        value = values.get(parameter.name or "")
        if isinstance(parameter.type, _VALUES) and value is not None and "$" not in str(value):
            parameter.type_cast_value(context, value)


def unknown_extras(text: str) -> set[str]:
    """Extras that a `pip install` names and the project does not have."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = re.findall(r"pip install [^\n]*?'?(?:mderank|\.)\[([\w,]+)\]", text)
    return {extra for each in named for extra in each.split(",")} - set(project["optional-dependencies"])
