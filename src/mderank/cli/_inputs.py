"""Options for what is read, which several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from mderank.cli._options import option
from mderank.reading import FORMATS, ReadOptions

F = TypeVar("F", bound=Callable[..., Any])

_INPUT = (
    option("Input", "--input-format", "-i", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True,
           help="What the input is; auto goes by names, and standard input by its beginning."),
    option("Input", "--encoding", default="utf-8", show_default=True,
           help="Encoding of text without byte order mark."),
    option("Input", "--text-field", default="text", show_default=True,
           help="Field of a JSON line, or column of a table, that has the text."),
    option("Input", "--id-field", default="id", show_default=True, help="Field or column that names the document."),
    option("Input", "--tokens-field", metavar="FIELD",
           help="Field of a JSON line with [word, tag] pairs: no tagging."),
)  # fmt: skip


def input_options(command: F) -> F:
    """All options for reading."""
    for add in reversed(_INPUT):
        command = add(command)
    return command


def read_options(settings: dict[str, Any]) -> ReadOptions:
    """What they ask for; they are taken out of ``settings``."""
    form = settings.pop("input_format")
    names = ("encoding", "text_field", "id_field", "tokens_field")
    return ReadOptions(None if form == "auto" else form, *(settings.pop(name) for name in names))
