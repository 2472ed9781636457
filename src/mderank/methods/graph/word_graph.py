"""What TextRank, SingleRank and PositionRank share: a graph of words that occur near each other, and their PageRank."""

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
WORD_TAGS: dict[Tagset, str] = {"penn": "NN.*|JJ", "universal": "NOUN|PROPN|ADJ"}


WINDOW = Param(ge=2, help="Link words that are closer than this; 2 links neighbours.")
TAGS = Param(help="Regular expression of the tags of words in the graph.", http=False)  # it may take for ever
WORDS = Param(help="Words that are one node: those with equal stems, or equal but for case.")
DISTANCE = Param(help="Count all tokens between two words, or words of the graph only.")
PHRASE_SCORE = Param(help="Score of a phrase: sum or mean of its words' scores.")
WEIGHTED = Param(help="Weigh an edge by how often its words meet.")


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
        return undirected_pagerank(graph.sources, graph.targets, weights, bias, self.damping)


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
        return sum_at_nodes(self.token_nodes[self.places], 1 / (1.0 + self.places), self.nodes)

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


class WordGraphOptions(BaseOptions, total=False):
    """The options of a word graph that its methods have in common."""

    damping: float
    tags: str | None
    words: WordForm
    distance: Distance
    phrase_score: PhraseScore


class WordGraphRanker(BaseExtractor):
    """Ranks candidates by the PageRank of their words: SingleRank, and what the others are variants of."""

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
