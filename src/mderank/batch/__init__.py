"""From a folder to a hundred million documents: one batch worker, and three ways to run it.

`extract_folder` reads files, cuts them into shards and writes these, on one machine, on Ray or on Spark; what was
stopped goes on where it was. `mderank.integrations.ray` and `mderank.integrations.spark` are for jobs of your own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOME_OF = {
    "ByName": "mderank.batch.worker",
    "Cut": "mderank.batch.shards",
    "FailedDocumentError": "mderank.batch.run",
    "Local": "mderank.batch.engines.local",
    "Make": "mderank.batch.worker",
    "Outcome": "mderank.batch.run",
    "Work": "mderank.batch.worker",
    "extract_folder": "mderank.batch.run",
}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605

if TYPE_CHECKING:
    from mderank.batch.engines.local import Local as Local
    from mderank.batch.run import FailedDocumentError as FailedDocumentError
    from mderank.batch.run import Outcome as Outcome
    from mderank.batch.run import extract_folder as extract_folder
    from mderank.batch.shards import Cut as Cut
    from mderank.batch.worker import ByName as ByName
    from mderank.batch.worker import Make as Make
    from mderank.batch.worker import Work as Work


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'mderank.batch' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
