"""CSV and Parquet: one document per row. Each row is converted to a line of JSON and read as such."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from mderank.errors import InputError, MissingExtraError
from mderank.reading.base import ReadOptions, Record, RecordPosition
from mderank.reading.decoding import decode

# Python's limit, 131,072 characters, is shorter than a paper. Without a limit, one quotation mark too many would turn
# the rest of the file into a single field.
LONGEST_FIELD = 1 << 28
_DELIMITERS = ",;\t|"
_ROWS = 256  # Parquet rows that are converted to Python objects at once
_UNDECODED = re.compile("[\udc80-\udcff]")


def csv_records(stream: IO[bytes], name: str, options: ReadOptions, start: RecordPosition) -> Iterator[Record]:
    """Locate the documents of a CSV file.

    The delimiter is the comma, semicolon, tab or bar that is most frequent in the header. A row begins and ends with a
    line, so that reading can resume in the middle of a file; a quoted field may contain line breaks.

    Args:
        stream: the file's content, from its beginning.
        name: the file's name.
        options: encoding and column names.
        start: position of the first row to return.

    Yields:
        A record per row below the header. A row that is not valid has a failure.

    Raises:
        InputError: a required column is missing, or the file is not CSV.
    """
    csv.field_size_limit(LONGEST_FIELD)
    lines = _Lines(stream, options.encoding)
    first = lines.first()
    delimiter = max(_DELIMITERS, key=first.count)
    header = next(csv.reader(lines.from_start(first), delimiter=delimiter), [])
    if not header:
        return
    _check_columns(header, options)
    if start.number > lines.position.number:
        stream.seek(start.offset)
        lines.position = start
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        position = lines.position
        where = f"{name}:{position.number + 1}"
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            if "field larger" in str(error):  # an unbalanced quotation mark
                raise InputError(f"this is not CSV from line {position.number + 1} on: {error}") from error
            yield Record(where, position=position, failure=f"this row is not CSV: {error}")
            continue
        if row:
            yield _make_record(row, header, where, position, options)


def _make_record(
    row: list[str], header: list[str], name: str, position: RecordPosition, options: ReadOptions
) -> Record:
    if len(row) != len(header):
        return Record(name, position=position, failure=f"this row has {len(row)} fields, and the header {len(header)}")
    if any(map(_UNDECODED.search, row)):
        failure = f"this row is not {options.encoding}; if the text is in another encoding, name it: --encoding latin-1"
        return Record(name, position=position, failure=failure)
    return Record(name, _to_json(dict(zip(header, row, strict=True)), options), "jsonl", position)


class _Lines:
    """The lines of a file as text, with the position after the last one returned."""

    def __init__(self, stream: IO[bytes], encoding: str) -> None:
        self.stream = stream
        self.encoding = encoding
        self.position = RecordPosition()

    def first(self) -> str:
        """Return the first line, without a byte order mark."""
        line = self.stream.readline()
        self.position = RecordPosition(len(line), 1 if line else 0)
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
        self.position = RecordPosition(self.position.offset + len(line), self.position.number + 1)
        # Only UTF-8 can fail here. Bytes that are not UTF-8 become surrogates, and their row gets a failure.
        return line.decode(self.encoding, "surrogateescape")


def parquet_records(
    source: IO[bytes] | Path, name: str, options: ReadOptions, start: RecordPosition
) -> Iterator[Record]:
    """Locate the documents of a Parquet file. Only the columns that the options name are read.

    Args:
        source: the file, or its content as a seekable stream.
        name: the file's name.
        options: column names.
        start: position of the first row to return.

    Yields:
        A record per row.

    Raises:
        InputError: a required column is missing, or the file is damaged.
        MissingExtraError: the extra ``parquet`` is not installed.
    """
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
                            yield Record(
                                f"{name}:{number + 1}", _to_json(row, options), "jsonl", RecordPosition(0, number)
                            )
                        number += 1
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(f"this is not a whole Parquet file: {str(error).splitlines()[0]}") from error


def _check_columns(columns: list[str], options: ReadOptions) -> list[str]:
    """Return the columns to read. The column of the text, or of the tokens, is required."""
    needed = options.tokens_field or options.text_field
    if needed not in columns:
        flag = "--tokens-field" if options.tokens_field else "--text-field"
        raise InputError(f"the column '{needed}' is missing (columns: {', '.join(columns)}); name another: {flag}")
    wanted = (options.id_field, options.text_field, options.tokens_field)
    return [name for name in dict.fromkeys(wanted) if name in columns]


def _to_json(row: dict[str, Any], options: ReadOptions) -> bytes:
    wanted = (options.id_field, options.text_field, options.tokens_field)
    kept = {name: row[name] for name in dict.fromkeys(wanted) if name in row}
    return json.dumps(kept, default=str).encode("ascii")
