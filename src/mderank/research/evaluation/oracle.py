"""The oracle: the upper bound of every ranking of the candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

import numpy as np

from mderank.methods.base import BaseExtractor, BaseOptions
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.research.evaluation.protocols import match_key


class Oracle(BaseExtractor):
    """Ranks the candidates first that are gold keyphrases.

    1. Find the candidates.
    2. Score 1 for candidates whose stem is that of a gold keyphrase of the text, 0 for the others.

    Args:
        gold: The gold keyphrases of each text.
        languages: The language code of each text that is not English.
        **options: As for every method.

    """

    def __init__(
        self,
        gold: Mapping[str, Sequence[str]],
        languages: Mapping[str, str] | None = None,
        **options: Unpack[BaseOptions],
    ) -> None:
        super().__init__(**options)
        self._gold: dict[str, tuple[frozenset[str], str]] = {}
        for text, phrases in gold.items():
            language = (languages or {}).get(text, "en")
            self._gold[text] = frozenset(match_key(phrase, language) for phrase in phrases), language

    def _score(self, readings: Sequence[ScoringInput]) -> list[CandidateScores]:
        scores = []
        for reading in readings:
            # With max_words only the first words were read. They identify the text.
            gold, language = self._gold.get(reading.document.text) or self._find_by_first_words(reading.document.text)
            right = [float(match_key(each.key, language) in gold) for each in reading.candidates]
            scores.append(CandidateScores(np.asarray(right), np.asarray(right)))
        return scores

    def _find_by_first_words(self, text: str) -> tuple[frozenset[str], str]:
        return next((found for whole, found in self._gold.items() if whole.startswith(text)), (frozenset(), "en"))
