"""Common parts of TopicRank and MultipartiteRank: topics of phrases with common stems, and a graph of their nearness.

Neither the distances between all phrases nor the graph, in which every two phrases are joined, is ever held as a
matrix: only phrases that share a stem can be of one topic, and what flows along all edges is a convolution along the
text. So memory grows with the text and not with its square.
"""

from __future__ import annotations

from abc import abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import combinations
from math import comb
from typing import ClassVar, Literal

import numpy as np

from mderank.candidates import CandidateSource, NounPhrases
from mderank.keyphrase import Candidate
from mderank.methods.base import BaseExtractor
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.parameters import Param
from mderank.text import stem_phrase
from mderank.util.arrays import Ints, Reals

Linkage = Literal["average", "single", "complete"]
LINKAGES: tuple[Linkage, ...] = ("average", "single", "complete")

# "The longest sequences of nouns and adjectives" of both papers, in Penn's and in universal tags, and words
# without tags. Unlike the noun phrases of the MDERank paper they may end in an adjective, or be one.
NOUNS_AND_ADJECTIVES = NounPhrases("<NN.*|JJ.*|NOUN|PROPN|ADJ|WORD|LOWER>+")

# A stem that more phrases have makes no two of them alike, since pairs grow with the square. In a text of 350,000 words
# the commonest is in 300.
_MOST_SHARING = 1_000
# Pairs of phrases with a stem in common that are held: so many, or so many per phrase. Beyond that the commonest stems
# make no two phrases alike. 500 phrases that all share a stem have 125,000.
_MOST_ALIKE, _MOST_ALIKE_PER_PHRASE = 500_000, 20
_MOST_PAIRED = 2_000  # occurrences of a topic; their pairs are held, and are as many as its square
# Phrases of a topic with more occurrences for which the weights between them are computed once, by a convolution each;
# with more phrases there is one convolution for each step of PageRank.
_FEW_PHRASES = 32


THRESHOLD = Param(ge=0, lt=1, help="Phrases that share this part of their stems are one topic; 0: same stems only.")
LINKAGE = Param(help="Which phrases of two topics are compared before they are joined.")


@dataclass(frozen=True)
class Phrase:
    """A phrase of the topic methods: all candidates with the same stems.

    Attributes:
        stems: The stems of its words.
        candidates: Indices of its candidates. The first occurs first, and represents all of them.
        places: The words of each occurrence outside longer candidates, in text order.
    """

    stems: tuple[str, ...]
    candidates: tuple[int, ...]
    places: tuple[range, ...]

    @property
    def first(self) -> int:
        """The index of its first word in the text."""
        return self.places[0].start

    def similarity(self, other: Phrase) -> float:
        """Compute the Jaccard similarity of the stems of two phrases.

        Args:
            other: The other phrase.

        Returns:
            Number of stems in common, divided by the number of stems of both.
        """
        common = len(set(self.stems) & set(other.stems))
        return common / len({*self.stems, *other.stems})


def find_phrases(item: ScoringInput) -> list[Phrase]:
    """Find the phrases of a document.

    Args:
        item: The document with its candidates.

    Returns:
        The phrases, by first occurrence.
    """
    members: dict[str, list[tuple[int, int]]] = defaultdict(list)
    places: dict[str, list[range]] = defaultdict(list)
    for index, free in enumerate(_free_places(item.candidates)):
        stems = stem_phrase(item.candidates[index].key, item.document.language)
        members[stems].append((free[0].start, index))
        places[stems] += free
    phrases = [
        Phrase(
            tuple(stems.split()),
            tuple(index for _, index in sorted(members[stems])),
            tuple(sorted(places[stems], key=lambda place: (place.start, place.stop))),
        )
        for stems in members
    ]
    return sorted(phrases, key=lambda phrase: (phrase.first, phrase.candidates[0]))


def _free_places(candidates: Sequence[Candidate]) -> list[list[range]]:
    """The occurrences of each candidate outside all longer ones; all of them if there are none."""
    everywhere = sorted(
        (place.words.start, -place.words.stop, index)
        for index, candidate in enumerate(candidates)
        for place in candidate.occurrences
    )
    free: list[list[range]] = [[] for _ in candidates]
    last = range(0)  # the one that reaches farthest so far
    for start, stop, index in everywhere:
        place = range(start, -stop)
        if place.stop > last.stop or place == last:
            free[index].append(place)
            last = place
    return [
        places or [place.words for place in candidate.occurrences]
        for places, candidate in zip(free, candidates, strict=True)
    ]


def find_topics(phrases: Sequence[Phrase], threshold: float, linkage: Linkage) -> list[list[int]]:
    """Group phrases into topics by hierarchical agglomerative clustering.

    The two nearest topics are joined until no two are within the threshold. Of equally near ones, those made first are
    joined. The distance of two phrases is Jaccard's, 1 − stems in common / stems of both.

    Args:
        phrases: The phrases of a document, by first occurrence.
        threshold: The largest distance of topics that are joined.
        linkage: Distance of two topics: the mean ("average"), smallest ("single") or largest ("complete") distance of
            their phrases.

    Returns:
        The topics by first occurrence, each with the indices of its phrases in text order.
    """
    topics = {index: [index] for index in range(len(phrases))}
    near = _similarities([phrase.stems for phrase in phrases])  # 1 − distance; 0 is left out
    least = 1 - threshold - 1e-9  # so that rounding keeps no two apart
    pairs = ((one, other, value) for one in near for other, value in near[one].items() if one < other)
    queue = [(-value, one, other) for one, other, value in pairs if value >= least]
    heapify(queue)
    made = len(phrases)
    while queue:
        _, one, other = heappop(queue)
        if one not in topics or other not in topics:
            continue
        shares = (len(topics[one]), len(topics[other]))
        topics[made] = topics.pop(one) + topics.pop(other)
        left, right = near.pop(one), near.pop(other)
        near[made] = {}
        for each in sorted((left.keys() | right.keys()) - {one, other}):
            value = _joined(left.get(each, 0.0), right.get(each, 0.0), shares, linkage)
            near[each].pop(one, None)
            near[each].pop(other, None)
            if value > 0:
                near[each][made] = near[made][each] = value
                if value >= least:
                    heappush(queue, (-value, each, made))
        made += 1
    return sorted(sorted(topic) for topic in topics.values())


def _joined(left: float, right: float, sizes: tuple[int, int], linkage: Linkage) -> float:
    """How like a topic is to two that became one, from how like it was to each."""
    if linkage == "average":
        return round((sizes[0] * left + sizes[1] * right) / (sizes[0] + sizes[1]), 9)  # equal ones are to be equal
    return max(left, right) if linkage == "single" else min(left, right)


def _similarities(phrases: Sequence[tuple[str, ...]]) -> dict[int, dict[int, float]]:
    """For each phrase those with a stem in common, and stems in common / stems of both."""
    sharing: dict[str, list[int]] = defaultdict(list)
    for index, stems in enumerate(phrases):
        for stem in dict.fromkeys(stems):
            sharing[stem].append(index)
    common: dict[tuple[int, int], int] = defaultdict(int)
    left = max(_MOST_ALIKE, _MOST_ALIKE_PER_PHRASE * len(phrases))
    for holders in sorted(sharing.values(), key=len):
        left -= comb(len(holders), 2)
        if len(holders) > _MOST_SHARING or left < 0:
            break
        for pair in combinations(holders, 2):
            common[pair] += 1
    sizes = [len(set(stems)) for stems in phrases]
    near: dict[int, dict[int, float]] = {index: {} for index in range(len(phrases))}
    for (one, other), count in common.items():
        near[one][other] = near[other][one] = count / (sizes[one] + sizes[other] - count)
    return near


class NearnessGraph:
    """Graph of phrases or topics, weighted by their nearness in the text: ``graph @ x`` is W x.

    W_ij = Σ 1 / distance over the occurrences p of i and q of j. The distance is the number of words from the last word
    of the earlier occurrence to the first word of the later one: 1 for neighbours. Occurrences that overlap do not
    count. Nodes of one topic are not joined. The flow between all occurrences is computed first, and the flow inside
    topics subtracted.

    Args:
        places: The words of each occurrence, per node.
        topics: Number of the topic of each node.
    """

    def __init__(self, places: Sequence[Sequence[range]], topics: Sequence[int]) -> None:
        self._count = len(places)
        self._node = np.repeat(np.arange(len(places)), [len(each) for each in places])  # (p,)
        self._first = np.asarray([place.start for each in places for place in each])  # (p,)
        self._last = np.asarray([place.stop - 1 for each in places for place in each])  # (p,)
        self._length = int(self._last.max()) + 1
        self._size = 1 << (2 * self._length - 1).bit_length()  # room for the convolution not to come round
        falling = np.zeros(self._size)
        falling[1 : self._length] = 1 / np.arange(1, self._length)
        self._falling = np.fft.rfft(falling)
        inside = _groups(np.asarray(topics)[self._node])
        large = [each for each in inside if len(each) > _MOST_PAIRED]
        few = [each for each in large if len(np.unique(self._node[each])) <= _FEW_PHRASES]
        self._large = [each for each in large if len(np.unique(self._node[each])) > _FEW_PHRASES]
        paired = self._pair([each for each in inside if 1 < len(each) <= _MOST_PAIRED])
        convolved = [self._convolve(each) for each in few]
        self._pairs = tuple(map(np.concatenate, zip(paired, *convolved, strict=True)))

    def __matmul__(self, values: Reals) -> Reals:
        """What each node gets if node j sends values[j] along its edges, times their weights: ``(n,)``."""
        got = self._between(np.arange(len(self._node)), values)
        for topic in self._large:
            got -= self._between(topic, values)
        one, other, weights = self._pairs
        return got - _totals(one, weights * values[other], self._count)

    def leaving(self, values: Reals) -> Reals:
        """Compute ``graph @ values`` for values of at least 1. Nodes without edges get exactly 0.

        Args:
            values: Values ``(n,)`` of the nodes.

        Returns:
            Sums ``(n,)`` of the weighted values of each node's neighbours.
        """
        sums = self @ values
        return np.where(sums < 0.5 / self._length, 0.0, sums)  # no edge is lighter than 1 / length

    def _between(self, places: Ints, values: Reals) -> Reals:
        """The same between some occurrences, whatever their topics: 1 / distance depends on their positions only."""
        node, first, last = self._node[places], self._first[places], self._last[places]
        sent = np.stack([_totals(at, values[node], self._size) for at in (last, first)])
        spectra = np.fft.rfft(sent)
        spectra[0] *= self._falling  # forwards from last words
        spectra[1] *= self._falling.conj()  # backwards from first words
        forwards, backwards = np.fft.irfft(spectra, self._size)
        return _totals(node, forwards[first] + backwards[last], self._count)

    def _convolve(self, topic: Ints) -> tuple[Ints, Ints, Reals]:
        """The same as `_pair` for one topic of few nodes and many occurrences."""
        nodes = np.unique(self._node[topic])
        values = np.zeros((len(nodes), self._count))
        values[np.arange(len(nodes)), nodes] = 1
        weights = [self._between(topic, each)[nodes] for each in values]
        return np.tile(nodes, len(nodes)), np.repeat(nodes, len(nodes)), np.concatenate(weights)

    def _pair(self, topics: Sequence[Ints]) -> tuple[Ints, Ints, Reals]:
        """The pairs of nodes with occurrences in one topic, and the weight between them, both ways."""
        pairs, weights = [np.zeros(0, np.int64)], [np.zeros(0)]
        for places in topics:
            distance = self._first[places] - self._last[places][:, None]
            earlier, later = np.nonzero(distance > 0)
            one, other = self._node[places[earlier]], self._node[places[later]]
            both = np.concatenate([one * self._count + other, other * self._count + one])
            keys, place = np.unique(both, return_inverse=True)
            pairs.append(keys)
            weights.append(_totals(place, np.tile(1 / distance[earlier, later], 2), len(keys)))
        keys = np.concatenate(pairs)
        return keys // self._count, keys % self._count, np.concatenate(weights)


def _groups(labels: Ints) -> list[Ints]:
    """The indices of each label."""
    order = np.argsort(labels, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)


def _totals(keys: Ints, values: Reals, count: int) -> Reals:
    """The sum of the values of each key: ``(count,)``."""
    return np.bincount(keys, values, count).astype(np.float64, copy=False)


def one_candidate_each(item: ScoringInput, phrases: Sequence[Phrase], scores: Sequence[float]) -> CandidateScores:
    """Give the score of each phrase to its first candidate. All other candidates score 0.

    Args:
        item: The document with its candidates.
        phrases: The phrases that have a score.
        scores: The score of each phrase.

    Returns:
        The scores of all candidates.
    """
    values = np.zeros(len(item.candidates))
    for phrase, score in zip(phrases, scores, strict=True):
        values[phrase.candidates[0]] = score
    return CandidateScores(values, values)


class TopicExtractor(BaseExtractor):
    """Base of `TopicRank` and `MultipartiteRank`: finds phrases and their topics, document by document.

    Attributes:
        threshold: Distance up to which phrases are put into one topic.
        linkage: Which phrases of two topics are compared.
        damping: Probability that the walk of PageRank follows an edge.
    """

    default_candidates: ClassVar[CandidateSource] = NOUNS_AND_ADJECTIVES

    threshold: float
    linkage: Linkage
    damping: float

    def _score(self, inputs: Sequence[ScoringInput]) -> list[CandidateScores]:
        return [self._score_one(item) for item in inputs]

    def _score_one(self, item: ScoringInput) -> CandidateScores:
        phrases = find_phrases(item)
        if not phrases:
            return CandidateScores(np.zeros(0), np.zeros(0))
        return self._score_phrases(item, phrases, find_topics(phrases, self.threshold, self.linkage))

    @abstractmethod
    def _score_phrases(
        self, item: ScoringInput, phrases: Sequence[Phrase], topics: Sequence[Sequence[int]]
    ) -> CandidateScores:
        """Score the candidates of a document by its phrases, and by the topics that they belong to."""
