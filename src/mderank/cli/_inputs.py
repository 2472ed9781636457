"""Options for what is read, which several commands share."""

from __future__ import annotations

import stat
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from mderank.cli._options import option
from mderank.reading import FORMATS, MAX_DOCUMENT_CHARS, ReadOptions
from mderank.reading.discovery import file_mode
from mderank.reading.limits import list_names
from mderank.util.format import escape_unprintable, format_count, format_kinds

F = TypeVar("F", bound=Callable[..., Any])

max_document_chars_option = option(
    "Input",
    "--max-document-chars",
    type=click.IntRange(1),
    default=MAX_DOCUMENT_CHARS,
    show_default=True,
    metavar="N",
    help="Longest document that is read, in characters; a longer one is an error. A line, row or file may have 4 bytes "
    "per character; a PDF, Word or EPUB file or a mail 40.",
)

_SEEDS_FIELD = option(
    "Input",
    "--seeds-field",
    metavar="NAME",
    help="Field or column with the document's seeds, a list or a text with commas, which precede those of --seeds.",
)
carry_option = option(
    "Results",
    "--carry",
    metavar="FIELD",
    multiple=True,
    help="Field or column of the input to put into the document's row. FIELD=NAME renames it; all takes every field. "
    "Repeatable.",
)
_TOKENS_FIELD = option("Input", "--tokens-field", metavar="NAME",
                       help="Field of a JSON line with [word, tag] pairs: no tagging.")  # fmt: skip
_INPUT = (
    option("Input", "--input-format", "-i", type=click.Choice(["auto", *FORMATS]), default="auto", show_default=True,
           help="What the input is; auto goes by names, and standard input by its beginning."),
    option("Input", "--encoding", metavar="NAME", default="utf-8", show_default=True,
           help="Encoding of text without byte order mark."),
    option("Input", "--text-field", metavar="NAME", multiple=True, default=("text",), show_default=True,
           help="Field of a JSON record, or column of a table, that has the text. A dot leads into a field: body.text, "
                "items.0. Repeatable: the texts are put together."),
    option("Input", "--title-field", metavar="NAME",
           help="Field or column with the title, which is read before the text."),
    option("Input", "--id-field", metavar="NAME", default="id", show_default=True,
           help="Field or column that names the document."),
    option("Input", "--language-field", metavar="NAME", default="language", show_default=True,
           help="Field or column that names the document's language."),
    _SEEDS_FIELD,
    _TOKENS_FIELD,
    max_document_chars_option,
)  # fmt: skip


def input_options(command: F) -> F:
    """All options for reading."""
    return _add(_INPUT, command)


def text_input_options(command: F) -> F:
    """The options for reading texts that are not tagged and have no seeds."""
    return _add([each for each in _INPUT if each not in (_SEEDS_FIELD, _TOKENS_FIELD)], command)


def _add(options: Sequence[Callable[[F], F]], command: F) -> F:
    for add in reversed(options):
        command = add(command)
    return command


def read_options(settings: dict[str, Any]) -> ReadOptions:
    """Take the options of reading out of ``settings``."""
    form = settings.pop("input_format")
    names = ("encoding", "text_field", "title_field", "id_field", "language_field", "seeds_field", "tokens_field")
    given = {name: settings.pop(name, None) for name in (*names, "max_document_chars")}
    return ReadOptions(None if form == "auto" else form, **given, carry=settings.pop("carry", ()))


def echo_absent_fields(files: Iterable[Path], reading: ReadOptions) -> None:
    """Print a note on fields that the options name and the first records do not have."""
    from mderank.reading.absent_fields import absent_fields

    absent, record = absent_fields(files, reading)
    for name in absent:
        known = escape_unprintable(list_names(record))
        click.echo(f"mderank: note: the first records have no field '{name}' (fields: {known})", err=True)


class SkippedPaths:
    """Counts what is not read in folders, and says it once."""

    def __init__(self) -> None:
        self._files: Counter[str] = Counter()
        self._folders: Counter[str] = Counter()

    def add(self, path: Path) -> None:
        """Count a file or folder."""
        if stat.S_ISDIR(file_mode(path)):
            self._folders[escape_unprintable(path.name)] += 1
        else:
            self._files[escape_unprintable(path.suffix) or "without suffix"] += 1

    def echo(self) -> None:
        """Print the notes to standard error."""
        if self._files:
            others = format_count(self._files.total(), "other file")
            click.echo(f"mderank: note: in the folders, not read: {others} ({format_kinds(self._files)})", err=True)
        if self._folders:
            others = format_count(self._folders.total(), "folder")
            note = f"{others} ({format_kinds(self._folders)}); name a folder to read it"
            click.echo(f"mderank: note: in the folders, not searched: {note}", err=True)
