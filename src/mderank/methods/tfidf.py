"""TF-IDF: what is frequent here and rare elsewhere.

Spärck Jones (1972), "A statistical interpretation of term specificity and its application in retrieval", Journal of
Documentation 28(1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import log2
from typing import Annotated, Unpack

import numpy as np

from mderank.methods.base import BaseExtractor, BaseOptions
from mderank.methods.frequencies import DocumentFrequencies
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.parameters import Param, check_arguments
from mderank.text import stem_phrase


class TfIdf(BaseExtractor):
    """Ranks candidates by how often they occur, weighed by how rare they are in a corpus.

    1. Find the candidates.
    2. Count how often each was found, stem variants together: tf. With ``nested`` its occurrences inside longer
       candidates count too.
    3. Score tf · log2(N / df), with N the number of documents of the corpus. df is the number of those that have the
       phrase as a candidate, or as part of one. This text counts in both. Without a corpus all phrases are equally
       rare.

    Args:
        frequencies: Document frequencies of a corpus; None makes all phrases equally rare.
        nested: Whether occurrences inside longer candidates count.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for noun phrases.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.

    Raises:
        OptionError: If an option has the wrong type or is out of range.
    """

    @check_arguments
    def __init__(
        self,
        frequencies: DocumentFrequencies | None = None,
        *,
        nested: Annotated[bool, Param(help="Count occurrences inside longer candidates too.")] = False,
        **options: Unpack[BaseOptions],
    ) -> None:
        super().__init__(**options)
        self.frequencies = frequencies or DocumentFrequencies(0, {})
        self.nested = nested

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        scores = []
        for item in inputs:
            language = item.document.language
            stems = [stem_phrase(each.key, language) for each in item.candidates]
            frequency: Counter[str] = Counter()
            for stem, each in zip(stems, item.candidates, strict=True):
                frequency[stem] += len(each.occurrences) if self.nested else each.match_count
            values = np.asarray([frequency[stem] * self._rarity(stem) for stem in stems], dtype=np.float64)
            scores.append(CandidateScores(values, values))
        return scores

    def _rarity(self, stem: str) -> float:
        if not self.frequencies.documents:
            return 1.0
        return log2((1 + self.frequencies.documents) / (1 + self.frequencies.counts.get(stem, 0)))
