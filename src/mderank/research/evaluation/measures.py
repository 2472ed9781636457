"""Measures: ``F1@5`` and others, computed from judgements.

Precision, recall and F1 at K as in Manning, Raghavan and Schütze (2008), "Introduction to information retrieval",
chapter 8; nDCG with binary gain, Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques".
Three measures describe the list that a user gets: ``redundancy``, the number of phrases per document that repeat one
another, and for judged datasets ``acceptable`` and ``junk``, shares of the phrases shown.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log2
from typing import Literal

from mderank.errors import OptionError
from mderank.text import SEGMENTED, comparable, stem_phrase

MeasureName = Literal["P", "R", "F1", "AP", "nDCG", "redundancy", "acceptable", "junk"]
NAMES: tuple[MeasureName, ...] = ("P", "R", "F1", "AP", "nDCG", "redundancy", "acceptable", "junk")
Average = Literal["micro", "macro"]

_TEXT = re.compile(rf"({'|'.join(NAMES)})@(\d+|M)")
_OF_COUNTS = ("P", "R", "F1", "acceptable", "junk")  # ratios, which a micro average takes of sums over documents
_OF_GOLD = ("P", "R", "F1", "AP", "nDCG")
_OF_JUDGED_LISTS = ("acceptable", "junk")
_HYPHENS = re.compile("[-\u2010\u2011]")


@dataclass(frozen=True)
class Judgement:
    """The correct predictions for a document.

    Attributes:
        hits: Whether each prediction is correct, best first.
        offered: Number of predictions for precision. In the paper's protocol it exceeds the number of ``hits``.
        gold: Number of gold keyphrases.
        junk: Whether each prediction is junk; on judged datasets only.
        phrases: The predictions, after the protocol's de-duplication.
        language: Code of the document's language.

    """

    hits: tuple[bool, ...]
    offered: int
    gold: int
    junk: tuple[bool, ...] = ()
    phrases: tuple[str, ...] = field(default=(), compare=False)
    language: str = field(default="en", compare=False)

    def counts(self, k: int | None) -> tuple[int, int, int]:
        """Return the numbers of correct predictions, predictions and gold keyphrases, among the first ``k``."""
        predicted = self.offered if k is None else min(k, self.offered)
        return sum(self.hits[:k]), predicted, self.gold


@dataclass(frozen=True, order=True)
class Measure:
    """A measure at a rank.

    Attributes:
        name: The measure.
        k: The number of predictions that count; None for ``@M``, all of them.

    >>> Measure.parse("F1@5")
    Measure(name='F1', k=5)
    >>> str(Measure("R", None))
    'R@M'
    >>> Measure.parse("redundancy@10").of(Judgement((), 3, 0, phrases=("storm surge", "surges", "tide")))
    2.0
    """

    name: MeasureName
    k: int | None

    @classmethod
    def parse(cls, text: str) -> Measure:
        """Parse a measure.

        Args:
            text: A name and a rank: ``F1@5``, ``R@M``.

        Returns:
            The measure.

        Raises:
            OptionError: If there is no such measure.

        """
        match = _TEXT.fullmatch(text.strip())
        if not match or match[2] == "0":
            raise OptionError(f"unknown measure '{text}': write {', '.join(NAMES)} at a rank or at M, e.g. F1@5 or R@M")
        name: MeasureName = match[1]  # type: ignore[assignment]
        return cls(name, None if match[2] == "M" else int(match[2]))

    def __str__(self) -> str:
        return f"{self.name}@{'M' if self.k is None else self.k}"

    @property
    def scale(self) -> float:
        """The factor of values in reports: 100 for shares, which are in per cent; 1 for a number of phrases."""
        return 1.0 if self.name == "redundancy" else 100.0

    @property
    def lower_is_better(self) -> bool:
        """Whether a lower value is better."""
        return self.name in ("redundancy", "junk")

    @property
    def is_of_counts(self) -> bool:
        """Whether it is a ratio of `counts`."""
        return self.name in _OF_COUNTS

    def applies(self, judged: bool) -> bool:
        """Return whether the measure can be computed on a judged dataset, or on one with gold keyphrases."""
        return self.name not in (_OF_GOLD if judged else _OF_JUDGED_LISTS)

    def counts(self, judgement: Judgement) -> tuple[int, int, int]:
        """Return the numbers of correct (for ``junk``: junk) predictions, predictions and gold keyphrases."""
        right, predicted, gold = judgement.counts(self.k)
        return (sum(judgement.junk[: self.k]) if self.name == "junk" else right), predicted, gold

    def of(self, judgement: Judgement) -> float:
        """Compute the value for one document: from 0 to 1, or a number of phrases."""
        if self.name == "AP":
            return _average_precision(judgement, self.k)
        if self.name == "nDCG":
            return _ndcg(judgement, self.k)
        if self.name == "redundancy":
            return float(redundant(judgement.phrases[: self.k], judgement.language))
        return ratio(self.name, *self.counts(judgement))

    def over(self, judgements: Sequence[Judgement], average: Average) -> float:
        """Compute the value over documents.

        Args:
            judgements: The documents' judgements.
            average: ``micro``, from sums over documents, or ``macro``, the mean of the documents' values. MAP is the
                mean of AP.

        Returns:
            The value: from 0 to 1, or a number of phrases.

        """
        if not judgements:
            return 0.0
        if average == "macro" or not self.is_of_counts:
            return sum(map(self.of, judgements)) / len(judgements)
        correct, predicted, gold = (sum(column) for column in zip(*map(self.counts, judgements), strict=True))
        return ratio(self.name, correct, predicted, gold)


def ratio(name: MeasureName, correct: float, predicted: float, gold: float) -> float:
    """Compute precision, recall, F1 or a share of the predictions.

    Args:
        name: The measure.
        correct: Number of correct predictions.
        predicted: Number of predictions.
        gold: Number of gold keyphrases.

    Returns:
        The ratio; 0 if the denominator is 0.

    """
    if name in ("P", "acceptable", "junk"):
        return correct / predicted if predicted else 0.0
    if name == "R":
        return correct / gold if gold else 0.0
    # 2PR / (P + R), without divisions by 0.
    return 2 * correct / (predicted + gold) if correct else 0.0


def _average_precision(judgement: Judgement, k: int | None) -> float:
    hits = judgement.hits[:k]
    right = [rank for rank, hit in enumerate(hits, start=1) if hit]
    best = judgement.gold if k is None else min(k, judgement.gold)
    return sum(number / rank for number, rank in enumerate(right, start=1)) / best if best else 0.0


def _ndcg(judgement: Judgement, k: int | None) -> float:
    gain = sum(1 / log2(rank + 1) for rank, hit in enumerate(judgement.hits[:k], start=1) if hit)
    best = judgement.gold if k is None else min(k, judgement.gold)
    ideal = sum(1 / log2(rank + 1) for rank in range(1, best + 1))
    return gain / ideal if ideal else 0.0


def redundant(phrases: Sequence[str], language: str = "en") -> int:
    """Count the phrases that are nested in another one or contain another one, by the stems of their words.

    A phrase is nested in another if its stems are a contiguous part of the other's, but not all of them. Words are
    split at white space and at hyphens.

    Args:
        phrases: The phrases.
        language: Code of their language.

    Returns:
        The number of phrases.

    >>> redundant(["storm surges", "surge", "surge-model", "tide"])
    3
    """
    stems = [f" {stem_phrase(_HYPHENS.sub(' ', phrase), language)} " for phrase in phrases]
    if language in SEGMENTED:  # any part of a phrase may be a word
        stems = [comparable(each, language) for each in stems]
    return sum(any(_nested(one, other) or _nested(other, one) for other in stems) for one in stems)


def _nested(inner: str, outer: str) -> bool:
    """Return whether stems, with a space around each, are a proper part of others."""
    return len(inner) < len(outer) and inner in outer and bool(inner.strip())


def chosen(asked: Sequence[Measure], default: Sequence[Measure], judged: bool) -> tuple[Measure, ...]:
    """Choose the measures for a kind of dataset.

    Args:
        asked: The measures that are asked for.
        default: The measures if none is asked for.
        judged: Whether the dataset is judged.

    Returns:
        Those of ``asked`` that apply, or ``default``.

    Raises:
        OptionError: If none of the measures that were asked for applies.

    """
    if not asked:
        return tuple(default)
    applicable = tuple(dict.fromkeys(each for each in asked if each.applies(judged)))
    if not applicable:
        valid = ", ".join(name for name in NAMES if Measure(name, None).applies(judged))
        kind = "judged datasets" if judged else "datasets with gold keyphrases"
        raise OptionError(f"{', '.join(map(str, asked))}: {kind} have the measures {valid}; ask for one of these")
    return applicable


PAPER_MEASURES = tuple(Measure("F1", k) for k in (5, 10, 15))
REDUNDANCY = Measure("redundancy", 10)
JUDGED_MEASURES = (Measure("acceptable", 10), Measure("junk", 10), REDUNDANCY)
