"""What TextRank, SingleRank and PositionRank share: a graph of words that stand near each other, and PageRank on it.

Brin and Page (1998), "The anatomy of a large-scale hypertextual Web search engine", Computer Networks 30.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Unpack

import numpy as np

from mderank.candidates.base import is_word
from mderank.document import Document, Tagset
from mderank.errors import OptionError
from mderank.keyphrase import Candidate
from mderank.methods.base import BaseExtractor, BaseOptions, CandidateScores, ScoringInput, at_least, one_of
from mderank.text import stem_phrase
from mderank.util.arrays import Ints, Reals

WordForm = Literal["stem", "lower"]
Distance = Literal["tokens", "words"]
PhraseScore = Literal["sum", "mean"]

# Nouns, proper nouns and adjectives: the filter that all three papers settle on.
WORD_TAGS: dict[Tagset, str] = {"penn": "NN.*|JJ", "universal": "NOUN|PROPN|ADJ"}

_MOST_DAMPING = 0.99  # nearer to 1 PageRank takes ever longer, and in the end does not converge
_TOLERANCE = 1e-10  # of scores that add up to 1; far below the digits that rankings are made from


@dataclass(frozen=True)
class WordRank:
    """How the words of a document are linked and ranked.

    Words less than ``window`` apart are linked, 2 being neighbours. ``tags`` is a regular expression that a word's
    whole tag matches (``None``: nouns and adjectives). ``form``: words are one if their stems are, or only if they
    differ in case alone. ``distance``: ``tokens`` counts every token between two words, also stop words and
    punctuation; ``words`` counts words of the graph only. An edge that is not ``weighted`` counts once, however often
    the two words meet. ``by_position``: the walk prefers words that stand early and often.
    """

    window: int = 10
    damping: float = 0.85
    tags: str | None = None
    form: WordForm = "stem"
    distance: Distance = "tokens"
    weighted: bool = True
    by_position: bool = False

    def __post_init__(self) -> None:
        at_least("window", self.window, 2)
        if not 0 <= self.damping <= _MOST_DAMPING:
            raise OptionError(f"damping must be from 0 to {_MOST_DAMPING}, not {self.damping}")
        one_of("words", self.form, ("stem", "lower"))
        one_of("distance", self.distance, ("tokens", "words"))
        if self.tags is not None:
            try:
                re.compile(self.tags)
            except re.error as error:
                raise OptionError(f"tags={self.tags!r} is no regular expression over tags: {error}") from error

    def graph(self, document: Document) -> WordGraph:
        """The words of ``document`` and their links, over the ends of sentences and paragraphs too.

        A word is not linked with itself.
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
        """The score of every word: ``(nodes,)``, adding up to 1."""
        weights = graph.counts if self.weighted else np.ones_like(graph.counts)
        bias = graph.inverse_positions() if self.by_position else np.ones(graph.nodes)
        return pagerank(graph.sources, graph.targets, weights, bias, self.damping)


@dataclass(frozen=True)
class WordGraph:
    """The words of a document, and how often each two stand near each other.

    Every edge is there once, from the lower to the higher node.
    """

    nodes: int
    token_nodes: Ints  # (tokens,) each token's node by its form, whatever its tag here; -1 if there is none
    places: Ints  # (p,) the tokens that are words of the graph, in order
    sources: Ints  # (e,)
    targets: Ints  # (e,)
    counts: Reals  # (e,)

    def inverse_positions(self) -> Reals:
        """The sum of 1 / position over the places of each word, the text's first token being at 1: ``(nodes,)``."""
        return _added(self.token_nodes[self.places], 1 / (1.0 + self.places), self.nodes)

    def sums(self, values: Reals, candidates: Sequence[Candidate]) -> Reals:
        """What the words of each candidate have together; tokens that are no words have nothing: ``(m,)``."""
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


def pagerank(
    sources: Ints,
    targets: Ints,
    weights: Reals,
    bias: Reals,
    damping: float = 0.85,
    tolerance: float = _TOLERANCE,
) -> Reals:
    """The share of time that a random walk on an undirected graph spends at each node: ``(n,)``, adding up to 1.

    The walk follows an edge with probability ``damping``, the likelier the higher its weight, and otherwise begins
    anew at a node drawn by ``bias``: S = (1 − d) p + d Wᵀ S, with p the bias and W the weights, each divided by all
    that leave the node. At a node without edges the walk begins anew, which scales all of S alike: so it is left
    out of the iteration, and S is scaled in the end.

    Iterated from p on, until what is still to come, at most d / (1 − d) of the last step, is below ``tolerance``.
    """
    nodes = len(bias)
    if nodes == 0:
        return np.zeros(0)
    start = bias / bias.sum()
    origins, ends = np.concatenate([sources, targets]), np.concatenate([targets, sources])
    both = np.concatenate([weights, weights])
    leaving = _added(origins, both, nodes)
    shares = damping * both / leaving[origins]  # d W, edge by edge
    rank: Reals = start
    step = np.inf
    while step * damping > tolerance * (1 - damping):
        following = (1 - damping) * start + _added(ends, shares * rank[origins], nodes)
        step = float(np.abs(following - rank).sum())
        rank = following
    return rank / float(rank.sum())


def _added(nodes: Ints, values: Reals, count: int) -> Reals:
    """The sum of the values at each of ``count`` nodes."""
    return np.bincount(nodes, weights=values, minlength=count).astype(np.float64, copy=False)


class WordGraphRanker(BaseExtractor):
    """Ranks candidates by the PageRank of their words: SingleRank, and what the others are variants of."""

    by_position: ClassVar[bool] = False

    def __init__(
        self,
        *,
        window: int = 10,
        damping: float = 0.85,
        tags: str | None = None,
        words: WordForm = "stem",
        distance: Distance = "tokens",
        phrase_score: PhraseScore = "sum",
        weighted: bool = True,
        **options: Unpack[BaseOptions],
    ) -> None:
        super().__init__(**options)
        one_of("phrase_score", phrase_score, ("sum", "mean"))
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
