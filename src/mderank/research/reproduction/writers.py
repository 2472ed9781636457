"""Write a report as Markdown, LaTeX and CSV."""

from __future__ import annotations

from collections.abc import Iterator

from mderank.research.reproduction.cells import Cell, CellGrid, Listing
from mderank.research.reproduction.cells import Row as CellRow
from mderank.research.reproduction.claim_tests import Claim
from mderank.research.reproduction.config import Mode
from mderank.research.reproduction.report import (
    HOW_CLAIMS,
    LEGEND,
    TITLE,
    Report,
    Section,
    format_cell,
    format_numbers,
    format_source,
    format_tested,
    summarise_findings,
)
from mderank.util.tables import Block, Row, Table, notes_as_latex
from mderank.util.tables import Cell as TextCell
from mderank.util.tables import as_csv as rows_as_csv
from mderank.util.tables import as_latex as table_as_latex
from mderank.util.tables import as_markdown as table_as_markdown

# --- Markdown ---------------------------------------------------------------------------------------------------------


def as_markdown(report: Report) -> str:
    """Write a report as Markdown.

    Args:
        report: The report.

    Returns:
        The text.

    """
    parts = [f"# {TITLE}\n", _md_substitutions(report), _md_claims(report)]
    parts += [_md_section(section) for section in report.sections]
    parts += [_md_runs(report), _md_notes(report)]
    return "\n".join(part for part in parts if part)


def _md_substitutions(report: Report) -> str:
    rows = tuple(Row(paper, (TextCell(measured_with),)) for paper, measured_with in report.substitutions)
    return table_as_markdown(Table("What stands for what", "in the paper", ("here",), (Block("", rows),), prose=True))


def _md_claims(report: Report) -> str:
    if not any(report.findings.values()):
        return ""
    lines = ["## What the paper says\n", _md_verdicts(report), HOW_CLAIMS + "\n"]
    for mode, findings in report.findings.items():
        lines.append(f"### MDERank, {mode}: {summarise_findings(findings)}\n")
        for finding in findings:
            lines.append(f"- **{finding.verdict}**: {finding.claim.says} ({format_source(finding.claim)}).")
            lines += [f"  - {format_tested(tested)}" for tested in finding.tested]
        lines.append("")
    return "\n".join(lines)


def _md_verdicts(report: Report) -> str:
    """Write a row per claim, a column per mode."""
    by_claim: dict[Claim, dict[Mode, str]] = {}
    first_of: dict[str, Claim] = {}
    for mode, findings in report.findings.items():
        for finding in findings:
            claim = first_of.setdefault(finding.claim.says, finding.claim)
            by_claim.setdefault(claim, {})[mode] = finding.verdict
    lines = [f"| claim | where | {' | '.join(report.modes)} |", f"|---|---|{'---|' * len(report.modes)}"]
    for claim, verdicts in by_claim.items():
        cells = " | ".join(verdicts.get(mode, "") for mode in report.modes)
        lines.append(f"| {claim.says} | {format_source(claim)} | {cells} |")
    return "\n".join(lines) + "\n"


def _md_section(section: Section) -> str:
    parts = [f"## {section.heading}\n", section.about + "\n"]
    for table in section.tables:
        parts.append(_md_listing(table) if isinstance(table, Listing) else _md_grid(table))
    parts += [f"- As printed: {slip}" for slip in section.slips]
    return "\n".join(parts) + "\n"


def _md_grid(grid: CellGrid[Cell]) -> str:
    blocks = tuple(
        Block(
            block.name,
            tuple(
                Row(row.name, (TextCell(row.measured_with), *(TextCell(format_cell(cell)) for cell in row.cells)))
                for row in block.rows
            ),
        )
        for block in grid.blocks
    )
    shown = Table(f"{grid.title} ({grid.unit})", "", ("here", *grid.columns), blocks, LEGEND)
    return "#" + table_as_markdown(shown)


def _md_listing(listing: Listing) -> str:
    rows = tuple(
        Row(
            each.name,
            (TextCell(each.measured_with), TextCell(_md_phrases(each.paper)), TextCell(_md_phrases(each.ours))),
        )
        for each in listing.rows
    )
    legend, columns = "✓ matches a gold keyphrase.", ("here", "the paper", "ours")
    return "#" + table_as_markdown(Table(listing.title, "", columns, (Block("", rows),), legend, prose=True))


def _md_phrases(phrases: tuple[tuple[str, bool], ...]) -> str:
    return ", ".join(f"{phrase} ✓" if right else phrase for phrase, right in phrases)


def _md_runs(report: Report) -> str:
    if not report.runs:
        return ""
    lines = ["## The runs that this rests on\n", "| command | documents | seconds a document |", "|---|---:|---:|"]
    for run in report.runs:
        documents = str(run.documents) if run.documents == run.of else f"{run.documents} of {run.of}"
        lines.append(f"| `{run.command}` | {documents} | {run.seconds:.3f} |")
    return "\n".join(lines) + "\n"


def _md_notes(report: Report) -> str:
    return "\n".join(["## Notes\n", *(f"- {note}" for note in report.notes), ""]) if report.notes else ""


# --- LaTeX: a table per block, three lines per row ----------------------------------------------------------------

_INDENT = "\u00a0\u00a0"


def as_latex(report: Report) -> str:
    """Write a report as LaTeX, for booktabs and adjustbox. Claims and notes are comments.

    Args:
        report: The report.

    Returns:
        The text.

    """
    substitutions = notes_as_latex([f"{paper}: here {measured_with}." for paper, measured_with in report.substitutions])
    parts = ["% \\usepackage{booktabs, adjustbox}\n", substitutions]
    for mode, findings in report.findings.items():
        parts.append(notes_as_latex([f"Claims, MDERank {mode}: {summarise_findings(findings)}."]) if findings else "")
        for finding in findings:
            lines = [f"{finding.verdict}: {finding.claim.says}", *map(format_tested, finding.tested)]
            parts.append(notes_as_latex(lines))
    parts += [table for section in report.sections for table in _tex_section(section)]
    parts.append(notes_as_latex(report.notes))
    return "\n".join(part for part in parts if part)


def _tex_section(section: Section) -> list[str]:
    tables: list[str] = []
    for table in section.tables:
        tables += [_tex_listing(section, table)] if isinstance(table, Listing) else _tex_grid(section, table)
    return [*tables, notes_as_latex([f"As printed: {slip}" for slip in section.slips])]


def _tex_grid(section: Section, grid: CellGrid[Cell]) -> list[str]:
    legend = "Each row: the paper, ours, the difference; what was not run is empty; * not all documents."
    tables = []
    for block in grid.blocks:
        rows = tuple(line for row in block.rows for line in _tex_lines(row))
        title = ", ".join(
            filter(None, (section.heading, "" if grid.title == section.title else grid.title, block.name))
        )
        tables.append(table_as_latex(Table(f"{title} ({grid.unit})", "", grid.columns, (Block("", rows),), legend)))
    return tables


def _tex_lines(row: CellRow[Cell]) -> list[Row]:
    columns = [format_numbers(cell) for cell in row.cells]
    names = (row.name, f"{_INDENT}{row.measured_with or 'ours'}", f"{_INDENT}difference")
    return [Row(name, tuple(TextCell(column[index]) for column in columns)) for index, name in enumerate(names)]


def _tex_listing(section: Section, listing: Listing) -> str:
    rows = []
    for each in listing.rows:
        for name, phrases in ((each.name, each.paper), (f"{_INDENT}{each.measured_with}", each.ours)):
            texts = [f"{phrase} (gold)" if right else phrase for phrase, right in phrases]
            rows.append(Row(name, (TextCell("; ".join(texts)),)))
    table = Table(section.heading, "", ("phrases",), (Block("", tuple(rows)),), listing.title, prose=True)
    return table_as_latex(table)


# --- CSV: a row per cell, a row per contrast ---------------------------------------------------------------------

HEADER = ("table", "title", "block", "row", "measured_with", "column", "paper", "ours", "difference", "documents", "of")
CLAIMS_HEADER = ("mode", "table", "claim", "verdict", "contrast", "quantity", "difference", "low", "high", "p_holm",
                 "documents", "contrast_verdict", "reason")  # fmt: skip


def as_csv(report: Report) -> str:
    """Write the numbers of a report as CSV, a row per cell. Cells that were not run are empty.

    Args:
        report: The report.

    Returns:
        The text.

    """
    return rows_as_csv(HEADER, _csv_rows(report))


def _csv_rows(report: Report) -> Iterator[tuple[object, ...]]:
    for section in report.sections:
        for table in section.tables:
            yield from (
                _csv_listed(section.name, table) if isinstance(table, Listing) else _csv_cells(section.name, table)
            )


def _csv_cells(name: str, grid: CellGrid[Cell]) -> Iterator[tuple[object, ...]]:
    for block in grid.blocks:
        for row in block.rows:
            for column, cell in zip(grid.columns, row.cells, strict=True):
                ours = cell.ours
                yield (
                    name, grid.title, block.name, row.name, row.measured_with, column, _format_number(cell.paper),
                    _format_number(ours.number if ours else None), _format_number(cell.difference),
                    ours.documents if ours else None, ours.of if ours else None,
                )  # fmt: skip


def _csv_listed(name: str, listing: Listing) -> Iterator[tuple[object, ...]]:
    """Yield a row per rank, with phrases in place of numbers."""
    for each in listing.rows:
        for rank in range(max(len(each.paper), len(each.ours))):
            phrases = (some[rank][0] if rank < len(some) else None for some in (each.paper, each.ours))
            yield (name, listing.title, "", each.name, each.measured_with, rank + 1, *phrases, None, None, None)


def claims_as_csv(report: Report) -> str:
    """Write the claims of a report as CSV, a row per contrast.

    Differences are in percentage points, except for numbers of words and ranks in AvgRank.

    Args:
        report: The report.

    Returns:
        The text.

    """
    return rows_as_csv(CLAIMS_HEADER, _csv_claims(report))


def _csv_claims(report: Report) -> Iterator[tuple[object, ...]]:
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
