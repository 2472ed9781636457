"""The input of a method's scoring, and the scores that it returns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from mderank.document import Document, GuidedText, Span
from mderank.encoding import TokenizedText
from mderank.keyphrase import Candidate
from mderank.util.arrays import Floats, Numbers


@dataclass(frozen=True)
class ScoringInput:
    """A document with its candidates, as a method scores them.

    Attributes:
        document: The tagged text, as far as it is read.
        candidates: The phrases to score.
        missing_phrases: Phrases of the user's own list that do not occur.
        truncated: The span at the end of the text that is not read.
        tokenized: The tokens of the text, for methods with an encoder.
        guide: The text with its own seeds; None where the extractor's are used.
        text: The text as it was given, with its markup.
    """

    document: Document
    candidates: list[Candidate]
    missing_phrases: Sequence[str]
    truncated: Span | None
    tokenized: TokenizedText | None = None
    guide: GuidedText | None = None
    text: str | None = None


@dataclass(frozen=True)
class CandidateScores:
    """The scores that a method gives the candidates of one document.

    Attributes:
        scores: Scores ``(m,)``; higher is better.
        raw_scores: Numbers ``(m,)`` that the scores were computed from.
        vectors: Vectors ``(m, d)`` that tell which candidates are alike, for diversity.
        ranked: Whether each candidate ``(m,)`` is ranked; the others come last.
        contributions: Weighted terms ``(m,)`` that sum to the scores, by name, for methods that sum terms.
        features: Measured values ``(m,)`` before weighting, by name. Methods that mask give ``mask_effect``,
            1 − cos(E(d), E(d_M)), whatever the scores are computed from.
        confidences: Chances ``(m,)`` that a reader accepts the phrase, for methods that estimate them.
    """

    scores: Floats
    raw_scores: Floats
    vectors: Floats | None = None
    ranked: Sequence[bool] | None = None
    contributions: Mapping[str, Floats] = field(default_factory=dict)
    features: Mapping[str, Numbers] = field(default_factory=dict)
    confidences: Floats | None = None
