"""The steps of learning: fit weights, judge lists, choose penalty and overlap, measure the learning curve."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np

from mderank.keyphrase import Keyphrases
from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.protocols import Prediction, Protocol
from mderank.research.tuning.fit import FittedWeights, fit_weights
from mderank.research.tuning.threshold import ScoredList
from mderank.research.tuning.training_documents import TrainingDocument, TrainingSet
from mderank.util.arrays import Reals

KS = (5, 10, 15)
Overlap = Literal["none", "little", "any"]
# Candidates for what is chosen by cross-validation, those that are nearest to the default first.
PENALTIES = (50.0, 15.0)
OVERLAPS: tuple[Overlap, ...] = ("little", "any", "none")
# Standard errors by which the best choice must be ahead of the default: on few documents, most gains are chance.
_CERTAIN = 1.8  # chosen on the tuning datasets: no loss where nothing can be learned, and a gain where it can
_GROUPS = 25  # of documents, which are left out in turn to find the standard error
_INNER_FOLDS = 5
_MOST_INNER = 200  # documents on which penalty and overlap are chosen; more cost time and change no choice
_LONGEST_LIST = 30  # phrases of a document that are looked at to find the lowest score
_CURVE_DRAWS = 3
_CHOSEN_ANEW = 100  # documents up to which each draw of the learning curve chooses for itself
_MOST_TESTED = 200  # documents on which a point of the learning curve is measured


@dataclass(frozen=True)
class Choice:
    """A choice that cross-validation makes.

    Attributes:
        penalty: Penalty on weights that differ from the default; infinite if nothing is certainly better.
        overlap: How much keyphrases may overlap.
    """

    penalty: float
    overlap: Overlap

    @property
    def is_default(self) -> bool:
        """Whether nothing was learned."""
        return math.isinf(self.penalty)


@dataclass(frozen=True)
class CurvePoint:
    """The gain of a style that was learned from some of the documents.

    Attributes:
        documents: Number of training documents.
        gain: Differences at 5, 10 and 15 phrases on documents that it was not learned from, in per cent.
    """

    documents: int
    gain: tuple[float, ...]


@dataclass(frozen=True)
class HeldOut:
    """The list of a document, by weights that were not fitted to it.

    Attributes:
        judgement: Which of its phrases are labels.
        scored: Their scores.
    """

    judgement: Judgement
    scored: ScoredList


class Learner:
    """Learns from documents, and judges documents.

    Args:
        training: The documents.
        protocol: How phrases are matched and documents averaged.
        remember_labels: Whether it is a feature that a phrase was a label of another document.
        overlaps: Among which ways to treat phrases that are part of each other is chosen.

    Attributes:
        training: All documents.
        protocol: The protocol.
        documents: The documents that the protocol does not leave out.
    """

    def __init__(
        self,
        training: TrainingSet,
        protocol: Protocol,
        *,
        remember_labels: bool = True,
        overlaps: Sequence[Overlap] = OVERLAPS,
    ) -> None:
        self.training, self.protocol, self._remember = training, protocol, remember_labels
        self._overlaps = tuple(overlaps)
        self.documents = [
            each
            for each in training.documents
            if protocol.judge((), each.task.gold, each.task.text, language=each.language)  # else it is left out
            is not None
        ]

    def fit(self, documents: Sequence[TrainingDocument], penalty: float) -> FittedWeights:
        """Fit weights to documents.

        Args:
            documents: The documents.
            penalty: Penalty on weights that differ from the default.

        Returns:
            The weights.
        """
        return fit_weights(documents, penalty, remember_labels=self._remember)

    def judge(
        self, document: TrainingDocument, scores: Reals, overlap: Overlap | None, top_k: int = max(KS)
    ) -> tuple[Keyphrases, Judgement]:
        """Rank a document with these scores, and judge the list.

        Args:
            document: The document.
            scores: Scores ``(m,)`` of its candidates.
            overlap: How much keyphrases may overlap; None for the extractor's own.
            top_k: Number of keyphrases.

        Returns:
            The keyphrases, and which of them are labels.
        """
        found = self.training.rank(document, scores, overlap, top_k)
        predictions = [Prediction(each.text, each.match_count) for each in found]
        task = document.task
        judgement = self.protocol.judge(predictions, task.gold, task.text, language=document.language)
        assert judgement is not None  # since the document was kept
        return found, judgement

    def hold_out(self, document: TrainingDocument, fitted: FittedWeights, choice: Choice) -> HeldOut:
        """Judge a document that the weights were not fitted to.

        Args:
            document: The document.
            fitted: The weights.
            choice: How much keyphrases may overlap is used.

        Returns:
            Its list.
        """
        scores = fitted.score(document)
        found, judgement = self.judge(document, scores, choice.overlap, _LONGEST_LIST)
        listed = ScoredList(tuple(each.score for each in found), judgement.hits, judgement.gold)
        return HeldOut(judgement, listed)

    def choose(self, documents: Sequence[TrainingDocument]) -> Choice:
        """Choose penalty and overlap by the mean F1 at 5, 10 and 15 phrases, in cross-validation.

        If the best is not ahead of the default by more than chance, the default is kept.

        Args:
            documents: The training documents.

        Returns:
            The choice.
        """
        documents = documents[:_MOST_INNER]
        parts = [range(start, len(documents), _INNER_FOLDS) for start in range(min(_INNER_FOLDS, len(documents)))]
        judged: dict[Choice, list[Judgement]] = {Choice(*each): [] for each in product(PENALTIES, self._overlaps)}
        for part in parts:
            others = [each for index, each in enumerate(documents) if index not in part]
            for penalty in PENALTIES:
                fitted = self.fit(others, penalty)
                for index in part:
                    scores = fitted.score(documents[index])
                    for overlap in self._overlaps:
                        judged[Choice(penalty, overlap)].append(self.judge(documents[index], scores, overlap)[1])
        in_order = [documents[index] for part in parts for index in part]
        before = [self.judge(each, each.default, None)[1] for each in in_order]
        best = max(judged, key=lambda choice: float(np.mean(self.figures(judged[choice]))))
        certain = self._is_certainly_better(judged[best], before)
        return best if certain else Choice(math.inf, self.training.extractor.overlap)

    def _is_certainly_better(self, after: Sequence[Judgement], before: Sequence[Judgement]) -> bool:
        """Compare the gain with its standard error, by the jackknife over groups of documents."""

        def gain(left_out: range) -> float:
            kept = [index for index in range(len(after)) if index not in left_out]
            now, was = ([judgements[index] for index in kept] for judgements in (after, before))
            return float(np.mean(self.figures(now)) - np.mean(self.figures(was)))

        groups = min(_GROUPS, len(after))
        if groups < 2:
            return False
        gains = np.asarray([gain(range(start, len(after), groups)) for start in range(groups)])
        error = float(np.sqrt((groups - 1) / groups * np.sum((gains - gains.mean()) ** 2)))
        return gain(range(0)) > _CERTAIN * error

    def figures(self, judgements: Sequence[Judgement]) -> tuple[float, ...]:
        """Compute F1 at 5, 10 and 15 phrases.

        Args:
            judgements: Judgements of documents.

        Returns:
            The figures in per cent.
        """
        return tuple(100 * Measure("F1", k).over(judgements, self.protocol.average) for k in KS)

    def curve(self, choice: Choice, seed: int, before: Sequence[Judgement]) -> tuple[CurvePoint, ...]:
        """Measure the gain for fewer training documents, as the mean over draws.

        Args:
            choice: Penalty and overlap for many documents; few documents choose their own.
            seed: Random seed of the draws.
            before: Judgements without a style.

        Returns:
            A point per number of documents.
        """
        points = []
        for size in _curve_sizes(len(before)):
            gains = []
            for draw in range(_CURVE_DRAWS):
                drawn = np.random.default_rng((seed, size, draw)).permutation(len(before)).tolist()
                tested = drawn[size : size + _MOST_TESTED]
                chosen = [self.documents[index] for index in drawn[:size]]
                own = self.choose(chosen) if size <= _CHOSEN_ANEW else choice
                fitted = self.fit(chosen, own.penalty)
                after = [
                    self.judge(self.documents[index], fitted.score(self.documents[index]), own.overlap)[1]
                    for index in tested
                ]
                gains.append(np.subtract(self.figures(after), self.figures([before[index] for index in tested])))
            points.append(CurvePoint(size, tuple(np.mean(gains, axis=0).tolist())))
        return tuple(points)


def _curve_sizes(documents: int) -> list[int]:
    """Numbers of training documents of the learning curve: at least a fifth of the documents is left to test on."""
    return [size for size in (10, 25, 50, 100, 200, 500, 1000) if size <= 0.8 * documents]
