"""Measures as values: ``F1@5`` parses, prints and is computed from a judgement, whoever made it.

Precision, recall and F1 at K as in Manning, Raghavan and Schütze (2008), "Introduction to information retrieval",
chapter 8; nDCG with binary gain, Järvelin and Kekäläinen (2002), "Cumulated gain-based evaluation of IR techniques".
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log2
from typing import Literal

from mderank.errors import OptionError

MeasureName = Literal["P", "R", "F1", "AP", "nDCG"]
NAMES: tuple[MeasureName, ...] = ("P", "R", "F1", "AP", "nDCG")
Average = Literal["micro", "macro"]

_TEXT = re.compile(r"(P|R|F1|AP|nDCG)@(\d+|M)")


@dataclass(frozen=True)
class Judgement:
    """What is right in one document's ranking.

    ``hits`` says of every prediction, best first, whether it is right; ``offered`` is how many predictions there were
    for the purpose of precision, which in the paper's protocol is more than ``len(hits)``; ``gold`` is how many there
    were to find.
    """

    hits: tuple[bool, ...]
    offered: int
    gold: int

    def counts(self, k: int | None) -> tuple[int, int, int]:
        """Right, predicted and to be found, among the first ``k``."""
        predicted = self.offered if k is None else min(k, self.offered)
        return sum(self.hits[:k]), predicted, self.gold


@dataclass(frozen=True, order=True)
class Measure:
    """A measure at a rank; ``k=None`` is ``@M``, all that was predicted.

    >>> Measure.parse("F1@5")
    Measure(name='F1', k=5)
    >>> str(Measure("R", None))
    'R@M'
    """

    name: MeasureName
    k: int | None

    @classmethod
    def parse(cls, text: str) -> Measure:
        """The measure that ``text`` stands for."""
        match = _TEXT.fullmatch(text.strip())
        if not match or match[2] == "0":
            raise OptionError(f"unknown measure '{text}': write {', '.join(NAMES)} at a rank or at M, e.g. F1@5 or R@M")
        name: MeasureName = match[1]  # type: ignore[assignment]
        return cls(name, None if match[2] == "M" else int(match[2]))

    def __str__(self) -> str:
        return f"{self.name}@{'M' if self.k is None else self.k}"

    def of(self, judgement: Judgement) -> float:
        """Its value, from 0 to 1, for one document."""
        if self.name == "AP":
            return _average_precision(judgement, self.k)
        if self.name == "nDCG":
            return _ndcg(judgement, self.k)
        return ratio(self.name, *judgement.counts(self.k))

    def over(self, judgements: Sequence[Judgement], average: Average) -> float:
        """Its value over documents: of their sums (micro), or the mean of theirs (macro). MAP is the mean of AP."""
        if not judgements:
            return 0.0
        if average == "macro" or self.name in ("AP", "nDCG"):
            return sum(map(self.of, judgements)) / len(judgements)
        correct, predicted, gold = (sum(column) for column in zip(*(j.counts(self.k) for j in judgements), strict=True))
        return ratio(self.name, correct, predicted, gold)


def ratio(name: MeasureName, correct: float, predicted: float, gold: float) -> float:
    """Precision, recall or F1 from counts; 0 where there is nothing to divide by."""
    if name == "P":
        return correct / predicted if predicted else 0.0
    if name == "R":
        return correct / gold if gold else 0.0
    # 2PR / (P + R), less the divisions that may be by 0.
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


PAPER_MEASURES = tuple(Measure("F1", k) for k in (5, 10, 15))
