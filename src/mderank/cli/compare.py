"""``mderank compare``: compare runs in tables and on a page."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from mderank.cli._options import SectionedCommand, option
from mderank.cli._terminal import format_of_output, show_stages, wants_color
from mderank.cli._terminal import output as opened


@click.command(cls=SectionedCommand, short_help="Compare evaluation runs, with tests of significance.")
@click.argument("folders", nargs=-1, required=True, metavar="RUN...", type=click.Path(path_type=Path))
@option("Method", "--protocol", "protocols", multiple=True, metavar="NAME",
        help="Further protocol, besides mderank and macro-stem. Repeatable.")  # fmt: skip
@option("Method", "--measure", "measures", multiple=True, metavar="NAME@K",
        help="P, R, F1, AP, nDCG or redundancy at a rank or M (all); on judged datasets acceptable, junk or "
        "redundancy. Repeatable.  [default: F1@5, F1@10, F1@15; acceptable@10, junk@10, redundancy@10]"
        )  # fmt: skip
@option("Method", "--baseline", metavar="LABEL",
        help="Method that the others are tested against.  [default: that of the first run]")  # fmt: skip
@option("Input", "--data-dir", envvar="MDERANK_DATA_DIR", type=click.Path(path_type=Path), show_envvar=True,
        help="Folder of the datasets, for their texts.")  # fmt: skip
@option("Results", "--format", "-f", "table_format", type=click.Choice(["table", "markdown", "csv", "latex"]),
        help="csv has a row per value, with its interval and p-value; latex needs booktabs and adjustbox.  "
             "[default: by FILE's suffix, else table]")  # fmt: skip
@option("Results", "--output", "-o", metavar="FILE", help="Write to FILE.  [default: standard output]")
@option("Results", "--html", metavar="FILE", help="Also write a page: tables, plots, and the hits in the texts.")
@option("Results", "--documents", type=click.IntRange(0), default=20, show_default=True, metavar="N",
        help="Documents per dataset on the page.")  # fmt: skip
def compare(
    folders: tuple[Path, ...],
    protocols: tuple[str, ...],
    measures: tuple[str, ...],
    baseline: str | None,
    data_dir: Path | None,
    table_format: str | None,
    output: str | None,
    html: str | None,
    documents: int,
) -> None:
    """Compare runs of mderank evaluate: which method is better, on which dataset, and whether it is significant.

    RUN is a run's folder, or a folder with runs somewhere below. Each run is one method on one dataset; its label names
    the row.

    Differences to the baseline are tested on the documents that both have: 95 % intervals by the paired bootstrap,
    p-values by the paired randomisation test, corrected over the table (Holm). The same runs give the same bytes.

    Runs on judged datasets (everyday) have tables of their own: shares of acceptable phrases and of junk, also by kind
    of document.
    """
    from mderank.research.reports.compare import compare as compare_runs

    table_format = table_format or format_of_output(output, ("markdown", "csv", "latex"))
    with show_stages() as show:
        comparison = compare_runs(
            folders,
            protocols=protocols,
            measures=measures,
            baseline=baseline,
            data_dir=data_dir,
            with_texts=html is not None,
            progress=show,
        )
    color = output is None and wants_color(sys.stdout)
    bold: Callable[[str], str] = (lambda text: click.style(text, bold=True)) if color else str
    _write(comparison.format(table_format, bold), output)  # type: ignore[arg-type]  # one of the choices
    if table_format == "csv":
        for note in comparison.notes:
            click.echo(f"mderank: note: {note}", err=True)
    if html is not None:
        from mderank.research.reports.page import comparison_page

        _write(comparison_page(comparison.summary, comparison.texts, documents, comparison.judged), html)


def _write(text: str, file: str | None) -> None:
    with opened(file) as stream:
        stream.write(text.encode("utf-8", "backslashreplace").decode("utf-8"))
