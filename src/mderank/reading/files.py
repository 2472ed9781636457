"""Finding files, and reading each by its format."""

from __future__ import annotations

import glob
import gzip
import io
import os
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from mderank.errors import InputError, MDERankError
from mderank.reading.base import InputFormat, ReadOptions, Source
from mderank.reading.decoding import decode
from mderank.reading.html import html_text
from mderank.reading.jsonl import read_jsonl
from mderank.reading.markdown import blank_markup
from mderank.reading.pdf import pdf_text

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
    for path in paths:
        here = Path(path)
        if here.is_dir():
            _search(here, found)
        elif here.exists() or here.is_symlink() or not glob.has_magic(path):
            found.files.append(here)
        else:
            matches = sorted(match for match in glob.glob(path, recursive=True) if not Path(match).is_dir())
            found.files += map(Path, matches)
            if not matches:
                found.errors.append(_failed(path, "no file matches this pattern"))
    return found


def _search(folder: Path, found: Found) -> None:
    before = len(found.files)

    def complain(error: OSError) -> None:
        found.errors.append(_failed(str(error.filename or folder), f"cannot be read: {error.strerror}"))

    errors = len(found.errors)
    for place, folders, names in os.walk(folder, onerror=complain):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            if not name.startswith("."):
                file = Path(place) / name
                (found.files if _format_of(file) else found.skipped).append(file)
    if len(found.files) == before and len(found.errors) == errors:
        kinds = ", ".join(SUFFIXES)
        found.errors.append(_failed(str(folder), f"this folder has no file that can be read ({kinds}, or with .gz)"))


def _format_of(file: Path) -> InputFormat | None:
    name = file.name.lower().removesuffix(".gz")
    return SUFFIXES.get(Path(name).suffix)


def read_file(file: Path, options: ReadOptions) -> Iterator[Source]:
    """The documents in a file; one with an error if it cannot be read."""
    try:
        with gzip.GzipFile(file) if file.suffix.lower() == ".gz" else file.open("rb") as stream:
            yield from _read(_buffered(stream), str(file), options, options.format or _format_of(file))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield _failed(str(file), f"is not a whole gzip file: {error}")
    except OSError as error:
        yield _failed(str(file), f"cannot be read: {error.strerror or error}")


def read_stream(stream: BinaryIO, name: str, options: ReadOptions) -> Iterator[Source]:
    """The documents in a stream, such as standard input."""
    yield from _read(_buffered(stream), name, options, options.format)


def _buffered(stream: Any) -> io.BufferedReader:
    """Something that can be looked into before it is read."""
    return stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)


def _read(stream: io.BufferedReader, name: str, options: ReadOptions, form: InputFormat | None) -> Iterator[Source]:
    form = form or _sniffed(stream.peek(_SNIFF)[:_SNIFF])
    if form == "jsonl":
        yield from read_jsonl(stream, name, options)
        return
    try:
        yield _whole(stream.read(), name, options, form)
    except MDERankError as error:
        yield Source(name, error=InputError(f"{name}: {error}"))


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
