"""What is written, and what a writer is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal, TextIO

from mderank.keyphrase import Keyphrase, Keyphrases
from mderank.util.format import round_number
from mderank.writing.explanation import Explainer, Explanation

OutputFormat = Literal["table", "json", "jsonl", "csv", "html"]


@dataclass(frozen=True)
class DocumentResult:
    """A document's keyphrases. ``extracted`` says that ``text`` is not the input itself, so that output carries it."""

    id: str | int
    text: str
    keyphrases: Keyphrases
    extracted: bool = False

    def as_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Plain data for JSON; with ``explain`` every keyphrase also says why it has its score."""
        found = self.keyphrases
        explainer = Explainer(self.text) if explain else None
        return {
            "id": self.id,
            **({"text": self.text} if self.extracted else {}),
            "keyphrases": [
                {
                    **each.as_dict(),
                    "score": round_number(each.score),
                    "raw_score": round_number(each.raw_score),
                    **({} if each.confidence is None else {"confidence": round_number(each.confidence)}),
                    **(_explained(explainer.explain(each)) if explainer else {}),
                }
                for each in found
            ],
            "truncated": list(found.truncated) if found.truncated else None,
            "missing_phrases": list(found.missing_phrases),
            "error": str(found.error) if found.error else None,
        }


def _explained(why: Explanation) -> dict[str, Any]:
    return {
        "contributions": {name: round_number(value) for name, value in why.contributions.items()},
        "features": {
            name: value if isinstance(value, int) else round_number(value) for name, value in why.features.items()
        },
        "masked_similarity": None if why.masked_similarity is None else round_number(why.masked_similarity),
        "occurrences": [place.as_dict() for place in why.occurrences],
    }


def strength(keyphrase: Keyphrase) -> float:
    """What bars and colours show."""
    return keyphrase.score


def places(keyphrase: Keyphrase) -> str:
    """Its spans in one cell: ``12:24 80:92``."""
    return " ".join(f"{span.start}:{span.end}" for span in keyphrase.spans)


class Writer(ABC):
    """Writes results one by one; with ``explain`` also why each phrase has its score."""

    def __init__(self, stream: TextIO, *, color: bool = False, explain: bool = False) -> None:
        self.stream = stream
        self.color = color
        self.explain = explain

    def begin(self) -> None:  # noqa: B027
        """Before the first result."""

    @abstractmethod
    def write(self, result: DocumentResult) -> None:
        """The next result."""

    def end(self) -> None:  # noqa: B027
        """After the last result."""
