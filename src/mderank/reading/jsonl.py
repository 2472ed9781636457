"""JSON lines: one document per line."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from mderank.document import Document
from mderank.errors import InputError, MDERankError
from mderank.reading.base import ReadOptions, Record, RecordPosition, SourceDocument
from mderank.reading.decoding import decode


def json_records(lines: Iterable[bytes], name: str, start: RecordPosition) -> Iterator[Record]:
    """Locate the documents of a JSON lines file.

    Args:
        lines: the lines, beginning at ``start``.
        name: the file's name.
        start: position of the first line.

    Yields:
        A record per line that is not blank.
    """
    offset, number = start
    for line in lines:
        number += 1
        if line.strip():
            yield Record(f"{name}:{number}", line, "jsonl", RecordPosition(offset, number - 1))
        offset += len(line)


def read_line(line: bytes, name: str, options: ReadOptions) -> SourceDocument:
    """Read the document in one line.

    Args:
        line: a JSON object.
        name: name of the file with the line's number. It is the document's id if the object has none.
        options: encoding and field names.

    Returns:
        The document. If the line cannot be read, the document carries its error.
    """
    try:
        return _make_document(_parse(line, options.encoding), name, options)
    except MDERankError as error:
        return SourceDocument.failed(name, str(error))


def _parse(line: bytes, encoding: str) -> dict[str, Any]:
    try:
        record = json.loads(decode(line, encoding))
    except json.JSONDecodeError as error:
        raise InputError(f"this line is not JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise InputError("this line is nested too deeply") from error
    if not isinstance(record, dict):
        raise InputError(f"this line is not a JSON object but {type(record).__name__}")
    return record


def _make_document(record: dict[str, Any], name: str, options: ReadOptions) -> SourceDocument:
    identity = record.get(options.id_field)
    identity = identity if isinstance(identity, str | int) else name
    if options.tokens_field is not None:
        document = _read_tagged(record, options)
        return SourceDocument(identity, document.text, tagged=document)
    text = record.get(options.text_field)
    if not isinstance(text, str):
        known = ", ".join(map(str, record)) or "none"
        what = "is not a string" if options.text_field in record else "is missing"
        raise InputError(f"the field '{options.text_field}' {what} (fields: {known}); name another: --text-field")
    return SourceDocument(identity, text)


def _read_tagged(record: dict[str, Any], options: ReadOptions) -> Document:
    tokens = record.get(options.tokens_field or "")
    text = record.get(options.text_field)
    if not isinstance(tokens, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in tokens):
        raise InputError(f"the field '{options.tokens_field}' must be a list of [word, tag] pairs")
    if text is not None and not isinstance(text, str):
        raise InputError(f"the field '{options.text_field}' is not a string")
    return Document.from_tagged(tokens, text)
