"""What is written, and what a writer is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, TextIO

from mderank.keyphrase import Keyphrase, Keyphrases

OutputFormat = Literal["table", "json", "jsonl", "csv", "html"]


@dataclass(frozen=True)
class Result:
    """A document's keyphrases. ``extracted`` says that ``text`` is not the input itself, so that output carries it."""

    id: str | int
    text: str
    keyphrases: Keyphrases
    extracted: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        found = self.keyphrases
        return {
            "id": self.id,
            **({"text": self.text} if self.extracted else {}),
            "keyphrases": [
                {**each.as_dict(), "score": shown(each.score), "similarity": shown(each.similarity)} for each in found
            ],
            "unseen": list(found.unseen) if found.unseen else None,
            "missing": list(found.missing),
            "error": str(found.error) if found.error else None,
        }


def shown(score: float) -> float:
    """A score as it is written: six significant digits."""
    return float(f"{score:.6g}")


def places(keyphrase: Keyphrase) -> str:
    """Its spans in one cell: ``12:24 80:92``."""
    return " ".join(f"{span.start}:{span.end}" for span in keyphrase.spans)


class Writer(ABC):
    """Writes results one by one."""

    def __init__(self, stream: TextIO, *, color: bool = False) -> None:
        self.stream = stream
        self.color = color

    def begin(self) -> None:  # noqa: B027
        """Before the first result."""

    @abstractmethod
    def write(self, result: Result) -> None:
        """The next result."""

    def end(self) -> None:  # noqa: B027
        """After the last result."""
