"""FirstPhrases: the candidates in the order of the text. Hard to beat on texts that begin with what they are about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mderank.methods.base import BaseExtractor, CandidateScores, ScoringInput


class FirstPhrases(BaseExtractor):
    """Ranks candidates by where they first occur.

    1. Find the candidates.
    2. Score each with 1 / (1 + offset of its first character); at one offset the longest comes first, as found.
    """

    def _score(self, readings: Sequence[ScoringInput]) -> list[CandidateScores]:
        scores = []
        for reading in readings:
            first = np.asarray([each.first for each in reading.candidates], dtype=np.float64)
            scores.append(CandidateScores(1 / (1 + first), 1 / (1 + first)))
        return scores
