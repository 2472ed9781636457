"""``mderank compare``: from runs to tables, and to one page."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, get_args

import click

from mderank.cli._options import SectionedCommand, option
from mderank.cli._terminal import output as opened
from mderank.cli._terminal import progress, wants_color
from mderank.errors import InputError, OptionError

if TYPE_CHECKING:
    from mderank.research.evaluation.protocols import Protocol
    from mderank.research.reports.judged import JudgedSummary
    from mderank.research.reports.run_grid import Grid
    from mderank.research.reports.summary import Summary, Texts

Form = Literal["table", "markdown", "csv", "latex"]


@click.command(cls=SectionedCommand)
@click.argument("places", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@option("Method", "--protocol", "protocol_names", multiple=True, metavar="NAME",
        help="A further way of scoring, besides mderank and macro-stem; may be repeated.")  # fmt: skip
@option("Method", "--measure", "measure_names", multiple=True, metavar="NAME@K",
        help="P, R, F1, AP, nDCG or redundancy at a rank or M (all), on judged datasets acceptable, junk or "
        "redundancy; may be repeated.  [default: F1@5, F1@10, F1@15; acceptable@10, junk@10, redundancy@10]"
        )  # fmt: skip
@option("Method", "--baseline", metavar="LABEL",
        help="The method that others are tested against.  [default: the first run's]")  # fmt: skip
@option("Input", "--data-dir", envvar="MDERANK_DATA_DIR", type=click.Path(path_type=Path), show_envvar=True,
        help="Folder with the sets, for their texts.")  # fmt: skip
@option("Results", "--format", "-f", "form", type=click.Choice(get_args(Form)), default="table", show_default=True,
        help="csv has a row for every value, with its interval and p-value; latex needs booktabs and adjustbox."
        )  # fmt: skip
@option("Results", "--output", "-o", metavar="FILE", help="Write to FILE.  [default: standard output]")
@option("Results", "--html", metavar="FILE", help="Write a page too: tables, plots, and the hits in the texts.")
@option("Results", "--documents", type=click.IntRange(0), default=20, show_default=True, metavar="N",
        help="Documents of each set on the page.")  # fmt: skip
def compare(
    places: tuple[Path, ...],
    protocol_names: tuple[str, ...],
    measure_names: tuple[str, ...],
    baseline: str | None,
    data_dir: Path | None,
    form: Form,
    output: str | None,
    html: str | None,
    documents: int,
) -> None:
    """Compare runs of mderank evaluate: who is better, where, and by more than chance.

    RUN is a run's folder, or a folder with runs somewhere in it. Each run is one method on one set; its label names
    the row.

    Differences to the baseline are tested on the documents that both have: 95 % intervals by the paired bootstrap,
    p-values by the paired randomisation test, corrected over the table (Holm). The same runs give the same bytes.

    Runs on judged datasets (everyday) have tables of their own: shares of acceptable phrases and of junk, also by kind
    of document.
    """
    from mderank.research.datasets import DATASETS
    from mderank.research.evaluation.measures import JUDGED_MEASURES, PAPER_MEASURES, Measure, chosen
    from mderank.research.reports.judged import summarise_judged
    from mderank.research.reports.run_grid import arrange, find_runs
    from mderank.research.reports.summary import summarise

    asked = [Measure.parse(name) for name in measure_names]
    protocols = _protocols(protocol_names)
    grid = arrange(find_runs(places), baseline, tuple(DATASETS))
    texts, notes = _texts(grid, data_dir, protocols, wanted=html is not None)
    labelled, of_judged = grid.divided()
    summary, judged = None, None
    with progress("comparing", len(grid.datasets)) as advance:
        if labelled is not None:
            measures = chosen(asked, PAPER_MEASURES, judged=False)
            summary = summarise(labelled, protocols, measures, texts, advance, notes)
        if of_judged is not None:
            own = chosen(asked, JUDGED_MEASURES, judged=True)
            judged = summarise_judged(of_judged, own, advance, notes if summary is None else ())
    _write(_rendered(summary, judged, form, color=output is None and wants_color(sys.stdout)), output)
    if form == "csv":
        for note in _notes(summary, judged):
            click.echo(f"mderank: note: {note}", err=True)
    if html is not None:
        from mderank.research.reports.page import comparison_page

        _write(comparison_page(summary, texts, documents, judged), html)


def _notes(summary: Summary | None, judged: JudgedSummary | None) -> tuple[str, ...]:
    return tuple(note for each in (summary, judged) if each is not None for note in each.notes)


def _protocols(names: tuple[str, ...]) -> list[Protocol]:
    """Those that are always reported, then what was asked for."""
    from mderank.research.evaluation.protocols import REPORTED, get_protocol

    return [get_protocol(name) for name in dict.fromkeys((*REPORTED, *names))]


def _texts(grid: Grid, data_dir: Path | None, protocols: list[Protocol], wanted: bool) -> tuple[Texts, tuple[str, ...]]:
    """The texts, if something needs them, and notes on those that are not there."""
    from mderank.research.reports.texts import read_texts

    needing = next((protocol.name for protocol in protocols if protocol.present_only), None)
    if needing and data_dir is None:
        raise OptionError(f"--protocol {needing} looks into the texts: name their folder (--data-dir)")
    if not (needing or wanted):
        return {}, ()
    texts, notes = read_texts(grid, data_dir)
    labelled, _ = grid.divided()
    missing = [dataset for dataset in (labelled.datasets if labelled else ()) if dataset not in texts]
    if needing and missing:
        raise InputError(
            f"--protocol {needing} looks into the texts, and those of {', '.join(missing)} are not in {data_dir} as "
            "they were run: name the folder that has them (--data-dir)"
        )
    return texts, notes


def _rendered(summary: Summary | None, judged: JudgedSummary | None, form: Form, color: bool) -> str:
    from mderank.research.reports.score_tables import CSV_HEADER, long_rows
    from mderank.research.reports.score_tables import tables as all_tables
    from mderank.util import tables

    if form == "csv":
        return tables.as_csv(CSV_HEADER, long_rows(summary, judged))
    bold: Callable[[str], str] = (lambda text: click.style(text, bold=True)) if color else str
    render: dict[str, Callable[[tables.Table], str]] = {
        "table": lambda table: tables.as_text(table, bold),
        "markdown": tables.as_markdown,
        "latex": tables.as_latex,
    }
    parts = [render[form](table) for table in all_tables(summary, judged)]
    notes = _notes(summary, judged)
    if notes:
        parts.append(tables.NOTES[form](notes))
    return ("\n\n" if form == "table" else "\n").join(parts)


def _write(text: str, file: str | None) -> None:
    with opened(file) as stream:
        stream.write(text.encode("utf-8", "backslashreplace").decode("utf-8"))
