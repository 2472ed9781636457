"""Find fields that options name and no record has, which is mostly a slip: a record may lack each of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from mderank.errors import InputError
from mderank.reading.base import OBJECT_FORMATS, ReadOptions
from mderank.reading.discovery import file_format, is_special_file
from mderank.reading.fields import MISSING, find_field
from mderank.reading.jsonl import parse_object
from mderank.reading.readers import find_records
from mderank.row_columns import parse_carry

_LOOKED_AT = 100  # records


def absent_fields(files: Iterable[Path], options: ReadOptions) -> tuple[list[str], dict[str, Any]]:
    """Look for optional fields in the first records of JSON files. Of tables, the readers check the columns.

    Args:
        files: the files to read, in order.
        options: names of the fields.

    Returns:
        The fields that none of these records has, and the first record; nothing if there are no records.
    """
    texts = options.text_fields if len(options.text_fields) > 1 else ()
    seeds = () if options.seeds_field is None else (options.seeds_field,)
    names = list(dict.fromkeys([*texts, *seeds, *(each.field for each in parse_carry(options.carry))]))
    if not names:
        return [], {}
    records = list(islice(_first_records(files, options), _LOOKED_AT))
    if not records:
        return [], {}
    return [name for name in names if all(find_field(each, name).value is MISSING for each in records)], records[0]


def _first_records(files: Iterable[Path], options: ReadOptions) -> Iterator[dict[str, Any]]:
    """Yield the records of JSON files that can be parsed."""
    for file in files:
        if (options.format or file_format(file)) not in OBJECT_FORMATS or is_special_file(file):
            continue
        for record in islice(find_records(file, options), _LOOKED_AT):
            if record.failure is None:
                try:
                    yield parse_object(record, options.encoding)
                except InputError:
                    continue
