"""The Spark engine of ``extract_folder``: a task for every shard."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING

from mderank.batch.engines.base import Job
from mderank.batch.engines.local import BATCH_DOCUMENTS
from mderank.batch.engines.remote import Remote, Told, done_of
from mderank.batch.output_folder import Done
from mderank.errors import BatchError, MissingExtraError
from mderank.util.environment import split_cores

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import SparkSession

_TOLD = "shard long, documents long, failed long, size long, sha256 string, error binary"

# Shards of one Spark job, for each slot of the cluster, and jobs at a time: while one ends, the next has begun.
_SHARDS_A_SLOT = 4
_JOBS = 3


class Spark:
    """An engine for ``extract_folder``: the session that is there, or one for ``master`` (default: this machine).

    Every machine of the cluster must see the input and the output folder under the same names, and have mderank
    installed as the driver has.
    """

    replaced = 0

    def __init__(
        self,
        master: str | None = None,
        *,
        processes: int | None = None,
        threads: int | None = None,
        batch_documents: int = BATCH_DOCUMENTS,
        timeout: float | None = None,
    ) -> None:
        if find_spec("pyspark") is None:
            raise MissingExtraError("--engine spark", "spark")
        self.master = master
        self.processes, self.threads = processes, threads
        self.batch_documents = batch_documents
        self.timeout = timeout

    def run(self, job: Job) -> Iterator[Done]:
        """Shards in groups, each of which is one Spark job with a task for every shard."""
        spark, ours = self._session()
        try:
            threads = self.threads or cores_per_task(spark)
            remote = Remote.of(job, replace(job.work, threads=threads), self.batch_documents, self.timeout)
            slots = max(1, int(spark.sparkContext.defaultParallelism) // cores_per_task(spark))
            yield from _in_groups(spark, remote, job, _SHARDS_A_SLOT * slots)
        finally:
            if ours:
                spark.stop()

    def _session(self) -> tuple[SparkSession, bool]:
        from pyspark.sql import SparkSession

        there = SparkSession.getActiveSession()
        if there is not None and self.master is None:
            return there, False
        processes, threads = split_cores(self.processes, self.threads)
        builder = SparkSession.builder.appName("mderank batch").master(self.master or f"local[{processes * threads}]")
        for name, value in {**_SETTINGS, "spark.task.cpus": str(threads)}.items():
            builder = builder.config(name, value)
        if self.master is None:
            builder = builder.config("spark.driver.host", "127.0.0.1").config("spark.driver.bindAddress", "127.0.0.1")
        try:
            session = builder.getOrCreate()
        except Exception as error:  # what comes out of Java has no base of its own
            first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise BatchError(
                f"Spark does not start ({first}): it needs Java 17 (java -version) and its master"
            ) from error
        session.sparkContext.setLogLevel("ERROR")
        return session, True


_SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.python.worker.reuse": "true",  # else the model would be loaded for every task
    "spark.speculation": "false",  # a shard done twice would be the same, and the work lost
}


def cores_per_task(spark: SparkSession) -> int:
    """The number of cores that Spark gives a task."""
    return int(spark.conf.get("spark.task.cpus", "1") or 1)


def _in_groups(spark: SparkSession, remote: Remote, job: Job, size: int) -> Iterator[Done]:
    running: deque[Future[list[Told]]] = deque()
    with ThreadPoolExecutor(_JOBS) as pool:
        try:
            while True:
                while len(running) < _JOBS and (group := [shard.as_json() for shard in islice(job.shards, size)]):
                    running.append(pool.submit(_run_group, spark, remote, group))
                if not running:
                    return
                yield from map(done_of, running.popleft().result())
        finally:
            for each in running:
                each.cancel()
            if running:
                spark.sparkContext.cancelAllJobs()


def _run_group(spark: SparkSession, remote: Remote, shards: list[str]) -> list[Told]:
    """One job: as many tasks as there are shards."""

    def perform(frames: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        import pandas

        for frame in frames:
            for number in frame["id"]:
                yield pandas.DataFrame([remote.perform(shards[number])])

    numbers = spark.range(0, len(shards), 1, len(shards))
    return [row.asDict() for row in numbers.mapInPandas(perform, _TOLD).collect()]
