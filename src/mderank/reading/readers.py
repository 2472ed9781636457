"""Read the documents of a file or a stream, according to its format."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

from mderank.errors import MDERankError, MissingExtraError
from mderank.reading.base import START, InputFormat, ReadOptions, Record, RecordPosition, SourceDocument
from mderank.reading.decoding import decode
from mderank.reading.discovery import file_format
from mderank.reading.gzip_stream import GzipStream
from mderank.reading.html import html_text
from mderank.reading.jsonl import json_records, read_line
from mderank.reading.markdown import blank_markup
from mderank.reading.pdf import pdf_text
from mderank.reading.tabular import csv_records, parquet_records

_DETECTION_BYTES = 4096


def read_file(file: Path, options: ReadOptions) -> Iterator[SourceDocument]:
    """Read the documents of a file.

    Args:
        file: the file; ``.gz`` files are decompressed.
        options: format, encoding and field names.

    Returns:
        An iterator over the documents. A document that cannot be read carries its error.

    Raises:
        MissingExtraError: a Parquet file, and the extra ``parquet`` is not installed.
    """
    return (read_record(record, options) for record in find_records(file, options))


def read_stream(stream: BinaryIO, name: str, options: ReadOptions) -> Iterator[SourceDocument]:
    """Read the documents of a binary stream, such as standard input.

    Args:
        stream: the stream.
        name: the stream's name in ids and errors.
        options: format, encoding and field names.

    Returns:
        An iterator over the documents. A document that cannot be read carries its error.

    Raises:
        MissingExtraError: a Parquet file, and the extra ``parquet`` is not installed.
    """
    return (read_record(record, options) for record in _find_in_stream(stream, name, options, options.format, START))


def find_records(file: Path, options: ReadOptions, start: RecordPosition = START) -> Iterator[Record]:
    """Locate the documents of a file without parsing them.

    Args:
        file: the file; ``.gz`` files are decompressed.
        options: format, encoding and field names.
        start: position of the first record to return.

    Yields:
        A record per document. If the file cannot be read further, the last record holds the failure.

    Raises:
        MissingExtraError: a Parquet file, and the extra ``parquet`` is not installed.
    """
    name = str(file)
    try:
        with GzipStream(file) if file.suffix.lower() == ".gz" else file.open("rb") as stream:
            yield from _find_in_stream(stream, name, options, options.format or file_format(file), start)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield Record(name, position=None, failure=f"is not a whole gzip file: {error}")
    except OSError as error:
        yield Record(name, position=None, failure=f"cannot be read: {error.strerror or error}")


def _find_in_stream(
    stream: Any, name: str, options: ReadOptions, known: InputFormat | None, start: RecordPosition
) -> Iterator[Record]:
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)
    kind = known or _detect_format(buffered.peek(_DETECTION_BYTES)[:_DETECTION_BYTES])
    try:
        if kind == "jsonl":
            if start.offset:
                buffered.seek(start.offset)
            yield from json_records(buffered, name, start)
        elif kind == "csv":
            yield from csv_records(buffered, name, options, start)
        elif kind == "parquet":
            whole = buffered if buffered.seekable() else io.BytesIO(buffered.read())
            yield from parquet_records(whole, name, options, start)
        elif start == START:
            yield Record(name, buffered.read(), kind)
    except MissingExtraError:
        raise
    except MDERankError as error:
        yield Record(name, position=None, failure=str(error))


def read_record(record: Record, options: ReadOptions) -> SourceDocument:
    """Parse one record.

    Args:
        record: the record, from `find_records`.
        options: encoding and field names.

    Returns:
        The document. If it cannot be read, it carries its error.
    """
    if record.failure is not None:
        return SourceDocument.failed(record.name, record.failure)
    if record.format == "jsonl":
        return read_line(record.data, record.name, options)
    try:
        return _read_whole_file(record, options)
    except MDERankError as error:
        return SourceDocument.failed(record.name, str(error))


def _read_whole_file(record: Record, options: ReadOptions) -> SourceDocument:
    if record.format == "pdf":
        return SourceDocument(record.name, pdf_text(record.data), extracted=True)
    text = decode(record.data, options.encoding, html=record.format == "html")
    if record.format == "html":
        return SourceDocument(record.name, html_text(text), extracted=True)
    return SourceDocument(record.name, text, prose=blank_markup(text) if record.format == "markdown" else None)


def _detect_format(start: bytes) -> InputFormat:
    """Return the format of a stream by its first bytes."""
    head = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith(b"%pdf-"):
        return "pdf"
    if head.startswith((b"<!doctype html", b"<html")):
        return "html"
    return "jsonl" if head.startswith((b'{"', b"{ ", b"{}")) else "text"
