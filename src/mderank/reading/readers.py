"""Read the documents of a file or a stream, according to its format."""

from __future__ import annotations

import contextlib
import gzip
import io
import zlib
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO

from mderank.errors import InputError, MDERankError, MissingExtraError
from mderank.reading.base import OBJECT_FORMATS, START, InputFormat, ReadOptions, Record, RecordPosition, SourceDocument
from mderank.reading.carried import without_values
from mderank.reading.csv import csv_records
from mderank.reading.decoding import decode
from mderank.reading.detection import detect_format
from mderank.reading.discovery import file_format
from mderank.reading.gzip_stream import GzipStream
from mderank.reading.html import html_text_and_title
from mderank.reading.json import json_records
from mderank.reading.jsonl import json_line_records, read_object
from mderank.reading.limits import check_length, read_at_most, too_many_bytes
from mderank.reading.markdown import blank_markup, markdown_title
from mderank.reading.mbox import mbox_records
from mderank.reading.parquet import parquet_records
from mderank.reading.pdf import pdf_text_and_title

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
    records = _find_safely(lambda: contextlib.nullcontext(stream), name, options, options.format)
    return (read_record(record, options) for record in records)


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

    def open_file() -> contextlib.AbstractContextManager[Any]:
        try:
            return GzipStream(file) if file.suffix.lower() == ".gz" else file.open("rb")
        except ValueError as error:  # a name that no file can have
            raise InputError(f"cannot be read: {error}") from error

    return _find_safely(open_file, str(file), options, options.format or file_format(file), start)


def _find_safely(
    opener: Callable[[], contextlib.AbstractContextManager[Any]],
    name: str,
    options: ReadOptions,
    known: InputFormat | None,
    start: RecordPosition = START,
) -> Iterator[Record]:
    """Yield the records of a stream. If it cannot be read further, the last one holds the failure."""
    try:
        with opener() as stream:
            yield from _find_in_stream(stream, name, options, known, start)
    except MissingExtraError:
        raise
    except MDERankError as error:
        yield Record(name, position=None, failure=str(error))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        yield Record(name, position=None, failure=f"is not a whole gzip file: {error}; get it again")
    except OSError as error:
        yield Record(name, position=None, failure=f"cannot be read: {error.strerror or error}")


def _find_in_stream(
    stream: Any, name: str, options: ReadOptions, known: InputFormat | None, start: RecordPosition
) -> Iterator[Record]:
    buffered = stream if isinstance(stream, io.BufferedReader) else io.BufferedReader(stream)
    kind = known or detect_format(buffered.peek(_DETECTION_BYTES)[:_DETECTION_BYTES], options)
    if kind == "jsonl":
        if start.offset:
            buffered.seek(start.offset)
        yield from json_line_records(buffered, name, options, start)
    elif kind == "json":
        yield from json_records(buffered, name, options, start)
    elif kind == "csv":
        yield from csv_records(buffered, name, options, start)
    elif kind == "mbox":
        yield from mbox_records(buffered, name, options, start)
    elif kind == "parquet":
        yield from parquet_records(_seekable(stream, buffered, options), name, options, start)
    elif start == START:
        data = read_at_most(buffered, options.max_bytes(kind))
        if data is None:
            yield Record(name, failure=too_many_bytes("file", kind, options))
        else:
            yield Record(name, data, kind)


def _seekable(stream: Any, buffered: io.BufferedReader, options: ReadOptions) -> Any:
    """Return a stream in which Parquet's reader can jump. A gzip file would be decompressed again for every jump."""
    if buffered.seekable() and not isinstance(stream, GzipStream):
        return buffered
    data = read_at_most(buffered, options.max_bytes("pdf"))
    if data is None:
        limit = options.max_bytes("pdf")
        raise InputError(f"Parquet with more than {limit:,} bytes is read from uncompressed files only: save it as one")
    return io.BytesIO(data)


def read_record(record: Record, options: ReadOptions) -> SourceDocument:
    """Parse one record.

    Args:
        record: the record, from `find_records`.
        options: encoding and field names.

    Returns:
        The document. If it cannot be read, it carries its error.
    """
    source = _read_record(record, options)
    if options.carry and source.carried is None:  # a whole file has no fields, and a damaged record none that are known
        return replace(source, carried=without_values(options.carry))
    return source


def _read_record(record: Record, options: ReadOptions) -> SourceDocument:
    if record.failure is not None:
        return SourceDocument.failed(record.name, record.failure)
    try:
        if record.format in OBJECT_FORMATS:
            return read_object(record, options)
        return _read_whole_file(record, options)
    except MDERankError as error:
        return SourceDocument.failed(record.name, str(error))
    except MemoryError:
        return SourceDocument.failed(record.name, "this document needs more memory than there is: divide it")


def _read_whole_file(record: Record, options: ReadOptions) -> SourceDocument:
    if extract := _EXTRACTORS.get(record.format):
        text, prose, title = extract(record.data, options)
        return SourceDocument(record.name, text, prose, extracted=True, title=title)
    source = check_length(decode(record.data, options.encoding), options)
    if record.format == "markdown":
        prose = blank_markup(source)
        return SourceDocument(record.name, source, prose, title=markdown_title(source, prose))
    if record.format == "rst":
        from mderank.reading.rst import blank_rst, rst_title

        prose = blank_rst(source)
        return SourceDocument(record.name, source, prose, title=rst_title(source, prose))
    return SourceDocument(record.name, source)


_Extracted = tuple[str, str | None, str | None]  # text, prose and title


def _html(data: bytes, options: ReadOptions) -> _Extracted:
    text, title = html_text_and_title(decode(data, options.encoding, html=True))
    return check_length(text, options), None, title


def _pdf(data: bytes, options: ReadOptions) -> _Extracted:
    text, title = pdf_text_and_title(data, max_chars=options.max_document_chars)
    return text, None, title


def _docx(data: bytes, options: ReadOptions) -> _Extracted:
    from mderank.reading.docx import docx_text  # zipfile and expat take time to start

    return docx_text(data, options)


def _epub(data: bytes, options: ReadOptions) -> _Extracted:
    from mderank.reading.epub import epub_text_and_title

    text, title = epub_text_and_title(data, options)
    return text, None, title


def _mail(data: bytes, options: ReadOptions) -> _Extracted:
    from mderank.reading.eml import mail_text  # as does email

    return mail_text(data, options)


def _notebook(data: bytes, options: ReadOptions) -> _Extracted:
    from mderank.reading.ipynb import notebook_text

    text, prose = notebook_text(decode(data, options.encoding))
    return check_length(text, options), prose, markdown_title(text, blank_markup(text))


def _tex(data: bytes, options: ReadOptions) -> _Extracted:
    from mderank.reading.tex import tex_text  # many regular expressions

    return tex_text(decode(data, options.encoding), max_chars=options.max_document_chars)


# Formats whose text is taken out of the file.
_EXTRACTORS: dict[InputFormat, Callable[[bytes, ReadOptions], _Extracted]] = {
    "html": _html, "pdf": _pdf, "docx": _docx, "epub": _epub, "eml": _mail, "ipynb": _notebook, "tex": _tex,
}  # fmt: skip
