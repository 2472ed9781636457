"""Input to shards: which documents go into which part of the output.

Shards are a function of the input and of two sizes, and of nothing else: not of processes, machines or what was done
before. Planning reads all input once, without parsing it, and keeps a checksum of every shard; planned again before a
run goes on, the same input gives the same plan, and a different one is noticed.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mderank.errors import BatchError, InputError
from mderank.reading import START, ReadOptions, Record, RecordPosition, SourceDocument, find_records, walk_files


@dataclass(frozen=True)
class Part:
    """Consecutive documents of one file: ``count`` of them, after ``skip`` others that follow ``start``."""

    file: str
    start: RecordPosition
    skip: int
    count: int


@dataclass(frozen=True)
class Shard:
    """Consecutive documents of the input, which become one file of the output."""

    number: int
    parts: tuple[Part, ...]
    documents: int
    size: int  # bytes
    sha256: str

    def as_json(self) -> str:
        """Its line of the plan."""
        return json.dumps(asdict(self), ensure_ascii=True)

    @classmethod
    def from_json(cls, line: str) -> Shard:
        """What a line of the plan says."""
        data: dict[str, Any] = json.loads(line)
        parts = (
            Part(each["file"], RecordPosition(*each["start"]), each["skip"], each["count"]) for each in data["parts"]
        )
        return cls(**{**data, "parts": tuple(parts)})

    def places(self) -> str:
        """Its documents in words."""
        first, last = self.parts[0], self.parts[-1]
        return first.file if first.file == last.file else f"{first.file} to {last.file}"


@dataclass(frozen=True)
class Cut:
    """How large a shard is: it ends with the document that reaches one of these."""

    documents: int = 1_000
    size: int = 4_000_000  # bytes


def input_files(paths: Sequence[str], without: Path | None, skip: Callable[[Path], None]) -> Iterator[Path]:
    """The files to read; a path that stands for nothing is an error."""
    for each in walk_files(paths, skip=skip, without=without):
        if isinstance(each, SourceDocument):
            raise each.error or InputError(f"{each.id}: cannot be read")
        if not each.exists():
            raise InputError(f"{each}: there is no such file")
        yield each


Position = tuple[RecordPosition, int]  # so many records after a place


def _positions(file: Path, options: ReadOptions, start: RecordPosition = START) -> Iterator[tuple[Position, Record]]:
    """The documents of a file, each with its position; a failure without a place comes after whatever came last."""
    position: Position | None = None
    for record in find_records(file, options, start):
        if record.position is not None:
            position = (record.position, 0)
        else:
            position = (start, 0) if position is None else (position[0], position[1] + 1)
        yield position, record


def plan(files: Iterable[Path], options: ReadOptions, cut: Cut) -> Iterator[Shard]:
    """The shards of the input, in its order."""
    number = 0
    open_shard = _Open()
    for file in files:
        for position, record in _positions(file, options):
            open_shard.add(str(file), position, record)
            if open_shard.documents >= cut.documents or open_shard.size >= cut.size:
                yield open_shard.close(number)
                number, open_shard = number + 1, _Open()
    if open_shard.documents:
        yield open_shard.close(number)


class _Open:
    """A shard that more documents may go into."""

    def __init__(self) -> None:
        self.parts: list[Part] = []
        self.documents = self.size = 0
        self._sha256 = hashlib.sha256()

    def add(self, file: str, position: Position, record: Record) -> None:
        if self.parts and self.parts[-1].file == file:
            last = self.parts[-1]
            self.parts[-1] = Part(last.file, last.start, last.skip, last.count + 1)
        else:
            self.parts.append(Part(file, *position, 1))
        self.documents += 1
        self.size += len(record.data)
        update(self._sha256, record)

    def close(self, number: int) -> Shard:
        return Shard(number, tuple(self.parts), self.documents, self.size, self._sha256.hexdigest())


def changed(shard: Shard) -> BatchError:
    """What to say of a shard that is no longer what was planned."""
    return BatchError(
        f"{shard.places()}: the input has changed since the run began (shard {shard.number} is not what it was): put "
        "it back as it was, or begin again with another output folder"
    )


def update(digest: Any, record: Record) -> None:
    """Add all that makes a difference to what is read."""
    head = f"{record.name}\0{record.format}\0{record.failure or ''}\0{len(record.data)}\0"
    digest.update(head.encode("utf-8", "surrogatepass"))
    digest.update(record.data)


class ShardReader:
    """The documents of shards. Asked for in order, every file is opened, and decompressed, once."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._file = ""
        self._records: Iterator[tuple[Position, Record]] = iter(())
        self._next: tuple[Position, Record] | None = None

    def read(self, shard: Shard) -> list[Record]:
        """Its documents; an error if they are no longer those that were planned."""
        records = [record for part in shard.parts for record in self._part(part)]
        digest = hashlib.sha256()
        for record in records:
            update(digest, record)
        if digest.hexdigest() != shard.sha256:
            raise changed(shard)
        return records

    def _part(self, part: Part) -> Iterator[Record]:
        wanted = (part.start, part.skip)
        if not self._is_ahead(part.file, wanted):
            self._file = part.file
            self._records = _positions(Path(part.file), self._options, part.start)
            self._advance()
        while self._next is not None and self._next[0] < wanted:
            self._advance()
        for _ in range(part.count):
            if self._next is not None:
                yield self._next[1]
                self._advance()

    def _is_ahead(self, file: str, wanted: Position) -> bool:
        """Whether going on is the way to get there; in a gzip file it is shorter than beginning again."""
        if self._next is None or self._file != file:
            return False
        return self._next[0] == wanted or (self._next[0] < wanted and file.lower().endswith(".gz"))

    def _advance(self) -> None:
        self._next = next(self._records, None)
