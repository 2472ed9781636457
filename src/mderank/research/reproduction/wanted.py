"""A run that a cell needs, as the command that makes it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass


@dataclass(frozen=True)
class Wanted:
    """A method on a set: options of ``mderank evaluate``, in its own words.

    ``limit`` asks for the first documents of the set only, ``document`` for a single one.
    """

    dataset: str
    method: str
    options: tuple[str, ...] = ()
    limit: int | None = None
    document: str | None = None

    def arguments(self) -> list[str]:
        """What to write after ``mderank evaluate``."""
        limit = [] if self.limit is None else ["--limit", str(self.limit)]
        document = [] if self.document is None else ["--document", self.document]
        return ["--dataset", self.dataset, "--method", self.method, *self.options, *limit, *document]

    def command(self) -> str:
        """The whole command.

        >>> Wanted("nus", "mderank", ("--max-words", "128"), limit=20).command()
        'mderank evaluate --dataset nus --method mderank --max-words 128 --limit 20'
        """
        return shlex.join(["mderank", "evaluate", *self.arguments()])

    def option(self, name: str) -> str | None:
        """The value of one of its options; of a flag its own name."""
        if name not in self.options:
            return None
        after = self.options.index(name) + 1
        flag = after == len(self.options) or self.options[after].startswith("--")
        return name if flag else self.options[after]

    @property
    def exact(self) -> bool:
        """Whether every masked variant is encoded whole."""
        return "--exact" in self.options
