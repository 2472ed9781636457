"""PositionRank: SingleRank with a preference for words that stand early.

Florescu and Caragea (2017), "PositionRank: an unsupervised approach to keyphrase extraction from scholarly documents",
ACL.
"""

from __future__ import annotations

from typing import ClassVar

from mderank.candidates import CandidateSource, NounPhrases
from mderank.methods.graph.word_graph import WordGraphRanker


class PositionRank(WordGraphRanker):
    """Ranks phrases by the sum of their words' PageRank, biased towards the beginning of the text.

    1. Find the candidates: adjectives, if any, then nouns, at most three words; longer phrases are passed over.
    2. Make a graph of the text's nouns and adjectives (``tags``), words with one stem being one node (``words``).
    3. Link two words as often as they stand less than ``window`` tokens apart, over the ends of sentences too. All
       tokens count (``distance=words``: only words of the graph).
    4. Sum 1 / position over all places of a word, the first token of the text being at 1: a word at 2, 5 and 10 has
       1/2 + 1/5 + 1/10.
    5. Score the words by PageRank with ``damping``, the walk beginning anew at words in proportion to these sums.
    6. Score a phrase with the sum of its words' scores (``phrase_score=mean``: divided by its length).
    """

    by_position: ClassVar[bool] = True
    default_candidates: ClassVar[CandidateSource] = NounPhrases("<JJ|ADJ>*<NN.*|NOUN|PROPN>+", max_phrase_words=3)
