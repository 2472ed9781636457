"""Extract the keyphrases of many documents, on one machine, on Ray or on Spark.

`extract_folder` reads files, divides them into shards and writes one output file per shard. A run that was stopped
resumes. `mderank.integrations.ray` and `mderank.integrations.spark` are for jobs of your own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOME_OF = {
    "ShardSize": "mderank.batch.shards",
    "FailedDocumentError": "mderank.batch.run",
    "FailureKind": "mderank.batch.failures",
    "Local": "mderank.batch.engines.local",
    "BatchSummary": "mderank.batch.run",
    "BatchWorker": "mderank.batch.worker",
    "extract_folder": "mderank.batch.run",
}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605

if TYPE_CHECKING:
    from mderank.batch.engines.local import Local as Local
    from mderank.batch.failures import FailureKind as FailureKind
    from mderank.batch.run import BatchSummary as BatchSummary
    from mderank.batch.run import FailedDocumentError as FailedDocumentError
    from mderank.batch.run import extract_folder as extract_folder
    from mderank.batch.shards import ShardSize as ShardSize
    from mderank.batch.worker import BatchWorker as BatchWorker


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'mderank.batch' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
