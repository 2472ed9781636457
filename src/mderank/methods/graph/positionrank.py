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
    4. Sum 1 / position over all occurrences of a word; the first token of the text is at 1. A word at 2, 5 and 10 has
       1/2 + 1/5 + 1/10.
    5. Score the words by PageRank with ``damping``, the walk beginning anew at words in proportion to these sums.
    6. Score a phrase with the sum of its words' scores (``phrase_score=mean``: divided by its length).

    Args:
        window: Words that are closer than this are linked; 2 links neighbours.
        damping: Probability that the walk of PageRank follows an edge.
        tags: Regular expression of the tags of words in the graph; None for nouns and adjectives.
        words: Which words are one node: "stem" for equal stems, "lower" for words equal but for case.
        distance: What is counted between two words: all "tokens", or "words" of the graph only.
        phrase_score: Score of a phrase: "sum" or "mean" of its words' scores.
        weighted: Whether the weight of an edge is the number of times that its words meet.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for adjectives and nouns, at most three words.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.

    Raises:
        OptionError: If an option has the wrong type or is out of range.
    """

    by_position: ClassVar[bool] = True
    default_candidates: ClassVar[CandidateSource] = NounPhrases(
        "<JJ|ADJ|LOWER>*<NN.*|NOUN|PROPN|WORD>+", max_phrase_words=3
    )
