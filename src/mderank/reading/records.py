"""Documents as they lie in their files: found, counted and told apart, but not yet read.

A record is cheap to make, to compare and to send to another process. Reading it, which may mean parsing a PDF, is a
step of its own (`mderank.reading.files.read_record`), so that a thousand processes can share it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from mderank.reading.base import InputFormat


class Place(NamedTuple):
    """Where a record begins in its file: so many bytes (before compression), so many lines or rows."""

    offset: int = 0
    number: int = 0


START = Place()


@dataclass(frozen=True, slots=True)
class Record:
    """One document of a file.

    ``data`` is a whole file, for formats that hold one document; a line of JSON for those that hold many, into which
    rows of tables are turned. ``name`` is the file's, with the line's number where there are many. ``failure`` says
    why there is nothing to read here; without a ``place``, why there is nothing further in the file.
    """

    name: str
    data: bytes = b""
    form: InputFormat = "text"
    place: Place | None = START
    failure: str | None = None


def json_records(lines: Iterable[bytes], name: str, start: Place) -> Iterator[Record]:
    """A record for every line that is not blank."""
    offset, number = start
    for line in lines:
        number += 1
        if line.strip():
            yield Record(f"{name}:{number}", line, "jsonl", Place(offset, number - 1))
        offset += len(line)
