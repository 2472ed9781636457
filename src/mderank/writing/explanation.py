"""Explanations of keyphrases: the terms of a score, what they were measured from, and every occurrence in context."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from mderank.document import Span
from mderank.keyphrase import Keyphrase
from mderank.text import replace_surrogates
from mderank.util.format import format_number

_AROUND = 40  # characters of the text that are shown on each side of a phrase
_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")

# Descriptions of features (`Keyphrase.features`).
MEANINGS = {
    "similarity": "similarity of phrase and document",
    "mask_effect": "1 − cosine of the document and itself without the phrase",
    "norm": "norm of the phrase's mean hidden state",
    "frequency": "occurrences in the text",
    "position": "words before the first occurrence",
    "length": "words",
    "unithood": "how much of a unit the phrase is: 0 for one that stands alone, less for a fragment",
    "seeds": "similarity of the phrase and the nearest seed",
    # Those that only styles weigh.
    "context_similarity": "cosine of the phrase's mean hidden state and the document",
    "context_agreement": "cosine of the phrase's mean hidden state and the phrase alone",
    "centrality": "cosine of the phrase and the mean of all candidates",
    "words": "words",
    "single_word": "1 for a single word",
    "long_phrase": "1 for four words and more",
    "capital": "1 if it begins with a capital",
    "capitals": "1 if it is all capitals",
    "digit": "1 if it has a digit",
    "hyphen": "1 if it has a hyphen",
    "single_word_frequency": "of a single word: half the logarithm of its occurrences",
    "single_word_unithood": "of a single word: how much of a unit it is",
    "known_label": "logarithm of 1 + documents of which it was a label",
}
RAW_SCORE = "number that the score was computed from"
CONFIDENCE = "chance that a reader accepts it"
MASKED = "cosine of the document and itself without the phrase"
RELATED = "phrases that contain it or are part of it, and are not in the list"


@dataclass(frozen=True)
class OccurrenceContext:
    """One occurrence of a phrase, with the text around it.

    Attributes:
        span: Its characters.
        line: Line number, from 1.
        column: Column of its first character, from 1.
        before: The text before it, in one line.
        phrase: The phrase, in one line.
        after: The text after it, in one line.
    """

    span: Span
    line: int
    column: int
    before: str
    phrase: str
    after: str

    def as_dict(self) -> dict[str, Any]:
        """Return plain data for JSON.

        Returns:
            The character offsets, the line and column, and the words before and after the occurrence.
        """
        return {
            "start": self.span.start,
            "end": self.span.end,
            "line": self.line,
            "column": self.column,
            "before": self.before,
            "after": self.after,
        }


@dataclass(frozen=True)
class Explanation:
    """Why a keyphrase has its score.

    Attributes:
        contributions: Weighted terms that sum to the score, for methods that sum terms.
        features: Measured values.
        masked_similarity: Cosine of the document and itself without the phrase; None for methods that do not mask.
        occurrences: Every occurrence in context.
    """

    contributions: Mapping[str, float]
    features: Mapping[str, float]
    masked_similarity: float | None
    occurrences: tuple[OccurrenceContext, ...]

    def format_masked_similarity(self) -> str:
        """Format the masked similarity for people.

        In a long text one phrase changes the document so little that six digits would not show it. The text is then "1
        − 2e-7".

        Returns:
            The text.
        """
        effect = self.features["mask_effect"]
        return format_number(1 - effect) if effect >= 1e-5 else f"1 − {effect:.3g}"


class Explainer:
    r"""Explains the keyphrases of one text.

    >>> context = Explainer("An owl flew.\nNo barn owl sees\nthe barn.").find_context(Span(16, 24))
    >>> context.line, context.column, context.before, context.phrase, context.after
    (2, 4, 'An owl flew. No ', 'barn owl', ' sees the barn.')

    Args:
        text: The text that the keyphrases were extracted from.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_starts = [0, *(match.end() for match in _LINE_END.finditer(text))]

    def explain(self, keyphrase: Keyphrase) -> Explanation:
        """Explain a keyphrase.

        Args:
            keyphrase: A keyphrase of the text.

        Returns:
            Its contributions, features and occurrences.
        """
        effect = keyphrase.features.get("mask_effect")
        return Explanation(
            keyphrase.contributions,
            keyphrase.features,
            None if effect is None else 1 - effect,
            tuple(map(self.find_context, keyphrase.spans)),
        )

    def find_context(self, span: Span) -> OccurrenceContext:
        """Find the line of a span and the whole words around it.

        Args:
            span: Character offsets in the text.

        Returns:
            The occurrence with its line, column and context.
        """
        line = bisect_right(self._line_starts, span.start)
        start, end = max(0, span.start - _AROUND), min(len(self._text), span.end + _AROUND)
        before, after = one_line(self._text[start : span.start]), one_line(self._text[span.end : end])
        if start > 0 and not self._text[start - 1].isspace() and " " in before:
            before = before.partition(" ")[2]
        if end < len(self._text) and not self._text[end].isspace() and " " in after:
            after = after.rpartition(" ")[0]
        return OccurrenceContext(
            span,
            line,
            span.start - self._line_starts[line - 1] + 1,
            ("… " if start > 0 else "") + before.lstrip(),
            one_line(self._text[span.start : span.end]),
            after.rstrip() + (" …" if end < len(self._text) else ""),
        )


def one_line(text: str) -> str:
    r"""Collapse white space and replace control characters, which could move a terminal's cursor.

    >>> one_line("storm\n  surge")
    'storm surge'

    Args:
        text: Any text.

    Returns:
        The text in one line, which UTF-8 can encode.
    """
    return _CONTROL.sub("\ufffd", re.sub(r"\s+", " ", replace_surrogates(text)))
