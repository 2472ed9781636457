"""The local engine: shards on the cores of one machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from mderank.batch.engines.base import Check, EngineJob
from mderank.batch.output_folder import ShardRecord
from mderank.batch.shards import Shard, ShardReader
from mderank.batch.worker import Row
from mderank.batch.worker_pool import WorkerPool, WorkerTask
from mderank.reading import Record
from mderank.util.environment import split_cores

# Documents per worker task: enough to fill the encoder's batches, few enough to keep all workers busy.
BATCH_DOCUMENTS = 32
BATCH_SIZE = 200_000  # bytes


class Reader(Protocol):
    """Reads the documents of a shard."""

    def read(self, shard: Shard) -> list[Record]:
        """Return the documents of a shard, in order.

        Args:
            shard: the shard.
        """
        ...


@dataclass
class _OpenShard:
    rows: list[Row | None]
    missing: int


class Local:
    """The engine for one machine: worker processes on its cores.

    Args:
        processes: number of worker processes; None takes as many as cores and memory allow.
        threads: threads per process; None divides the cores among the processes.
        batch_documents: documents that a process gets at once. It does not change the result.
        timeout: seconds that a document may take, alone in its batch; None sets no limit.

    Raises:
        OptionError: ``processes`` or ``threads`` is less than 1.
    """

    def __init__(
        self,
        processes: int | None = None,
        threads: int | None = None,
        *,
        batch_documents: int = BATCH_DOCUMENTS,
        timeout: float | None = None,
    ) -> None:
        self.processes, self.threads = split_cores(processes, threads)
        self.batch_documents = batch_documents
        self.timeout = timeout
        self.replaced = 0

    def run(self, job: EngineJob) -> Iterator[ShardRecord]:
        """Write the shards of a job. The workers compute the rows, and this process writes the files.

        Args:
            job: the missing shards.

        Yields:
            Each shard when it is written.

        Raises:
            BatchError: the workers load another extractor than when the run began.
        """
        with WorkerPool(replace(job.worker, threads=self.threads), self.processes, timeout=self.timeout) as pool:
            job.check_settings(pool.describe())
            for shard, rows in run_shards(pool, job.shards, self.batch_documents, job.check):
                yield job.folder.write(shard.number, rows)
                self.replaced = pool.replaced


def run_shards(
    pool: WorkerPool,
    shards: Iterable[Shard],
    batch_documents: int = BATCH_DOCUMENTS,
    check: Check = lambda rows: None,
    reader: Reader | None = None,
) -> Iterator[tuple[Shard, list[Row]]]:
    """Extract the documents of shards.

    A shard is read when a worker is idle, so that memory holds at most one shard per worker, and one more.

    Args:
        pool: the workers.
        shards: the shards.
        batch_documents: documents per worker task.
        check: called with rows as they arrive; it may raise to stop the run.
        reader: reads the documents of a shard; None reads the input files.

    Yields:
        Each shard when it is done, with its rows in the order of the input.

    Raises:
        BatchError: the workers die while they start, or the input has changed.
    """
    source = reader or ShardReader(pool.batch_worker.reading)
    open_shards: dict[int, tuple[Shard, _OpenShard]] = {}

    def tasks() -> Iterator[WorkerTask]:
        for shard in shards:
            records = source.read(shard)
            open_shards[shard.number] = (shard, _OpenShard([None] * len(records), len(records)))
            for positions in batches([len(record.data) for record in records], batch_documents):
                yield WorkerTask(shard.number, positions, [records[position] for position in positions])

    for task, rows in pool.run(tasks()):
        check(rows)
        shard, state = open_shards[task.key]
        for position, row in zip(task.positions, rows, strict=True):
            state.rows[position] = row
        state.missing -= len(rows)
        if not state.missing:
            del open_shards[task.key]
            yield shard, [row for row in state.rows if row is not None]


def batches(sizes: list[int], documents: int = BATCH_DOCUMENTS, size: int = BATCH_SIZE) -> Iterator[list[int]]:
    """Divide documents into batches, the largest first, so that no worker ends with a long document.

    Documents of a batch have about the same length, which suits the encoder's batches.

    Args:
        sizes: sizes of the documents in bytes.
        documents: documents per batch.
        size: bytes per batch.

    Yields:
        The positions of a batch's documents.

    >>> list(batches([5, 90, 20, 80], documents=2, size=150))
    [[1], [3, 2], [0]]
    """
    current: list[int] = []
    used = 0
    for position in sorted(range(len(sizes)), key=lambda position: -sizes[position]):
        if current and (len(current) >= documents or used + sizes[position] > size):
            yield current
            current, used = [], 0
        current.append(position)
        used += sizes[position]
    if current:
        yield current
