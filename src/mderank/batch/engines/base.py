"""What an engine is given to do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mderank.batch.output_folder import Done, Folder
from mderank.batch.shards import Shard
from mderank.batch.worker import Row, Work

Check = Callable[[Sequence[Row]], None]


@dataclass(frozen=True)
class Job:
    """Shards that are missing, and where they belong. ``check`` is given rows before they are written."""

    work: Work
    shards: Iterator[Shard]
    folder: Folder
    check: Check

    def claim(self, about: dict[str, Any]) -> None:
        """Make sure that the workers are what they were when the run began (`Work.describe`)."""
        self.folder.claim(extractor=about)


class Engine(Protocol):
    """Runs shards somewhere."""

    @property
    def replaced(self) -> int:
        """Worker processes that died."""
        ...

    def run(self, job: Job) -> Iterator[Done]:
        """Write the shards, and tell of each that is written."""
        ...
