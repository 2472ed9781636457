"""The part of a cluster engine that runs in the cluster's processes.

Each process has a worker process of its own, as in the local engine: a document that crashes it does not crash the
cluster's process. Errors are returned as data, since a cluster would retry tasks that raise.
"""

from __future__ import annotations

import pickle
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any, ClassVar

from mderank.batch.engines.base import Check, EngineJob
from mderank.batch.engines.local import BATCH_DOCUMENTS, run_shards
from mderank.batch.output_folder import OutputFolder, ShardRecord
from mderank.batch.row_files import RowFormat
from mderank.batch.shards import Shard, ShardReader
from mderank.batch.worker import BatchWorker, Row
from mderank.batch.worker_pool import WorkerPool
from mderank.errors import BatchError, MDERankError, MissingExtraError, OptionError
from mderank.row_columns import carried_columns
from mderank.util.files import find_differences, format_differences

Report = dict[str, Any]  # a `ShardRecord` as JSON, or a pickled error


@dataclass(frozen=True)
class RemoteJob:
    """A job as a process of a cluster gets it; it can be pickled.

    Attributes:
        worker: what to do with each document.
        about: description of the extractor that every machine must load (`BatchWorker.describe`).
        path: the output folder.
        output_format: format of the parts.
        check: called with rows before they are written; it may raise to stop the run.
        batch_documents: documents per worker task.
        timeout: seconds that a document may take, alone in its batch; None sets no limit.
    """

    worker: BatchWorker
    about: dict[str, Any]
    path: str
    output_format: RowFormat
    check: Check
    batch_documents: int = BATCH_DOCUMENTS
    timeout: float | None = None

    @classmethod
    def create(cls, job: EngineJob, worker: BatchWorker, batch_documents: int, timeout: float | None) -> RemoteJob:
        """Describe a job, and check its settings with the extractor that ``worker`` loads here.

        Args:
            job: the missing shards.
            worker: what to do with each document.
            batch_documents: documents per worker task.
            timeout: seconds per document.

        Returns:
            The job for the cluster's processes.

        Raises:
            BatchError: the extractor differs from that of the earlier run.
        """
        with WorkerPool(worker, 1) as pool:
            about = pool.describe()
        job.check_settings(about)
        path = str(job.folder.path.resolve())
        return cls(worker, about, path, job.folder.output_format, job.check, batch_documents, timeout)

    def read(self, shard: str) -> bytes:
        """Read the documents of a shard.

        Args:
            shard: the shard, as a line of the plan.

        Returns:
            The documents or an error, pickled.
        """
        return _pickle_result(lambda: _get_process(self).reader.read(Shard.from_json(shard)))

    def extract(self, shard: str, records: bytes) -> bytes:
        """Extract the keyphrases of a shard's documents.

        Args:
            shard: the shard, as a line of the plan.
            records: the value of `read`.

        Returns:
            The rows or an error, pickled.
        """
        return _pickle_result(lambda: _get_process(self).rows(Shard.from_json(shard), _unpickle(records)))

    def write(self, shard: str, rows: bytes) -> Report:
        """Write the rows of a shard.

        Args:
            shard: the shard, as a line of the plan.
            rows: the value of `extract`.

        Returns:
            The report for the driver.
        """
        try:
            found: list[Row] = _unpickle(rows)
            folder = OutputFolder(Path(self.path), self.output_format, carried_columns(self.worker.reading.carry))
            done = folder.write(Shard.from_json(shard).number, found)
        except MDERankError as error:
            return {"done": "", "error": pickle.dumps(error)}
        return {"done": done.as_json(), "error": b""}

    def perform(self, shard: str) -> Report:
        """Read, extract and write a shard.

        Args:
            shard: the shard, as a line of the plan.

        Returns:
            The report for the driver.
        """
        return self.write(shard, self.extract(shard, self.read(shard)))


class ClusterEngine:
    """The base of the engines for clusters.

    Every machine of the cluster must have the input and the output folder under the same paths, and the same version
    of mderank as the driver.

    Args:
        address: address of a running cluster; None uses or starts one on this machine.
        processes: number of concurrent processes; None takes as many as there is room for.
        threads: cores per process.
        batch_documents: documents that a process's worker gets at once. It does not change the result.
        timeout: seconds that a document may take, alone in its batch; None sets no limit.
        gpus: GPUs per process, for example 0.5; for Ray only.

    Raises:
        MissingExtraError: the engine's extra is not installed.
        OptionError: ``gpus`` for another engine than Ray.
    """

    name: ClassVar[str]  # of the engine and its extra
    package: ClassVar[str]

    replaced = 0

    def __init__(
        self,
        address: str | None = None,
        *,
        processes: int | None = None,
        threads: int | None = None,
        batch_documents: int = BATCH_DOCUMENTS,
        timeout: float | None = None,
        gpus: float | None = None,
    ) -> None:
        if find_spec(self.package) is None:
            raise MissingExtraError(f"--engine {self.name}", self.name)
        if gpus is not None and self.name != "ray":
            raise OptionError(f"gpus is for the engine ray, not for {self.name}")
        self.address = address
        self.processes, self.threads, self.gpus = processes, threads, gpus
        self.batch_documents = batch_documents
        self.timeout = timeout

    def create_remote_job(self, job: EngineJob, threads: int) -> RemoteJob:
        """Describe a job for the cluster's processes.

        Args:
            job: the missing shards.
            threads: cores per process.

        Returns:
            The job; it can be pickled.

        Raises:
            BatchError: the extractor differs from that of the earlier run.
        """
        return RemoteJob.create(job, replace(job.worker, threads=threads), self.batch_documents, self.timeout)


def to_shard_record(report: Report) -> ShardRecord:
    """Convert the report of a cluster's process, on the driver.

    Args:
        report: from `RemoteJob.write`.

    Returns:
        The shard that is written.

    Raises:
        MDERankError: the error that the report holds.
    """
    if report["error"]:
        raise pickle.loads(report["error"])
    return ShardRecord.from_json(report["done"])


class _Process:
    """The state of a cluster's process between shards: its worker, and its position in the input."""

    def __init__(self, remote: RemoteJob) -> None:
        self.reader = ShardReader(remote.worker.reading)
        self._remote = remote
        self._pool: WorkerPool | None = None

    def rows(self, shard: Shard, records: Any) -> list[Row]:
        remote = self._remote
        if self._pool is None:
            self._pool = WorkerPool(remote.worker, 1, timeout=remote.timeout)
        if (about := self._pool.describe()) != remote.about:
            differences = format_differences(find_differences(remote.about, about))
            raise BatchError(
                f"the machines of the cluster load different extractors ({differences}): install the same versions and "
                "models on all of them"
            )
        given = _RecordsReader(records)
        ((_, rows),) = run_shards(self._pool, [shard], remote.batch_documents, remote.check, given)
        return rows

    def close(self) -> None:
        if self._pool is not None:
            self._pool.__exit__()


@dataclass(frozen=True)
class _RecordsReader:
    """A reader for documents that are read already."""

    records: Any

    def read(self, shard: Shard) -> Any:
        return self.records


_processes: dict[bytes, _Process] = {}


def _get_process(remote: RemoteJob) -> _Process:
    """Return the state for a job. It is found by value, since every task brings a copy of the job."""
    key = pickle.dumps(remote)
    if key not in _processes:
        close_workers()
        _processes[key] = _Process(remote)
    return _processes[key]


def close_workers() -> None:
    """End the workers of earlier runs in this process."""
    while _processes:
        _processes.popitem()[1].close()


def _pickle_result(make: Any) -> bytes:
    try:
        return pickle.dumps(make())
    except MDERankError as error:
        return pickle.dumps(error)


def _unpickle(data: bytes) -> Any:
    content = pickle.loads(data)
    if isinstance(content, MDERankError):
        raise content
    return content
