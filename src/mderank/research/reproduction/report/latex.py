"""The tables for LaTeX with booktabs and adjustbox: a table a block, three lines a row."""

from __future__ import annotations

from mderank.research.reproduction.cells import Cell, CellGrid, Listing
from mderank.research.reproduction.cells import Row as Measured
from mderank.research.reproduction.report.build import Report, Section
from mderank.research.reproduction.report.text import numbers, summary, told
from mderank.util.tables import Block, Row, Table, notes_as_latex
from mderank.util.tables import Cell as Text
from mderank.util.tables import as_latex as table_as_latex

_INDENT = "\u00a0\u00a0"


def as_latex(report: Report) -> str:
    """All tables; claims and notes as comments."""
    substitutions = notes_as_latex([f"{paper}: here {measured_with}." for paper, measured_with in report.substitutions])
    parts = ["% \\usepackage{booktabs, adjustbox}\n", substitutions]
    for mode, findings in report.findings.items():
        parts.append(notes_as_latex([f"Claims, MDERank {mode}: {summary(findings)}."]) if findings else "")
        for finding in findings:
            lines = [f"{finding.verdict}: {finding.claim.says}", *map(told, finding.tested)]
            parts.append(notes_as_latex(lines))
    parts += [table for section in report.sections for table in _section(section)]
    parts.append(notes_as_latex(report.notes))
    return "\n".join(part for part in parts if part)


def _section(section: Section) -> list[str]:
    tables: list[str] = []
    for table in section.tables:
        tables += [_listing(section, table)] if isinstance(table, Listing) else _grid(section, table)
    return [*tables, notes_as_latex([f"As printed: {slip}" for slip in section.slips])]


def _grid(section: Section, grid: CellGrid[Cell]) -> list[str]:
    legend = "Each row: the paper, ours, the difference; what was not run is empty; * not all documents."
    tables = []
    for block in grid.blocks:
        rows = tuple(line for row in block.rows for line in _lines(row))
        title = ", ".join(
            filter(None, (section.heading, "" if grid.title == section.title else grid.title, block.name))
        )
        tables.append(table_as_latex(Table(f"{title} ({grid.unit})", "", grid.columns, (Block("", rows),), legend)))
    return tables


def _lines(row: Measured[Cell]) -> list[Row]:
    columns = [numbers(cell) for cell in row.cells]
    names = (row.name, f"{_INDENT}{row.measured_with or 'ours'}", f"{_INDENT}difference")
    return [Row(name, tuple(Text(column[index]) for column in columns)) for index, name in enumerate(names)]


def _listing(section: Section, listing: Listing) -> str:
    rows = []
    for each in listing.rows:
        for name, phrases in ((each.name, each.paper), (f"{_INDENT}{each.measured_with}", each.ours)):
            texts = [f"{phrase} (gold)" if right else phrase for phrase, right in phrases]
            rows.append(Row(name, (Text("; ".join(texts)),)))
    table = Table(section.heading, "", ("phrases",), (Block("", tuple(rows)),), listing.title, prose=True)
    return table_as_latex(table)
