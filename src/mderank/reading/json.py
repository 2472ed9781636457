"""JSON files: an array of records, a single record, or records one after the other.

A file is read in pieces, and one record at a time is held in memory. So the array is not parsed as a whole: the ends
of its records are found by their brackets and quotation marks, and each record is parsed alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from mderank.errors import InputError
from mderank.reading.base import ReadOptions, Record, RecordPosition
from mderank.reading.decoding import check_bytewise_encoding
from mderank.reading.limits import PIECE, too_many_bytes

_MARK = b"\xef\xbb\xbf"  # byte order mark
_BETWEEN = re.compile(rb"[ \t\r\n,]*+")
_BLANK = re.compile(rb"[ \t\r\n]*+")
_BRACKETS_AND_QUOTES = re.compile(rb'["{}\[\]]')
_REST_OF_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_REST_OF_SCALAR = re.compile(rb"[^ \t\r\n,\]\[{}]*+")
_NOT_CLOSED = "a quotation mark or a bracket is not closed, or the file is cut off"


def json_records(stream: Any, name: str, options: ReadOptions, start: RecordPosition) -> Iterator[Record]:
    """Locate the documents of a JSON file.

    Args:
        stream: the file's content as a binary stream, from its beginning.
        name: the file's name.
        options: encoding and limit.
        start: position of the first record to return.

    Yields:
        A record per element of the array. A file that is no array has a record per object. A record that is too long
        has a failure, and is not kept in memory.

    Raises:
        InputError: the file is neither an array nor an object, or in an encoding whose bytes cannot be told apart.
    """
    scanner = _Scanner(stream)
    check_bytewise_encoding(options.encoding, scanner.first_bytes())
    in_array = is_open = scanner.skip(_BLANK) == b"["
    if start.offset:
        scanner.seek(start.offset)
    elif in_array:
        scanner.at += 1
    number, limit = start.number, options.max_bytes("json")
    while byte := scanner.skip(_BETWEEN):
        if not is_open:
            _check_next(byte, in_array, scanner.offset)
        if in_array and byte == (b"]" if is_open else b"["):  # arrays may follow each other, as pages of an API do
            is_open = not is_open
            scanner.at += 1
            continue
        position = RecordPosition(scanner.offset, number)
        number += 1
        where = f"{name}:{number}"
        data, is_whole = scanner.read_value(limit)
        if not is_whole:
            yield Record(where, position=position, failure=f"this record has no end: {_NOT_CLOSED}")
            return
        if data is None:
            yield Record(where, position=position, failure=too_many_bytes("record", "json", options))
        else:
            yield Record(where, data, "json", position)
    if is_open:
        raise InputError(f"the array has no end: {_NOT_CLOSED}")


def _check_next(byte: bytes, in_array: bool, offset: int) -> None:
    """Check what begins outside of arrays."""
    if byte == (b"[" if in_array else b"{"):
        return
    what = "another array" if in_array else "a JSON object"
    expected = f"byte {offset} does not begin {what}" if offset else "this is neither a JSON array nor a JSON object"
    raise InputError(f"{expected}; if the file has one record per line, say so: --input-format jsonl")


class _Scanner:
    """The bytes of a stream, piece by piece.

    Attributes:
        at: index of the next byte in the piece that is held.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._piece = stream.read(PIECE)
        self._before = 0  # bytes of the stream before the piece
        self.at = len(_MARK) if self._piece.startswith(_MARK) else 0

    @property
    def offset(self) -> int:
        """Number of bytes before the next one."""
        return self._before + self.at

    def first_bytes(self) -> bytes:
        return bytes(self._piece[:4])

    def seek(self, offset: int) -> None:
        """Go on from another byte of the stream."""
        self._stream.seek(offset)
        self._piece, self._before, self.at = self._stream.read(PIECE), offset, 0

    def skip(self, pattern: re.Pattern[bytes]) -> bytes:
        """Skip what matches, and return the byte after it without passing it; nothing at the end."""
        while True:
            found = pattern.match(self._piece, self.at)
            self.at = found.end() if found else self.at
            if self.at < len(self._piece):
                return bytes(self._piece[self.at : self.at + 1])
            if not self._advance():
                return b""

    def _advance(self) -> bool:
        """Read the next piece. The bytes from ``at`` on are kept at its beginning."""
        more = self._stream.read(PIECE)
        self._before += self.at
        self._piece, self.at = self._piece[self.at :] + more, 0
        return bool(more)

    def read_value(self, limit: int) -> tuple[bytes | None, bool]:
        """Read the value that begins here.

        Args:
            limit: number of bytes to keep at most.

        Returns:
            The value, None if it has more bytes, and whether its end was found.
        """
        held: bytearray | None = bytearray()
        value = _Value()
        while True:
            begin = self.at
            self.at = value.advance(self._piece, begin)
            if held is not None and len(held) + self.at - begin > limit:
                held = None
            if held is not None:
                held += self._piece[begin : self.at]
            if value.ended:
                return held if held is None else bytes(held), True
            if not self._advance():
                return held if held is None else bytes(held), value.is_scalar


class _Value:
    """Finds the end of a value: of an object or array by its brackets, outside of strings.

    Attributes:
        ended: whether the end was found.
        is_scalar: whether it is neither an object nor an array nor a string. Such a value may end with the file.
    """

    def __init__(self) -> None:
        self.ended = self.is_scalar = False
        self._depth = 0
        self._in_string = self._has_begun = False

    def advance(self, piece: bytes, at: int) -> int:
        """Read on in a piece of the file.

        Args:
            piece: the piece.
            at: where to read on.

        Returns:
            Where the value ends, or what remains for the next piece: nothing, or a backslash.
        """
        if not self._has_begun:
            self._has_begun = True
            self.is_scalar = piece[at : at + 1] not in (b"{", b"[", b'"')
            at += self.is_scalar  # also a bracket that closes nothing
        if self.is_scalar:
            found = _REST_OF_SCALAR.match(piece, at)
            at = found.end() if found else at
            self.ended = at < len(piece)
            return at
        while not self.ended and at < len(piece):
            if self._in_string:
                rest = _REST_OF_STRING.match(piece, at)
                at = rest.end() if rest else at
                if piece[at : at + 1] != b'"':
                    return at
                self._in_string = False
                at += 1
            else:
                found = _BRACKETS_AND_QUOTES.search(piece, at)
                if found is None:
                    return len(piece)
                at = found.end()
                mark = found.group()
                self._in_string = mark == b'"'
                self._depth += (mark in b"{[") - (mark in b"}]")
            self.ended = self._depth == 0 and not self._in_string
        return at
