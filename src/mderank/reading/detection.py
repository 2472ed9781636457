"""Tell the format of a stream by its first bytes, where no name tells it."""

from __future__ import annotations

import csv
import json
import re

from mderank.reading.base import OLD_OFFICE_MARK, InputFormat, ReadOptions
from mderank.reading.csv import find_delimiter

_ARRAY = re.compile(rb"\[\s*+[\[{\]]")
_COLUMN_CHARS = 60  # longer than names of columns are
_EPUB = b"mimetypeapplication/epub+zip"  # the first member of an EPUB book, which is not compressed
_NOTEBOOK = re.compile(rb'\{\s*+"(?:cells|worksheets|metadata|nbformat)"\s*+:')
_TEX = re.compile(rb"(?:%[^\n]*+\n|\s)*+\\documentclass\b")  # comments may precede it
_OF_NOTEBOOKS = re.compile(rb'"(?:cell_type|nbformat|kernelspec)"\s*+:')
_MAILBOX = re.compile(rb"From \S{1,200} [^\n]{0,60}\d\d:\d\d[^\n]{0,30}\r?\n[A-Za-z-]{1,60}:")
_FIELDS = re.compile(rb"(?:[A-Za-z][\w-]{0,60}:[^\n]*+\n(?:[ \t]+\S[^\n]*+\n)*+)++")
# Programs write these fields, and nobody copies them into a text: header fields with one of them are those of a file.
_MAIL_FIELD = re.compile(
    rb"^(?:MIME-Version|Received|Return-Path|Message-ID|Delivered-To):", re.IGNORECASE | re.MULTILINE
)


def detect_format(start: bytes, options: ReadOptions) -> InputFormat:
    """Return the format of a stream.

    Text that looks like a table is one if its first line names the column of the text or of the id. An array is JSON if
    its first element is an object or an array: "[1] Introduction" begins a text.

    Args:
        start: the first bytes, some thousand.
        options: names of columns, and the encoding.

    Returns:
        The format; text if nothing tells another.
    """
    head = start.lstrip(b"\xef\xbb\xbf \t\r\n")
    if known := _marked_format(start, head):
        return known
    if _ARRAY.match(head):
        return "json"
    if re.match(rb'\{\s*+["}]', head):
        return "json" if _is_cut_by_line_end(head) else "jsonl"
    return "csv" if _is_table(head, options) else "text"


def _marked_format(start: bytes, head: bytes) -> InputFormat | None:
    """Return the format of a stream that begins as no other does. ``head`` is its beginning without white space."""
    lower = head[:20].lower()
    fields = _FIELDS.match(head)
    marked: tuple[tuple[object, InputFormat], ...] = (
        (start[30 : 30 + len(_EPUB)] == _EPUB, "epub"),
        (start.startswith((b"PK\x03\x04", OLD_OFFICE_MARK)), "docx"),  # if it is another file, its reader says so
        (head.startswith(b"PAR1"), "parquet"),
        (lower.startswith(b"%pdf-"), "pdf"),
        (lower.startswith((b"<!doctype html", b"<html")), "html"),
        (_TEX.match(head), "tex"),
        (_NOTEBOOK.match(head) and _OF_NOTEBOOKS.search(head), "ipynb"),
        (_MAILBOX.match(head), "mbox"),
        (fields and _MAIL_FIELD.search(fields.group()), "eml"),
    )
    return next((kind for found, kind in marked if found), None)


def _is_cut_by_line_end(head: bytes) -> bool:
    """Return whether a JSON object goes on after its first line."""
    line, newline, _ = head.partition(b"\n")
    text = line.decode("latin-1").rstrip()
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return bool(newline) and error.pos >= len(text)
    except (RecursionError, ValueError):
        pass
    return False


def _is_table(head: bytes, options: ReadOptions) -> bool:
    """Return whether the first line has several different names of columns, among them one that the options name."""
    line = head.partition(b"\n")[0].decode(options.encoding, "replace").rstrip("\r")
    try:
        columns = next(csv.reader([line], delimiter=find_delimiter(line)), [])
    except csv.Error:
        return False
    are_names = all(0 < len(column) <= _COLUMN_CHARS for column in columns)
    if len(columns) < 2 or len(set(columns)) < len(columns) or not are_names:
        return False
    return bool({*options.text_fields, options.id_field, options.tokens_field} & set(columns))
