"""The Ray engine of ``extract_folder``: shards through a pool of actors."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

from mderank.batch.engines.base import Job
from mderank.batch.engines.local import BATCH_DOCUMENTS
from mderank.batch.engines.remote import Remote, done_of
from mderank.batch.output_folder import Done
from mderank.batch.shards import Shard
from mderank.errors import BatchError, MissingExtraError
from mderank.util.environment import split_cores

Batch = dict[str, Any]  # column to values


class Ray:
    """An engine for ``extract_folder``: the cluster at ``address``, or one on this machine.

    Every machine of the cluster must see the input and the output folder under the same names, and have mderank
    installed as the driver has. ``gpus`` is how much of a GPU each process gets.
    """

    replaced = 0

    def __init__(
        self,
        address: str | None = None,
        *,
        processes: int | None = None,
        threads: int | None = None,
        gpus: float | None = None,
        batch_documents: int = BATCH_DOCUMENTS,
        timeout: float | None = None,
    ) -> None:
        if find_spec("ray") is None:
            raise MissingExtraError("--engine ray", "ray")
        self.address = address
        self.processes, self.threads, self.gpus = processes, threads, gpus
        self.batch_documents = batch_documents
        self.timeout = timeout

    def run(self, job: Job) -> Iterator[Done]:
        """Read, extract in actors, write: three stages that run at the same time, a row being a shard."""
        ray = _ray()
        ours = self._connect(ray)
        try:
            processes, threads = self._size(ray)
            remote = Remote.of(job, replace(job.work, threads=threads), self.batch_documents, self.timeout)
            shards = _runs(job.shards)
            pool = ray.data.ActorPoolStrategy
            context = ray.data.DataContext.get_current()
            context.enable_progress_bars = context.print_on_execution_start = False
            context.target_max_block_size = 1  # a shard is a block: what one actor is given, and no more
            made = (
                ray.data.from_items([{"shards": run} for run in shards], override_num_blocks=max(1, len(shards)))
                .map_batches(_Read, fn_constructor_args=(remote,), batch_size=1, num_cpus=0, compute=pool(size=1))
                .map_batches(
                    _Extract,
                    fn_constructor_args=(remote,),
                    batch_size=1,
                    num_cpus=threads,
                    num_gpus=self.gpus,
                    compute=pool(size=processes),
                )
                .map_batches(_Write, fn_constructor_args=(remote,), batch_size=1, num_cpus=0, compute=pool(size=1))
            )
            for row in made.iter_rows():
                yield done_of(dict(row))
        finally:
            if ours:
                ray.shutdown()

    def _connect(self, ray: Any) -> bool:
        """Whether it was us who connected."""
        if ray.is_initialized():
            return False
        try:
            if self.address is None:
                processes, threads = split_cores(self.processes, self.threads)
                ray.init(num_cpus=processes * threads, include_dashboard=False, log_to_driver=False,
                         logging_level="error")  # fmt: skip
            else:
                ray.init(address=self.address, log_to_driver=False, logging_level="error")
        except Exception as error:  # Ray's have no base of their own
            raise BatchError(f"Ray does not start, or is not at the address {self.address!r}: {error}") from error
        return True

    def _size(self, ray: Any) -> tuple[int, int]:
        """Actors, and cores of each: as many as the cluster has room for."""
        there = ray.cluster_resources()
        processes, threads = split_cores(
            self.processes, self.threads, cores=max(1, int(there.get("CPU", 1))), memory=1 << 62
        )
        if self.gpus and self.processes is None:
            processes = max(1, min(processes, int(there.get("GPU", 0) / self.gpus)))
        return processes, threads


def _ray() -> Any:
    import ray
    import ray.data

    logging.getLogger("ray.data").setLevel(logging.ERROR)  # it tells of every plan that it makes
    return ray


def _runs(shards: Iterable[Shard]) -> list[list[str]]:
    """Shards that are best read by one after another: those of the same gzip file, which can only be read on."""
    runs: list[list[str]] = []
    last = ""
    for shard in shards:
        first = shard.parts[0].file
        if runs and first == last and last.lower().endswith(".gz"):
            runs[-1].append(shard.as_json())
        else:
            runs.append([shard.as_json()])
        last = shard.parts[-1].file
    return runs


class _Stage:
    def __init__(self, remote: Remote) -> None:
        self.remote = remote


class _Read(_Stage):
    def __call__(self, batch: Batch) -> Iterator[Batch]:
        for run in batch["shards"]:
            for shard in run:
                yield {"shard": [shard], "records": [self.remote.read(shard)]}


class _Extract(_Stage):
    def __call__(self, batch: Batch) -> Batch:
        made = [self.remote.extract(*each) for each in zip(batch["shard"], batch["records"], strict=True)]
        return {"shard": batch["shard"], "rows": made}


class _Write(_Stage):
    def __call__(self, batch: Batch) -> Batch:
        told = [self.remote.write(*each) for each in zip(batch["shard"], batch["rows"], strict=True)]
        return {name: [each[name] for each in told] for name in told[0]}
