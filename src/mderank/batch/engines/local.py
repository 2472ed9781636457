"""Shards on the cores of one machine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol

from mderank.batch.engines.base import Check, Job
from mderank.batch.output_folder import Done
from mderank.batch.shards import Shard, ShardReader
from mderank.batch.worker import Row
from mderank.batch.worker_pool import Crew, Task
from mderank.reading import Record
from mderank.util.environment import split_cores

# Documents that go to a worker at once: enough to fill the encoder's batches, few enough for all workers to have some.
BATCH_DOCUMENTS = 32
BATCH_SIZE = 200_000  # bytes


class Reader(Protocol):
    """Where the documents of a shard come from."""

    def read(self, shard: Shard) -> list[Record]:
        """All of them, in order."""
        ...


@dataclass
class _Open:
    rows: list[Row | None]
    missing: int


class Local:
    """The cores of this machine: so many worker processes, of so many threads each."""

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

    def run(self, job: Job) -> Iterator[Done]:
        """Write the shards from this process, with rows from the workers."""
        with Crew(replace(job.work, threads=self.threads), self.processes, timeout=self.timeout) as crew:
            job.claim(crew.describe())
            for shard, rows in run_shards(crew, job.shards, self.batch_documents, job.check):
                yield job.folder.write(shard.number, rows)
                self.replaced = crew.replaced


def run_shards(
    crew: Crew,
    shards: Iterable[Shard],
    batch_documents: int = BATCH_DOCUMENTS,
    check: Check = lambda rows: None,
    reader: Reader | None = None,
) -> Iterator[tuple[Shard, list[Row]]]:
    """The rows of every shard, in the order of the input, whichever is done first; ``check`` sees them as they come.

    A shard is read when a worker has nothing to do. So no more are in memory than there are workers, and one.
    """
    source = reader or ShardReader(crew.work.reading)
    open_shards: dict[int, tuple[Shard, _Open]] = {}

    def tasks() -> Iterator[Task]:
        for shard in shards:
            records = source.read(shard)
            open_shards[shard.number] = (shard, _Open([None] * len(records), len(records)))
            for positions in batches([len(record.data) for record in records], batch_documents):
                yield Task(shard.number, positions, [records[position] for position in positions])

    for task, rows in crew.run(tasks()):
        check(rows)
        shard, state = open_shards[task.key]
        for position, row in zip(task.positions, rows, strict=True):
            state.rows[position] = row
        state.missing -= len(rows)
        if not state.missing:
            del open_shards[task.key]
            yield shard, [row for row in state.rows if row is not None]


def batches(sizes: list[int], documents: int = BATCH_DOCUMENTS, size: int = BATCH_SIZE) -> Iterator[list[int]]:
    """Which documents go together: the largest first, so that no worker is left with one at the end.

    What is beside each other is of about the same length, which is what an encoder's batches want.

    >>> list(batches([5, 90, 20, 80], documents=2, size=150))
    [[1], [3, 2], [0]]
    """
    some: list[int] = []
    used = 0
    for position in sorted(range(len(sizes)), key=lambda position: -sizes[position]):
        if some and (len(some) >= documents or used + sizes[position] > size):
            yield some
            some, used = [], 0
        some.append(position)
        used += sizes[position]
    if some:
        yield some
