"""A table of the paper: the runs that it needs, its cells, its plots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from mderank.research.evaluation.spec import RunSpec
from mderank.research.reproduction.cells import (
    Block,
    Cell,
    CellGrid,
    CellSpec,
    Listing,
    Results,
    Row,
    average,
    f1,
    measure,
    needs,
)
from mderank.research.reproduction.config import EncoderInfo, Mode, ReproductionConfig
from mderank.research.reproduction.paper import KS, NAMES, SETS, printed
from mderank.research.reproduction.plots import Plot, column_plots

AVG = "AVG"
F1S = tuple(f"F1@{k}" for k in KS)
PLOTTED = KS.index(10)  # F1@10 is what plots show


class Part(Protocol):
    """A table or figure of the paper."""

    @property
    def name(self) -> str:
        """Its number in the paper: ``table3``."""
        ...

    @property
    def alias(self) -> str:
        """Its alias: ``main``."""
        ...

    @property
    def title(self) -> str:
        """Its title."""
        ...

    @property
    def about(self) -> str:
        """How it was measured, and how to read it."""
        ...

    def needs(self, config: ReproductionConfig) -> list[RunSpec]:
        """Return the runs that it needs."""
        ...

    def missing(self, config: ReproductionConfig) -> list[tuple[str, str]]:
        """Return the rows that cannot be run with this configuration, with what is missing."""
        ...

    def measure(self, config: ReproductionConfig, results: Results) -> list[CellGrid[Cell] | Listing]:
        """Return its tables, as far as there are runs."""
        ...

    def draw(self, tables: Sequence[CellGrid[Cell] | Listing]) -> list[Plot]:
        """Return its plots."""
        ...


@dataclass(frozen=True)
class GridPart:
    """A table or figure that consists of cells.

    Attributes:
        name: Its number in the paper.
        alias: Its alias.
        title: Its title.
        about: How it was measured, and how to read it.
        specify: Returns its tables, with the runs that each cell needs.
        plots: Draws measured tables.

    """

    name: str
    alias: str
    title: str
    about: str
    specify: Callable[[ReproductionConfig], list[CellGrid[CellSpec]]]
    plots: Callable[[list[CellGrid[Cell]]], list[Plot]] = lambda grids: []

    def needs(self, config: ReproductionConfig) -> list[RunSpec]:
        """Return the runs that its cells need, each once."""
        return list(dict.fromkeys(spec for grid in self.specify(config) for spec in needs(grid)))

    def missing(self, config: ReproductionConfig) -> list[tuple[str, str]]:
        """Return the rows without any cell that can be computed, each once."""
        rows = (row for grid in self.specify(config) for row in grid.rows)
        return list(
            dict.fromkeys((row.name, row.measured_with) for row in rows if not any(cell.compute for cell in row.cells))
        )

    def measure(self, config: ReproductionConfig, results: Results) -> list[CellGrid[Cell] | Listing]:
        """Return its tables, as far as there are runs."""
        return [measure(grid, results) for grid in self.specify(config)]

    def draw(self, tables: Sequence[CellGrid[Cell] | Listing]) -> list[Plot]:
        """Return its plots."""
        return self.plots([table for table in tables if isinstance(table, CellGrid)])


@dataclass(frozen=True)
class Line:
    """A row over the six datasets.

    Attributes:
        name: Its name in the paper.
        measured_with: What it is measured with here, or what is missing.
        paper: Its path in ``paper.toml``.
        run: Specifies the run on a dataset; None if it cannot be run.
        mode: The mode of MDERank; None for other methods.

    """

    name: str
    measured_with: str
    paper: tuple[str, ...] = ()
    run: Callable[[str], RunSpec] | None = None
    mode: Mode | None = None

    def runs(self) -> tuple[RunSpec, ...]:
        """Return the runs on all datasets."""
        return () if self.run is None else tuple(map(self.run, SETS))

    def cells(self, k: int) -> tuple[CellSpec, ...]:
        """Return the cells of F1 at ``k`` on each dataset, and of the average."""
        paper = printed(*self.paper, k)[: len(SETS) + 1] if self.paper else ()
        numbers: list[float | None] = [*paper] if paper else [None] * (len(SETS) + 1)
        runs = self.runs()
        if not runs:
            return tuple(CellSpec(number) for number in numbers)
        single = [f1(spec, k) for spec in runs]
        cells = [
            CellSpec(number, (spec,), compute) for number, spec, compute in zip(numbers[:-1], runs, single, strict=True)
        ]
        return (*cells, CellSpec(numbers[-1], runs, average(single)))


def six_sets(title: str, lines: Sequence[Line], unit: str = "F1 in per cent") -> CellGrid[CellSpec]:
    """Make a table with a block per K, a column per dataset and one for their average."""
    blocks = (Block(f"F1@{k}", tuple(Row(line.name, line.measured_with, line.cells(k)) for line in lines)) for k in KS)
    return CellGrid(title, (*(NAMES[each] for each in SETS), AVG), tuple(blocks), unit)


def set_plots(name: str, grid: CellGrid[Cell]) -> list[Plot]:
    """Draw a plot per dataset, and one of the average."""
    return column_plots(name, grid, grid.blocks[PLOTTED], len(SETS) + 1)


def f1_row(name: str, measured_with: str, paper: Sequence[float], spec: RunSpec | None) -> Row[CellSpec]:
    """Make the row of F1 at each K of one run."""
    numbers: list[float | None] = [*paper] if paper else [None] * len(KS)
    if spec is None:
        return Row(name, measured_with, tuple(CellSpec(number) for number in numbers))
    return Row(
        name,
        measured_with,
        tuple(CellSpec(number, (spec,), f1(spec, k)) for number, k in zip(numbers, KS, strict=True)),
    )


def mderank_lines(
    config: ReproductionConfig,
    name: str,
    paper: tuple[str, ...],
    *,
    encoder: EncoderInfo | None = None,
    **options: Any,
) -> list[Line]:
    """Make the rows of MDERank, one per mode that the encoder supports."""
    chosen = encoder or config.encoder

    def line(mode: Mode) -> Line:
        return Line(
            name,
            f"{chosen.title}, {mode}",
            paper,
            lambda dataset: config.mderank(dataset, mode, encoder=chosen, **options),
            mode,
        )

    return [line(mode) for mode in config.modes_of(chosen)]
