"""Trivial methods, the floor of a comparison: the text's first candidates (`FirstPhrases`), random ones (`Random`)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Unpack

import numpy as np

from mderank.methods.base import BaseExtractor, BaseOptions
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.parameters import check_arguments


class FirstPhrases(BaseExtractor):
    """Ranks candidates by where they first occur.

    1. Find the candidates.
    2. Score each with 1 / (1 + offset of its first character); at one offset the longest comes first, as found.

    Args:
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

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        scores = []
        for item in inputs:
            first = np.asarray([each.first for each in item.candidates], dtype=np.float64)
            scores.append(CandidateScores(1 / (1 + first), 1 / (1 + first)))
        return scores


class Random(BaseExtractor):
    """Ranks candidates by a number drawn for each.

    1. Find the candidates.
    2. Score each with a number in [0, 1) made from the seed, the text and the phrase. The number does not depend on the
       batch or the machine.

    Args:
        seed: Random seed.
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
    def __init__(self, seed: int = 0, **options: Unpack[BaseOptions]) -> None:
        super().__init__(**options)
        self.seed = seed

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        scores = []
        for item in inputs:
            # The text is read once, whatever the number of candidates.
            started = hashlib.blake2b(f"{self.seed}\0{item.document.text}\0".encode("utf-8", "replace"), digest_size=8)
            drawn = np.asarray([_draw(started.copy(), each.key) for each in item.candidates])
            scores.append(CandidateScores(drawn, drawn))
        return scores


def _draw(started: hashlib.blake2b, phrase: str) -> float:
    """Return the number of a phrase from the digest of what stands before it."""
    started.update(phrase.encode("utf-8", "replace"))
    return int.from_bytes(started.digest(), "big") / 2**64
