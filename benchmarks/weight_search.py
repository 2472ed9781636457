"""Choosing the weights of `FusionRank` for a user's own documents, by cross-validation.

>>> from mderank.research.datasets import Dataset, LabelledDocument
>>> documents = (
...     LabelledDocument("1", "", "A barn owl sees in the dark. Owls hunt.", ("barn owl",)),
...     LabelledDocument("2", "", "The tide gauge is in the harbour. It measures.", ("tide gauge",)),
... )
>>> result = tune(Dataset("mine", None, documents, ""), k=1)
>>> result.weights == FusionWeights()  # both documents are right already
True

The features of a document do not depend on the weights, so that each document is encoded once (`score_documents`); the
search is then a matter of sums (`choose_weights`). It is small on purpose, because a large search fits anything: a few
factors of each weight, one weight after the other. Its worth is measured on held-out documents.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice

import numpy as np

from mderank.errors import InputError, OptionError
from mderank.keyphrase import Keyphrases
from mderank.methods.base import input_error, isolate_failures
from mderank.methods.fusionrank import FusionRank, FusionWeights
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.ranking.dedupe import Dedupe, form_key
from mderank.research.datasets import Dataset, full_text
from mderank.research.evaluation.evaluate import CHUNK, Progress
from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.protocols import Prediction, Protocol, get_protocol
from mderank.research.evaluation.runs import LabelledText
from mderank.research.evaluation.significance import Comparison, compare
from mderank.util.arrays import Ints

# Factors of a weight. Scores are logarithms and cosines, for which less than a factor of two changes little; 0 leaves
# the feature out.
FACTORS = (0.0, 0.25, 0.5, 1.0, 2.0, 4.0)
_UNCHANGED = FACTORS.index(1.0)
UNIT = "similarity"  # the weight that the others are relative to
_ROUNDING = 2e-4  # more than the share of a score by which two scores may differ and still be equal in `rank`
FEW = 20  # documents; with fewer, the choice is mostly chance

Steps = tuple[int, ...]  # for each weight the index of its factor


@dataclass(frozen=True)
class ScoredDocument:
    """A labelled document with the unweighted features of its candidates.

    Attributes:
        task: The document and its gold keyphrases.
        reading: The document and its m candidates, as the extractor read them.
        scores: The candidates' features.
        variants: A number per candidate. Candidates of the same number are forms of one phrase. (m,)
    """

    task: LabelledText
    reading: ScoringInput
    scores: CandidateScores
    variants: Ints


@dataclass(frozen=True)
class ScoredDocuments:
    """Labelled documents with the unweighted features of their candidates.

    Attributes:
        extractor: The extractor whose weights are chosen.
        documents: The documents.
        notes: A sentence for each document that was left out.
    """

    extractor: FusionRank
    documents: tuple[ScoredDocument, ...]
    notes: tuple[str, ...] = ()

    def rank(self, document: ScoredDocument, weights: FusionWeights, top_k: int | None) -> Keyphrases:
        """Rank the candidates of a document with other weights, as the extractor would.

        Args:
            document: One of the documents.
            weights: The weights.
            top_k: Number of keyphrases; None returns all.

        Returns:
            The keyphrases.
        """
        by_name = asdict(weights)
        terms = [by_name[name] * term for name, term in document.scores.contributions.items()]
        reading, scores = document.reading, replace(document.scores, scores=np.sum(terms, axis=0), contributions={})
        by_score = self.extractor.diversity is None and self.extractor.overlap == "any"  # else a lower phrase may rise
        if top_k is not None and by_score:
            reading, scores = _select_contenders(reading, scores, document.variants, top_k)
        return self.extractor.rank(reading, scores, top_k)


def _select_contenders(
    reading: ScoringInput, scores: CandidateScores, variants: Ints, top_k: int
) -> tuple[ScoringInput, CandidateScores]:
    """Select the candidates that can be among the first, with all their variants: merging takes the most time."""
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
class TuningResult:
    """The result of tuning. Scores are values of ``measure`` under ``protocol``, in per cent.

    Attributes:
        start: The extractor's own weights.
        chosen: The weights that are best on all documents.
        fold_weights: For each fold, the weights that are best on the other folds.
        documents: Number of documents.
        measure: The measure, F1@k.
        protocol: The protocol.
        before: Score of the extractor's own weights.
        held_out: Score of each document with weights that were chosen without it.
        seen: Score of ``chosen`` on the documents that they were chosen on, which is too optimistic.
        comparison: ``held_out`` compared with ``before``, as shares of 1.
        notes: A sentence for each document that was left out.
    """

    start: FusionWeights
    chosen: FusionWeights
    fold_weights: tuple[FusionWeights, ...]
    documents: int
    measure: Measure
    protocol: Protocol
    before: float
    held_out: float
    seen: float
    comparison: Comparison
    notes: tuple[str, ...] = ()

    @property
    def helps(self) -> bool:
        """Whether tuned weights are better on held-out documents."""
        return self.comparison.difference > 0

    @property
    def weights(self) -> FusionWeights:
        """The weights to use: the chosen ones, or the extractor's own if tuning does not help."""
        return self.chosen if self.helps else self.start


def tune(
    dataset: Dataset,
    extractor: FusionRank | None = None,
    *,
    k: int = 10,
    folds: int = 5,
    protocol: str | Protocol = "micro-stem",
    seed: int = 0,
    progress: Progress = lambda stage, done, total: None,
) -> TuningResult:
    """Choose the weights of FusionRank on a labelled dataset, and measure their worth on held-out documents.

    Args:
        dataset: A labelled dataset, from `load_dataset`. Title and full text of each document are read.
        extractor: The extractor to tune; by default ``FusionRank()``.
        k: Number of keyphrases per document. The weights are chosen by F1@k.
        folds: Number of folds of the cross-validation.
        protocol: How phrases are matched and documents averaged, by name.
        seed: Random seed for the folds and the bootstrap interval.
        progress: Called with a stage, the work that is done and all its work. Nothing is printed.

    Returns:
        The weights, and their scores. Use them as ``FusionRank(weights=result.weights)``.

    Raises:
        InputError: Fewer than two documents have keyphrases.
        OptionError: ``k``, ``folds`` or ``protocol`` is not valid, or the dataset has judged phrases.
    """
    if dataset.judged:
        raise OptionError(f"{dataset.name} has judged phrases, and F1 needs gold keyphrases: name a labelled dataset")
    _check_options(k, folds)
    scoring = get_protocol(protocol) if isinstance(protocol, str) else protocol
    tasks = [
        LabelledText(each.id, full_text(each), each.keyphrases, language=each.language) for each in dataset.documents
    ]
    scored = score_documents(extractor or FusionRank(), tasks, progress)
    return choose_weights(scored, k=k, folds=folds, protocol=scoring, seed=seed, progress=progress)


def _check_options(k: int, folds: int) -> None:
    for name, value, least in (("folds", folds, 2), ("k", k, 1)):
        if value < least:
            raise OptionError(f"{name} must be at least {least}, not {value}")


def score_documents(
    extractor: FusionRank, tasks: Iterable[LabelledText], progress: Progress = lambda stage, done, total: None
) -> ScoredDocuments:
    """Compute the features of labelled documents, one encoder pass each.

    Args:
        extractor: The extractor whose weights are chosen.
        tasks: The documents. Those without gold keyphrases, and those that fail, are left out.
        progress: Called with a stage, the number of documents that are done, and the number of all.

    Returns:
        The documents with their features.

    Raises:
        MDERankError: The model or the tagger cannot be used.
    """
    tasks = list(tasks)
    unweighted = copy.copy(extractor)
    unweighted.weights = FusionWeights(**dict.fromkeys(asdict(extractor.weights), 1.0))
    documents: list[ScoredDocument] = []
    notes: list[str] = []
    done = 0
    remaining = iter(tasks)
    while chunk := list(islice(remaining, CHUNK)):
        labelled = [task for task in chunk if task.gold]
        notes += [f"the document '{task.id}' has no keyphrases and is left out" for task in chunk if not task.gold]
        found = isolate_failures(unweighted.score, [task.text for task in labelled])
        for task, each in zip(labelled, found, strict=True):
            if isinstance(each, Exception):
                notes.append(f"the document '{task.id}' is left out: {input_error(each)}")
            else:
                documents.append(_keep_features(task, *each, extractor))
        done += len(chunk)
        progress("reading", done, len(tasks))
    return ScoredDocuments(extractor, tuple(documents), tuple(notes))


def _keep_features(
    task: LabelledText, reading: ScoringInput, scores: CandidateScores, extractor: FusionRank
) -> ScoredDocument:
    """Keep only what ranking needs, since all documents are held in memory."""
    whole = reading.document
    by: Dedupe = "variant" if extractor.dedupe == "variant" else "stem"  # stems are enough where fewer forms are merged
    key_of = form_key(whole, by)
    keys = [key_of(each.key) for each in reading.candidates]
    numbers = {key: number for number, key in enumerate(dict.fromkeys(keys))}
    return ScoredDocument(
        task,
        replace(reading, document=replace(whole, tokens=(), paragraph_starts=frozenset()), tokenized=None),
        replace(scores, vectors=None if extractor.diversity is None else scores.vectors, features={}),
        np.asarray([numbers[key] for key in keys], dtype=np.int64),
    )


def choose_weights(
    scored: ScoredDocuments,
    *,
    k: int = 10,
    folds: int = 5,
    protocol: str | Protocol = "micro-stem",
    seed: int = 0,
    progress: Progress = lambda stage, done, total: None,
) -> TuningResult:
    """Choose the weights with the best F1@k, and measure their worth on held-out documents.

    1. Shuffle the documents and divide them into folds, at most one per document.
    2. For each fold choose weights on the other folds, and judge the documents of the fold with them.
    3. Compare these judgements with those of the extractor's own weights: the difference, and its 95 % interval from
       resampled documents.
    4. Choose weights on all documents.

    Weights are chosen one after the other, each from a few factors of its own value (`FACTORS`), until none changes. Of
    equally good ones the nearest to its own value is chosen. A weight of 0 stays 0, and that of the similarity 1.

    Args:
        scored: The documents.
        k: Number of keyphrases per document.
        folds: Number of folds.
        protocol: How phrases are matched and documents averaged.
        seed: Random seed for the folds and the bootstrap interval.
        progress: Called with a stage, the number of choices that are made, and the number of all.

    Returns:
        The weights, and their scores.

    Raises:
        InputError: Fewer than two documents have keyphrases.
        OptionError: ``k``, ``folds`` or ``protocol`` is not valid.
    """
    _check_options(k, folds)
    scoring = get_protocol(protocol) if isinstance(protocol, str) else protocol
    measure = Measure("F1", k)
    search = _Search(scored, measure, scoring)
    count = len(search.documents)
    if count < 2:
        raise InputError(_describe_too_few(count, scoring))
    order = np.random.default_rng(seed).permutation(count).tolist()
    parts = [set(order[start :: min(folds, count)]) for start in range(min(folds, count))]
    before = search.judgements(search.start)
    held_out = list(before)
    fold_weights = []
    for number, part in enumerate(parts, start=1):
        chosen = search.best(index for index in range(count) if index not in part)
        fold_weights.append(search.weights(chosen))
        for index in part:
            held_out[index] = search.judgements(chosen)[index]
        progress("choosing weights", number, len(parts) + 1)
    final = search.best(range(count))
    progress("choosing weights", len(parts) + 1, len(parts) + 1)

    def per_cent(judgements: list[Judgement]) -> float:
        return 100 * measure.over(judgements, scoring.average)

    return TuningResult(
        start=search.weights(search.start),
        chosen=search.weights(final),
        fold_weights=tuple(fold_weights),
        documents=count,
        measure=measure,
        protocol=scoring,
        before=per_cent(before),
        held_out=per_cent(held_out),
        seen=per_cent(search.judgements(final)),
        comparison=compare(held_out, before, measure, scoring.average, seed=seed),
        notes=scored.notes,
    )


def _describe_too_few(count: int, protocol: Protocol) -> str:
    if count:
        return "weights cannot be chosen on one labelled document: give two at least, better twenty or more"
    where = "keyphrases that are in its text" if protocol.present_only else "keyphrases"
    return f"none of the documents has {where}: weights are chosen on labelled documents"


class _Search:
    """Finds the best weights for some documents. Judgements are cached."""

    def __init__(self, scored: ScoredDocuments, measure: Measure, protocol: Protocol) -> None:
        self._scored, self._measure, self._protocol = scored, measure, protocol
        self._own: Mapping[str, float] = asdict(scored.extractor.weights)
        self._names = [name for name, weight in self._own.items() if name != UNIT and weight]
        self._known: dict[Steps, list[Judgement]] = {}
        self.start: Steps = (_UNCHANGED,) * len(self._names)
        self.documents = [
            each
            for each in scored.documents
            if protocol.judge((), each.task.gold, each.task.text, language=each.task.language) is not None
        ]

    def weights(self, steps: Steps) -> FusionWeights:
        """Return the weights at these steps."""
        changed = {name: self._own[name] * FACTORS[step] for name, step in zip(self._names, steps, strict=True)}
        return FusionWeights(**{**self._own, **changed})

    def judgements(self, steps: Steps) -> list[Judgement]:
        """Judge each document with the weights at these steps."""
        if steps not in self._known:
            weights = self.weights(steps)
            self._known[steps] = [self._judge(document, weights) for document in self.documents]
        return self._known[steps]

    def _judge(self, document: ScoredDocument, weights: FusionWeights) -> Judgement:
        found = self._scored.rank(document, weights, self._measure.k)
        predictions = [Prediction(each.text, each.match_count) for each in found]
        task = document.task
        judgement = self._protocol.judge(predictions, task.gold, task.text, language=task.language)
        assert judgement is not None  # since the document was kept
        return judgement

    def best(self, indices: Iterable[int]) -> Steps:
        """Return the best steps for the documents of these indices."""
        chosen = list(indices)

        def merit(steps: Steps) -> tuple[float, int]:
            judgements = self.judgements(steps)
            value = self._measure.over([judgements[index] for index in chosen], self._protocol.average)
            return round(value, 12), -sum(abs(step - _UNCHANGED) for step in steps)

        steps, before = self.start, None
        while steps != before:
            before = steps
            for index in range(len(steps)):
                steps = max(_vary(steps, index), key=merit)
        return steps


def _vary(steps: Steps, index: int) -> Iterator[Steps]:
    """Yield the steps with every factor for one weight."""
    return ((*steps[:index], step, *steps[index + 1 :]) for step in range(len(FACTORS)))
