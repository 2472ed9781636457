"""Fitting the weights of a style: a choice among the candidates of each document, by Newton's method.

In each document the candidates compete. The chance of candidate i is softmax_i(s · d + w · z), with d its default
score and z its standardised features. The loss is the cross-entropy against the labels, which share a document equally,
plus a penalty on the distance from the default: w = 0. It is convex, so that the result depends on no start and no
seed.

McFadden (1974), "Conditional logit analysis of qualitative choice behavior", for the model.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mderank.research.tuning.training_documents import TrainingDocument, count_labels
from mderank.util.arrays import Reals

_SCALE = 2.0  # of default scores, in standard deviations: how far the choice is from even before any label is seen
_SCALE_PENALTY = 0.1  # relative to the penalty of a weight
_STEPS = 50
_TOLERANCE = 1e-8
_SMALLEST_STEP = 1e-6


@dataclass(frozen=True)
class FittedWeights:
    """Fitted weights.

    Attributes:
        weights: Weight ``(p,)`` of each feature in its own measure.
        default: Factor of the default score.
        importance: Weight ``(p,)`` of each standardised feature, beside the default score.
        labels: Labels of the training documents, as stems, with the number of documents that have them.
    """

    weights: Reals
    default: float
    importance: Reals
    labels: dict[str, int]

    def score(self, document: TrainingDocument, *, in_training: bool = False) -> Reals:
        """Score the candidates of a document.

        Args:
            document: The document.
            in_training: Whether the weights were fitted to it; then its own labels do not count as known.

        Returns:
            Scores ``(m,)``.
        """
        features = document.features_with(self.labels, in_training=in_training)
        scores: Reals = self.default * document.default + features @ self.weights
        return scores


def fit_weights(
    documents: Sequence[TrainingDocument], penalty: float, *, remember_labels: bool = True
) -> FittedWeights:
    """Fit weights to labelled documents.

    Args:
        documents: The documents. Those without a label among their candidates say nothing and are passed over.
        penalty: Penalty on the squared standardised weights. An infinite one keeps the default.
        remember_labels: Whether it is a feature that a phrase was a label of another document.

    Returns:
        The weights. They are those of the default if no document has a label among its candidates.
    """
    labels = count_labels(documents) if remember_labels else {}
    known = [document for document in documents if document.chosen.any()]
    if not known or math.isinf(penalty):
        features = documents[0].features.shape[1] if documents else 0
        return FittedWeights(np.zeros(features), 1.0, np.zeros(features), labels)
    raw = [document.features_with(labels, in_training=True) for document in known]
    stacked = np.concatenate(raw)
    mean, deviation = stacked.mean(axis=0), stacked.std(axis=0)
    deviation = np.where(deviation > 1e-9, deviation, np.inf)  # a constant feature gets no weight
    spread = float(np.concatenate([document.default for document in known]).std()) or 1.0
    inputs = [
        np.concatenate([(document.default / spread)[:, None], (values - mean) / deviation], axis=1)
        for document, values in zip(known, raw, strict=True)
    ]
    shares = [document.chosen / document.chosen.sum() for document in known]
    start = np.zeros(inputs[0].shape[1])
    start[0] = _SCALE
    penalties = np.full(len(start), penalty)
    penalties[0] *= _SCALE_PENALTY
    fitted = _minimise(inputs, shares, start, penalties)
    return FittedWeights(fitted[1:] / deviation, float(fitted[0]) / spread, fitted[1:], labels)


def _minimise(inputs: Sequence[Reals], shares: Sequence[Reals], start: Reals, penalties: Reals) -> Reals:
    """Minimise the loss by Newton's method with halved steps."""
    weights = start
    loss = _loss(inputs, shares, weights, start, penalties)
    for _ in range(_STEPS):
        gradient, curvature = penalties * (weights - start), np.diag(penalties)
        for values, share in zip(inputs, shares, strict=True):
            chances = _softmax(values @ weights)
            mean = values.T @ chances
            gradient = gradient + mean - values.T @ share
            curvature = curvature + (values * chances[:, None]).T @ values - np.outer(mean, mean)
        direction = np.linalg.solve(curvature, gradient)
        step = 1.0
        while (after := _loss(inputs, shares, weights - step * direction, start, penalties)) >= loss:
            step /= 2
            if step < _SMALLEST_STEP:
                return weights
        weights = weights - step * direction
        if loss - after < _TOLERANCE * max(1.0, abs(loss)):
            return weights
        loss = after
    return weights


def _loss(inputs: Sequence[Reals], shares: Sequence[Reals], weights: Reals, start: Reals, penalties: Reals) -> float:
    total = 0.5 * float(penalties @ (weights - start) ** 2)
    for values, share in zip(inputs, shares, strict=True):
        scores = values @ weights
        top = scores.max()
        total += float(top + np.log(np.exp(scores - top).sum()) - share @ scores)
    return total


def _softmax(scores: Reals) -> Reals:
    powers = np.exp(scores - scores.max())
    chances: Reals = powers / powers.sum()
    return chances
