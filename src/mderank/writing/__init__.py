"""Keyphrases to output: table, JSON, JSON lines, CSV and HTML, each written as results come."""

from __future__ import annotations

from typing import TextIO

from mderank.writing.base import DocumentResult, OutputFormat, Writer
from mderank.writing.csv import CsvWriter
from mderank.writing.html import HtmlWriter
from mderank.writing.json import JsonLinesWriter, JsonWriter
from mderank.writing.table import TableWriter

WRITERS: dict[OutputFormat, type[Writer]] = {
    "table": TableWriter,
    "json": JsonWriter,
    "jsonl": JsonLinesWriter,
    "csv": CsvWriter,
    "html": HtmlWriter,
}

__all__ = ["WRITERS", "DocumentResult", "OutputFormat", "Writer", "make_writer"]


def make_writer(name: OutputFormat, stream: TextIO, *, color: bool = False, explain: bool = False) -> Writer:
    """The writer of that name."""
    return WRITERS[name](stream, color=color, explain=explain)
