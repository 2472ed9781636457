"""Common parts of TextRank, SingleRank and PositionRank: a graph of words that occur together, and their PageRank."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar, Literal, Unpack

import numpy as np

from mderank.candidates.base import is_word
from mderank.document import Document, Tagset
from mderank.errors import OptionError
from mderank.keyphrase import Candidate
from mderank.methods.base import BaseExtractor, BaseOptions
from mderank.methods.graph.pagerank import DAMPING, sum_at_nodes, undirected_pagerank
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.parameters import Param, check_arguments
from mderank.text import stem_phrase
from mderank.util.arrays import Ints, Reals

WordForm = Literal["stem", "lower"]
Distance = Literal["tokens", "words"]
PhraseScore = Literal["sum", "mean"]

# Nouns, proper nouns and adjectives: the filter that all three papers settle on.
WORD_TAGS: dict[Tagset, str] = {"penn": "NN.*|JJ", "universal": "NOUN|PROPN|ADJ", "words": "WORD|LOWER"}


WINDOW = Param(ge=2, help="Link words that are closer than this; 2 links neighbours.")
TAGS = Param(help="Regular expression of the tags of words in the graph.", http=False)  # it may take for ever
WORDS = Param(help="Words that are one node: those with equal stems, or equal but for case.")
DISTANCE = Param(help="Count all tokens between two words, or words of the graph only.")
PHRASE_SCORE = Param(help="Score of a phrase: sum or mean of its words' scores.")
WEIGHTED = Param(help="Weigh an edge by how often its words meet.")


@dataclass(frozen=True)
class WordRank:
    """The links and ranks of a document's words.

    Attributes:
        window: Words that are closer than this are linked; 2 links neighbours.
        damping: Probability that the walk of PageRank follows an edge.
        tags: Regular expression that the whole tag of a word matches; None for nouns and adjectives.
        form: Which words are one node: "stem" for equal stems, "lower" for words equal but for case.
        distance: What is counted between two words: all "tokens", also stop words and punctuation, or "words" of the
            graph only.
        weighted: Whether the weight of an edge is the number of times that its words meet; otherwise it is 1.
        by_position: Whether the walk prefers words that stand early and often.

    Raises:
        OptionError: If ``tags`` is not a regular expression.
    """

    window: int = 10
    damping: float = 0.85
    tags: str | None = None
    form: WordForm = "stem"
    distance: Distance = "tokens"
    weighted: bool = True
    by_position: bool = False

    def __post_init__(self) -> None:
        if self.tags is not None:
            try:
                re.compile(self.tags)
            except re.error as error:
                raise OptionError(f"tags={self.tags!r} is no regular expression over tags: {error}") from error

    def graph(self, document: Document) -> WordGraph:
        """Link the words of a document, across the ends of sentences and paragraphs too. A word is not linked with
        itself.

        Args:
            document: The tagged text.

        Returns:
            The graph.
        """
        passes = _filter(document, self.tags)
        form_of = {text: self._form(text, document.language) for text in {token.text for token in document.tokens}}
        forms = [form_of[token.text] for token in document.tokens]
        places = [index for index, token in enumerate(document.tokens) if passes(token.tag) and is_word(token)]
        numbers: dict[str, int] = {}
        for place in places:
            numbers.setdefault(forms[place], len(numbers))
        token_nodes = np.asarray([numbers.get(form, -1) for form in forms], dtype=np.int64)
        at = np.asarray(places, dtype=np.int64)
        if self.distance == "words":
            sequence = token_nodes[at]
        else:
            sequence = np.full(len(forms), -1, dtype=np.int64)
            sequence[at] = token_nodes[at]
        return WordGraph(len(numbers), token_nodes, at, *_edges(sequence, len(numbers), self.window))

    def _form(self, word: str, language: str) -> str:
        return stem_phrase(word, language) if self.form == "stem" else word.lower()

    def rank(self, graph: WordGraph) -> Reals:
        """Compute the PageRank of every word.

        Args:
            graph: The words and their links.

        Returns:
            Scores ``(nodes,)`` that sum to 1.
        """
        weights = graph.counts if self.weighted else np.ones_like(graph.counts)
        bias = graph.inverse_positions() if self.by_position else np.ones(graph.nodes)
        return undirected_pagerank(graph.sources, graph.targets, weights, bias, self.damping)


@dataclass(frozen=True)
class WordGraph:
    """The words of a document, and how often each two stand near each other.

    Every edge is there once, from the lower to the higher node.

    Attributes:
        nodes: Number of nodes.
        token_nodes: Node of each token ``(tokens,)`` by its form, whatever its tag; -1 if there is none.
        places: Indices ``(p,)`` of the tokens that are words of the graph, in order.
        sources: Lower node ``(e,)`` of each edge.
        targets: Higher node ``(e,)`` of each edge.
        counts: Number of times ``(e,)`` that the words of each edge meet.
    """

    nodes: int
    token_nodes: Ints
    places: Ints
    sources: Ints
    targets: Ints
    counts: Reals

    def inverse_positions(self) -> Reals:
        """Sum 1 / position over the occurrences of each word. The first token of the text is at position 1.

        Returns:
            Sums ``(nodes,)``.
        """
        return sum_at_nodes(self.token_nodes[self.places], 1 / (1.0 + self.places), self.nodes)

    def sums(self, values: Reals, candidates: Sequence[Candidate]) -> Reals:
        """Sum the values of the words of each candidate. Tokens that are not words of the graph count as 0.

        Args:
            values: Values ``(nodes,)`` of the words.
            candidates: The candidates.

        Returns:
            Sums ``(m,)``.
        """
        by_token = np.append(values, 0.0)[self.token_nodes]  # node -1 is the 0 at the end
        return np.asarray([by_token[words.start : words.stop].sum() for words in map(_words, candidates)])


def _words(candidate: Candidate) -> range:
    return candidate.occurrences[0].words


def _filter(document: Document, tags: str | None) -> Callable[[str], bool]:
    """Whether a tag is one of the graph's; every distinct tag is matched once."""
    regex = re.compile(tags or WORD_TAGS[document.tagset])
    return {tag for tag in {token.tag for token in document.tokens} if regex.fullmatch(tag)}.__contains__


def _edges(sequence: Ints, nodes: int, window: int) -> tuple[Ints, Ints, Reals]:
    """The pairs of nodes less than ``window`` apart in ``sequence``, and how often; -1 is no node."""
    pairs = [np.empty(0, dtype=np.int64)]
    for distance in range(1, min(window, len(sequence))):
        left, right = sequence[:-distance], sequence[distance:]
        linked = (left >= 0) & (right >= 0) & (left != right)
        left, right = left[linked], right[linked]
        pairs.append(np.minimum(left, right) * nodes + np.maximum(left, right))
    keys, counts = np.unique(np.concatenate(pairs), return_counts=True)
    return keys // max(1, nodes), keys % max(1, nodes), counts.astype(np.float64)


class WordGraphOptions(BaseOptions, total=False):
    """The options of a word graph that its methods have in common."""

    damping: float
    tags: str | None
    words: WordForm
    distance: Distance
    phrase_score: PhraseScore


class WordGraphRanker(BaseExtractor):
    """Base of the word graph methods: ranks candidates by the PageRank of their words.

    Args:
        window: Words that are closer than this are linked; 2 links neighbours.
        damping: Probability that the walk of PageRank follows an edge.
        tags: Regular expression that the whole tag of a word matches; None for nouns and adjectives.
        words: Which words are one node: "stem" for equal stems, "lower" for words equal but for case.
        distance: What is counted between two words: all "tokens", or "words" of the graph only.
        phrase_score: Score of a phrase: "sum" or "mean" of its words' scores.
        weighted: Whether the weight of an edge is the number of times that its words meet.
        options: Options of `BaseExtractor`.

    Raises:
        OptionError: If an option has the wrong type or is out of range.
    """

    by_position: ClassVar[bool] = False

    @check_arguments
    def __init__(
        self,
        *,
        window: Annotated[int, WINDOW] = 10,
        damping: Annotated[float, DAMPING] = 0.85,
        tags: Annotated[str | None, TAGS] = None,
        words: Annotated[WordForm, WORDS] = "stem",
        distance: Annotated[Distance, DISTANCE] = "tokens",
        phrase_score: Annotated[PhraseScore, PHRASE_SCORE] = "sum",
        weighted: Annotated[bool, WEIGHTED] = True,
        **options: Unpack[BaseOptions],
    ) -> None:
        super().__init__(**options)
        self.word_rank = WordRank(window, damping, tags, words, distance, weighted, self.by_position)
        self.phrase_score: PhraseScore = phrase_score

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        scores = []
        for item in inputs:
            graph = self.word_rank.graph(item.document)
            values = graph.sums(self.word_rank.rank(graph), item.candidates)
            if self.phrase_score == "mean":
                values = values / [len(_words(each)) for each in item.candidates]
            scores.append(CandidateScores(values, values))
        return scores
