"""JSON lines: one document per line."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from mderank.document import Document
from mderank.errors import InputError, MDERankError, OptionError
from mderank.reading.base import ReadOptions, Record, RecordPosition, SourceDocument
from mderank.reading.carried import carry_fields
from mderank.reading.decoding import check_line_encoding, decode
from mderank.reading.fields import MISSING, FoundField, find_field
from mderank.reading.limits import check_length, list_names, skip_line, too_many_bytes
from mderank.seeds import check_seeds

_LONGEST_TITLE = 1_000  # characters that are compared with the text
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
        parsed = parse_object(record, options.encoding)
    except MDERankError as error:
        return SourceDocument.failed(name, str(error))
    identity = find_field(parsed, options.id_field).value
    identity = identity if isinstance(identity, str | int) and not isinstance(identity, bool) else name
    try:
        carried = _carry(parsed, options)
    except MDERankError as error:
        return SourceDocument.failed(name, str(error), identity)
    try:
        return replace(_make_document(parsed, identity, options), carried=carried)
    except MDERankError as error:
        return replace(SourceDocument.failed(name, str(error), identity), carried=carried)


def parse_object(record: Record, encoding: str) -> dict[str, Any]:
    """Parse the JSON object of a record.

    Args:
        record: a line of JSON, or an object of a JSON file.
        encoding: encoding of its text.

    Returns:
        The object.

    Raises:
        InputError: the record is not a JSON object, or not in the encoding.
    """
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
        raise InputError(
            f"this {what} is not a JSON object but {_describe_type(parsed)}: write each document as an object, such as "
            '{"id": 1, "text": "…"}'
        )
    return parsed


def _describe_type(value: Any) -> str:
    """Name the type of a JSON value as JSON does.

    >>> [_describe_type(value) for value in ([], "a", True, 1.5, None)]
    ['an array', 'a string', 'true or false', 'a number', 'null']
    """
    if value is None:
        return "null"
    names = ((list, "an array"), (dict, "an object"), (str, "a string"), (bool, "true or false"))
    return next((name for kind, name in names if isinstance(value, kind)), "a number")


def _describe_place(error: json.JSONDecodeError) -> str:
    """Describe where a record is wrong by what is there: its lines are not counted from the file's beginning."""
    near = " ".join(error.doc[max(0, error.pos - _NEAR_CHARS) : error.pos + _NEAR_CHARS].split())
    return f"line {error.lineno} of the record, near {near!r}"


def _carry(record: dict[str, Any], options: ReadOptions) -> dict[str, Any] | None:
    """Return the values that go into the row of the result; None if none are asked for."""
    if not options.carry:
        return None
    title = {options.title_field}
    read = {*options.text_fields, options.id_field, options.language_field, options.tokens_field or ""} - title
    return carry_fields(record, options.carry, read)


def _make_document(record: dict[str, Any], identity: str | int, options: ReadOptions) -> SourceDocument:
    if options.tokens_field is not None:
        document = _read_tagged(record, options)
        return SourceDocument(
            identity, check_length(document.text, options), tagged=document, seeds=_read_seeds(record, options)
        )
    text = check_length(_read_text(record, options), options)
    title = None if options.title_field is None else _optional_text(record, options.title_field, "--title-field")
    language = find_field(record, options.language_field).value
    language = language if isinstance(language, str) and language.strip() else None
    seeds = _read_seeds(record, options)
    title = title if title is not None and title.strip() else None
    return SourceDocument(identity, text, language=language, seeds=seeds, title=title, extracted=options.is_composed)


def _read_text(record: dict[str, Any], options: ReadOptions) -> str:
    """Return the text of a record, which may be put together from several fields."""
    title = options.title_field
    names = [name for name in options.text_fields if name != title] or list(options.text_fields)
    if len(names) == 1:
        found = find_field(record, names[0])
        if not isinstance(found.value, str):
            what = "is missing" if found.value is MISSING else f"is {_describe_type(found.value)}, not a string"
            raise _text_error(record, names[0], f"the field '{names[0]}' {what}")
        texts: list[str | None] = [found.value]
        if not options.is_composed:
            return found.value
    else:
        texts = [_optional_text(record, name, "--text-field") for name in names]
        if all(text is None for text in texts):
            raise _text_error(record, names[0], f"the fields {list_names(names)} are all missing")
    first = None if title is None else _optional_text(record, title, "--title-field")
    body = "\n\n".join(text for text in texts if text is not None and text.strip())
    if first is None or not first.strip() or _begins_with_title(body, first):
        return body
    return f"{first}\n\n{body}" if body else first


def _begins_with_title(text: str, title: str) -> bool:
    """Return whether a title is a line or a sentence at the beginning of a text: it is not read twice.

    >>> [
    ...     _begins_with_title(text, "Coral  Reefs")
    ...     for text in ("Coral reefs. They feed fish.", "Coral reefs feed fish.")
    ... ]
    [True, False]
    """
    if len(title) > _LONGEST_TITLE:
        return False
    words = r"\s+".join(map(re.escape, title.split()))
    return re.match(rf"\s*{words}[ \t]*(?:[.:!?\r\n]|\Z)", text, re.IGNORECASE) is not None


def _optional_text(record: dict[str, Any], name: str, flag: str) -> str | None:
    """Return the text of a field, or None if the record does not have it."""
    value = find_field(record, name).value
    if value is None or value is MISSING:
        return None
    if not isinstance(value, str):
        raise InputError(f"the field '{name}' is {_describe_type(value)}, not a string; name another: {flag}")
    return value


def _text_error(record: dict[str, Any], name: str, what: str) -> InputError:
    """Return the error for a text that is not there, with the fields that are near its place."""
    return InputError(f"{what} ({_describe_near(find_field(record, name))}); name another: --text-field")


def _describe_near(found: FoundField) -> str:
    """Describe what is where a field was looked for."""
    place = f" of {found.path}" if found.path else ""
    if isinstance(found.parent, dict):
        return f"fields{place}: {list_names(found.parent)}"
    if isinstance(found.parent, list):
        return f"{found.path} is a list of {len(found.parent)}"
    return f"{found.path} is not an object"


def _read_seeds(record: dict[str, Any], options: ReadOptions) -> tuple[str, ...] | None:
    """Return the seeds of a record; None if it names none."""
    seeds = None if options.seeds_field is None else find_field(record, options.seeds_field).value
    if seeds is None or seeds is MISSING or seeds == "":
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
    tokens = find_field(record, options.tokens_field or "").value
    (name,) = options.text_fields
    text = _optional_text(record, name, "--text-field")
    if not isinstance(tokens, list) or not all(map(_is_pair, tokens)):
        raise InputError(f"the field '{options.tokens_field}' must be a list of [word, tag] pairs")
    return Document.from_tagged(tokens, text)


def _is_pair(token: Any) -> bool:
    return isinstance(token, list) and len(token) == 2 and all(isinstance(part, str) for part in token)
