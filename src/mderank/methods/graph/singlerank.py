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
       punctuation (``distance=words``: only words of the graph). The ends of sentences do not matter. The paper leaves
       both open; pke does the same.
    4. Score the words by PageRank with ``damping``.
    5. Score a phrase with the sum of its words' scores (``phrase_score=mean``: divided by its length).

    Args:
        window: Words that are closer than this are linked; 2 links neighbours.
        damping: Probability that the walk of PageRank follows an edge.
        tags: Regular expression of the tags of words in the graph; None for nouns and adjectives.
        words: Which words are one node: "stem" for equal stems, "lower" for words equal but for case.
        distance: What is counted between two words: all "tokens", or "words" of the graph only.
        phrase_score: Score of a phrase: "sum" or "mean" of its words' scores.
        weighted: Whether the weight of an edge is the number of times that its words meet.
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
