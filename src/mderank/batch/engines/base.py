"""The protocol of engines, which run the shards of a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mderank.batch.output_folder import OutputFolder, ShardRecord
from mderank.batch.shards import Shard
from mderank.batch.worker import BatchWorker, Row

Check = Callable[[Sequence[Row]], None]


@dataclass(frozen=True)
class EngineJob:
    """The missing shards of a run.

    Attributes:
        worker: what to do with each document.
        shards: the shards to write.
        folder: the output folder.
        check: called with rows before they are written; it may raise to stop the run.
    """

    worker: BatchWorker
    shards: Iterator[Shard]
    folder: OutputFolder
    check: Check

    def check_settings(self, about: dict[str, Any]) -> None:
        """Check that the workers load the same extractor as when the run began.

        Args:
            about: the value of `BatchWorker.describe`.

        Raises:
            BatchError: the extractor is a different one.
        """
        self.folder.check_settings(extractor=about)


class Engine(Protocol):
    """Runs shards on one machine or on a cluster."""

    @property
    def replaced(self) -> int:
        """Number of worker processes that died."""
        ...

    def run(self, job: EngineJob) -> Iterator[ShardRecord]:
        """Write the shards of a job.

        Args:
            job: the missing shards.

        Yields:
            Each shard when it is written.

        Raises:
            BatchError: the run cannot continue.
        """
        ...
