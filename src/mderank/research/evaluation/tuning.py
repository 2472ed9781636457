"""Weights for a user's own documents, chosen by cross-validation.

>>> from mderank import FusionRank, FusionWeights
>>> from mderank.research.evaluation.runs import Task
>>> tasks = [
...     Task("1", "A barn owl sees in the dark. Owls hunt.", ("barn owl",)),
...     Task("2", "The tide gauge is in the harbour. It measures.", ("tide gauge",)),
... ]
>>> tuning = tune(gather(FusionRank(), tasks), at=1)
>>> sorted(tuning.weights)
['frequency', 'length', 'mask_effect', 'norm', 'position', 'similarity', 'unithood']

What the encoder says of a document does not depend on the weights, so that it is asked once (`gather`); the search is
then a matter of sums. It is small on purpose: a few factors of each weight, one weight after the other, since what has
many choices fits anything. What it is worth is measured on documents that had no say in the choice (`tune`).
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice

import numpy as np

from mderank.errors import InputError, OptionError
from mderank.keyphrase import Keyphrases
from mderank.methods.base import CandidateScores, ScoringInput, input_error, isolate_failures
from mderank.methods.fusionrank import FusionRank, FusionWeights
from mderank.ranking.dedupe import Dedupe, form_key
from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.protocols import Prediction, Protocol, get_protocol
from mderank.research.evaluation.runs import CHUNK, Task
from mderank.research.evaluation.significance import Comparison, compare
from mderank.util.arrays import Ints

# What a weight may be multiplied with. Scores are logarithms and cosines, for which less than a factor of two
# changes little; 0 leaves the evidence out.
FACTORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
_AS_IT_IS = FACTORS.index(1.0)
_UNIT = "similarity"  # the weight that the others are measured in
_ROUNDING = 2e-4  # by which share of a score two may differ and still be equal in a ranking, and more (`rank`)
FEW = 20  # documents, below which the choice is mostly chance

Steps = tuple[int, ...]  # for each weight the index of its factor


@dataclass(frozen=True)
class Evidence:
    """A labelled document, and all that there is to say of its candidates, before it is weighed.

    Candidates of the same number in ``variants`` (m,) are forms of one phrase.
    """

    task: Task
    reading: ScoringInput
    scores: CandidateScores
    variants: Ints


@dataclass(frozen=True)
class Gathered:
    """The evidence on labelled documents, and the ranker that it is for; ``notes`` say what was left out."""

    ranker: FusionRank
    documents: tuple[Evidence, ...]
    notes: tuple[str, ...] = ()

    def rank(self, document: Evidence, weights: Mapping[str, float], top_k: int | None) -> Keyphrases:
        """What the ranker would give with other weights."""
        parts = [weights[name] * part for name, part in document.scores.contributions.items()]
        reading, scores = document.reading, replace(document.scores, scores=np.sum(parts, axis=0), contributions={})
        by_score = self.ranker.diversity is None and self.ranker.overlap == "any"  # else what is behind may come before
        if top_k is not None and by_score:
            reading, scores = _contenders(reading, scores, document.variants, top_k)
        return self.ranker.rank(reading, scores, top_k)


def _contenders(
    reading: ScoringInput, scores: CandidateScores, variants: Ints, top_k: int
) -> tuple[ScoringInput, CandidateScores]:
    """Only the candidates that can be among the first, and all variants of these: merging is what takes time."""
    best = np.full(variants.max(initial=-1) + 1, -np.inf)  # the score of each phrase: that of its best variant
    np.maximum.at(best, variants, scores.scores)
    if len(best) <= top_k:
        return reading, scores
    last = np.partition(best, -top_k)[-top_k]
    kept = np.flatnonzero((best >= last - _ROUNDING * abs(last))[variants])
    return (
        replace(reading, candidates=[reading.candidates[index] for index in kept]),
        CandidateScores(scores.scores[kept], scores.raw_scores[kept]),
    )


@dataclass(frozen=True)
class Tuning:
    """What tuning came to.

    ``start`` are the ranker's own weights, ``chosen`` those that are best on all documents, ``of_folds`` those that
    were best without each fold. Values are of ``measure`` under ``protocol``, in per cent: ``before`` with the
    weights of the start, ``held_out`` with weights chosen without the document in question, ``seen`` with ``chosen``,
    which is too good to be true. ``comparison`` is of ``held_out`` with ``before``, as shares of 1.
    """

    start: Mapping[str, float]
    chosen: Mapping[str, float]
    of_folds: tuple[Mapping[str, float], ...]
    documents: int
    measure: Measure
    protocol: Protocol
    before: float
    held_out: float
    seen: float
    comparison: Comparison

    @property
    def helps(self) -> bool:
        """Whether tuned weights did better on documents that had no say in them."""
        return self.comparison.difference > 0

    @property
    def weights(self) -> Mapping[str, float]:
        """The weights to use: those chosen, or those of the start if tuning does not help."""
        return self.chosen if self.helps else self.start


def gather(ranker: FusionRank, tasks: Iterable[Task], advance: Callable[[int], None] = lambda count: None) -> Gathered:
    """Read labelled documents, one encoder pass each. ``advance`` is told how many were done."""
    unweighted = copy.copy(ranker)
    unweighted.weights = FusionWeights(**dict.fromkeys(asdict(ranker.weights), 1.0))  # contributions are unweighted
    documents: list[Evidence] = []
    notes = []
    remaining = iter(tasks)
    while chunk := list(islice(remaining, CHUNK)):
        labelled = [task for task in chunk if task.gold]
        notes += [f"the document '{task.id}' has no keyphrases, and is left out" for task in chunk if not task.gold]
        scored = isolate_failures(unweighted.score, [task.text for task in labelled])
        for task, found in zip(labelled, scored, strict=True):
            if isinstance(found, Exception):
                error = input_error(found)
                notes.append(f"the document '{task.id}' could not be read, and is left out: {error}")
            else:
                documents.append(_evidence(task, *found, ranker))
        advance(len(chunk))
    return Gathered(ranker, tuple(documents), tuple(notes))


def _evidence(task: Task, reading: ScoringInput, scores: CandidateScores, ranker: FusionRank) -> Evidence:
    """What ranking needs, and no more: a set of long documents is held in memory as a whole."""
    whole = reading.document
    by: Dedupe = "variant" if ranker.dedupe == "variant" else "stem"  # stems are enough where fewer forms are merged
    key_of = form_key(whole, by)
    keys = [key_of(each.key) for each in reading.candidates]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return Evidence(
        task,
        replace(reading, document=replace(whole, tokens=(), paragraph_starts=frozenset()), tokenized=None),
        replace(scores, vectors=None if ranker.diversity is None else scores.vectors, features={}),
        np.asarray([numbers[key] for key in keys], dtype=np.int64),
    )


def tune(
    gathered: Gathered,
    *,
    folds: int = 5,
    at: int = 10,
    protocol: str | Protocol = "micro-stem",
    seed: int = 0,
    advance: Callable[[int], None] = lambda count: None,
) -> Tuning:
    """Choose the weights that give the best F1 of the ``at`` first phrases, and measure what that is worth.

    1. Shuffle the documents by ``seed`` and divide them into folds, at most one a document.
    2. For each fold choose weights on the other folds, and judge with these the documents of the fold.
    3. Compare these judgements with those of the weights as they were: a difference, with its 95 % interval from
       resampled documents.
    4. Choose weights on all documents.

    Weights are chosen one after the other, each from a few factors of what it was (`FACTORS`), until none changes; of
    equally good ones that which is nearest to what it was. A weight of 0 stays 0; the unit, that of
    the similarity, stays 1.
    ``advance`` is told of each choice, of which there are as many as folds, and one.
    """
    if folds < 2:
        raise OptionError(f"folds must be at least 2, not {folds}")
    if at < 1:
        raise OptionError(f"at must be at least 1, not {at}")
    scoring = get_protocol(protocol) if isinstance(protocol, str) else protocol
    measure = Measure("F1", at)
    search = _Search(gathered, measure, scoring)
    count = len(search.documents)
    if count < 2:
        raise InputError(_too_few(count, scoring))
    order = np.random.default_rng(seed).permutation(count).tolist()
    parts = [set(order[start :: min(folds, count)]) for start in range(min(folds, count))]
    before = search.judgements(search.start)
    held_out = list(before)
    of_folds = []
    for part in parts:
        others = [index for index in range(count) if index not in part]
        chosen = search.best(others)
        of_folds.append(search.weights(chosen))
        for index in part:
            held_out[index] = search.judgements(chosen)[index]
        advance(1)
    final = search.best(range(count))
    advance(1)
    return Tuning(
        search.weights(search.start),
        search.weights(final),
        tuple(of_folds),
        count,
        measure,
        scoring,
        100 * measure.over(before, scoring.average),
        100 * measure.over(held_out, scoring.average),
        100 * measure.over(search.judgements(final), scoring.average),
        compare(held_out, before, measure, scoring.average, seed=seed),
    )


def _too_few(count: int, protocol: Protocol) -> str:
    if count:
        return "weights cannot be chosen on one labelled document: give two at least, better twenty or more"
    where = "keyphrases that are in its text" if protocol.present_only else "keyphrases"
    return f"none of the documents has {where}: weights are chosen on labelled documents"


class _Search:
    """Which weights are best on some documents. What was judged once is not judged again."""

    def __init__(self, gathered: Gathered, measure: Measure, protocol: Protocol) -> None:
        self._gathered, self._measure, self._protocol = gathered, measure, protocol
        self._own = asdict(gathered.ranker.weights)
        self._names = [name for name, weight in self._own.items() if name != _UNIT and weight]
        self._known: dict[Steps, list[Judgement]] = {}
        self.start: Steps = (_AS_IT_IS,) * len(self._names)
        self.documents = [
            each
            for each in gathered.documents
            if protocol.judge((), each.task.gold, each.task.text) is not None  # else the protocol leaves it out
        ]

    def weights(self, steps: Steps) -> dict[str, float]:
        """The weights at these steps."""
        changed = {name: self._own[name] * FACTORS[step] for name, step in zip(self._names, steps, strict=True)}
        return {**self._own, **changed}

    def judgements(self, steps: Steps) -> list[Judgement]:
        """What is right in each document with these weights."""
        if steps not in self._known:
            weights = self.weights(steps)
            self._known[steps] = [self._judge(document, weights) for document in self.documents]
        return self._known[steps]

    def _judge(self, document: Evidence, weights: Mapping[str, float]) -> Judgement:
        found = self._gathered.rank(document, weights, self._measure.k)
        predictions = [Prediction(each.text, each.match_count) for each in found]
        judgement = self._protocol.judge(predictions, document.task.gold, document.task.text)
        assert judgement is not None  # since the document was kept
        return judgement

    def best(self, indices: Iterable[int]) -> Steps:
        """The best steps for the documents of these indices."""
        chosen = list(indices)

        def merit(steps: Steps) -> tuple[float, int]:
            judgements = self.judgements(steps)
            value = self._measure.over([judgements[index] for index in chosen], self._protocol.average)
            return round(value, 12), -sum(abs(step - _AS_IT_IS) for step in steps)

        steps, before = self.start, None
        while steps != before:
            before = steps
            for place in range(len(steps)):
                steps = max(_others(steps, place), key=merit)
        return steps


def _others(steps: Steps, place: int) -> Iterator[Steps]:
    """The same, with every step at one place."""
    return ((*steps[:place], step, *steps[place + 1 :]) for step in range(len(FACTORS)))
