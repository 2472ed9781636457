"""The Spark engine: one task per shard."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TYPE_CHECKING

from mderank.batch.engines.base import EngineJob
from mderank.batch.engines.remote import ClusterEngine, RemoteJob, Report, to_shard_record
from mderank.batch.output_folder import ShardRecord
from mderank.errors import BatchError
from mderank.util.environment import split_cores

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import SparkSession

_REPORT_COLUMNS = "done string, error binary"

# Shards of a Spark job per slot of the cluster, and concurrent jobs: the next begins before one ends.
_SHARDS_PER_SLOT = 4
_JOBS = 3


class Spark(ClusterEngine):
    """The engine for Spark: one task per shard. ``address`` is a Spark master; None uses the active session."""

    name, package = "spark", "pyspark"

    def run(self, job: EngineJob) -> Iterator[ShardRecord]:
        """Write the shards of a job (`Engine.run`) in groups. A group is one Spark job, with one task per shard."""
        spark, ours = self._session()
        try:
            threads = self.threads or cores_per_task(spark)
            remote = self.create_remote_job(job, threads)
            slots = max(1, int(spark.sparkContext.defaultParallelism) // cores_per_task(spark))
            yield from _run_in_groups(spark, remote, job, _SHARDS_PER_SLOT * slots)
        finally:
            if ours:
                spark.stop()

    def _session(self) -> tuple[SparkSession, bool]:
        from pyspark.sql import SparkSession

        there = SparkSession.getActiveSession()
        if there is not None and self.address is None:
            return there, False
        processes, threads = split_cores(self.processes, self.threads)
        builder = SparkSession.builder.appName("mderank batch").master(self.address or f"local[{processes * threads}]")
        for name, value in {**_SETTINGS, "spark.task.cpus": str(threads)}.items():
            builder = builder.config(name, value)
        if self.address is None:
            builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
        try:
            session = builder.getOrCreate()
        except Exception as error:  # errors from Java have no common base class
            first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise BatchError(
                f"Spark does not start ({first}): it needs Java 17 (java -version) and its master"
            ) from error
        session.sparkContext.setLogLevel("ERROR")
        return session, True


_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.python.worker.reuse": "true",  # otherwise every task would load the model
    "spark.speculation": "false",  # running a shard twice gives the same result
}


def cores_per_task(spark: SparkSession) -> int:
    """Return the number of cores that Spark gives a task.

    Args:
        spark: the session.
    """
    return int(spark.conf.get("spark.task.cpus", "1") or 1)


def _run_in_groups(spark: SparkSession, remote: RemoteJob, job: EngineJob, size: int) -> Iterator[ShardRecord]:
    running: deque[Future[list[Report]]] = deque()
    with ThreadPoolExecutor(_JOBS) as pool:
        try:
            while True:
                while len(running) < _JOBS and (group := [shard.as_json() for shard in islice(job.shards, size)]):
                    running.append(pool.submit(_run_group, spark, remote, group))
                if not running:
                    return
                yield from map(to_shard_record, running.popleft().result())
        finally:
            for each in running:
                each.cancel()
            if running:
                spark.sparkContext.cancelAllJobs()


def _run_group(spark: SparkSession, remote: RemoteJob, shards: list[str]) -> list[Report]:
    """Run one Spark job with one task per shard."""

    def perform(frames: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        import pandas

        for frame in frames:
            for number in frame["id"]:
                yield pandas.DataFrame([remote.perform(shards[number])])

    numbers = spark.range(0, len(shards), 1, len(shards))
    return [row.asDict() for row in numbers.mapInPandas(perform, _REPORT_COLUMNS).collect()]
