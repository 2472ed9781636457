"""JSON lines: one document a line."""

from __future__ import annotations

import json
from typing import Any

from mderank.document import Document
from mderank.errors import InputError, MDERankError
from mderank.reading.base import ReadOptions, Source
from mderank.reading.decoding import decode


def read_line(line: bytes, place: str, options: ReadOptions) -> Source:
    """The document in one line; a bad one carries its error."""
    try:
        return _document(_record(line, options.encoding), place, options)
    except MDERankError as error:
        return Source(place, error=InputError(f"{place}: {error}"))


def _record(line: bytes, encoding: str) -> dict[str, Any]:
    try:
        record = json.loads(decode(line, encoding))
    except json.JSONDecodeError as error:
        raise InputError(f"this line is not JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise InputError("this line is nested too deeply") from error
    if not isinstance(record, dict):
        raise InputError(f"this line is not a JSON object but {type(record).__name__}")
    return record


def _document(record: dict[str, Any], place: str, options: ReadOptions) -> Source:
    identity = record.get(options.id_field)
    identity = identity if isinstance(identity, str | int) else place
    if options.tokens_field is not None:
        document = _tagged(record, options)
        return Source(identity, document.text, tagged=document)
    text = record.get(options.text_field)
    if not isinstance(text, str):
        known = ", ".join(map(str, record)) or "none"
        what = "is not a string" if options.text_field in record else "is missing"
        raise InputError(f"the field '{options.text_field}' {what} (fields: {known}); name another: --text-field")
    return Source(identity, text)


def _tagged(record: dict[str, Any], options: ReadOptions) -> Document:
    tokens = record.get(options.tokens_field or "")
    text = record.get(options.text_field)
    if not isinstance(tokens, list) or not all(isinstance(pair, list) and len(pair) == 2 for pair in tokens):
        raise InputError(f"the field '{options.tokens_field}' must be a list of [word, tag] pairs")
    if text is not None and not isinstance(text, str):
        raise InputError(f"the field '{options.text_field}' is not a string")
    return Document.from_tagged(tokens, text)
