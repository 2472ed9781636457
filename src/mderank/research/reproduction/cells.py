"""Cells of the paper's tables: the runs that they need, and how their numbers are computed from runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import fmean
from typing import Generic, TypeVar

from mderank.research.datasets import Dataset
from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.protocols import LENGTHS, PROTOCOLS, Prediction, diversity, recall_by_length
from mderank.research.evaluation.runs import DocumentOutcome
from mderank.research.evaluation.spec import RunSpec

PROTOCOL = PROTOCOLS["mderank"]
TOP = 15  # predictions whose lengths, recall by length and diversity are measured, as in the paper


@dataclass(frozen=True)
class Value:
    """A measured number.

    Attributes:
        number: The number.
        documents: Number of documents that were run; None if no run is needed.
        of: Number of documents of the datasets.

    """

    number: float
    documents: int | None = None
    of: int | None = None

    @property
    def partial(self) -> bool:
        """Whether not all documents were run."""
        return self.documents is not None and self.documents != self.of


@dataclass(frozen=True)
class Measured:
    """A run, cut to the documents that are needed.

    Attributes:
        outcomes: The outcomes of the documents.
        of: Number of documents of the dataset.

    """

    outcomes: tuple[DocumentOutcome, ...]
    of: int

    @cached_property
    def judged(self) -> dict[str, Judgement]:
        """The judgements by document, under the paper's protocol."""
        judged = {each.id: PROTOCOL.judge(each.predictions, each.gold) for each in self.outcomes if each.gold}
        return {document: judgement for document, judgement in judged.items() if judgement is not None}

    def f1(self, k: int) -> float:
        """Return F1 at ``k`` in per cent."""
        return 100 * Measure("F1", k).over(list(self.judged.values()), PROTOCOL.average)

    def recall(self, length: str) -> float:
        """Return the recall of gold keyphrases of ``length`` words among the first predictions, in per cent."""
        rankings = [(each.predictions, each.gold) for each in self.outcomes if each.gold]
        return 100 * recall_by_length(rankings, TOP)[length][0]

    def diversity(self) -> float:
        """Return the distinct words of the first predictions in per cent of all their words: a mean over documents."""
        found = [[each.text for each in outcome.predictions] for outcome in self.outcomes if outcome.predictions]
        return fmean(diversity(each, TOP) for each in found) if found else 0.0

    def gold_diversity(self) -> float:
        """Return the same of the gold keyphrases."""
        found = [outcome.gold for outcome in self.outcomes if outcome.gold]
        return fmean(diversity(each, TOP) for each in found) if found else 0.0

    def one_word_last(self) -> Measured:
        """Return the run with candidates of one word moved to the end of each ranking."""
        moved = (
            replace(
                each,
                predictions=(
                    *_select_by_length(each, lambda words: words > 1),
                    *_select_by_length(each, lambda words: words <= 1),
                ),
            )
            for each in self.outcomes
        )
        return replace(self, outcomes=tuple(moved))

    def value(self, number: float) -> Value:
        """Return a number with the documents of this run."""
        return Value(number, len(self.outcomes), self.of)


def _select_by_length(outcome: DocumentOutcome, fits: Callable[[int], bool]) -> list[Prediction]:
    return [each for each in outcome.predictions if fits(len(each.text.split()))]


class Results:
    """Runs by their specification, and the datasets.

    Args:
        measured: The runs.
        datasets: The datasets by name.

    """

    def __init__(self, measured: Mapping[RunSpec, Measured], datasets: Mapping[str, Dataset]) -> None:
        self._measured = dict(measured)
        self.datasets = dict(datasets)

    def get(self, spec: RunSpec) -> Measured | None:
        """Return a run, or None if it was not made."""
        return self._measured.get(spec)

    def every(self, spec: Sequence[RunSpec]) -> list[Measured] | None:
        """Return several runs, or None if one was not made."""
        found = [self._measured.get(each) for each in spec]
        return [each for each in found if each is not None] if spec and None not in found else None


Compute = Callable[[Results], Value | None]


def f1(spec: RunSpec, k: int) -> Compute:
    """Compute F1 at ``k`` of a run."""
    return _compute_of_run(spec, lambda run: run.f1(k))


def one_word_last(spec: RunSpec, k: int) -> Compute:
    """Compute F1 at ``k`` of a run, with candidates of one word moved to the end."""
    return _compute_of_run(spec, lambda run: run.one_word_last().f1(k))


def recall(spec: RunSpec, length: str) -> Compute:
    """Compute the recall of gold keyphrases of ``length`` words."""
    if length not in LENGTHS:
        raise ValueError(length)
    return _compute_of_run(spec, lambda run: run.recall(length))


def spread(spec: RunSpec) -> Compute:
    """Compute the diversity of a run's predictions."""
    return _compute_of_run(spec, Measured.diversity)


def gold_spread(spec: RunSpec) -> Compute:
    """Compute the diversity of the gold keyphrases."""
    return _compute_of_run(spec, Measured.gold_diversity)


def average(cells: Sequence[Compute]) -> Compute:
    """Compute the mean of cells, if all of them have a number."""

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
    """Compute the difference of two cells."""

    def compute(results: Results) -> Value | None:
        first, second = one(results), other(results)
        return None if first is None or second is None else replace(first, number=first.number - second.number)

    return compute


def _compute_of_run(spec: RunSpec, number: Callable[[Measured], float]) -> Compute:
    def compute(results: Results) -> Value | None:
        run = results.get(spec)
        return None if run is None or not run.judged else run.value(number(run))

    return compute


@dataclass(frozen=True)
class CellSpec:
    """A cell to be measured.

    Attributes:
        paper: The number that the paper prints; None if it prints none.
        runs: The runs that the cell needs.
        compute: Computes the number from the runs; None if it cannot be measured with this configuration.

    """

    paper: float | None = None
    runs: tuple[RunSpec, ...] = ()
    compute: Compute | None = None


@dataclass(frozen=True)
class Cell:
    """A measured cell.

    Attributes:
        paper: The number that the paper prints; None if it prints none.
        ours: The measured number; None if it was not measured.

    """

    paper: float | None
    ours: Value | None

    @property
    def difference(self) -> float | None:
        """Our number minus the paper's. Ours is rounded first, so that the three numbers agree as they are printed."""
        return None if self.paper is None or self.ours is None else round(self.ours.number, 2) - self.paper


C = TypeVar("C", CellSpec, Cell)


@dataclass(frozen=True)
class Row(Generic[C]):
    """A row of a table.

    Attributes:
        name: Its name in the paper.
        measured_with: What it is measured with here, or what is missing.
        cells: Its cells.

    """

    name: str
    measured_with: str
    cells: tuple[C, ...]


@dataclass(frozen=True)
class Block(Generic[C]):
    """Rows under a common heading."""

    name: str
    rows: tuple[Row[C], ...]


@dataclass(frozen=True)
class CellGrid(Generic[C]):
    """A table.

    Attributes:
        title: Its title.
        columns: The names of the columns.
        blocks: Its rows, in blocks.
        unit: The unit of the numbers.
        uncoloured: Columns in which a higher number is not better.

    """

    title: str
    columns: tuple[str, ...]
    blocks: tuple[Block[C], ...]
    unit: str = ""
    uncoloured: tuple[str, ...] = ()

    @property
    def rows(self) -> Iterator[Row[C]]:
        """The rows of all blocks."""
        return (row for block in self.blocks for row in block.rows)


def needs(grid: CellGrid[CellSpec]) -> list[RunSpec]:
    """Return the runs that the cells of a table need, each once."""
    return list(dict.fromkeys(spec for row in grid.rows for ask in row.cells for spec in ask.runs))


def measure(grid: CellGrid[CellSpec], results: Results) -> CellGrid[Cell]:
    """Fill in the cells of a table, as far as there are runs."""
    blocks = tuple(
        Block(block.name, tuple(Row(row.name, row.measured_with, _fill_cells(row, results)) for row in block.rows))
        for block in grid.blocks
    )
    return CellGrid(grid.title, grid.columns, blocks, grid.unit, grid.uncoloured)


def _fill_cells(row: Row[CellSpec], results: Results) -> tuple[Cell, ...]:
    return tuple(Cell(ask.paper, ask.compute(results) if ask.compute else None) for ask in row.cells)


@dataclass(frozen=True)
class Ranking:
    """Phrases of a ranking, best first, each with whether it is a gold keyphrase."""

    name: str
    measured_with: str
    paper: tuple[tuple[str, bool], ...]
    ours: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Listing:
    """Rankings of one document, the paper's and ours."""

    title: str
    rows: tuple[Ranking, ...]
