"""The command line: one file a command, thin over the library."""

from __future__ import annotations

import signal
import sys
import warnings
from typing import Any

import click

import mderank
from mderank.cli.batch import batch
from mderank.cli.collection import collection
from mderank.cli.compare import compare
from mderank.cli.datasets import datasets
from mderank.cli.evaluate import evaluate
from mderank.cli.export import export
from mderank.cli.extract import extract
from mderank.cli.info import info
from mderank.cli.methods import methods
from mderank.cli.models import models
from mderank.cli.reproduce import reproduce
from mderank.cli.serve import serve
from mderank.cli.train import train
from mderank.cli.tune import tune
from mderank.errors import MDERankError

EPILOG = """\b
Examples:
  mderank extract paper.txt                      the ten keyphrases of a file
  mderank extract papers/ -f html -o papers.html every file of a folder, highlighted in its text
  cat abstracts.jsonl | mderank extract -f jsonl -k 10 > keyphrases.jsonl
  mderank extract --phrases thesaurus.txt report.pdf
  mderank batch papers/ out && mderank collection out   many documents, and what they are about
  mderank serve                                  a page in the browser, and an HTTP API
\b
Exit codes:
  0  all documents were read      2  wrong usage, or a model that cannot be loaded
  1  some document failed         130 interrupted
"""


class _Group(click.Group):
    def invoke(self, ctx: click.Context) -> Any:
        """Errors of ours are one line and an exit code, never a traceback."""
        try:
            return super().invoke(ctx)
        except MDERankError as error:
            raise _OneLine(str(error)) from error


class _OneLine(click.ClickException):
    exit_code = 2

    def show(self, file: Any = None) -> None:
        click.echo(f"mderank: error: {self.message}", err=True)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
             epilog=EPILOG)  # fmt: skip
@click.version_option(mderank.__version__, "--version", "-V", prog_name="mderank")
def cli() -> None:
    """Extract keyphrases from documents, each with its score and its occurrences in the text.

    A phrase matters if the document's embedding changes when the phrase is masked (MDERank, Zhang et al. 2022). It
    works offline, on a CPU, on documents of any length. Start with: mderank extract FILE
    """


for _command in (
    extract,
    batch,
    collection,
    serve,
    evaluate,
    compare,
    reproduce,
    datasets,
    tune,
    train,
    export,
    methods,
    models,
    info,
):
    cli.add_command(_command)


def main() -> None:
    """The program."""
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a closed pipe ends us quietly, as it does other tools
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    warnings.showwarning = _show_warning
    cli()


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, mderank.MDERankWarning):
        click.echo(f"mderank: warning: {message}", err=True)
