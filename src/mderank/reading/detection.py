"""Tell the format of a stream by its first bytes, where no name tells it."""

from __future__ import annotations

import csv
import json
import re

from mderank.reading.base import InputFormat, ReadOptions
from mderank.reading.csv import find_delimiter

_ARRAY = re.compile(rb"\[\s*+[\[{\]]")
_COLUMN_CHARS = 60  # longer than names of columns are


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
    if head.startswith(b"PAR1"):
        return "parquet"
    lower = head[:20].lower()
    if lower.startswith(b"%pdf-"):
        return "pdf"
    if lower.startswith((b"<!doctype html", b"<html")):
        return "html"
    if _ARRAY.match(head):
        return "json"
    if re.match(rb'\{\s*+["}]', head):
        return "json" if _is_cut_by_line_end(head) else "jsonl"
    return "csv" if _is_table(head, options) else "text"


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
