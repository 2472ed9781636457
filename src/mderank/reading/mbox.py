"""Mailboxes: the mails of an mbox file, one at a time."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any

from mderank.errors import InputError
from mderank.reading.base import ReadOptions, Record, RecordPosition
from mderank.reading.limits import PIECE, too_many_bytes

_BEGINNING = b"From "
_QUOTED = re.compile(rb">+From ")


def mbox_records(stream: Any, name: str, options: ReadOptions, start: RecordPosition) -> Iterator[Record]:
    """Locate the mails of a mailbox. A mail begins with a line "From …", which follows an empty line or nothing.

    Args:
        stream: the file's content as a binary stream, from its beginning.
        name: the file's name.
        options: the limit.
        start: position of the first mail to return.

    Yields:
        A record per mail. A mail that is too long has a failure, and is not kept in memory.

    Raises:
        InputError: the file does not begin with a mail.
    """
    if start.offset:
        stream.seek(start.offset)
    offset, number = start
    limit = options.max_bytes("eml")
    mail: io.BytesIO | None = None
    begin = size = 0
    after_blank, at_line_start = True, True
    while line := stream.readline(PIECE):
        if at_line_start and after_blank and line.startswith(_BEGINNING):
            if size:
                yield _record(mail, name, number, RecordPosition(begin, number), options)
                number += 1
            mail, begin, size = io.BytesIO(), offset, 0
        elif not size:
            if line.strip():
                raise InputError('this is not a mailbox: it does not begin with "From "; for one mail, use .eml')
            offset += len(line)
            continue
        size += len(line)
        offset += len(line)
        if mail is not None:
            mail.write(line[1:] if at_line_start and _QUOTED.match(line) else line)
            if size > limit:
                mail = None
        if at_line_start:
            after_blank = not line.strip()
        at_line_start = line.endswith(b"\n")
    if size:
        yield _record(mail, name, number, RecordPosition(begin, number), options)


def _record(mail: io.BytesIO | None, name: str, number: int, position: RecordPosition, options: ReadOptions) -> Record:
    where = f"{name}:{number + 1}"
    if mail is None:
        return Record(where, position=position, failure=too_many_bytes("mail", "eml", options))
    return Record(where, mail.getvalue(), "eml", position)
