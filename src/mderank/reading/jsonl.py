"""JSON lines: one document per line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mderank.document import Document
from mderank.errors import InputError, MDERankError, OptionError
from mderank.reading.base import ReadOptions, Record, RecordPosition, SourceDocument
from mderank.reading.decoding import check_line_encoding, decode
from mderank.reading.limits import check_length, list_names, skip_line, too_many_bytes
from mderank.seeds import check_seeds

_NEAR_CHARS = 20  # characters before and after a mistake that its error shows


def json_line_records(stream: Any, name: str, options: ReadOptions, start: RecordPosition) -> Iterator[Record]:
    """Locate the documents of a JSON lines file.

    Args:
        stream: the file's content as a binary stream, beginning at ``start``.
        name: the file's name.
        options: encoding and limit.
        start: position of the first line.

    Yields:
        A record per line that is not blank. A line that is too long has a failure, and is not kept in memory.

    Raises:
        InputError: the encoding is one in which lines cannot be told apart, such as UTF-16.
    """
    offset, number = start
    limit = options.max_bytes("jsonl")
    while line := stream.readline(limit + 1):
        if offset == 0:
            check_line_encoding(options.encoding, line[:4])
        number += 1
        size = len(line)
        where, position = f"{name}:{number}", RecordPosition(offset, number - 1)
        if size > limit and not line.endswith(b"\n"):
            size += skip_line(stream)
            yield Record(where, position=position, failure=too_many_bytes("line", "jsonl", options))
        elif line.strip():
            yield Record(where, line, "jsonl", position)
        offset += size


def read_object(record: Record, options: ReadOptions) -> SourceDocument:
    """Read the document in a JSON object.

    Args:
        record: a line of JSON, or an object of a JSON file. Its name is the document's id if the object has none.
        options: encoding and field names.

    Returns:
        The document. If the object cannot be read, the document carries its error.
    """
    name = record.name
    try:
        return _make_document(_parse(record, options.encoding), name, options)
    except MDERankError as error:
        return SourceDocument.failed(name, str(error))


def _parse(record: Record, encoding: str) -> dict[str, Any]:
    what = "record" if record.format == "json" else "line"
    try:
        parsed = json.loads(decode(record.data, encoding))
    except json.JSONDecodeError as error:
        where = f"column {error.colno}" if what == "line" else _describe_place(error)
        raise InputError(f"this {what} is not JSON: {error.msg} at {where}") from error
    except RecursionError as error:
        raise InputError(f"this {what} is nested too deeply") from error
    except ValueError as error:  # Python refuses to read whole numbers of more than 4,300 digits
        raise InputError(f"this {what} has a number with too many digits: write it as a string") from error
    if not isinstance(parsed, dict):
        raise InputError(f"this {what} is not a JSON object but {type(parsed).__name__}")
    return parsed


def _describe_place(error: json.JSONDecodeError) -> str:
    """Describe where a record is wrong by what is there: its lines are not counted from the file's beginning."""
    near = " ".join(error.doc[max(0, error.pos - _NEAR_CHARS) : error.pos + _NEAR_CHARS].split())
    return f"line {error.lineno} of the record, near {near!r}"


def _make_document(record: dict[str, Any], name: str, options: ReadOptions) -> SourceDocument:
    identity = record.get(options.id_field)
    identity = identity if isinstance(identity, str | int) and not isinstance(identity, bool) else name
    if options.tokens_field is not None:
        document = _read_tagged(record, options)
        return SourceDocument(
            identity, check_length(document.text, options), tagged=document, seeds=_read_seeds(record, options)
        )
    text = record.get(options.text_field)
    if not isinstance(text, str):
        what = "is not a string" if options.text_field in record else "is missing"
        known = list_names(record)
        raise InputError(f"the field '{options.text_field}' {what} (fields: {known}); name another: --text-field")
    language = record.get(options.language_field)
    language = language if isinstance(language, str) and language.strip() else None
    seeds = _read_seeds(record, options)
    return SourceDocument(identity, check_length(text, options), language=language, seeds=seeds)


def _read_seeds(record: dict[str, Any], options: ReadOptions) -> tuple[str, ...] | None:
    """Return the seeds of a record; None if it names none."""
    seeds = None if options.seeds_field is None else record.get(options.seeds_field)
    if seeds is None or seeds == "":
        return None
    if isinstance(seeds, str):
        seeds = [seed for seed in seeds.split(",") if seed.strip()]
    if not isinstance(seeds, list):
        raise InputError(f"the field '{options.seeds_field}' is neither a list of phrases nor a text")
    try:
        return check_seeds(seeds)
    except OptionError as error:
        raise InputError(f"the field '{options.seeds_field}': {error}") from error


def _read_tagged(record: dict[str, Any], options: ReadOptions) -> Document:
    tokens = record.get(options.tokens_field or "")
    text = record.get(options.text_field)
    if not isinstance(tokens, list) or not all(map(_is_pair, tokens)):
        raise InputError(f"the field '{options.tokens_field}' must be a list of [word, tag] pairs")
    if text is not None and not isinstance(text, str):
        raise InputError(f"the field '{options.text_field}' is not a string")
    return Document.from_tagged(tokens, text)


def _is_pair(token: Any) -> bool:
    return isinstance(token, list) and len(token) == 2 and all(isinstance(part, str) for part in token)
