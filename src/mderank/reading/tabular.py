"""CSV and Parquet: one document a row. Each row becomes a line of JSON, and is read as such."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from mderank.errors import InputError, MissingExtraError
from mderank.reading.base import ReadOptions
from mderank.reading.decoding import decode
from mderank.reading.records import Place, Record

# Python's limit is 131,072 characters, less than a paper; without any, one quotation mark too many would make a single
# field of all that follows.
LONGEST_FIELD = 1 << 28
_DELIMITERS = ",;\t|"
_ROWS = 256  # of a Parquet file that are made into Python's objects at once
_UNDECODED = re.compile("[\udc80-\udcff]")


def csv_records(stream: IO[bytes], name: str, options: ReadOptions, start: Place) -> Iterator[Record]:
    """A record for every row below the header, from ``start`` on.

    The delimiter is whichever of comma, semicolon, tab and bar the header has most of. A row begins and ends with a
    line, which is what makes it possible to go on in the middle of a file; a quoted field may run over several.
    """
    csv.field_size_limit(LONGEST_FIELD)
    lines = _Lines(stream, options.encoding)
    first = lines.first()
    delimiter = max(_DELIMITERS, key=first.count)
    header = next(csv.reader(lines.from_start(first), delimiter=delimiter), [])
    if not header:
        return
    _check_columns(header, options)
    if start.number > lines.place.number:
        stream.seek(start.offset)
        lines.place = start
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        place = lines.place
        where = f"{name}:{place.number + 1}"
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "field larger" in str(error):  # a quotation mark is missing: inside and outside cannot be told apart
                raise InputError(f"this is not CSV from line {place.number + 1} on: {error}") from error
            yield Record(where, place=place, failure=f"this row is not CSV: {error}")
            continue
        if row:
            yield _csv_record(row, header, where, place, options)


def _csv_record(row: list[str], header: list[str], name: str, place: Place, options: ReadOptions) -> Record:
    if len(row) != len(header):
        return Record(name, place=place, failure=f"this row has {len(row)} fields, and the header {len(header)}")
    if any(map(_UNDECODED.search, row)):
        failure = f"this row is not {options.encoding}; if the text is in another encoding, name it: --encoding latin-1"
        return Record(name, place=place, failure=failure)
    return Record(name, _line(dict(zip(header, row, strict=True)), options), "jsonl", place)


class _Lines:
    """The lines of a file as text, and the place after the last that was taken."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self.stream = stream
        self.encoding = encoding
        self.place = Place()

    def first(self) -> str:
        """The first line, without a byte order mark."""
        line = self.stream.readline()
        self.place = Place(len(line), 1 if line else 0)
        if line.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError("CSV in UTF-16 or UTF-32 is not read: save it as UTF-8")
        return decode(line, self.encoding)

    def from_start(self, first: str) -> Iterator[str]:
        yield first
        yield from self

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self.stream.readline()
        if not line:
            raise StopIteration
        self.place = Place(self.place.offset + len(line), self.place.number + 1)
        # Only UTF-8 can fail in the middle; what it cannot decode is kept as such, and found in its row.
        return line.decode(self.encoding, "surrogateescape")


def parquet_records(source: IO[bytes] | Path, name: str, options: ReadOptions, start: Place) -> Iterator[Record]:
    """A record for every row, from ``start`` on; of its columns only those that are asked for are read."""
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error
    try:
        with parquet.ParquetFile(source, pre_buffer=False) as file:
            columns = _check_columns(file.schema_arrow.names, options)
            number = 0
            for group in range(file.num_row_groups):
                rows = file.metadata.row_group(group).num_rows
                if number + rows <= start.number:
                    number += rows
                    continue
                for batch in file.iter_batches(_ROWS, row_groups=[group], columns=columns):
                    for row in batch.to_pylist():
                        if number >= start.number:
                            yield Record(f"{name}:{number + 1}", _line(row, options), "jsonl", Place(0, number))
                        number += 1
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"this is not a whole Parquet file: {str(error).splitlines()[0]}") from error


def _check_columns(columns: list[str], options: ReadOptions) -> list[str]:
    """The columns to read, of which the one with the text, or with its words, must be there."""
    needed = options.tokens_field or options.text_field
    if needed not in columns:
        flag = "--tokens-field" if options.tokens_field else "--text-field"
        raise InputError(f"the column '{needed}' is missing (columns: {', '.join(columns)}); name another: {flag}")
    wanted = (options.id_field, options.text_field, options.tokens_field)
    return [name for name in dict.fromkeys(wanted) if name in columns]


def _line(row: dict[str, Any], options: ReadOptions) -> bytes:
    wanted = (options.id_field, options.text_field, options.tokens_field)
    kept = {name: row[name] for name in dict.fromkeys(wanted) if name in row}
    return json.dumps(kept, default=str).encode("ascii")
