"""Write keyphrases as a table, JSON, JSON lines, CSV, HTML or Markdown, one document at a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TextIO

from mderank.writing.base import DocumentResult, OutputFormat, Writer
from mderank.writing.csv import CsvWriter
from mderank.writing.html import HtmlWriter
from mderank.writing.json import JsonLinesWriter, JsonWriter
from mderank.writing.markdown import MarkdownWriter
from mderank.writing.table import TableWriter

WRITERS: dict[OutputFormat, type[Writer]] = {
    "table": TableWriter,
    "json": JsonWriter,
    "jsonl": JsonLinesWriter,
    "csv": CsvWriter,
    "html": HtmlWriter,
    "markdown": MarkdownWriter,
}

__all__ = ["WRITERS", "DocumentResult", "OutputFormat", "Writer", "make_writer"]


def make_writer(
    name: OutputFormat, stream: TextIO, *, color: bool = False, explain: bool = False, carried: Sequence[str] = ()
) -> Writer:
    """Create a writer.

    Args:
        name: output format.
        stream: text stream to write to.
        color: use colours of the terminal, in a table.
        explain: add the explanation of each score.
        carried: columns of a table that carry fields of the input.

    Returns:
        The writer. Call ``begin``, then ``write`` per document, then ``end``.

    Raises:
        OptionError: a carried column has the name of another column of the table.
    """
    return WRITERS[name](stream, color=color, explain=explain, carried=carried)
