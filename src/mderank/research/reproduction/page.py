"""The report as one self-contained page (``templates/reproduction.html``): claims, tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from mderank.research.reproduction.cells import Cell, CellGrid, Listing
from mderank.research.reproduction.claim_tests import Finding
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.report import (
    HOW_CLAIMS,
    TITLE,
    Report,
    Section,
    format_numbers,
    format_source,
    format_tested,
    summarise_findings,
)
from mderank.util.html import render_page

if TYPE_CHECKING:
    from markupsafe import Markup

_CLASSES = {"holds": "yes", "does not hold": "no", "undecided": "open", "not run": "never"}


class _Finding(NamedTuple):
    verdict: str
    css_class: str
    tests: list[str]


class _ClaimRow(NamedTuple):
    says: str
    source: str
    findings: list[_Finding | None]


class _Claims(NamedTuple):
    summary: str
    modes: Sequence[str]
    rows: list[_ClaimRow]
    method: str


class _Cell(NamedTuple):
    paper: str
    ours: str
    difference: str
    sign: str
    documents: str


class _Row(NamedTuple):
    name: str
    measured_with: str
    cells: list[_Cell]


class _Block(NamedTuple):
    name: str
    rows: list[_Row]


class _GridTable(NamedTuple):
    title: str
    columns: Sequence[str]
    blocks: list[_Block]
    is_grid: bool = True


class _ListingRow(NamedTuple):
    name: str
    measured_with: str
    paper: Sequence[tuple[str, bool]]
    ours: Sequence[tuple[str, bool]]


class _ListingTable(NamedTuple):
    title: str
    rows: list[_ListingRow]
    is_grid: bool = False


class _Figure(NamedTuple):
    caption: str
    svg: Markup


class _PageSection(NamedTuple):
    name: str
    heading: str
    about: str
    unit: str
    small_plots: list[_Figure]
    wide_plots: list[_Figure]
    tables: list[_GridTable | _ListingTable]
    slips: Sequence[str]


def reproduction_page(report: Report) -> str:
    """Write the page of a report.

    Args:
        report: the paper's tables with the numbers measured here.

    Returns:
        A self-contained HTML page.
    """
    return render_page(
        "reproduction.html",
        title=TITLE,
        substitutions=report.substitutions,
        all_notes=report.notes,
        claims=_build_claims(report),
        sections=[_build_section(section) for section in report.sections],
        runs=report.runs,
    )


def _build_claims(report: Report) -> _Claims:
    """Return one row per claim, with one finding per mode of MDERank."""
    by_claim: dict[str, dict[str, Finding]] = {}
    for mode, findings in report.findings.items():
        for finding in findings:
            by_claim.setdefault(finding.claim.says, {})[mode] = finding
    rows = [
        _ClaimRow(
            says,
            format_source(next(iter(found.values())).claim),
            [_build_finding(found.get(mode)) for mode in report.modes],
        )
        for says, found in by_claim.items()
    ]
    sums = "; ".join(f"{mode}: {summarise_findings(findings)}" for mode, findings in report.findings.items())
    return _Claims(sums, report.modes, rows, HOW_CLAIMS)


def _build_finding(finding: Finding | None) -> _Finding | None:
    if finding is None:
        return None
    return _Finding(finding.verdict, _CLASSES[finding.verdict], [format_tested(tested) for tested in finding.tested])


def _build_section(section: Section) -> _PageSection:
    small = [plot for plot in section.plots if not plot.wide]
    return _PageSection(
        section.name,
        section.heading,
        section.about,
        small[0].unit if small else "",
        [_build_figure(plot) for plot in small],
        [_build_figure(plot) for plot in section.plots if plot.wide],
        [_build_listing(table) if isinstance(table, Listing) else _build_grid(table) for table in section.tables],
        section.slips,
    )


def _build_figure(plot: Plot) -> _Figure:
    from markupsafe import Markup

    return _Figure(plot.caption, Markup(plot.svg))  # svg.py escapes its text


def _build_grid(grid: CellGrid[Cell]) -> _GridTable:
    coloured = [column not in grid.uncoloured for column in grid.columns]
    blocks = [
        _Block(
            block.name,
            [
                _Row(
                    row.name, row.measured_with, [_build_cell(*each) for each in zip(row.cells, coloured, strict=True)]
                )
                for row in block.rows
            ],
        )
        for block in grid.blocks
    ]
    return _GridTable(f"{grid.title} ({grid.unit})", grid.columns, blocks)


def _build_cell(cell: Cell, coloured: bool) -> _Cell:
    paper, ours, difference = format_numbers(cell)
    number = cell.difference or 0.0
    sign = "same" if abs(number) < 0.005 or not coloured else "up" if number > 0 else "down"
    documents = f"{cell.ours.documents} of {cell.ours.of} documents" if cell.ours and cell.ours.documents else ""
    return _Cell(paper, ours, difference, sign, documents)


def _build_listing(listing: Listing) -> _ListingTable:
    return _ListingTable(
        listing.title, [_ListingRow(each.name, each.measured_with, each.paper, each.ours) for each in listing.rows]
    )
