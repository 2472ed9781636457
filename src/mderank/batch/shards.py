"""Divide the input into shards, and read the documents of a shard.

Shards depend only on the input and on two sizes, not on processes, machines or earlier runs. Planning reads all input
once, without parsing it, and records a checksum per shard. A run that resumes plans again: equal input gives an equal
plan, and changed input is noticed.
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
from mderank.reading.discovery import file_mode, is_special_file


@dataclass(frozen=True)
class FileSlice:
    """Consecutive documents of one file.

    Attributes:
        file: path of the file.
        start: position in the file.
        skip: number of records after ``start`` that come before the slice.
        count: number of documents.
    """

    file: str
    start: RecordPosition
    skip: int
    count: int


@dataclass(frozen=True)
class Shard:
    """Consecutive documents of the input, which become one file of the output.

    Attributes:
        number: number of the shard, from 0.
        slices: where its documents are.
        documents: number of its documents.
        size: size of its documents in bytes.
        sha256: checksum of its documents.
    """

    number: int
    slices: tuple[FileSlice, ...]
    documents: int
    size: int
    sha256: str

    def as_json(self) -> str:
        """Return the shard's line of ``_mderank/plan.jsonl``."""
        return json.dumps(asdict(self), ensure_ascii=True)

    @classmethod
    def from_json(cls, line: str) -> Shard:
        """Return the shard of a line of ``_mderank/plan.jsonl``.

        Args:
            line: the value of `as_json`.
        """
        data: dict[str, Any] = json.loads(line)
        slices = (
            FileSlice(each["file"], RecordPosition(*each["start"]), each["skip"], each["count"])
            for each in data["slices"]
        )
        return cls(**{**data, "slices": tuple(slices)})

    def describe_files(self) -> str:
        """Return the names of the first and the last file."""
        first, last = self.slices[0], self.slices[-1]
        return first.file if first.file == last.file else f"{first.file} to {last.file}"


@dataclass(frozen=True)
class ShardSize:
    """Size of a shard. A shard ends with the document that reaches one of the limits.

    Attributes:
        documents: number of documents.
        size: size of the documents in bytes.
    """

    documents: int = 1_000
    size: int = 4_000_000


def check_paths(paths: Sequence[str], without: Path | None = None) -> None:
    """Refuse paths that stand for nothing. A folder is searched up to its first file.

    Args:
        paths: files, folders and glob patterns.
        without: folder that is not searched: the output folder.

    Raises:
        InputError: a path stands for no file.
    """
    for path in paths:
        next(input_files([path], without, lambda skipped: None), None)


def input_files(paths: Sequence[str], without: Path | None, skip: Callable[[Path], None]) -> Iterator[Path]:
    """Find the files to read.

    Args:
        paths: files, folders and glob patterns.
        without: folder that is not searched: the output folder.
        skip: called with each file and folder in a folder that is not read.

    Yields:
        The files, in order.

    Raises:
        InputError: a path stands for no file.
    """
    for each in walk_files(paths, skip=skip, without=without):
        if isinstance(each, SourceDocument):
            raise each.error or InputError(f"{each.id}: cannot be read")
        if not file_mode(each):
            raise InputError(f"{each}: there is no such file, or it may not be read")
        if is_special_file(each):
            raise InputError(f"{each}: a pipe, socket or device cannot be read twice: save it to a file")
        yield each


Position = tuple[RecordPosition, int]  # a position, and a number of records after it


def _positions(file: Path, options: ReadOptions, start: RecordPosition = START) -> Iterator[tuple[Position, Record]]:
    """Yield the records of a file with their positions. A failure without a position follows the record before it."""
    position: Position | None = None
    for record in find_records(file, options, start):
        if record.position is not None:
            position = (record.position, 0)
        else:
            position = (start, 0) if position is None else (position[0], position[1] + 1)
        yield position, record


def plan_shards(files: Iterable[Path], options: ReadOptions, shard_size: ShardSize) -> Iterator[Shard]:
    """Divide files into shards.

    Args:
        files: the input files, in order.
        options: how to read them.
        shard_size: when a shard ends.

    Yields:
        The shards, in the order of the input.

    Raises:
        MissingExtraError: a Parquet file, and the extra ``parquet`` is not installed.
    """
    number = 0
    open_shard = _OpenShard()
    for file in files:
        for position, record in _positions(file, options):
            open_shard.add(str(file), position, record)
            if open_shard.documents >= shard_size.documents or open_shard.size >= shard_size.size:
                yield open_shard.close(number)
                number, open_shard = number + 1, _OpenShard()
    if open_shard.documents:
        yield open_shard.close(number)


class _OpenShard:
    """A shard to which documents are added."""

    def __init__(self) -> None:
        self.slices: list[FileSlice] = []
        self.documents = self.size = 0
        self._sha256 = hashlib.sha256()

    def add(self, file: str, position: Position, record: Record) -> None:
        if self.slices and self.slices[-1].file == file:
            last = self.slices[-1]
            self.slices[-1] = FileSlice(last.file, last.start, last.skip, last.count + 1)
        else:
            self.slices.append(FileSlice(file, *position, 1))
        self.documents += 1
        self.size += len(record.data)
        _update(self._sha256, record)

    def close(self, number: int) -> Shard:
        return Shard(number, tuple(self.slices), self.documents, self.size, self._sha256.hexdigest())


def input_changed(shard: Shard) -> BatchError:
    """Return the error for a shard whose documents differ from the plan.

    Args:
        shard: the shard of the plan, or the one found instead.

    Returns:
        The error, to be raised.
    """
    return BatchError(
        f"{shard.describe_files()}: the input has changed since the run began (shard {shard.number} differs): restore "
        "it, choose another folder, or begin anew: --overwrite"
    )


def _update(digest: Any, record: Record) -> None:
    """Add a record's content to a checksum."""
    head = f"{record.name}\0{record.format}\0{record.failure or ''}\0{len(record.data)}\0"
    digest.update(head.encode("utf-8", "surrogatepass"))
    digest.update(record.data)


class ShardReader:
    """Reads the documents of shards. Read in order, every file is opened and decompressed once.

    Args:
        options: how to read the files.
    """

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._file = ""
        self._records: Iterator[tuple[Position, Record]] = iter(())
        self._next: tuple[Position, Record] | None = None

    def read(self, shard: Shard) -> list[Record]:
        """Read the documents of a shard.

        Args:
            shard: the shard.

        Returns:
            Its documents, not yet parsed.

        Raises:
            BatchError: the documents differ from the plan.
        """
        records = [record for file_slice in shard.slices for record in self._read_slice(file_slice)]
        digest = hashlib.sha256()
        for record in records:
            _update(digest, record)
        if digest.hexdigest() != shard.sha256:
            raise input_changed(shard)
        return records

    def _read_slice(self, file_slice: FileSlice) -> Iterator[Record]:
        wanted = (file_slice.start, file_slice.skip)
        if not self._is_ahead(file_slice.file, wanted):
            self._file = file_slice.file
            self._records = _positions(Path(file_slice.file), self._options, file_slice.start)
            self._advance()
        while self._next is not None and self._next[0] < wanted:
            self._advance()
        for _ in range(file_slice.count):
            if self._next is not None:
                yield self._next[1]
                self._advance()

    def _is_ahead(self, file: str, wanted: Position) -> bool:
        """Return whether to read on from here. In a gzip file that is faster than to start again."""
        if self._next is None or self._file != file:
            return False
        return self._next[0] == wanted or (self._next[0] < wanted and file.lower().endswith(".gz"))

    def _advance(self) -> None:
        self._next = next(self._records, None)
