"""What one process of a cluster does with a shard, and how it tells the driver.

It has a worker process of its own, as the local engine has: a document that crashes it costs that process, and not the
cluster's. Errors come back as data, since a cluster would try again what fails again.
"""

from __future__ import annotations

import pickle
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from mderank.batch.engines.base import Check, Job
from mderank.batch.engines.local import BATCH_DOCUMENTS, run_shards
from mderank.batch.output_folder import Done, Folder
from mderank.batch.row_files import OutputForm
from mderank.batch.shards import Shard, ShardReader
from mderank.batch.worker import Row, Work
from mderank.batch.worker_pool import Crew
from mderank.errors import BatchError, MDERankError
from mderank.util.files import find_differences, format_differences

Told = dict[str, Any]  # a `Done` as plain data, or an error; clusters send it as it is


@dataclass(frozen=True)
class Remote:
    """All that a process of a cluster needs to know; it can be pickled."""

    work: Work
    about: dict[str, Any]  # what its extractor must be (`Work.describe`)
    path: str
    form: OutputForm
    check: Check
    batch_documents: int = BATCH_DOCUMENTS
    timeout: float | None = None

    @classmethod
    def of(cls, job: Job, work: Work, batch_documents: int, timeout: float | None) -> Remote:
        """For the shards of a job, once it is claimed for the extractor that ``work`` makes here."""
        with Crew(work, 1) as crew:
            about = crew.describe()
        job.claim(about)
        path = str(job.folder.path.resolve())
        return cls(work, about, path, job.folder.form, job.check, batch_documents, timeout)

    def read(self, shard: str) -> bytes:
        """The documents of a shard, given as its line of the plan; or an error."""
        return _packed(lambda: _process(self).reader.read(Shard.from_json(shard)))

    def extract(self, shard: str, records: bytes) -> bytes:
        """Its rows, or an error."""
        return _packed(lambda: _process(self).rows(Shard.from_json(shard), _unpacked(records)))

    def write(self, shard: str, rows: bytes) -> Told:
        """Write it."""
        try:
            found: list[Row] = _unpacked(rows)
            done = Folder(Path(self.path), self.form).write(Shard.from_json(shard).number, found)
        except MDERankError as error:
            return {"shard": -1, "documents": 0, "failed": 0, "size": 0, "sha256": "", "error": pickle.dumps(error)}
        return {**asdict(done), "error": b""}

    def perform(self, shard: str) -> Told:
        """All three."""
        return self.write(shard, self.extract(shard, self.read(shard)))


def done_of(told: Told) -> Done:
    """What the driver makes of it; an error is raised here."""
    error = told.pop("error")
    if error:
        raise pickle.loads(error)
    return Done(**told)


class _Process:
    """What a process of a cluster keeps from shard to shard: its worker, and its place in the input."""

    def __init__(self, remote: Remote) -> None:
        self.reader = ShardReader(remote.work.reading)
        self._remote = remote
        self._crew: Crew | None = None

    def rows(self, shard: Shard, records: Any) -> list[Row]:
        remote = self._remote
        if self._crew is None:
            self._crew = Crew(remote.work, 1, timeout=remote.timeout)
        if (about := self._crew.describe()) != remote.about:
            differences = format_differences(find_differences(remote.about, about))
            raise BatchError(f"the cluster's machines differ ({differences}): make them the same")
        given = _Given(records)
        ((_, rows),) = run_shards(self._crew, [shard], remote.batch_documents, remote.check, given)
        return rows

    def close(self) -> None:
        if self._crew is not None:
            self._crew.__exit__()


@dataclass(frozen=True)
class _Given:
    """Stands where a reader stands, for what is read already."""

    records: Any

    def read(self, shard: Shard) -> Any:
        return self.records


_processes: dict[bytes, _Process] = {}


def _process(remote: Remote) -> _Process:
    """Of this process, for this run; by value, since every task brings a copy."""
    key = pickle.dumps(remote)
    if key not in _processes:
        forget()
        _processes[key] = _Process(remote)
    return _processes[key]


def forget() -> None:
    """End the worker of a run that is over."""
    while _processes:
        _processes.popitem()[1].close()


def _packed(make: Any) -> bytes:
    try:
        return pickle.dumps(make())
    except MDERankError as error:
        return pickle.dumps(error)


def _unpacked(data: bytes) -> Any:
    content = pickle.loads(data)
    if isinstance(content, MDERankError):
        raise content
    return content
