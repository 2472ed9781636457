"""Read no more into memory than a document may have, and say so in errors."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from mderank.errors import InputError
from mderank.reading.base import InputFormat, ReadOptions

PIECE = 1 << 20  # bytes that are read at once
_LISTED_NAMES = 20  # field or column names in an error
_NAME_CHARS = 40


def read_at_most(stream: Any, limit: int) -> bytes | None:
    """Read a stream to its end.

    Args:
        stream: the binary stream.
        limit: number of bytes to read at most.

    Returns:
        The bytes, or None if there are more than ``limit``.

    Raises:
        OSError: the stream cannot be read.
    """
    held = io.BytesIO()
    while piece := stream.read(PIECE):
        if held.tell() + len(piece) > limit:
            return None
        held.write(piece)
    return held.getvalue()


def skip_line(stream: Any) -> int:
    """Read the rest of a line, in pieces that are not kept.

    Args:
        stream: the binary stream, in the middle of a line.

    Returns:
        Number of bytes up to the end of the line.

    Raises:
        OSError: the stream cannot be read.
    """
    skipped = 0
    while piece := stream.readline(PIECE):
        skipped += len(piece)
        if piece.endswith(b"\n"):
            break
    return skipped


def too_many_bytes(what: str, kind: InputFormat, options: ReadOptions) -> str:
    """Return the reason why a record is not read into memory.

    Args:
        what: the record, such as ``line``.
        kind: format of the file.
        options: the limit.

    Returns:
        The reason, with the option that sets the limit.
    """
    limit, chars = options.max_bytes(kind), options.max_document_chars
    return (
        f"this {what} has more than {limit:,} bytes, that is {limit // chars} per character of --max-document-chars "
        f"{chars}: divide it, or raise the limit"
    )


def check_length(text: str, options: ReadOptions) -> str:
    """Check that a document is not longer than the limit.

    Args:
        text: the document's text.
        options: the limit.

    Returns:
        The text.

    Raises:
        InputError: the text is longer.
    """
    if len(text) > options.max_document_chars:
        raise too_many_chars(options.max_document_chars, f"{len(text):,}")
    return text


def too_many_chars(limit: int, count: str | None = None) -> InputError:
    """Return the error for a document that is longer than the limit.

    Args:
        limit: length of the longest document that is read, in characters.
        count: number of its characters, if it is known.

    Returns:
        The error, to be raised.
    """
    has = f"has {count} characters, more" if count else "has more characters"
    return InputError(f"this document {has} than --max-document-chars {limit}: divide it, or raise the limit")


def list_names(names: Iterable[Any]) -> str:
    """List the names of fields or columns for an error, the first of them if there are many.

    Args:
        names: the names.

    Returns:
        The names with commas between them, on one line.

    >>> list_names(["id", "body"])
    'id, body'
    """
    shown: list[str] = []
    for name in names:
        if len(shown) == _LISTED_NAMES:
            shown.append("…")
            break
        one_line = " ".join(str(name).split())
        shown.append(one_line if len(one_line) <= _NAME_CHARS else one_line[: _NAME_CHARS - 1] + "…")
    return ", ".join(shown) or "none"
