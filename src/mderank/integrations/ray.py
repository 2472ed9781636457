"""Ray Data: keyphrases of a dataset in a job of your own (`KeyphraseExtractor`).

    import ray
    from mderank.integrations.ray import KeyphraseExtractor

    papers = ray.data.read_parquet("s3://papers/")
    made = papers.map_batches(
        KeyphraseExtractor,
        fn_constructor_kwargs={"options": {"top_k": 10}, "text": "abstract"},
        batch_format="pyarrow",
        batch_size=64,
        compute=ray.data.ActorPoolStrategy(size=8),
    )
    made.write_parquet("s3://keyphrases/")

Every actor loads the model once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mderank.batch.row_files import schema
from mderank.batch.worker import BatchWorker
from mderank.integrations.columns import ADDED, added, check_columns, to_options
from mderank.options import Options


class KeyphraseExtractor:
    """For ``Dataset.map_batches`` with ``batch_format="pyarrow"``: the same rows with four further columns.

    The columns are ``keyphrases``, ``truncated``, ``missing_phrases``, ``missing_count``, ``error`` and ``language``.

    Args:
        options: options of the extraction; a mapping is read by `Options.from_dict`.
        text: the column that holds the texts.
        threads: cores per actor (``num_cpus``).
        worker: a worker that builds its extractor in another way, instead of ``options``.

    Raises:
        OptionError: if the method does not take an option, or a value does not fit.
    """

    def __init__(
        self,
        options: Options | Mapping[str, Any] = Options(),
        *,
        text: str = "text",
        threads: int = 1,
        worker: BatchWorker | None = None,
    ) -> None:
        self._text = text
        self._worker = worker or BatchWorker(to_options(options), threads=threads)
        _ = self._worker.extractor  # loaded when the actor starts, not with its first batch

    def __call__(self, batch: Any) -> Any:
        """A table with the keyphrases of its texts."""
        import pyarrow

        check_columns(batch.column_names, self._text)
        rows = list(added(self._worker, batch.column(self._text).to_pylist()))
        for name in ADDED:
            batch = batch.append_column(name, pyarrow.array([row[name] for row in rows], schema().field(name).type))
        return batch
