"""The output: a folder with a file for every shard, and an account of how it was made.

    manifest.json   settings, versions and checksums; at the end also how many documents there are, and how many failed
    plan.jsonl      a line for every shard: which documents, and their checksum
    done.jsonl      a line for every shard that is written; at the end in order
    part-000000.…   the rows of shard 0, in the order of the input

A part is written aside and renamed when it is whole and on disk: what has its name is done. A run that was stopped,
killed or ran out of disk goes on with what is missing, and ends with the same bytes in every file.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from mderank.batch.row_files import OutputForm, read_rows, write_rows
from mderank.batch.shards import Shard, changed
from mderank.batch.worker import Row
from mderank.errors import BatchError, InputError
from mderank.util.files import (
    TEMPORARY_SUFFIX,
    atomic_write,
    check_settings,
    file_sha256,
    find_differences,
    open_locked,
    remove_temporary,
)

MANIFEST, PLAN, DONE, LOCK = "manifest.json", "plan.jsonl", "done.jsonl", ".lock"


@dataclass(frozen=True)
class Done:
    """A shard that is written."""

    shard: int
    documents: int
    failed: int
    size: int  # bytes
    sha256: str


class Folder:
    """The output folder of one run; a context manager, which nobody else can open meanwhile."""

    def __init__(self, path: Path, form: OutputForm) -> None:
        self.path = path
        self.form = form
        self._lock: IO[bytes] | None = None

    # --- opening ------------------------------------------------------------------------------------------------------

    def __enter__(self) -> Folder:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not (self.path / MANIFEST).exists() and any(not _ours(each.name) for each in self.path.iterdir()):
                raise BatchError(f"{self.path} has other files in it: choose another output folder, or an empty one")
            self._lock = open_locked(self.path / LOCK)
        except BlockingIOError as error:
            raise BatchError(f"{self.path}: another run is writing to it; wait for it, or stop it") from error
        except OSError as error:
            raise BatchError(f"{self.path}: cannot be written: {error.strerror or error}") from error
        remove_temporary(self.path)
        return self

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            self._lock.close()

    # --- the account --------------------------------------------------------------------------------------------------

    def claim(self, **about: Any) -> None:
        """Write what the run is made with, or make sure that what is there was made the same way."""
        known = self.manifest()
        about = json.loads(json.dumps(about))  # as it will be read again
        recorded = {name: known[name] for name in about if name in known}
        check_settings(self.path, find_differences(recorded, {name: about[name] for name in recorded}), BatchError)
        if not about.items() <= known.items():
            self._write_manifest({**known, **about})

    def manifest(self) -> dict[str, Any]:
        """What is known of the run; nothing before it is claimed."""
        return load_manifest(self.path) if (self.path / MANIFEST).exists() else {}

    def _write_manifest(self, manifest: dict[str, Any]) -> None:
        text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        self._write_aside(MANIFEST, lambda stream: stream.write(text.encode("utf-8", "backslashreplace")))

    def keep_plan(self, shards: Iterator[Shard]) -> Iterator[Shard]:
        """The shards, which are written down on the way, or compared with those that were."""
        before = self.plan() if (self.path / PLAN).exists() else None
        try:
            with (
                atomic_write(self.path / PLAN, sync=True) as temporary,
                temporary.open("w", encoding="ascii") as stream,
            ):
                for shard in shards:
                    if before is not None and next(before, None) != shard:
                        raise changed(shard)
                    stream.write(shard.as_json() + "\n")
                    yield shard
                if before is not None and (rest := next(before, None)) is not None:
                    raise changed(rest)
        except OSError as error:
            raise self._no_room(PLAN, error) from error

    def plan(self) -> Iterator[Shard]:
        """The shards that were planned."""
        with (self.path / PLAN).open(encoding="ascii") as stream:
            yield from map(Shard.from_json, stream)

    # --- shards -------------------------------------------------------------------------------------------------------

    def part(self, shard: int) -> Path:
        """The file of a shard."""
        return self.path / f"part-{shard:06}.{self.form}"

    def done(self) -> dict[int, Done]:
        """The shards that are written. One whose file is not what was written is not."""
        told = {each.shard: each for each in _read_done(self.path / DONE)}
        found = {}
        for shard in self.plan():
            part = self.part(shard.number)
            if not part.is_file():
                continue
            entry = told.get(shard.number)
            if entry is None:  # its writer was stopped before it could tell
                entry = self._examined(shard)
            elif entry.size != part.stat().st_size or entry.sha256 != file_sha256(part):
                entry = None
            if entry is not None:
                found[shard.number] = entry
        self._write_done(found)
        return found

    def _examined(self, shard: Shard) -> Done | None:
        part = self.part(shard.number)
        try:
            errors = [row["error"] for row in read_rows(part)]
        except InputError:
            return None
        if len(errors) != shard.documents:
            return None
        failed = sum(error is not None for error in errors)
        return Done(shard.number, len(errors), failed, part.stat().st_size, file_sha256(part))

    def write(self, shard: int, rows: Sequence[Row]) -> Done:
        """Write a shard: aside, to disk, and under its name. Another process may do the same at the same time."""
        name = self.part(shard).name
        size, sha256 = self._write_aside(name, lambda stream: write_rows(rows, stream, self.form))
        return Done(shard, len(rows), sum(row["error"] is not None for row in rows), size, sha256)

    def tell(self, done: Done) -> None:
        """Note that a shard is written."""
        try:
            with (self.path / DONE).open("a", encoding="ascii") as stream:
                stream.write(json.dumps(asdict(done)) + "\n")
                stream.flush()
                os.fsync(stream.fileno())
        except OSError as error:
            raise self._no_room(DONE, error) from error

    def finish(self, done: dict[int, Done]) -> None:
        """All is written: put the account in order."""
        self._write_done(done)
        documents, failed = (sum(getattr(each, name) for each in done.values()) for name in ("documents", "failed"))
        result = {"shards": len(done), "documents": documents, "failed": failed}
        self._write_manifest({**self.manifest(), "result": result})
        remove_temporary(self.path)

    def _write_done(self, done: dict[int, Done]) -> None:
        text = "".join(json.dumps(asdict(done[shard])) + "\n" for shard in sorted(done))
        self._write_aside(DONE, lambda stream: stream.write(text.encode("ascii")))

    # --- writing ------------------------------------------------------------------------------------------------------

    def _write_aside(self, name: str, write: Any) -> tuple[int, str]:
        """Write a file under another name, and rename it when it is whole. Its size and checksum."""
        try:
            with atomic_write(self.path / name, sync=True) as temporary:
                with temporary.open("wb") as stream:
                    write(stream)
                return temporary.stat().st_size, file_sha256(temporary)
        except OSError as error:
            raise self._no_room(name, error) from error

    def _no_room(self, name: str, error: OSError) -> BatchError:
        return BatchError(
            f"{self.path / name}: cannot be written: {error.strerror or error}; what is done is kept: put it right, "
            "and the same command goes on where it was"
        )


def load_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of a batch's output."""
    file = folder / MANIFEST
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"{folder} is no output of mderank batch: it has no {MANIFEST}") from error
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read ({error}): remove the folder, and run the batch again") from error
    if not isinstance(data, dict):
        raise InputError(f"{file} is not a JSON object: remove the folder, and run the batch again")
    return data


def _read_done(file: Path) -> Iterator[Done]:
    """Its lines; one that was being written when the run stopped is left out, and so is what is no such line."""
    if not file.exists():
        return
    with file.open("rb") as stream:
        for line in stream:
            with suppress(ValueError, TypeError):
                yield Done(**json.loads(line))


def _ours(name: str) -> bool:
    return name in (MANIFEST, PLAN, DONE, LOCK) or name.endswith(TEMPORARY_SUFFIX)
