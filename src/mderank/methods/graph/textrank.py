"""TextRank: phrases of words that stand beside many words.

Mihalcea and Tarau (2004), "TextRank: bringing order into texts", EMNLP.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, ClassVar, Unpack

import numpy as np

from mderank.candidates import CandidateSource, NounPhrases
from mderank.candidates.base import is_content, locate
from mderank.document import Document
from mderank.errors import OptionError
from mderank.keyphrase import Candidate
from mderank.methods.graph.word_graph import WEIGHTED, WINDOW, WordGraphOptions, WordGraphRanker, WordRank
from mderank.parameters import Param, check_arguments
from mderank.ranking import rank

_LONGEST_RUN = 8  # words; what is longer is a table or a list, as for noun phrases


@dataclass(frozen=True)
class TopWords:
    """Candidates of TextRank's paper: runs of the words that rank highest.

    The best words of the graph, at least one, are taken. Those that stand side by side in the text are a phrase.

    Attributes:
        word_rank: How words are linked and ranked.
        share: Share of the graph's words that are taken.
    """

    word_rank: WordRank
    share: float

    def find(self, document: Document) -> list[Candidate]:
        """Find the runs of a document.

        Args:
            document: The tagged text.

        Returns:
            The runs with all their occurrences, by first occurrence.
        """
        return locate(document, (run for run in self._runs(document) if self._is_phrase(document, run)))

    def _runs(self, document: Document) -> Iterator[range]:
        graph = self.word_rank.graph(document)
        if not graph.nodes:
            return
        # Nodes are numbered as the words first occur, so that of equal ones the earlier are taken.
        order = rank(self.word_rank.rank(graph).tolist(), range(graph.nodes), [True] * graph.nodes)
        top = np.zeros(graph.nodes, dtype=np.bool_)
        top[order[: max(1, int(self.share * graph.nodes))]] = True
        places = graph.places[top[graph.token_nodes[graph.places]]]
        apart = [
            index
            for index in range(1, len(places))
            if places[index] != places[index - 1] + 1 or int(places[index]) in document.paragraph_starts
        ]
        for run in np.split(places, apart):
            yield range(int(run[0]), int(run[-1]) + 1)

    @staticmethod
    def _is_phrase(document: Document, run: range) -> bool:
        return len(run) <= _LONGEST_RUN and is_content(document.tokens[run.start : run.stop])


class TextRank(WordGraphRanker):
    """Ranks phrases by the sum of their words' PageRank in a graph of neighbouring words.

    1. Find the candidates: the longest stretches of nouns and adjectives that end in a noun. With ``top_words=0.33``
       the paper's way: that share of the words, the best by step 4, joined where they stand side by side.
    2. Make a graph of the text's nouns and adjectives (``tags``), words with one stem being one node (``words``).
    3. Link two words if they stand less than ``window`` tokens apart: 2 is side by side. All tokens count, also stop
       words and punctuation (``distance=words``: only words of the graph). The ends of sentences do not matter. The
       paper leaves both open; pke does the same. An edge counts once (``weighted=yes``: as often as they meet).
    4. Score the words by PageRank with ``damping``.
    5. Score a phrase with the sum of its words' scores (``phrase_score=mean``: divided by its length).

    Args:
        window: Words that are closer than this are linked; 2 links neighbours.
        weighted: Whether the weight of an edge is the number of times that its words meet.
        top_words: Share of the words, the best-ranked, that phrases are made of; None for noun phrases.
        tagger: A tagger, its name, or a loaded spaCy pipeline; None for the bundled one, of English.
        candidates: The source of candidates, or a list of phrases; None for noun phrases. It excludes ``top_words``.
        dedupe: Which surface forms are one keyphrase: "none", "case", "variant" or "stem".
        overlap: How much keyphrases may overlap: "any", "little" or "none"; None for "any".
        min_score: The lowest score of a keyphrase; None for no limit.
        max_words: Number of words of a text to read; None for all.
        exclude: Phrases that are never returned, in any case or form.
        damping: Probability that the walk of PageRank follows an edge.
        tags: Regular expression of the tags of words in the graph; None for nouns and adjectives.
        words: Which words are one node: "stem" for equal stems, "lower" for words equal but for case.
        distance: What is counted between two words: all "tokens", or "words" of the graph only.
        phrase_score: Score of a phrase: "sum" or "mean" of its words' scores.

    Raises:
        OptionError: If an option has the wrong type or is out of range, or if ``top_words`` and ``candidates`` are both
            given.
    """

    # Not the common source itself: with ``top_words`` the method has one of its own, which the user's would exclude.
    default_candidates: ClassVar[CandidateSource] = NounPhrases()

    @check_arguments
    def __init__(
        self,
        *,
        window: Annotated[int, WINDOW] = 2,
        weighted: Annotated[bool, WEIGHTED] = False,
        top_words: Annotated[
            float | None, Param(gt=0, le=1, help="Build phrases from this share of the words, the best-ranked.")
        ] = None,
        **options: Unpack[WordGraphOptions],
    ) -> None:
        super().__init__(window=window, weighted=weighted, **options)
        if top_words is None:
            return
        if options.get("candidates") is not None:
            raise OptionError("top_words makes the candidates itself: leave out either top_words or candidates")
        self.candidates = TopWords(self.word_rank, top_words)
