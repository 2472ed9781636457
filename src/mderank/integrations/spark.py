"""Spark: keyphrases of a DataFrame in a job of your own (`with_keyphrases`).

    from mderank import Options
    from mderank.integrations.spark import with_keyphrases

    papers = spark.read.parquet("s3a://papers/")
    with_keyphrases(papers, Options(top_k=10), text="abstract").write.parquet("s3a://keyphrases/")

The model is loaded once in every Python process of an executor, of which Spark keeps one for each core.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from mderank.batch.engines.spark import cores_per_task
from mderank.batch.worker import BatchWorker
from mderank.integrations.columns import ADDED, CHUNK, added, check_columns, to_options
from mderank.options import Options

if TYPE_CHECKING:
    import pandas
    from pyspark.sql import DataFrame

_SPAN = "struct<start: int, end: int>"
COLUMNS = (
    f"keyphrases array<struct<text: string, key: string, score: double, raw_score: double, "
    f"confidence: double, spans: array<{_SPAN}>, forms: array<string>, related: array<string>, "
    "concept: struct<id: string, label: string>>>, "
    f"truncated {_SPAN}, missing_phrases array<string>, missing_count bigint, error string, "
    "language struct<code: string, certainty: double, tagger: string, encoder: string, warnings: array<string>>"
)


def with_keyphrases(
    frame: DataFrame,
    options: Options | Mapping[str, Any] = Options(),
    *,
    text: str = "text",
    worker: BatchWorker | None = None,
) -> DataFrame:
    """Add the columns ``keyphrases``, ``truncated``, ``missing_phrases``, ``missing_count``, ``error``, ``language``.

    It is lazy, as everything is in Spark. Set ``spark.sql.execution.arrow.maxRecordsPerBatch`` to a few hundred,
    because 10,000 whole papers, its default, would be a gigabyte. A native crash ends a task, as in any Spark job;
    `mderank batch --engine spark` survives that.

    Args:
        frame: the rows.
        options: options of the extraction; a mapping is read by `Options.from_dict`.
        text: the column that holds the texts.
        worker: a worker that builds its extractor in another way, instead of ``options``.

    Returns:
        The same rows with six further columns.

    Raises:
        OptionError: if the column is missing, one of the six exists already, or an option does not fit.
    """
    check_columns(frame.columns, text)
    made = worker or BatchWorker(to_options(options), threads=cores_per_task(frame.sparkSession))
    names = ", ".join(f"`{field.name}` {field.dataType.simpleString()}" for field in frame.schema.fields)
    return frame.mapInPandas(in_pandas(made, text=text), f"{names}, {COLUMNS}")


def in_pandas(
    worker: BatchWorker, *, text: str = "text"
) -> Callable[[Iterator[pandas.DataFrame]], Iterator[pandas.DataFrame]]:
    """The function for ``DataFrame.mapInPandas``; its result has the columns of what comes in, and `COLUMNS`."""

    def extract(frames: Iterator[pandas.DataFrame]) -> Iterator[pandas.DataFrame]:
        for frame in frames:
            for start in range(0, len(frame), CHUNK):  # smaller chunks are returned as they are done
                part = frame.iloc[start : start + CHUNK]
                rows = list(added(worker, part[text]))
                yield part.assign(**{name: [row[name] for row in rows] for name in ADDED})

    return extract
