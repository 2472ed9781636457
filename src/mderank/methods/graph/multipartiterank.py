"""MultipartiteRank: phrases by how near they are to phrases of other topics, the first of each topic preferred.

Boudin (2018), "Unsupervised keyphrase extraction with multipartite graphs", NAACL.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Unpack

import numpy as np

from mderank.methods.base import BaseOptions
from mderank.methods.graph.pagerank import DAMPING, pagerank
from mderank.methods.graph.topic_graph import (
    LINKAGE,
    THRESHOLD,
    Linkage,
    NearnessGraph,
    Phrase,
    TopicExtractor,
    one_candidate_each,
)
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.parameters import Param, check_arguments
from mderank.util.arrays import Reals


class MultipartiteRank(TopicExtractor):
    """Ranks phrases on a graph whose edges run between topics only.

    1. Find the candidates, the longest stretches of nouns and adjectives; those with the same stems are one phrase.
    2. Put phrases with common stems into topics, as `TopicRank` does (``threshold``, ``linkage``).
    3. Join every two phrases of different topics, both ways, with the weight Σ 1 / distance in words, over all pairs
       of their occurrences.
    4. Prefer the phrase of each topic that is first in the text. The edge to it from a phrase i becomes heavier by
       ``alpha`` · exp(1 / (1 + p)) · Σ w_ki, over the other phrases k of its topic. Here p is the number of words
       before it in the text, as in the author's implementation.
    5. Score the phrases by PageRank with ``damping``.

    Of candidates with the same stems the first has the score; the others have 0, and come last.

    Args:
        threshold: Distance up to which phrases are put into one topic; 0 joins phrases with the same stems only.
        linkage: Which phrases of two topics are compared: "average", "single" (nearest) or "complete" (farthest).
        alpha: Preference for the first phrase of a topic; 0 for none.
        damping: Probability that the walk of PageRank follows an edge.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for the longest runs of nouns and adjectives.
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
        *,
        threshold: Annotated[float, THRESHOLD] = 0.74,
        linkage: Annotated[Linkage, LINKAGE] = "average",
        alpha: Annotated[float, Param(ge=0, help="Preference for the first phrase of a topic; 0: none.")] = 1.1,
        damping: Annotated[float, DAMPING] = 0.85,
        **options: Unpack[BaseOptions],
    ) -> None:
        super().__init__(**options)
        self.threshold = threshold
        self.linkage = linkage
        self.alpha = alpha
        self.damping = damping

    def _score_phrases(
        self, item: ScoringInput, phrases: Sequence[Phrase], topics: Sequence[Sequence[int]]
    ) -> CandidateScores:
        scores = self._rank_phrases(phrases, topics)
        return one_candidate_each(item, phrases, scores.tolist())

    def _rank_phrases(self, phrases: Sequence[Phrase], topics: Sequence[Sequence[int]]) -> Reals:
        """PageRank with the adjusted weights W' = W + W Bᵀ, where B_fk is what the first phrase f gets of its k."""
        topic_of = np.zeros(len(phrases), dtype=np.int64)
        for number, topic in enumerate(topics):
            topic_of[topic] = number
        firsts = np.asarray([topic[0] for topic in topics])
        boosts = np.asarray([self.alpha * np.exp(1 / (1 + phrases[first].first)) for first in firsts])  # (t,)
        others = np.ones(len(phrases))
        others[firsts] = 0
        graph = NearnessGraph([phrase.places for phrase in phrases], topic_of.tolist())

        def flow(sent: Reals) -> Reals:  # W'ᵀ x = (I + B) W x
            got = graph @ sent
            got[firsts] += boosts * np.bincount(topic_of, others * got)
            return got

        leaving = graph.leaving(1 + others * boosts[topic_of])  # W' 1 = W (1 + Bᵀ 1)
        return pagerank(flow, leaving, self.damping)
