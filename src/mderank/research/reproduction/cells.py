"""A table before and after it is measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from mderank.research.reproduction.results import Compute, Results, Value
from mderank.research.reproduction.wanted import Wanted


@dataclass(frozen=True)
class Ask:
    """A cell to be measured: what the paper prints there, which runs it needs, and how it is computed of them.

    Without ``compute`` it cannot be measured with what is at hand.
    """

    paper: float | None = None
    runs: tuple[Wanted, ...] = ()
    compute: Compute | None = None


@dataclass(frozen=True)
class Cell:
    """A cell that was measured, or not: then ``ours`` is None, and nothing is put in its place."""

    paper: float | None
    ours: Value | None

    @property
    def difference(self) -> float | None:
        """Ours less the paper's, so that the three numbers agree as they are printed."""
        return None if self.paper is None or self.ours is None else round(self.ours.number, 2) - self.paper


C = TypeVar("C", Ask, Cell)


@dataclass(frozen=True)
class Row(Generic[C]):
    """``name`` is the paper's, ``here`` says what stands for it here, or what it would take."""

    name: str
    here: str
    cells: tuple[C, ...]


@dataclass(frozen=True)
class Block(Generic[C]):
    """Rows under a heading of their own."""

    name: str
    rows: tuple[Row[C], ...]


@dataclass(frozen=True)
class Grid(Generic[C]):
    """A table; ``unit`` says what its numbers are, ``uncoloured`` where more is not better."""

    title: str
    columns: tuple[str, ...]
    blocks: tuple[Block[C], ...]
    unit: str = ""
    uncoloured: tuple[str, ...] = ()

    @property
    def rows(self) -> Iterator[Row[C]]:
        """The rows of all blocks."""
        return (row for block in self.blocks for row in block.rows)


def needs(grid: Grid[Ask]) -> list[Wanted]:
    """The runs of all cells, each once."""
    return list(dict.fromkeys(wanted for row in grid.rows for ask in row.cells for wanted in ask.runs))


def measure(grid: Grid[Ask], results: Results) -> Grid[Cell]:
    """The table with its cells filled, as far as there are runs."""
    blocks = tuple(
        Block(block.name, tuple(Row(row.name, row.here, _cells(row, results)) for row in block.rows))
        for block in grid.blocks
    )
    return Grid(grid.title, grid.columns, blocks, grid.unit, grid.uncoloured)


def _cells(row: Row[Ask], results: Results) -> tuple[Cell, ...]:
    return tuple(Cell(ask.paper, ask.compute(results) if ask.compute else None) for ask in row.cells)


@dataclass(frozen=True)
class Ranking:
    """Phrases of a ranking, best first, and whether each is right."""

    name: str
    here: str
    paper: tuple[tuple[str, bool], ...]
    ours: tuple[tuple[str, bool], ...]


@dataclass(frozen=True)
class Listing:
    """Rankings of one document, the paper's and ours."""

    title: str
    rows: tuple[Ranking, ...]
