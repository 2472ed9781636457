"""The Ray engine: shards run through a pool of actors."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator
from typing import Any

from mderank.batch.engines.base import EngineJob
from mderank.batch.engines.remote import ClusterEngine, RemoteJob, to_shard_record
from mderank.batch.output_folder import ShardRecord
from mderank.batch.shards import Shard
from mderank.errors import BatchError
from mderank.util.environment import split_cores

Batch = dict[str, Any]  # column to values


class Ray(ClusterEngine):
    """The engine for Ray: a pool of actors."""

    name = package = "ray"

    def run(self, job: EngineJob) -> Iterator[ShardRecord]:
        """Write the shards of a job (`Engine.run`) in three concurrent stages: read, extract and write."""
        ray = _ray()
        ours = self._connect(ray)
        try:
            processes, threads = self._size(ray)
            remote = self.create_remote_job(job, threads)
            shards = _group_gzip_shards(job.shards)
            pool = ray.data.ActorPoolStrategy
            context = ray.data.DataContext.get_current()
            context.enable_progress_bars = context.print_on_execution_start = False
            context.target_max_block_size = 1  # a block is one shard, so that an actor gets one shard at a time
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
                yield to_shard_record(dict(row))
        finally:
            if ours:
                ray.shutdown()

    def _connect(self, ray: Any) -> bool:
        """Connect to Ray. Returns whether there was no connection before."""
        if ray.is_initialized():
            return False
        try:
            if self.address is None:
                processes, threads = split_cores(self.processes, self.threads)
                ray.init(num_cpus=processes * threads, include_dashboard=False, log_to_driver=False,
                         logging_level="error")  # fmt: skip
            else:
                ray.init(address=self.address, log_to_driver=False, logging_level="error")
        except Exception as error:  # Ray's errors have no common base class
            raise BatchError(
                f"Ray does not start, or there is no cluster at the address {self.address!r}: {error}"
            ) from error
        return True

    def _size(self, ray: Any) -> tuple[int, int]:
        """Return the number of actors, and the cores of each, that the cluster has room for."""
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

    logging.getLogger("ray.data").setLevel(logging.ERROR)  # it logs every plan
    return ray


def _group_gzip_shards(shards: Iterable[Shard]) -> list[list[str]]:
    """Group consecutive shards of the same gzip file, which can only be read from its beginning."""
    runs: list[list[str]] = []
    last = ""
    for shard in shards:
        first = shard.slices[0].file
        if runs and first == last and last.lower().endswith(".gz"):
            runs[-1].append(shard.as_json())
        else:
            runs.append([shard.as_json()])
        last = shard.slices[-1].file
    return runs


class _Stage:
    def __init__(self, remote: RemoteJob) -> None:
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
        records = [self.remote.write(*each) for each in zip(batch["shard"], batch["rows"], strict=True)]
        return {name: [each[name] for each in records] for name in records[0]}
