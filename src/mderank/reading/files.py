"""Finding files, and reading each by its format."""

from __future__ import annotations

import glob
import gzip
import io
import os
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from mderank.errors import InputError, MDERankError, MissingExtraError
from mderank.reading.base import InputFormat, ReadOptions, Source
from mderank.reading.decoding import decode
from mderank.reading.gzip_stream import Gunzipped
from mderank.reading.html import html_text
from mderank.reading.jsonl import read_line
from mderank.reading.markdown import blank_markup
from mderank.reading.pdf import pdf_text
from mderank.reading.records import START, Place, Record, json_records
from mderank.reading.tabular import csv_records, parquet_records

SUFFIXES: dict[str, InputFormat] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".pdf": "pdf",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}

_SNIFF = 4096  # bytes


@dataclass
class Found:
    """What the given paths stand for: files to read, files passed over in folders, and paths that stand for nothing."""

    files: list[Path] = field(default_factory=list)
    skipped: list[Path] = field(default_factory=list)
    errors: list[Source] = field(default_factory=list)


def find_files(paths: Sequence[str]) -> Found:
    """The files that ``paths`` (files, folders, patterns) stand for; folders are searched to the bottom, by name."""
    found = Found()
    for each in walk_files(paths, skip=found.skipped.append):
        if isinstance(each, Source):
            found.errors.append(each)
        else:
            found.files.append(each)
    return found


def walk_files(
    paths: Sequence[str], *, skip: Callable[[Path], None] = lambda file: None, without: Path | None = None
) -> Iterator[Path | Source]:
    """The files that ``paths`` stand for, one at a time, in the order of `find_files`; a failure where there is none.

    ``skip`` is told of files in folders that are passed over. The folder ``without``, an absolute path, is not
    searched.
    """
    for path in paths:
        here = Path(path)
        if here.is_dir():
            yield from _search(here, skip, without)
        elif here.exists() or here.is_symlink() or not glob.has_magic(path):
            yield here
        else:
            matches = sorted(match for match in glob.glob(path, recursive=True) if not Path(match).is_dir())
            yield from map(Path, matches)
            if not matches:
                yield _failed(path, "no file matches this pattern")


def _search(folder: Path, skip: Callable[[Path], None], without: Path | None) -> Iterator[Path | Source]:
    failures: list[Source] = []
    anything = False

    def complain(error: OSError) -> None:
        failures.append(_failed(str(error.filename or folder), f"cannot be read: {error.strerror}"))

    for place, folders, names in os.walk(folder, onerror=complain):
        here = Path(place)
        folders[:] = sorted(name for name in folders if not name.startswith(".") and (here / name).resolve() != without)
        for name in sorted(names):
            if name.startswith("."):
                continue
            if _format_of(here / name) in (None, "csv"):  # a table beside texts more often describes them
                skip(here / name)
            else:
                anything = True
                yield here / name
        anything = anything or bool(failures)
        yield from failures
        failures.clear()
    yield from failures
    if not anything and not failures:
        kinds = ", ".join(suffix for suffix, form in SUFFIXES.items() if form != "csv")
        note = "CSV files are read if they are named, or by a pattern in quotes"
        yield _failed(str(folder), f"this folder has no file that can be read ({kinds}, or with .gz; {note})")


def _format_of(file: Path) -> InputFormat | None:
    name = file.name.lower().removesuffix(".gz")
    return SUFFIXES.get(Path(name).suffix)


def read_file(file: Path, options: ReadOptions) -> Iterator[Source]:
    """The documents in a file; one with an error if it cannot be read."""
    return (read_record(record, options) for record in find_records(file, options))


def read_stream(stream: BinaryIO, name: str, options: ReadOptions) -> Iterator[Source]:
    """The documents in a stream, such as standard input."""
    return (read_record(record, options) for record in _records(stream, name, options, options.format, START))


def find_records(file: Path, options: ReadOptions, start: Place = START) -> Iterator[Record]:
    """The documents in a file, not yet read, from ``start`` on; a failure, which is the last, if it cannot be read."""
    name = str(file)
    form = options.format or _format_of(file)
    try:
        with Gunzipped(file) if file.suffix.lower() == ".gz" else file.open("rb") as stream:
            yield from _records(stream, name, options, form, start)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield Record(name, place=None, failure=f"is not a whole gzip file: {error}")
    except OSError as error:
        yield Record(name, place=None, failure=f"cannot be read: {error.strerror or error}")


def _records(stream: Any, name: str, options: ReadOptions, form: InputFormat | None, start: Place) -> Iterator[Record]:
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)
    form = form or _sniffed(buffered.peek(_SNIFF)[:_SNIFF])
    try:
        if form == "jsonl":
            if start.offset:
                buffered.seek(start.offset)
            yield from json_records(buffered, name, start)
        elif form == "csv":
            yield from csv_records(buffered, name, options, start)
        elif form == "parquet":
            whole = buffered if buffered.seekable() else io.BytesIO(buffered.read())
            yield from parquet_records(whole, name, options, start)
        elif start == START:
            yield Record(name, buffered.read(), form)
    except MissingExtraError:
        raise
    except MDERankError as error:
        yield Record(name, place=None, failure=str(error))


def read_record(record: Record, options: ReadOptions) -> Source:
    """The document that a record holds, or its error."""
    if record.failure is not None:
        return _failed(record.name, record.failure)
    if record.form == "jsonl":
        return read_line(record.data, record.name, options)
    try:
        return _whole(record.data, record.name, options, record.form)
    except MDERankError as error:
        return _failed(record.name, str(error))


def _whole(data: bytes, name: str, options: ReadOptions, form: InputFormat) -> Source:
    if form == "pdf":
        return Source(name, pdf_text(data), extracted=True)
    text = decode(data, options.encoding, html=form == "html")
    if form == "html":
        return Source(name, html_text(text), extracted=True)
    return Source(name, text, prose=blank_markup(text) if form == "markdown" else None)


def _sniffed(start: bytes) -> InputFormat:
    """The format of something without a telling name."""
    head = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith(b"%pdf-"):
        return "pdf"
    if head.startswith((b"<!doctype html", b"<html")):
        return "html"
    return "jsonl" if head.startswith((b'{"', b"{ ", b"{}")) else "text"


def _failed(name: str, reason: str) -> Source:
    return Source(name, error=InputError(f"{name}: {reason}"))
