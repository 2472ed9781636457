"""CSV: one document per row. Each row is converted to a line of JSON and read as such."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import IO

from mderank.errors import InputError
from mderank.reading.base import ReadOptions, Record, RecordPosition
from mderank.reading.decoding import check_line_encoding, decode
from mderank.reading.limits import PIECE, too_many_bytes
from mderank.reading.tabular import check_columns, to_json

_DELIMITERS = ",;\t|"
_UNDECODED = re.compile("[\udc80-\udcff]")


def csv_records(stream: IO[bytes], name: str, options: ReadOptions, start: RecordPosition) -> Iterator[Record]:
    """Locate the documents of a CSV file.

    The delimiter is the comma, semicolon, tab or bar that is most frequent in the header. A row begins and ends with a
    line, so that reading can resume in the middle of a file; a quoted field may contain line breaks.

    Args:
        stream: the file's content, from its beginning.
        name: the file's name.
        options: encoding, column names and limit.
        start: position of the first row to return.

    Yields:
        A record per row below the header. A row that is not valid or too long has a failure.

    Raises:
        InputError: a required column is missing, or the file is not CSV.
    """
    # Python's limit per field, 131,072 characters, is shorter than a paper. `_Lines` limits the whole row.
    csv.field_size_limit(max(csv.field_size_limit(), options.max_bytes("csv")))
    lines = _Lines(stream, options)
    first = lines.first()
    delimiter = find_delimiter(first)
    header = _read_header(lines, first, delimiter)
    if not header:
        return
    columns = check_columns(header, options)
    if start.number > lines.position.number:
        stream.seek(start.offset)
        lines.position = start
    reader = csv.reader(lines, delimiter=delimiter)
    while True:
        lines.begin_row()
        position = lines.position
        where = f"{name}:{position.number + 1}"
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            yield Record(where, position=position, failure=f"this row is not CSV: {_explain(error)}")
            continue
        except _RowTooLongError:
            lines.skip_row()
            reader = csv.reader(lines, delimiter=delimiter)
            resumed = f"; reading resumed at line {lines.position.number + 1}"
            yield Record(where, position=position, failure=too_many_bytes("row", "csv", options) + resumed)
            continue
        if lines.ended:
            failure = "a quotation mark in this row is not closed, so that the rest of the file is one field"
            yield Record(where, position=position, failure=failure)
        elif row:
            yield _make_record(row, header, columns, where, position, options)


def find_delimiter(header: str) -> str:
    """Return the comma, semicolon, tab or bar that is most frequent in a table's first line.

    Args:
        header: the line.

    Returns:
        The character; the comma if there is none of them.
    """
    return max(_DELIMITERS, key=header.count)


def _read_header(lines: _Lines, first: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(lines.from_start(first), delimiter=delimiter), [])
    except csv.Error as error:
        raise InputError(f"the header is not CSV: {_explain(error)}") from error


def _explain(error: csv.Error) -> str:
    if "new-line character" in str(error):
        return "it has a carriage return without a line feed; quote the field, or save with other line ends"
    return str(error)


def _make_record(
    row: list[str],
    header: list[str],
    columns: list[str],
    name: str,
    position: RecordPosition,
    options: ReadOptions,
) -> Record:
    if len(row) != len(header):
        return Record(name, position=position, failure=f"this row has {len(row)} fields, and the header {len(header)}")
    if any(map(_UNDECODED.search, row)):
        failure = (
            f"this row is not {options.encoding}: save the file as UTF-8, or name its encoding: --encoding latin-1"
        )
        return Record(name, position=position, failure=failure)
    return Record(name, to_json(dict(zip(header, row, strict=True)), columns, options), "jsonl", position)


class _RowTooLongError(InputError):
    pass


class _Lines:
    """The lines of a file as text, with the position after the last one returned.

    Attributes:
        position: where the next line begins.
        ended: whether the end of the file was reached in the middle of a row.
    """

    def __init__(self, stream: IO[bytes], options: ReadOptions) -> None:
        self.stream = stream
        self.position = RecordPosition()
        self.ended = False
        self._options = options
        self._limit = options.max_bytes("csv")
        self._piece = b""
        self.begin_row()

    def begin_row(self) -> None:
        """Count the bytes of the next row from here."""
        self._size = self._quotes = 0
        self.ended = False

    def first(self) -> str:
        """Return the first line that is not blank, without a byte order mark."""
        while (line := self._read(self._limit + 1 - self._size)) in (b"\n", b"\r\n"):
            self.begin_row()
        check_line_encoding(self._options.encoding, line[:4])
        if self._size > self._limit:
            raise InputError(too_many_bytes("header", "csv", self._options))
        return decode(line, self._options.encoding)

    def from_start(self, first: str) -> Iterator[str]:
        yield first
        yield from self

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._read(self._limit + 1 - self._size)
        if not line:
            self.ended = self._size > 0
            raise StopIteration
        if self._size > self._limit:
            raise _RowTooLongError(too_many_bytes("header", "csv", self._options))  # of rows, the caller knows more
        # Bytes that cannot be decoded become surrogates, and their row gets a failure.
        try:
            return line.decode(self._options.encoding, "surrogateescape")
        except UnicodeError:  # of UTF-7, whose bytes are all ASCII
            return line.decode("ascii", "surrogateescape").rstrip("\r\n") + "\udc80\n"

    def skip_row(self) -> None:
        """Read on to the end of the row: the end of a line after which no quotation mark is open."""
        while not (self._piece.endswith(b"\n") and self._quotes % 2 == 0):
            if not self._read(PIECE):
                return

    def _read(self, size: int) -> bytes:
        """Read the rest of a line, or a piece of it."""
        self._piece = self.stream.readline(size)
        self._size += len(self._piece)
        self._quotes += self._piece.count(b'"')
        offset, number = self.position
        self.position = RecordPosition(offset + len(self._piece), number + self._piece.endswith(b"\n"))
        return self._piece
