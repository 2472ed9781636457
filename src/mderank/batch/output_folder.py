"""The output folder of a batch: one file per shard, and a record of how it was made.

    part-000000.…           the rows of shard 0, in the order of the input
    _mderank/manifest.json  settings, versions and checksums; at the end also the numbers of documents and failures
    _mderank/plan.jsonl     a line per shard: its documents and their checksum
    _mderank/done.jsonl     a line per shard that is written; in order when the run has finished

A part is written to a temporary file, which is renamed when it is complete and on disk. So a file with a part's name is
complete. A run that was stopped, killed or ran out of disk resumes with the missing shards, and ends with the same
bytes in every file. The record is in a folder of its own, so that ``out/*.jsonl`` stands for the parts alone. Readers
of whole folders (Spark, pyarrow) leave out names that begin with ``_``.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from mderank.batch.failures import FailureCounts, FailureKind
from mderank.batch.row_files import ROW_FORMATS, RowFormat, read_rows, write_rows
from mderank.batch.shards import Shard, input_changed
from mderank.batch.worker import Row
from mderank.errors import BatchError, InputError, MDERankError
from mderank.util.files import (
    TEMPORARY_SUFFIX,
    atomic_write,
    check_settings,
    file_sha256,
    find_differences,
    open_locked,
    remove_temporary,
)
from mderank.util.format import json_text

RECORD = "_mderank"
MANIFEST, PLAN, DONE, LOCK = (f"{RECORD}/{name}" for name in ("manifest.json", "plan.jsonl", "done.jsonl", "lock"))
_FORMER_NAMES = {"manifest.json", "plan.jsonl"}  # of versions that had no folder for them
_OVERWRITE = "begin anew: --overwrite"


@dataclass(frozen=True)
class ShardRecord:
    """A shard that is written: a line of ``done.jsonl``.

    Attributes:
        shard: number of the shard.
        documents: number of its documents.
        failed: number of documents with an error.
        size: size of the file in bytes.
        sha256: checksum of the file.
        failures: the most frequent reasons of its failures.
    """

    shard: int
    documents: int
    failed: int
    size: int
    sha256: str
    failures: tuple[FailureKind, ...] = ()

    @classmethod
    def of_rows(cls, shard: int, rows: Iterable[Row], size: int, sha256: str) -> ShardRecord:
        """Describe a shard by its rows.

        Args:
            shard: number of the shard.
            rows: its rows.
            size: size of its file in bytes.
            sha256: checksum of its file.

        Returns:
            The line for ``done.jsonl``.
        """
        documents = 0
        failures = FailureCounts()
        for row in rows:
            documents += 1
            failures.add_row(row)
        return cls(shard, documents, failures.total, size, sha256, failures.most_common())

    def as_json(self) -> str:
        """Return the shard's line of ``done.jsonl``."""
        return json.dumps(asdict(self), ensure_ascii=True)

    @classmethod
    def from_json(cls, line: str | bytes) -> ShardRecord:
        """Return the shard of a line of ``done.jsonl``.

        Args:
            line: the value of `as_json`.

        Raises:
            ValueError: the line is not JSON.
            TypeError: it is not such a line.
        """
        data: dict[str, Any] = json.loads(line)
        failures = tuple(FailureKind(*each) for each in data.pop("failures", ()))
        return cls(**data, failures=failures)


class OutputFolder:
    """The output folder of one run; a context manager that locks the folder.

    Args:
        path: the folder; it is created on entry.
        output_format: format of the parts.
        carried: columns of Parquet that carry fields of the input.
        overwrite: on entry, remove what an earlier run wrote. Other files stay.

    Raises:
        BatchError: on entry, if the folder has other files, cannot be written, or is locked by another run.
    """

    def __init__(
        self, path: Path, output_format: RowFormat, carried: Sequence[str] = (), *, overwrite: bool = False
    ) -> None:
        self.path = path
        self.output_format = output_format
        self.carried = carried
        self.overwrite = overwrite
        self._lock: IO[bytes] | None = None

    # --- opening ------------------------------------------------------------------------------------------------------

    def __enter__(self) -> OutputFolder:
        if self.path.exists() and not self.path.is_dir():
            raise BatchError(f"{self.path}: cannot be written: it is not a folder; name another output folder")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            self._check_files()
            (self.path / RECORD).mkdir(exist_ok=True)
            self._lock = open_locked(self.path / LOCK)
            if self.overwrite:
                self._remove_output()
        except BlockingIOError as error:
            raise BatchError(f"{self.path}: another run is writing to it; wait for it, or stop it") from error
        except OSError as error:
            raise BatchError(f"{self.path}: cannot be written: {error.strerror or error}") from error
        except MDERankError:
            self.__exit__()
            raise
        self._remove_temporary()
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()

    def _check_files(self) -> None:
        """Refuse a folder that no run has begun and that has files."""
        names = {each.name for each in self.path.iterdir()}
        if (self.path / MANIFEST).exists():
            return
        if names >= _FORMER_NAMES:
            raise BatchError(
                f"{self.path} was written by an earlier version of mderank, which had manifest.json beside the parts: "
                "choose another output folder, or remove this one"
            )
        if any(name != RECORD and not name.endswith(TEMPORARY_SUFFIX) for name in names):
            raise BatchError(f"{self.path} has other files in it: choose another output folder, or an empty one")

    def _remove_output(self) -> None:
        """Remove the parts of the plan and the record. The manifest is last, since it says whose folder this is."""
        output_format = self.manifest().get("output")
        if output_format in ROW_FORMATS and (self.path / PLAN).exists():
            written = OutputFolder(self.path, output_format)
            try:
                for shard in self.plan():
                    written.part(shard.number).unlink(missing_ok=True)
            except (ValueError, TypeError, KeyError) as error:
                raise BatchError(
                    f"{self.path / PLAN} is damaged: remove the folder, and run the batch again"
                ) from error
        for name in (DONE, PLAN, MANIFEST):
            (self.path / name).unlink(missing_ok=True)

    def _remove_temporary(self) -> None:
        remove_temporary(self.path)
        remove_temporary(self.path / RECORD)

    # --- settings and plan --------------------------------------------------------------------------------------------

    def check_settings(self, **about: Any) -> None:
        """Write settings to the manifest, or compare them with those of an earlier run.

        Args:
            about: settings by name, as plain data. Names that the manifest lacks are added to it.

        Raises:
            BatchError: the folder was begun with other settings, or cannot be written.
        """
        known = self.manifest()
        about = json.loads(json.dumps(about))  # as JSON returns it
        recorded = {name: known[name] for name in about if name in known}
        differences = find_differences(recorded, {name: about[name] for name in recorded})
        check_settings(self.path, differences, BatchError, remedy=f"choose another folder, or {_OVERWRITE}")
        if not about.items() <= known.items():
            self._write_manifest({**known, **about})

    def manifest(self) -> dict[str, Any]:
        """Return the content of ``manifest.json``; empty if there is none.

        Raises:
            InputError: the manifest cannot be read.
        """
        return load_manifest(self.path) if (self.path / MANIFEST).exists() else {}

    def _write_manifest(self, manifest: dict[str, Any]) -> None:
        text = json_text(manifest, 2, sort_keys=True) + "\n"
        self._write_atomically(MANIFEST, lambda stream: stream.write(text.encode("utf-8")))

    def keep_plan(self, shards: Iterator[Shard]) -> Iterator[Shard]:
        """Write ``plan.jsonl``, or compare the shards with those of an earlier run.

        Args:
            shards: the shards of the input.

        Yields:
            The same shards.

        Raises:
            BatchError: the input has changed since the plan was written, or the folder cannot be written.
        """
        before = self.plan() if (self.path / PLAN).exists() else None
        try:
            with (
                atomic_write(self.path / PLAN, sync=True) as temporary,
                temporary.open("w", encoding="ascii", newline="\n") as stream,
            ):
                for shard in shards:
                    if before is not None and next(before, None) != shard:
                        raise input_changed(shard)
                    stream.write(shard.as_json() + "\n")
                    yield shard
                if before is not None and (rest := next(before, None)) is not None:
                    raise input_changed(rest)
        except OSError as error:
            raise self._write_error(PLAN, error) from error

    def plan(self) -> Iterator[Shard]:
        """Yield the shards of ``plan.jsonl``."""
        with (self.path / PLAN).open(encoding="ascii") as stream:
            yield from map(Shard.from_json, stream)

    # --- shards -------------------------------------------------------------------------------------------------------

    def part(self, shard: int) -> Path:
        """Return the file of a shard.

        Args:
            shard: number of the shard.
        """
        return self.path / f"part-{shard:06}.{self.output_format}"

    def done(self) -> dict[int, ShardRecord]:
        """Return the shards that are written, by number. Shards whose file was changed are left out.

        Raises:
            BatchError: the folder cannot be written.
        """
        recorded = {each.shard: each for each in _read_done(self.path / DONE)}
        found = {}
        for shard in self.plan():
            part = self.part(shard.number)
            if not part.is_file():
                continue
            entry = recorded.get(shard.number)
            if entry is None:  # the run stopped between writing the file and recording it
                entry = self._check_part(shard)
            elif entry.size != part.stat().st_size or entry.sha256 != file_sha256(part):
                entry = None
            if entry is not None:
                found[shard.number] = entry
        self._write_done(found)
        return found

    def _check_part(self, shard: Shard) -> ShardRecord | None:
        part = self.part(shard.number)
        try:
            found = ShardRecord.of_rows(shard.number, read_rows(part), part.stat().st_size, file_sha256(part))
        except InputError:
            return None
        return found if found.documents == shard.documents else None

    def write(self, shard: int, rows: Sequence[Row]) -> ShardRecord:
        """Write the file of a shard. Another process may write the same shard at the same time.

        Args:
            shard: number of the shard.
            rows: its rows, in the order of the input.

        Returns:
            The line for ``done.jsonl``.

        Raises:
            BatchError: the file cannot be written.
        """
        name = self.part(shard).name
        size, sha256 = self._write_atomically(
            name, lambda stream: write_rows(rows, stream, self.output_format, self.carried)
        )
        return ShardRecord.of_rows(shard, rows, size, sha256)

    def record(self, done: ShardRecord) -> None:
        """Append a shard to ``done.jsonl``.

        Args:
            done: the shard that is written.

        Raises:
            BatchError: the file cannot be written.
        """
        try:
            with (self.path / DONE).open("a", encoding="ascii", newline="\n") as stream:
                stream.write(done.as_json() + "\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise self._write_error(DONE, error) from error

    def finish(self, done: dict[int, ShardRecord]) -> None:
        """Complete the folder: write ``done.jsonl`` in order, and the totals to the manifest.

        Args:
            done: all shards, by number.

        Raises:
            BatchError: a file cannot be written.
        """
        self._write_done(done)
        documents, failed = (sum(getattr(each, name) for each in done.values()) for name in ("documents", "failed"))
        result = {"shards": len(done), "documents": documents, "failed": failed}
        self._write_manifest({**self.manifest(), "result": result})
        self._remove_temporary()

    def _write_done(self, done: dict[int, ShardRecord]) -> None:
        text = "".join(done[shard].as_json() + "\n" for shard in sorted(done))
        self._write_atomically(DONE, lambda stream: stream.write(text.encode("ascii")))

    # --- writing ------------------------------------------------------------------------------------------------------

    def _write_atomically(self, name: str, write: Any) -> tuple[int, str]:
        """Write a temporary file and rename it. Returns its size in bytes and its checksum."""
        try:
            with atomic_write(self.path / name, sync=True) as temporary:
                with temporary.open("wb") as stream:
                    write(stream)
                return temporary.stat().st_size, file_sha256(temporary)
        except OSError as error:
            raise self._write_error(name, error) from error

    def _write_error(self, name: str, error: OSError) -> BatchError:
        return BatchError(
            f"{self.path / name}: cannot be written: {error.strerror or error}; finished shards are kept: "
            "fix the cause, then run the same command again to resume"
        )


def load_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest of a batch output folder.

    Args:
        folder: the output folder.

    Returns:
        The content of ``manifest.json``.

    Raises:
        InputError: the folder has no manifest, or the manifest cannot be read.
    """
    file = folder / MANIFEST
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{folder} is not a `mderank batch` output folder: {MANIFEST} is missing") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read ({error}): remove the folder, and run the batch again") from error
    if not isinstance(data, dict):
        raise InputError(f"{file} is not a JSON object: remove the folder, and run the batch again")
    return data


def _read_done(file: Path) -> Iterator[ShardRecord]:
    """Yield the lines of ``done.jsonl``; lines that are incomplete or damaged are left out."""
    if not file.exists():
        return
    with file.open("rb") as stream:
        for line in stream:
            with suppress(ValueError, TypeError, AttributeError):
                yield ShardRecord.from_json(line)
