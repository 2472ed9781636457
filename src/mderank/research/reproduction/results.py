"""What was measured: runs by what was wanted, cut to what was wanted, and the numbers that cells are made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean

from mderank.research.datasets import Dataset
from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.protocols import LENGTHS, PROTOCOLS, Prediction, diversity, recall_by_length
from mderank.research.evaluation.runs import Outcome
from mderank.research.reproduction.wanted import Wanted

PROTOCOL = PROTOCOLS["mderank"]
TOP = 15  # predictions whose lengths, recall by length and diversity are measured, as in the paper


@dataclass(frozen=True)
class Value:
    """A number, and on how many of how many documents; None where no documents were run for it."""

    number: float
    documents: int | None = None
    of: int | None = None

    @property
    def partial(self) -> bool:
        """Whether some of the documents were left out."""
        return self.documents is not None and self.documents != self.of


@dataclass(frozen=True)
class Measured:
    """The outcomes of a run, as many as were wanted; ``of`` is how many documents the set has."""

    outcomes: tuple[Outcome, ...]
    of: int

    @cached_property
    def judged(self) -> dict[str, Judgement]:
        """What is right, by document, under the paper's protocol."""
        judged = {each.id: PROTOCOL.judge(each.predictions, each.gold) for each in self.outcomes if each.gold}
        return {document: judgement for document, judgement in judged.items() if judgement is not None}

    def f1(self, k: int) -> float:
        """F1 at ``k`` in per cent."""
        return 100 * Measure("F1", k).over(list(self.judged.values()), PROTOCOL.average)

    def recall(self, length: str) -> float:
        """The share of the gold phrases of so many words that are among the first, in per cent."""
        rankings = [(each.predictions, each.gold) for each in self.outcomes if each.gold]
        return 100 * recall_by_length(rankings, TOP)[length][0]

    def diversity(self) -> float:
        """Distinct words of the first predictions in per cent of all, the mean over documents."""
        found = [[each.text for each in outcome.predictions] for outcome in self.outcomes if outcome.predictions]
        return fmean(diversity(each, TOP) for each in found) if found else 0.0

    def gold_diversity(self) -> float:
        """The same of the gold phrases."""
        found = [outcome.gold for outcome in self.outcomes if outcome.gold]
        return fmean(diversity(each, TOP) for each in found) if found else 0.0

    def one_word_last(self) -> Measured:
        """The same, with candidates of one word moved to the end of each ranking."""
        moved = (
            replace(each, predictions=(*_of(each, lambda words: words > 1), *_of(each, lambda words: words <= 1)))
            for each in self.outcomes
        )
        return replace(self, outcomes=tuple(moved))

    def value(self, number: float) -> Value:
        """A number of this run."""
        return Value(number, len(self.outcomes), self.of)


def _of(outcome: Outcome, length: Callable[[int], bool]) -> list[Prediction]:
    return [each for each in outcome.predictions if length(len(each.text.split()))]


class Results:
    """Runs by what was wanted, and the sets."""

    def __init__(self, measured: Mapping[Wanted, Measured], datasets: Mapping[str, Dataset]) -> None:
        self._measured = dict(measured)
        self.datasets = dict(datasets)

    def get(self, wanted: Wanted) -> Measured | None:
        """The run, if it is there."""
        return self._measured.get(wanted)

    def every(self, wanted: Sequence[Wanted]) -> list[Measured] | None:
        """The runs, if all are there."""
        found = [self._measured.get(each) for each in wanted]
        return [each for each in found if each is not None] if wanted and None not in found else None


Compute = Callable[[Results], Value | None]


def f1(wanted: Wanted, k: int) -> Compute:
    """F1 at ``k`` of a run."""
    return _of_run(wanted, lambda run: run.f1(k))


def one_word_last(wanted: Wanted, k: int) -> Compute:
    """F1 at ``k`` of a run, with one-word candidates moved to the end."""
    return _of_run(wanted, lambda run: run.one_word_last().f1(k))


def recall(wanted: Wanted, length: str) -> Compute:
    """Recall of gold phrases of so many words."""
    if length not in LENGTHS:
        raise ValueError(length)
    return _of_run(wanted, lambda run: run.recall(length))


def spread(wanted: Wanted) -> Compute:
    """The diversity of a run's predictions."""
    return _of_run(wanted, Measured.diversity)


def gold_spread(wanted: Wanted) -> Compute:
    """The diversity of the gold phrases."""
    return _of_run(wanted, Measured.gold_diversity)


def average(cells: Sequence[Compute]) -> Compute:
    """The mean of cells, if all are there."""

    def compute(results: Results) -> Value | None:
        values = [cell(results) for cell in cells]
        known = [value for value in values if value is not None]
        if not known or len(known) < len(values):
            return None
        counts = [(value.documents, value.of) for value in known if value.documents is not None]
        documents = sum(count for count, _ in counts if count is not None) if counts else None
        return Value(fmean(value.number for value in known), documents, sum(of or 0 for _, of in counts) or None)

    return compute


def less(one: Compute, other: Compute) -> Compute:
    """How much more one cell has than another."""

    def compute(results: Results) -> Value | None:
        first, second = one(results), other(results)
        return None if first is None or second is None else replace(first, number=first.number - second.number)

    return compute


def _of_run(wanted: Wanted, number: Callable[[Measured], float]) -> Compute:
    def compute(results: Results) -> Value | None:
        run = results.get(wanted)
        return None if run is None or not run.judged else run.value(number(run))

    return compute
