"""Ray Data: keyphrases of a dataset in a job of your own (`Keyphrases`).

    import ray
    from mderank.integrations.ray import Keyphrases

    papers = ray.data.read_parquet("s3://papers/")
    made = papers.map_batches(
        Keyphrases,
        fn_constructor_kwargs={"text": "abstract", "top_k": 10},
        batch_format="pyarrow",
        batch_size=64,
        compute=ray.data.ActorPoolStrategy(size=8),
    )
    made.write_parquet("s3://keyphrases/")

Every actor loads the model once.
"""

from __future__ import annotations

from typing import Any

from mderank.batch.row_files import schema
from mderank.batch.worker import BatchWorker, ByName
from mderank.integrations.columns import ADDED, added, check_columns


class Keyphrases:
    """For ``Dataset.map_batches`` with ``batch_format="pyarrow"``: the same rows with four further columns.

    They are ``keyphrases``, ``truncated``, ``missing_phrases`` and ``error``. ``method`` and ``options`` are those of
    ``mderank.methods.registry``; ``worker`` says all of it at once. ``threads`` is how many cores an actor has
    (``num_cpus``).
    """

    def __init__(
        self,
        method: str = "fusion",
        *,
        text: str = "text",
        top_k: int | None = 10,
        threads: int = 1,
        worker: BatchWorker | None = None,
        **options: Any,
    ) -> None:
        self._text = text
        self._worker = worker or BatchWorker(ByName(method, options), top_k, threads=threads)
        _ = self._worker.extractor  # loaded when the actor starts, not with its first batch

    def __call__(self, batch: Any) -> Any:
        """A table with the keyphrases of its texts."""
        import pyarrow

        check_columns(batch.column_names, self._text)
        rows = list(added(self._worker, batch.column(self._text).to_pylist()))
        for name in ADDED:
            batch = batch.append_column(name, pyarrow.array([row[name] for row in rows], schema().field(name).type))
        return batch
