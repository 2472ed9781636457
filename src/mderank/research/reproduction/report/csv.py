"""The report's numbers as CSV: a row a cell, a row a contrast."""

from __future__ import annotations

from collections.abc import Iterator

from mderank.research.reproduction.cells import Cell, CellGrid, Listing
from mderank.research.reproduction.report.build import Report
from mderank.util.tables import as_csv as rows_as_csv

HEADER = ("table", "title", "block", "row", "measured_with", "column", "paper", "ours", "difference", "documents", "of")
CLAIMS_HEADER = ("mode", "table", "claim", "verdict", "contrast", "quantity", "difference", "low", "high", "p_holm",
                 "documents", "contrast_verdict", "reason")  # fmt: skip


def as_csv(report: Report) -> str:
    """Every cell; what was not run is empty."""
    return rows_as_csv(HEADER, _rows(report))


def _rows(report: Report) -> Iterator[tuple[object, ...]]:
    for section in report.sections:
        for table in section.tables:
            yield from _listed(section.name, table) if isinstance(table, Listing) else _cells(section.name, table)


def _cells(name: str, grid: CellGrid[Cell]) -> Iterator[tuple[object, ...]]:
    for block in grid.blocks:
        for row in block.rows:
            for column, cell in zip(grid.columns, row.cells, strict=True):
                ours = cell.ours
                yield (
                    name, grid.title, block.name, row.name, row.measured_with, column, _format_number(cell.paper),
                    _format_number(ours.number if ours else None), _format_number(cell.difference),
                    ours.documents if ours else None, ours.of if ours else None,
                )  # fmt: skip


def _listed(name: str, listing: Listing) -> Iterator[tuple[object, ...]]:
    """A row a rank; the phrases stand in place of numbers."""
    for each in listing.rows:
        for rank in range(max(len(each.paper), len(each.ours))):
            phrases = (some[rank][0] if rank < len(some) else None for some in (each.paper, each.ours))
            yield (name, listing.title, "", each.name, each.measured_with, rank + 1, *phrases, None, None, None)


def claims_as_csv(report: Report) -> str:
    """Every contrast of every claim, in percentage points except for numbers of words and of places in AvgRank."""
    return rows_as_csv(CLAIMS_HEADER, _claims(report))


def _claims(report: Report) -> Iterator[tuple[object, ...]]:
    for mode, findings in report.findings.items():
        for finding in findings:
            for tested in finding.tested:
                found, contrast, claim = tested.comparison, tested.contrast, finding.claim
                scale = 100 if contrast.quantity.per_cent else 1
                limits = (found.difference, found.low, found.high) if found else (None, None, None)
                yield (
                    mode, claim.part, claim.says, finding.verdict, contrast.says, contrast.quantity.name,
                    *(_format_number(None if each is None else scale * each) for each in limits),
                    None if tested.p is None else f"{tested.p:.4f}", tested.documents or None, tested.verdict,
                    tested.reason,
                )  # fmt: skip


def _format_number(number: float | None) -> str | None:
    return None if number is None else f"{number:.2f}"
