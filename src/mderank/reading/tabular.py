"""Tables, that is CSV and Parquet: which columns are read, and a row as a line of JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from mderank.errors import InputError
from mderank.reading.base import ReadOptions
from mderank.reading.limits import list_names
from mderank.row_columns import ALL, parse_carry


def check_columns(
    columns: Sequence[str],
    options: ReadOptions,
    find: Callable[[str], str | None] | None = None,
    listed: Iterable[str] | None = None,
) -> list[str]:
    """Find the columns to read. Those of the text or the tokens, of the title and of carried fields are required.

    Args:
        columns: names of the table's columns.
        options: names of the columns to read.
        find: returns the column that has a field, for tables with columns that have fields; None if there is none.
        listed: names for the error, if they are not those of the columns.

    Returns:
        Those that the table has.

    Raises:
        InputError: a required column is missing, or a column occurs twice.
    """
    counts = Counter(columns)
    find = find or (lambda name: name if name in counts else None)
    for name, flag in _required(options):
        if find(name) is None:
            known = list_names(columns if listed is None else listed)
            raise InputError(f"the column '{name}' is missing (columns: {known}); name another: {flag}")
    found = [column for name in _wanted(options) if (column := find(name)) is not None]
    wanted = list(dict.fromkeys([*found, *(columns if ALL in options.carry else ())]))
    for name in wanted:
        if counts[name] > 1:
            raise InputError(f"the column '{name}' occurs {counts[name]} times: rename all but one")
    return wanted


def to_json(row: dict[str, Any], columns: Sequence[str], options: ReadOptions) -> bytes:
    """Convert a table's row to a line of JSON.

    Args:
        row: values by the names of columns.
        columns: names of the columns to keep.
        options: the encoding.

    Returns:
        A line of JSON in the encoding of the options, as `mderank.reading.jsonl.read_object` expects it.
    """
    return json.dumps({name: row[name] for name in columns}, default=str).encode(options.encoding)


def _required(options: ReadOptions) -> Iterator[tuple[str, str]]:
    """Yield the fields that every row must have, each with the option that names it."""
    if options.tokens_field is not None:
        yield options.tokens_field, "--tokens-field"
    else:
        for name in options.text_fields:
            yield name, "--title-field" if name == options.title_field else "--text-field"
    for carried in parse_carry(options.carry):
        yield carried.field, "--carry"


def _wanted(options: ReadOptions) -> list[str]:
    others = (options.language_field, options.seeds_field, options.tokens_field)
    carried = (each.field for each in parse_carry(options.carry))
    wanted = (options.id_field, *options.text_fields, *others, *carried)
    return [name for name in dict.fromkeys(wanted) if name is not None]
