"""What a table of the paper is here: which runs it needs, its cells, its plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from mderank.research.reproduction.cells import Ask, Block, Cell, Grid, Listing, Row, measure, needs
from mderank.research.reproduction.config import Form, Model, Setup
from mderank.research.reproduction.paper import KS, NAMES, SETS, printed
from mderank.research.reproduction.plots import Plot, column_plots
from mderank.research.reproduction.results import Results, average, f1
from mderank.research.reproduction.wanted import Wanted

AVG = "AVG"
F1S = tuple(f"F1@{k}" for k in KS)
PLOTTED = KS.index(10)  # F1@10 is what plots show


class Part(Protocol):
    """A table or figure of the paper; ``section`` is its section in ``paper.toml``."""

    @property
    def name(self) -> str:
        """Its number in the paper: ``table3``."""
        ...

    @property
    def alias(self) -> str:
        """A word for it: ``main``."""
        ...

    @property
    def title(self) -> str:
        """What it is about."""
        ...

    @property
    def about(self) -> str:
        """How it was measured, and how it is to be read."""
        ...

    def needs(self, setup: Setup) -> list[Wanted]:
        """The runs that it takes."""
        ...

    def missing(self, setup: Setup) -> list[tuple[str, str]]:
        """Rows that cannot be run with what is at hand, and what they would take."""
        ...

    def measure(self, setup: Setup, results: Results) -> list[Grid[Cell] | Listing]:
        """Its tables, as far as there are runs."""
        ...

    def draw(self, tables: Sequence[Grid[Cell] | Listing]) -> list[Plot]:
        """Its plots."""
        ...


@dataclass(frozen=True)
class GridPart:
    """A part whose tables are grids of cells, each of which says what it needs."""

    name: str
    alias: str
    title: str
    about: str
    ask: Callable[[Setup], list[Grid[Ask]]]
    plots: Callable[[list[Grid[Cell]]], list[Plot]] = lambda grids: []

    def needs(self, setup: Setup) -> list[Wanted]:
        """The runs that its cells need, each once."""
        return list(dict.fromkeys(wanted for grid in self.ask(setup) for wanted in needs(grid)))

    def missing(self, setup: Setup) -> list[tuple[str, str]]:
        """Rows none of whose cells can be computed, each once."""
        rows = (row for grid in self.ask(setup) for row in grid.rows)
        return list(dict.fromkeys((row.name, row.here) for row in rows if not any(ask.compute for ask in row.cells)))

    def measure(self, setup: Setup, results: Results) -> list[Grid[Cell] | Listing]:
        """Its tables, as far as there are runs."""
        return [measure(grid, results) for grid in self.ask(setup)]

    def draw(self, tables: Sequence[Grid[Cell] | Listing]) -> list[Plot]:
        """Its plots."""
        return self.plots([table for table in tables if isinstance(table, Grid)])


@dataclass(frozen=True)
class Line:
    """A row over the six sets: its name, what stands for it here, where the paper has it, and the run on each set.

    Without ``wanted`` it cannot be run, and ``here`` says what it would take. ``form`` is that of MDERank.
    """

    name: str
    here: str
    paper: tuple[str, ...] = ()
    wanted: Callable[[str], Wanted] | None = None
    form: Form | None = None

    def runs(self) -> tuple[Wanted, ...]:
        """The runs on all sets."""
        return () if self.wanted is None else tuple(map(self.wanted, SETS))

    def cells(self, k: int) -> tuple[Ask, ...]:
        """F1 at ``k`` on each set, and the average."""
        paper = printed(*self.paper, k)[: len(SETS) + 1] if self.paper else ()
        numbers: list[float | None] = [*paper] if paper else [None] * (len(SETS) + 1)
        runs = self.runs()
        if not runs:
            return tuple(Ask(number) for number in numbers)
        single = [f1(wanted, k) for wanted in runs]
        asks = [
            Ask(number, (wanted,), compute) for number, wanted, compute in zip(numbers[:-1], runs, single, strict=True)
        ]
        return (*asks, Ask(numbers[-1], runs, average(single)))


def six_sets(title: str, lines: Sequence[Line], unit: str = "F1 in per cent") -> Grid[Ask]:
    """A block a K, a column a set and their average."""
    blocks = (Block(f"F1@{k}", tuple(Row(line.name, line.here, line.cells(k)) for line in lines)) for k in KS)
    return Grid(title, (*(NAMES[each] for each in SETS), AVG), tuple(blocks), unit)


def set_plots(name: str, grid: Grid[Cell]) -> list[Plot]:
    """A plot a set, and one of the average."""
    return column_plots(name, grid, grid.blocks[PLOTTED], len(SETS) + 1)


def f1_row(name: str, here: str, paper: Sequence[float], wanted: Wanted | None) -> Row[Ask]:
    """F1 at each K of one run."""
    numbers: list[float | None] = [*paper] if paper else [None] * len(KS)
    if wanted is None:
        return Row(name, here, tuple(Ask(number) for number in numbers))
    return Row(name, here, tuple(Ask(number, (wanted,), f1(wanted, k)) for number, k in zip(numbers, KS, strict=True)))


def mderank_lines(
    setup: Setup, name: str, paper: tuple[str, ...], *options: str, model: Model | None = None
) -> list[Line]:
    """MDERank in each form that is to be had."""
    encoder = model or setup.encoder

    def line(form: Form) -> Line:
        return Line(
            name,
            f"{encoder.title}, {form}",
            paper,
            lambda dataset: setup.mderank(dataset, form, *options, model=encoder),
            form,
        )

    return [line(form) for form in setup.forms_of(encoder)]
