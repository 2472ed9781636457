"""SingleRank: phrases of words that stand near many words, and often.

Wan and Xiao (2008), "CollabRank: towards a collaborative approach to single-document keyphrase extraction", COLING;
"Single document keyphrase extraction using neighborhood knowledge", AAAI.
"""

from __future__ import annotations

from mderank.methods.graph.word_graph import WordGraphRanker


class SingleRank(WordGraphRanker):
    """Ranks phrases by the sum of their words' PageRank, edges weighted by how often two words meet.

    1. Find the candidates: the longest stretches of nouns and adjectives that end in a noun.
    2. Make a graph of the text's nouns and adjectives (``tags``), words with one stem being one node (``words``).
    3. Link two words as often as they stand less than ``window`` tokens apart. All tokens count, also stop words and
       punctuation (``distance=words``: only words of the graph), and the ends of sentences do not matter; the paper
       does not say, it is what pke does.
    4. Score the words by PageRank with ``damping``.
    5. Score a phrase with the sum of its words' scores (``phrase_score=mean``: divided by its length).
    """
