"""The report as Markdown."""

from __future__ import annotations

from mderank.research.reproduction.cells import Cell, CellGrid, Listing
from mderank.research.reproduction.claim_tests import Claim
from mderank.research.reproduction.config import Mode
from mderank.research.reproduction.report.build import LEGEND, Report, Section
from mderank.research.reproduction.report.text import HOW_CLAIMS, TITLE, source, summary, three, told
from mderank.util.tables import Block, Row, Table
from mderank.util.tables import Cell as Text
from mderank.util.tables import as_markdown as table_as_markdown


def as_markdown(report: Report) -> str:
    """The whole report."""
    parts = [f"# {TITLE}\n", _substitutions(report), _claims(report)]
    parts += [_section(section) for section in report.sections]
    parts += [_runs(report), _notes(report)]
    return "\n".join(part for part in parts if part)


def _substitutions(report: Report) -> str:
    rows = tuple(Row(paper, (Text(measured_with),)) for paper, measured_with in report.substitutions)
    return table_as_markdown(Table("What stands for what", "in the paper", ("here",), (Block("", rows),), prose=True))


def _claims(report: Report) -> str:
    if not any(report.findings.values()):
        return ""
    lines = ["## What the paper says\n", _verdicts(report), HOW_CLAIMS + "\n"]
    for mode, findings in report.findings.items():
        lines.append(f"### MDERank, {mode}: {summary(findings)}\n")
        for finding in findings:
            lines.append(f"- **{finding.verdict}**: {finding.claim.says} ({source(finding.claim)}).")
            lines += [f"  - {told(tested)}" for tested in finding.tested]
        lines.append("")
    return "\n".join(lines)


def _verdicts(report: Report) -> str:
    """A row a claim, a column a form."""
    by_claim: dict[Claim, dict[Mode, str]] = {}
    said: dict[str, Claim] = {}
    for mode, findings in report.findings.items():
        for finding in findings:
            claim = said.setdefault(finding.claim.says, finding.claim)
            by_claim.setdefault(claim, {})[mode] = finding.verdict
    lines = [f"| claim | where | {' | '.join(report.modes)} |", f"|---|---|{'---|' * len(report.modes)}"]
    for claim, verdicts in by_claim.items():
        cells = " | ".join(verdicts.get(mode, "") for mode in report.modes)
        lines.append(f"| {claim.says} | {source(claim)} | {cells} |")
    return "\n".join(lines) + "\n"


def _section(section: Section) -> str:
    parts = [f"## {section.heading}\n", section.about + "\n"]
    for table in section.tables:
        parts.append(_listing(table) if isinstance(table, Listing) else _grid(table))
    parts += [f"- As printed: {slip}" for slip in section.slips]
    return "\n".join(parts) + "\n"


def _grid(grid: CellGrid[Cell]) -> str:
    blocks = tuple(
        Block(
            block.name,
            tuple(
                Row(row.name, (Text(row.measured_with), *(Text(three(cell)) for cell in row.cells)))
                for row in block.rows
            ),
        )
        for block in grid.blocks
    )
    shown = Table(f"{grid.title} ({grid.unit})", "", ("here", *grid.columns), blocks, LEGEND)
    return "#" + table_as_markdown(shown)


def _listing(listing: Listing) -> str:
    rows = tuple(
        Row(each.name, (Text(each.measured_with), Text(_phrases(each.paper)), Text(_phrases(each.ours))))
        for each in listing.rows
    )
    legend, columns = "✓ matches a gold phrase.", ("here", "the paper", "ours")
    return "#" + table_as_markdown(Table(listing.title, "", columns, (Block("", rows),), legend, prose=True))


def _phrases(phrases: tuple[tuple[str, bool], ...]) -> str:
    return ", ".join(f"{phrase} ✓" if right else phrase for phrase, right in phrases)


def _runs(report: Report) -> str:
    if not report.runs:
        return ""
    lines = ["## The runs that this rests on\n", "| command | documents | seconds a document |", "|---|---:|---:|"]
    for run in report.runs:
        documents = str(run.documents) if run.documents == run.of else f"{run.documents} of {run.of}"
        lines.append(f"| `{run.command}` | {documents} | {run.seconds:.3f} |")
    return "\n".join(lines) + "\n"


def _notes(report: Report) -> str:
    return "\n".join(["## Notes\n", *(f"- {note}" for note in report.notes), ""]) if report.notes else ""
