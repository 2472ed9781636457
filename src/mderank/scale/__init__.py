"""From a folder to a hundred million documents: one batch worker, and three ways to run it.

`extract_folder` reads files, cuts them into shards and writes these, on one machine, on Ray or on Spark; what was
stopped goes on where it was. `mderank.scale.ray` and `mderank.scale.spark` have what a job of your own can use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

_HOME_OF = {
    "ByName": "mderank.scale.work",
    "Cut": "mderank.scale.plan",
    "FailedDocumentError": "mderank.scale.run",
    "Local": "mderank.scale.local",
    "Make": "mderank.scale.work",
    "Outcome": "mderank.scale.run",
    "Work": "mderank.scale.work",
    "extract_folder": "mderank.scale.run",
}

__all__ = sorted(_HOME_OF)  # noqa: PLE0605

if TYPE_CHECKING:
    from mderank.scale.local import Local as Local
    from mderank.scale.plan import Cut as Cut
    from mderank.scale.run import FailedDocumentError as FailedDocumentError
    from mderank.scale.run import Outcome as Outcome
    from mderank.scale.run import extract_folder as extract_folder
    from mderank.scale.work import ByName as ByName
    from mderank.scale.work import Make as Make
    from mderank.scale.work import Work as Work


def __getattr__(name: str) -> Any:
    if name in _HOME_OF:
        return getattr(import_module(_HOME_OF[name]), name)
    raise AttributeError(f"module 'mderank.scale' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
