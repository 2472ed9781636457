"""Tables, that is CSV and Parquet: which columns are read, and a row as a line of JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from typing import Any

from mderank.errors import InputError
from mderank.reading.base import ReadOptions
from mderank.reading.limits import list_names


def check_columns(columns: Sequence[str], options: ReadOptions) -> list[str]:
    """Find the columns to read. The column of the text, or of the tokens, is required.

    Args:
        columns: names of the table's columns.
        options: names of the columns to read.

    Returns:
        Those that the table has.

    Raises:
        InputError: the required column is missing, or a column occurs twice.
    """
    needed = options.tokens_field or options.text_field
    if needed not in columns:
        flag = "--tokens-field" if options.tokens_field else "--text-field"
        raise InputError(f"the column '{needed}' is missing (columns: {list_names(columns)}); name another: {flag}")
    counts = Counter(columns)
    wanted = [name for name in _wanted(options) if name in counts]
    for name in wanted:
        if counts[name] > 1:
            raise InputError(f"the column '{name}' occurs {counts[name]} times: rename all but one")
    return wanted


def to_json(row: dict[str, Any], options: ReadOptions) -> bytes:
    """Convert a table's row to a line of JSON.

    Args:
        row: values by the names of columns.
        options: names of the columns to keep, and the encoding.

    Returns:
        A line of JSON in the encoding of the options, as `mderank.reading.jsonl.read_line` expects it.
    """
    kept = {name: row[name] for name in _wanted(options) if name in row}
    return json.dumps(kept, default=str).encode(options.encoding)


def _wanted(options: ReadOptions) -> list[str]:
    wanted = (options.id_field, options.text_field, options.language_field, options.seeds_field, options.tokens_field)
    return [name for name in dict.fromkeys(wanted) if name is not None]
