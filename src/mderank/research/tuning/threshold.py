"""From held-out lists to the lowest score of a phrase, and to the chance that a phrase is a label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mderank.style import StyleConfidence
from mderank.util.arrays import Reals

_STEPS = 50
_RIDGE = 1e-3  # keeps the slope finite where all phrases are labels, or none


@dataclass(frozen=True)
class ScoredList:
    """The list of a held-out document.

    Attributes:
        scores: Scores, best first.
        hits: Whether each phrase is a label. It may be shorter than the scores, since equal stems count once.
        gold: Number of labels.
    """

    scores: tuple[float, ...]
    hits: tuple[bool, ...]
    gold: int


def count_hits(listed: ScoredList, least: float) -> tuple[int, int]:
    """Count the phrases of a list that reach a score; the best one always does.

    Args:
        listed: The list.
        least: The lowest score.

    Returns:
        The number of labels among them, and their number.
    """
    shown = sum(score >= least for score in listed.scores[: len(listed.hits)])
    shown = max(shown, min(1, len(listed.hits)))
    return sum(listed.hits[:shown]), shown


def choose_threshold(lists: Sequence[ScoredList]) -> float:
    """Choose the lowest score with the best F1 over all lists together.

    Args:
        lists: Held-out lists.

    Returns:
        The score.
    """
    pairs = sorted((score, hit) for each in lists for score, hit in zip(each.scores, each.hits, strict=False))[::-1]
    gold = sum(each.gold for each in lists)
    if not pairs:
        return 0.0
    hits = np.cumsum([hit for _, hit in pairs])
    f1 = 2 * hits / (np.arange(1, len(pairs) + 1) + max(1, gold))
    return float(pairs[int(np.argmax(f1))][0])


def fit_confidence(lists: Sequence[ScoredList]) -> StyleConfidence | None:
    """Fit the chance that a phrase is a label to its score, by logistic regression.

    Args:
        lists: Held-out lists.

    Returns:
        The model; None if the lists are too few to say.
    """
    pairs = [(score, hit) for each in lists for score, hit in zip(each.scores, each.hits, strict=False)]
    targets = np.asarray([hit for _, hit in pairs], dtype=np.float64)
    if len(pairs) < 100 or not 0 < targets.sum() < len(pairs):
        return None
    scores = np.asarray([score for score, _ in pairs])
    centre, spread = float(scores.mean()), float(scores.std()) or 1.0
    inputs = np.stack([(scores - centre) / spread, np.ones(len(scores))], axis=1)
    slope, level = _logistic(inputs, targets)
    return StyleConfidence(float(f"{slope / spread:.6g}"), float(f"{level - slope * centre / spread:.6g}"))


def _logistic(inputs: Reals, targets: Reals) -> Reals:
    """Logistic regression by Newton's method."""
    weights = np.zeros(inputs.shape[1])
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-inputs @ weights))
        gradient = inputs.T @ (chances - targets) + _RIDGE * weights
        curvature = (inputs * (chances * (1 - chances))[:, None]).T @ inputs + _RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curvature, gradient)
        weights = weights - step
        if np.abs(step).max() < 1e-9:
            break
    return weights
