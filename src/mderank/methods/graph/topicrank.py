"""TopicRank: one phrase of each topic, by how near the topic is to the others in the text.

Bougouin, Boudin and Daille (2013), "TopicRank: graph-based topic ranking for keyphrase extraction", IJCNLP.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Unpack

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

Representative = Literal["first", "frequent", "central"]


class TopicRank(TopicExtractor):
    """Ranks topics of phrases, and gives one phrase of each.

    1. Find the candidates, the longest stretches of nouns and adjectives; those with the same stems are one phrase.
    2. Put phrases with common stems into topics by hierarchical clustering (``linkage``), up to a distance of
       ``threshold``. The distance is 1 − stems in common / stems of both. The default 0.74 asks for more than a quarter
       in common.
    3. Join every two topics with the weight Σ 1 / distance in words, over all pairs of their occurrences.
    4. Score the topics by PageRank with ``damping``.
    5. Give each topic's score to its ``representative``: its first phrase in the text, its most frequent one, or the
       most central one. The central phrase has most stems in common with the others; of equal ones the first is taken.

    All other candidates score 0, and so come last, in the order of the text: ``min_score=1e-9`` leaves them out.

    Args:
        threshold: Distance up to which phrases are put into one topic; 0 joins phrases with the same stems only.
        linkage: Which phrases of two topics are compared: "average", "single" (nearest) or "complete" (farthest).
        representative: The phrase that stands for its topic: "first", "frequent" or "central".
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
        representative: Annotated[Representative, Param(help="The phrase that stands for its topic.")] = "first",
        damping: Annotated[float, DAMPING] = 0.85,
        **options: Unpack[BaseOptions],
    ) -> None:
        super().__init__(**options)
        self.threshold = threshold
        self.linkage = linkage
        self.representative: Representative = representative
        self.damping = damping

    def _score_phrases(
        self, item: ScoringInput, phrases: Sequence[Phrase], topics: Sequence[Sequence[int]]
    ) -> CandidateScores:
        places = [[place for each in topic for place in phrases[each].places] for topic in topics]
        graph = NearnessGraph(places, range(len(topics)))
        scores = pagerank(graph.__matmul__, graph.leaving(np.ones(len(topics))), self.damping)
        chosen = [self._choose([phrases[each] for each in topic]) for topic in topics]
        return one_candidate_each(item, chosen, scores.tolist())

    def _choose(self, topic: Sequence[Phrase]) -> Phrase:
        """The phrase that stands for a topic; ``topic`` is in the order of the text, and max gives the first."""
        if self.representative == "first":
            return topic[0]
        if self.representative == "frequent":
            return max(topic, key=lambda phrase: len(phrase.places))
        return max(topic, key=lambda phrase: sum(phrase.similarity(other) for other in topic))
