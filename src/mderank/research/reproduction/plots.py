"""Plots of tables: the paper's number is a ring, ours a dot."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mderank.research.reports.svg import Line, ValuePair, line_plot, pair_plot
from mderank.research.reproduction.cells import Block, Cell, CellGrid, Row
from mderank.research.reproduction.config import MODES


@dataclass(frozen=True)
class Plot:
    """A plot.

    Attributes:
        caption: Its caption.
        svg: The SVG.
        unit: The unit that small plots side by side have in common; empty for plots with their own axes.

    """

    caption: str
    svg: str
    unit: str = ""

    @property
    def wide(self) -> bool:
        """Whether it has its own axes, and needs more room."""
        return not self.unit


def label(row: Row[Cell]) -> str:
    """Return a row's name, with its mode if it has one."""
    mode = next((mode for mode in MODES if row.measured_with.endswith(mode)), None)
    return f"{row.name}, {mode}" if mode else row.name


def column_plots(name: str, grid: CellGrid[Cell], block: Block[Cell], columns: int) -> list[Plot]:
    """Draw a plot per column of a block, for its first columns: the rows, the paper's numbers and ours."""
    plots = []
    limit = _limit(cell for row in block.rows for cell in row.cells[:columns])
    for column, title in enumerate(grid.columns[:columns]):
        pairs = _pairs([(label(row), row.cells[column]) for row in block.rows])
        if pairs:
            svg = pair_plot(f"{name}-{column}", title, _describe(pairs), pairs, limit)
            plots.append(Plot(title, svg, f"{block.name}, in per cent" if block.name else grid.unit))
    return plots


def block_plots(name: str, grid: CellGrid[Cell]) -> list[Plot]:
    """Draw a plot per block: its columns, and in each of them its rows."""
    plots = []
    limit = _limit(cell for row in grid.rows for cell in row.cells)
    for number, block in enumerate(grid.blocks):
        pairs = _pairs(
            [
                (f"{column}: {label(row)}", row.cells[index])
                for index, column in enumerate(grid.columns)
                for row in block.rows
            ],
            len(block.rows),
        )
        if pairs:
            svg = pair_plot(f"{name}-{number}", block.name, _describe(pairs), pairs, limit)
            plots.append(Plot(block.name, svg, grid.unit))
    return plots


def lines_plot(name: str, title: str, grid: CellGrid[Cell], xs: Sequence[float], axis: str, column: int) -> list[Plot]:
    """Draw one plot of a column, with a line per row through the blocks.

    Args:
        name: The plot's id.
        title: Its title.
        grid: The table.
        xs: The blocks' values on the x axis.
        axis: The name of the x axis.
        column: The column's index.

    Returns:
        The plot; none if there are no numbers.

    """
    lines: list[Line] = []
    for number, rows in enumerate(zip(*(block.rows for block in grid.blocks), strict=True)):
        cells = [row.cells[column] for row in rows]
        ours = [(x, cell.ours.number) for x, cell in zip(xs, cells, strict=True) if cell.ours is not None]
        paper = [(x, cell.paper) for x, cell in zip(xs, cells, strict=True) if cell.paper is not None]
        label_of_paper = f"{rows[0].name}, the paper"
        if paper and label_of_paper not in [line.label for line in lines]:
            lines.append(Line(label_of_paper, paper, 2 * number))
        if ours:
            lines.append(Line(f"{label(rows[0])}, ours", ours, 2 * number + 1))
    if not lines:
        return []
    described = "; ".join(f"{line.label}: {', '.join(f'{y:.2f} at {x:g}' for x, y in line.points)}" for line in lines)
    return [Plot(title, line_plot(name, title, described, lines, (axis, f"{grid.columns[column]}, per cent")))]


def coverage_plot(grid: CellGrid[Cell], xs: Sequence[float]) -> list[Plot]:
    """Draw the share of gold keyphrases by first words, a line per dataset."""
    lines = []
    for number, row in enumerate(grid.rows):
        points = [(x, cell.ours.number) for x, cell in zip(xs, row.cells, strict=True) if cell.ours is not None]
        if points:
            lines.append(Line(row.name, points, number))
    if not lines:
        return []
    described = "; ".join(f"{line.label}: {', '.join(f'{y:.1f} at {x:g}' for x, y in line.points)}" for line in lines)
    return [Plot(grid.title, line_plot("coverage", grid.title, described, lines, ("first words", "per cent")))]


def _pairs(cells: Sequence[tuple[str, Cell]], series: int | None = None) -> list[ValuePair]:
    """Return the cells that have a number. Colours repeat after ``series`` cells."""
    return [
        ValuePair(name, cell.paper, None if cell.ours is None else cell.ours.number, index % (series or len(cells)))
        for index, (name, cell) in enumerate(cells)
        if cell.paper is not None or cell.ours is not None
    ]


def _limit(cells: Iterable[Cell]) -> float:
    numbers = [
        number
        for cell in cells
        for number in (cell.paper, cell.ours.number if cell.ours else None)
        if number is not None
    ]
    return max(numbers, default=0.0)


def _describe(pairs: Sequence[ValuePair]) -> str:
    """Describe a plot in words, for screen readers."""
    return "; ".join(
        f"{pair.label}: the paper {_format_number(pair.reference)}, ours {_format_number(pair.measured)}"
        for pair in pairs
    )


def _format_number(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"
