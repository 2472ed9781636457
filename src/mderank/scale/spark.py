"""Spark: shards as tasks (`Spark`), and keyphrases of a DataFrame in a job of your own (`with_keyphrases`).

    from mderank.scale.spark import with_keyphrases

    papers = spark.read.parquet("s3a://papers/")
    with_keyphrases(papers, text="abstract", top_k=10).write.parquet("s3a://keyphrases/")

The model is loaded once in every Python process of an executor, of which Spark keeps one for each core.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from importlib.util import find_spec
from itertools import islice
from typing import TYPE_CHECKING, Any

from mderank.errors import BatchError, MissingExtraError
from mderank.scale.columns import ADDED, CHUNK, added, check_columns
from mderank.scale.cores import share
from mderank.scale.folder import Done
from mderank.scale.job import Job
from mderank.scale.local import BATCH_DOCUMENTS
from mderank.scale.remote import Remote, Told, done_of
from mderank.scale.work import ByName, Work

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import DataFrame, SparkSession

_SPAN = "struct<start: int, end: int>"
COLUMNS = (
    f"keyphrases array<struct<text: string, score: double, similarity: double, confidence: double, "
    f"spans: array<{_SPAN}>, forms: array<string>, related: array<string>>>, unseen {_SPAN}, missing array<string>, "
    "error string"
)
_TOLD = "shard long, documents long, failed long, size long, sha256 string, error binary"

# Shards of one Spark job, for each slot of the cluster, and jobs at a time: while one ends, the next has begun.
_SHARDS_A_SLOT = 4
_JOBS = 3


def with_keyphrases(
    frame: DataFrame,
    method: str = "fusion",
    *,
    text: str = "text",
    top_k: int | None = 10,
    work: Work | None = None,
    **options: Any,
) -> DataFrame:
    """The same rows with four further columns: ``keyphrases``, ``unseen``, ``missing``, ``error``.

    ``method`` and ``options`` are those of ``mderank.methods.registry``; ``work`` says all of it at once. Lazy, as
    everything is in Spark. Set ``spark.sql.execution.arrow.maxRecordsPerBatch`` to a few hundred, since its 10,000
    whole papers would be a gigabyte. A native crash takes a task with it, as it does in any Spark job; `mderank
    batch --engine spark` survives that.
    """
    check_columns(frame.columns, text)
    made = work or Work(ByName(method, options), top_k, threads=_cores_a_task(frame.sparkSession))
    names = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema.fields)
    return frame.mapInPandas(in_pandas(made, text=text), f"{names}, {COLUMNS}")


def in_pandas(work: Work, *, text: str = "text") -> Callable[[Iterator[pandas.DataFrame]], Iterator[pandas.DataFrame]]:
    """The function for ``DataFrame.mapInPandas``; its result has the columns of what comes in, and `COLUMNS`."""

    def extract(frames: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        for frame in frames:
            for start in range(0, len(frame), CHUNK):  # smaller pieces go out as they are done
                part = frame.iloc[start : start + CHUNK]
                rows = list(added(work, part[text]))
                yield part.assign(**{name: [row[name] for row in rows] for name in ADDED})

    return extract


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
            threads = self.threads or _cores_a_task(spark)
            remote = Remote.of(job, replace(job.work, threads=threads), self.batch_documents, self.timeout)
            slots = max(1, int(spark.sparkContext.defaultParallelism) // _cores_a_task(spark))
            yield from _in_groups(spark, remote, job, _SHARDS_A_SLOT * slots)
        finally:
            if ours:
                spark.stop()

    def _session(self) -> tuple[SparkSession, bool]:
        from pyspark.sql import SparkSession

        there = SparkSession.getActiveSession()
        if there is not None and self.master is None:
            return there, False
        processes, threads = share(self.processes, self.threads)
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


def _cores_a_task(spark: SparkSession) -> int:
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
