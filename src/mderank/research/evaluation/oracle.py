"""The oracle: the upper bound of every ranking of the candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np

from mderank.methods.base import BaseExtractor, BaseOptions
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.text import stem_phrase


class Oracle(BaseExtractor):
    """Ranks the candidates first that are gold keyphrases.

    1. Find the candidates.
    2. Score 1 for candidates whose stem is that of a gold keyphrase of the text, 0 for the others.

    Args:
        gold: The gold keyphrases of each text.
        **options: As for every method.

    """

    def __init__(self, gold: Mapping[str, Sequence[str]], **options: Unpack[BaseOptions]) -> None:
        super().__init__(**options)
        self._gold = {text: frozenset(map(stem_phrase, phrases)) for text, phrases in gold.items()}

    def _score(self, readings: Sequence[ScoringInput]) -> list[CandidateScores]:
        scores = []
        for reading in readings:
            # With max_words only the first words were read. They identify the text.
            gold = self._gold.get(reading.document.text) or self._find_by_first_words(reading.document.text)
            right = [float(stem_phrase(each.key) in gold) for each in reading.candidates]
            scores.append(CandidateScores(np.asarray(right), np.asarray(right)))
        return scores

    def _find_by_first_words(self, text: str) -> frozenset[str]:
        return next((gold for whole, gold in self._gold.items() if whole.startswith(text)), frozenset())
