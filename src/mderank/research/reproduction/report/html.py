"""The report as one page that needs nothing else: claims, tables with three numbers a cell, plots.

There is no script in the page, all text is escaped, and a Content-Security-Policy forbids anything but its own style.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mderank.research.reports.style import STYLE
from mderank.research.reports.svg import safe
from mderank.research.reproduction.cells import Cell, Grid, Listing
from mderank.research.reproduction.claim_tests import Finding
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.report.build import Report, Section
from mderank.research.reproduction.report.style import OWN_STYLE
from mderank.research.reproduction.report.text import HOW_CLAIMS, TITLE, numbers, source, summary, told

LEGEND = "In each cell: the paper's number, ours, the difference. What was not run is empty. * not all documents."

_CLASSES = {"holds": "yes", "does not hold": "no", "undecided": "open", "not run": "never"}


def page(report: Report) -> str:
    """The whole page."""
    links = "".join(f'<a href="#{safe(each.name)}">{safe(each.heading)}</a>' for each in report.sections)
    return "".join(
        [
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{TITLE}</title>'
            f"<style>{STYLE}{OWN_STYLE}</style></head><body>\n",
            f"<header><h1>{TITLE}</h1><nav>{links}</nav>{_stands_for(report)}{_notes(report)}</header>\n<main>",
            _claims(report),
            *(_section(section) for section in report.sections),
            _runs(report),
            "</main></body></html>\n",
        ]
    )


def _stands_for(report: Report) -> str:
    rows = "".join(
        f'<tr><th scope="row">{safe(paper)}</th><td>{safe(here)}</td></tr>' for paper, here in report.stands_for
    )
    caption = "<caption>What stands for what</caption>"
    return f'<div class="scroll"><table class="stands">{caption}<tbody>{rows}</tbody></table></div>'


def _notes(report: Report) -> str:
    if not report.notes:
        return ""
    items = "".join(f"<li>{safe(note)}</li>" for note in report.notes)
    return f'<div class="notes"><h2>Notes</h2><ul>{items}</ul></div>'


def _claims(report: Report) -> str:
    """A row a claim, a column a form."""
    if not any(report.findings.values()):
        return ""
    by_claim: dict[str, dict[str, Finding]] = {}
    for form, findings in report.findings.items():
        for finding in findings:
            by_claim.setdefault(finding.claim.says, {})[form] = finding
    heading = "".join(f'<th scope="col">{safe(form)}</th>' for form in report.forms)
    rows = []
    for says, found in by_claim.items():
        claim = next(iter(found.values())).claim
        cells = "".join(f"<td>{_finding(found.get(form))}</td>" for form in report.forms)
        rows.append(f'<tr><th scope="row">{safe(says)}<span class="here">{source(claim)}</span></th>{cells}</tr>\n')
    sums = "; ".join(f"{form}: {summary(findings)}" for form, findings in report.findings.items())
    return (
        f'<section id="claims"><h2>What the paper says</h2><p>{safe(sums)}.</p>'
        f'<div class="scroll"><table class="claims"><thead><tr><th scope="col">Claim</th>{heading}</tr></thead>'
        f'<tbody>{"".join(rows)}</tbody></table></div><p class="legend">{safe(HOW_CLAIMS)}</p></section>\n'
    )


def _finding(finding: Finding | None) -> str:
    if finding is None:
        return ""
    items = "".join(f"<li>{safe(told(tested))}</li>" for tested in finding.tested)
    return (
        f'<span class="verdict {_CLASSES[finding.verdict]}">{finding.verdict}</span>'
        f"<details><summary>the tests</summary><ul>{items}</ul></details>"
    )


def _section(section: Section) -> str:
    parts = [f'<section id="{safe(section.name)}"><h2>{safe(section.heading)}</h2><p>{safe(section.about)}</p>']
    parts += _figures(section.plots)
    parts += [_listing(table) if isinstance(table, Listing) else _grid(table) for table in section.tables]
    if section.slips:
        items = "".join(f"<li>{safe(slip)}</li>" for slip in section.slips)
        parts.append(f'<div class="notes"><h2>As printed</h2><ul>{items}</ul></div>')
    return "".join([*parts, "</section>\n"])


def _grid(grid: Grid[Cell]) -> str:
    heading = "".join(f'<th scope="col">{safe(name)}</th>' for name in grid.columns)
    title = f"{grid.title} ({grid.unit})"
    lines = [
        f"<h3>{safe(title)}</h3>"
        f'<div class="scroll" role="region" tabindex="0" aria-label="{safe(title)}"><table class="cells">'
        f'<thead><tr><th scope="col"></th>{heading}</tr></thead>\n'
    ]
    for block in grid.blocks:
        lines.append("<tbody>")
        if block.name:
            filler = f'<td colspan="{len(grid.columns)}"></td>'
            lines.append(f'<tr class="block"><th scope="rowgroup">{safe(block.name)}</th>{filler}</tr>\n')
        for row in block.rows:
            coloured = [column not in grid.uncoloured for column in grid.columns]
            cells = "".join(f"<td>{_cell(*each)}</td>" for each in zip(row.cells, coloured, strict=True))
            here = f'<span class="here">{safe(row.here)}</span>' if row.here else ""
            lines.append(f'<tr><th scope="row">{safe(row.name)}{here}</th>{cells}</tr>\n')
        lines.append("</tbody>")
    return "".join([*lines, f'</table></div><p class="legend">{LEGEND}</p>\n'])


def _cell(cell: Cell, coloured: bool) -> str:
    paper, ours, difference = numbers(cell)
    if not paper and not ours:
        return ""
    number = cell.difference or 0.0
    sign = "same" if abs(number) < 0.005 or not coloured else "up" if number > 0 else "down"
    told = f' title="{cell.ours.documents} of {cell.ours.of} documents"' if cell.ours and cell.ours.documents else ""
    return f'<span class="p">{paper}</span><span class="o"{told}>{ours}</span><span class="{sign}">{difference}</span>'


def _listing(listing: Listing) -> str:
    rows = []
    for each in listing.rows:
        lists = "".join(f"<td>{_phrases(some)}</td>" for some in (each.paper, each.ours))
        here = f'<span class="here">{safe(each.here)}</span>'
        rows.append(f'<tr><th scope="row">{safe(each.name)}{here}</th>{lists}</tr>')
    return (
        f'<h3>{safe(listing.title)}</h3><div class="scroll"><table class="cells ranking"><thead><tr><th></th>'
        '<th scope="col">the paper</th><th scope="col">ours</th></tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table></div>"
        '<p class="legend">In bold: matches a gold phrase.</p>'
    )


def _phrases(phrases: Sequence[tuple[str, bool]]) -> str:
    items = (
        f"<li><strong>{safe(text)}</strong></li>" if right else f"<li>{safe(text)}</li>" for text, right in phrases
    )
    return f"<ol>{''.join(items)}</ol>" if phrases else ""


def _figures(plots: Sequence[Plot]) -> Iterator[str]:
    small, wide = [plot for plot in plots if not plot.wide], [plot for plot in plots if plot.wide]
    if small:
        ring, dot = (
            f'<svg class="c0" viewBox="0 0 12 12"><circle class="{kind}" cx="6" cy="6" r="4.5"/></svg>'
            for kind in ("ring", "point")
        )
        unit = safe(small[0].unit)
        yield f'<p class="legend key"><span>{unit}:</span><span>{ring} the paper</span><span>{dot} ours</span></p>'
        yield f'<div class="plots">{"".join(map(_figure, small))}</div>'
    if wide:
        yield f'<div class="lines">{"".join(map(_figure, wide))}</div>'


def _figure(plot: Plot) -> str:
    return f"<figure><figcaption>{safe(plot.caption)}</figcaption>{plot.svg}</figure>"


def _runs(report: Report) -> str:
    if not report.runs:
        return ""
    rows = []
    for run in report.runs:
        documents = str(run.documents) if run.documents == run.of else f"{run.documents} of {run.of}"
        rows.append(f"<tr><td><code>{safe(run.command)}</code></td><td>{documents}</td><td>{run.seconds:.3f}</td></tr>")
    return (
        f'<section id="runs"><h2>The runs that this rests on</h2><details><summary>{len(report.runs)} runs</summary>'
        '<div class="scroll"><table class="runs"><thead><tr><th>command</th><th>documents</th>'
        f"<th>seconds a document</th></tr></thead><tbody>{''.join(rows)}</tbody></table></div></details></section>\n"
    )
