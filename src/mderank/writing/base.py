"""The result of a document, and the base class of writers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TextIO

from mderank.keyphrase import Keyphrase, Keyphrases, LanguageInfo
from mderank.util.format import round_number
from mderank.writing.explanation import Explainer, Explanation

OutputFormat = Literal["table", "json", "jsonl", "csv", "html", "markdown"]


@dataclass(frozen=True)
class DocumentResult:
    """The keyphrases of a document.

    Attributes:
        id: the document's id.
        text: the document's text.
        keyphrases: its keyphrases, or an error.
        extracted: True if ``text`` was taken out of another format, such as PDF, or put together from several fields
            of a record. JSON output then includes the text.
        carried: values from the document's record, which become columns of its row.
    """

    id: str | int
    text: str
    keyphrases: Keyphrases
    extracted: bool = False
    carried: Mapping[str, Any] | None = None

    def as_dict(self, *, explain: bool = False) -> dict[str, Any]:
        """Return plain data for JSON.

        Args:
            explain: add contributions, features and occurrences to each keyphrase.

        Returns:
            The document's row, as in JSON and batch output.
        """
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
                    **(_explanation_as_dict(explainer.explain(each)) if explainer else {}),
                }
                for each in found
            ],
            "truncated": list(found.truncated) if found.truncated else None,
            "missing_phrases": found.listed_missing_phrases,
            "missing_count": found.missing_count,
            "error": str(found.error) if found.error else None,
            "language": _language_as_dict(found.language),
            **(self.carried or {}),
        }


def _language_as_dict(language: LanguageInfo | None) -> dict[str, Any] | None:
    if language is None:
        return None
    certainty = None if language.certainty is None else round_number(language.certainty)
    return {**language.as_dict(), "certainty": certainty}


def describe_language(language: LanguageInfo | None) -> str:
    """Describe in one line what a document was read as, and with what.

    Args:
        language: what is known of it.

    Returns:
        Text such as "fr (0.99), fr_core_news_sm 3.8.0, minilm-l6"; empty if nothing is known.
    """
    if language is None:
        return ""
    code = language.code or "unknown language"
    certain = "" if language.certainty is None else f" ({language.certainty:.2f})"
    return ", ".join(filter(None, (f"{code}{certain}", language.tagger, language.encoder or "")))


def _explanation_as_dict(why: Explanation) -> dict[str, Any]:
    return {
        "contributions": {name: round_number(value) for name, value in why.contributions.items()},
        "features": {
            name: value if isinstance(value, int) else round_number(value) for name, value in why.features.items()
        },
        "masked_similarity": None if why.masked_similarity is None else round_number(why.masked_similarity),
        "occurrences": [each.as_dict() for each in why.occurrences],
    }


def format_spans(keyphrase: Keyphrase) -> str:
    """Write the spans of a keyphrase in one cell.

    Args:
        keyphrase: the keyphrase.

    Returns:
        Text such as ``12:24 80:92``.
    """
    return " ".join(f"{span.start}:{span.end}" for span in keyphrase.spans)


def format_concept(keyphrase: Keyphrase) -> str:
    """Name the concept of a keyphrase beside its text.

    Args:
        keyphrase: The keyphrase.

    Returns:
        The preferred label where it differs from the text, and the id where it differs from the label; "" without a
        concept.
    """
    concept = keyphrase.concept
    if concept is None:
        return ""
    label = "" if concept.label.casefold() == keyphrase.text.casefold() else f"= {concept.label}"
    return "  ".join(filter(None, (label, "" if concept.id == concept.label else f"({concept.id})")))


class Writer(ABC):
    """Writes results one by one, as they arrive.

    Args:
        stream: text stream to write to.
        color: use colours of the terminal.
        explain: add the explanation of each score.
        carried: columns of a table that carry fields of the input (`mderank.row_columns.carried_columns`).
    """

    def __init__(
        self, stream: TextIO, *, color: bool = False, explain: bool = False, carried: Sequence[str] = ()
    ) -> None:
        self.stream = stream
        self.color = color
        self.explain = explain
        self.carried = carried

    def begin(self) -> None:  # noqa: B027
        """Write what precedes the first result."""

    @abstractmethod
    def write(self, result: DocumentResult) -> None:
        """Write a result.

        Args:
            result: the keyphrases of the next document.
        """

    def end(self) -> None:  # noqa: B027
        """Write what follows the last result."""
