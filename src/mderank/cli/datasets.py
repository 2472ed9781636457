"""``mderank datasets``: list labelled datasets with their statistics, and import public distributions."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._options import import_spacy_without_torch
from mderank.cli._terminal import progress
from mderank.errors import MDERankError
from mderank.util.format import json_text

if TYPE_CHECKING:
    from mderank.research.datasets import Dataset, Statistics
    from mderank.util.tables import Table


@dataclass(frozen=True)
class _Row:
    dataset: Dataset
    statistics: Statistics
    candidate_recall: float | None


@click.group(invoke_without_command=True, short_help="List labelled datasets with their statistics; import one.")
@click.option("--data-dir", type=click.Path(path_type=Path), metavar="DIR",
              help="Folder of the datasets.  [default: $MDERANK_DATA_DIR, or ./data]")  # fmt: skip
@click.option("--dataset", "-d", "names", multiple=True, metavar="NAME|FILE",
              help="Only this dataset; repeatable.  [default: all in DIR]")  # fmt: skip
@click.option("--candidate-recall", is_flag=True,
              help="Tag the texts, and show the share of gold keyphrases among the candidates.")  # fmt: skip
@click.option("--no-verify", is_flag=True, help="Accept datasets whose checksum is not the known one.")
@click.option("--json", "output_format", flag_value="json", help="Print JSON, with citations, terms and sources.")
@click.option("--markdown", "output_format", flag_value="markdown", help="Print a Markdown table.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no notes; errors only.")
@click.pass_context
def datasets(
    ctx: click.Context,
    data_dir: Path | None,
    names: tuple[str, ...],
    candidate_recall: bool,
    no_verify: bool,
    output_format: str | None,
    quiet: bool,
) -> None:
    """List labelled datasets, with the statistics of the paper's Table 2.

    N_KP is the number of gold keyphrases per document, L_KP the number of words per keyphrase, L_Doc the number of
    words per document. The paper's value is in brackets. "present" is the share of gold keyphrases whose stems are in
    the text, "in 512 words" in its first 512 words. The candidate recall is the share of gold keyphrases among the
    paper's candidates, in the first 512 words of the paper's input. No ranking has a higher recall.

    Stems and candidates are those of each document's language.

    The everyday datasets are part of mderank; there, acceptable phrases are counted in place of gold keyphrases. The
    other datasets may not be distributed: 'mderank datasets import' makes them from the public distributions.
    """
    if ctx.invoked_subcommand is not None:
        return
    from mderank.research.datasets import available
    from mderank.util.tables import as_markdown, as_text

    chosen = names or available(data_dir)
    if not quiet and not names:
        _note_missing(chosen)
    found = list(_load(chosen, data_dir, not no_verify))
    rows = _count(found, candidate_recall, quiet)
    if not quiet:
        for note in (f"{each.name}: {note}" for each in found for note in each.notes):
            click.echo(f"mderank: note: {note}", err=True)
    if rows:
        if output_format == "json":
            click.echo(_format_json(rows))
        else:
            render = as_markdown if output_format == "markdown" else as_text
            click.echo(render(_make_table(rows)), nl=False)
    if len(found) < len(chosen):
        sys.exit(1)


def _note_missing(there: Sequence[str]) -> None:
    from mderank.research.datasets import DATASETS

    for info in DATASETS.values():
        if info.name not in there:
            source = f"{info.source}: {info.import_command}" if info.import_command else info.source
            click.echo(f"mderank: note: {info.name} is not here; {source}", err=True)


def _load(names: Sequence[str], data_dir: Path | None, verify: bool) -> Iterator[Dataset]:
    """Yield the datasets that can be read. Errors of the others are printed, unless only one was asked for."""
    from mderank.research.datasets import load_dataset

    for name in names:
        try:
            yield load_dataset(name, data_dir, verify=verify)
        except MDERankError as error:
            if len(names) == 1:
                raise
            click.echo(f"mderank: error: {error}", err=True)


def _count(found: Sequence[Dataset], with_recall: bool, quiet: bool) -> list[_Row]:
    from mderank.research.datasets import candidate_recall, statistics

    if with_recall and any("en" in each.languages for each in found):
        import_spacy_without_torch()
    steps = sum(len(each.documents) for each in found) * (2 if with_recall else 1)
    with progress("counting", steps, silent=quiet) as tick:
        return [
            _Row(each, statistics(each, tick), candidate_recall(each, tick=tick) if with_recall else None)
            for each in found
        ]


def _make_table(rows: Sequence[_Row]) -> Table:
    from mderank.util.tables import Block, Cell, Row, Table

    columns: tuple[str, ...] = (
        "language",
        "docs",
        "N_KP (paper)",
        "L_KP (paper)",
        "L_Doc (paper)",
        "present",
        "in 512 words",
    )
    if rows[0].candidate_recall is not None:
        columns = (*columns, "candidate recall")
    table_rows = (Row(row.dataset.name, tuple(map(Cell, _format_cells(row)))) for row in rows)
    return Table("Labelled datasets", "dataset", columns, (Block("", tuple(table_rows)),))


def _format_cells(row: _Row) -> list[str]:
    counted, info = row.statistics, row.dataset.info
    paper = info.paper if info else None
    return [
        ", ".join(row.dataset.languages),
        str(counted.documents),
        _format_beside(counted.phrases, paper.phrases if paper else None),
        _format_beside(counted.phrase_words, paper.phrase_words if paper else None),
        _format_beside(counted.document_words, paper.document_words if paper else None),
        _format_share(counted.present),
        _format_share(counted.present_in_first_words),
        *([] if row.candidate_recall is None else [_format_share(row.candidate_recall)]),
    ]


def _format_beside(value: float, paper: float | None) -> str:
    return f"{value:.2f}" if paper is None else f"{value:.2f} ({paper:.2f})"


def _format_share(share: float) -> str:
    return f"{100 * share:.1f} %"


def _format_json(rows: Sequence[_Row]) -> str:
    return json_text([_make_record(row) for row in rows], 2)


def _make_record(row: _Row) -> dict[str, Any]:
    info = row.dataset.info
    return {
        "name": row.dataset.name,
        "sha256": row.dataset.sha256,
        "languages": list(row.dataset.languages),
        **asdict(row.statistics),
        "candidate_recall": row.candidate_recall,
        "notes": list(row.dataset.notes),
        "known": asdict(info) if info else None,
    }


class _ImportCommand(click.Command):
    """Lists the importers in its help. They are imported only then, so that the program starts quickly."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the importers: name, files, distribution."""
        from mderank.research.datasets.importers import IMPORTERS

        width = max(len(importer.layout) for importer in IMPORTERS.values())
        with formatter.section("Kinds of distributions"):
            formatter.write_dl(
                [(name, f"{importer.layout:<{width}}  {importer.source}") for name, importer in IMPORTERS.items()]
            )


@datasets.command("import", cls=_ImportCommand, short_help="Import a dataset from a public distribution.")
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("kind", metavar="KIND")
@click.argument("target", metavar="OUT.jsonl", type=click.Path(path_type=Path))
@click.option("--references", metavar="NAME", help="For ake: the reference file, e.g. test.uncontr.")
@click.option("--first", type=click.IntRange(1), metavar="N", help="Only the first N documents.")
@click.option(
    "--ids",
    type=click.File(encoding="utf-8"),
    metavar="FILE",
    help="Only the documents with the ids in FILE, one per line.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print nothing.")
def import_(
    source: Path, kind: str, target: Path, references: str | None, first: int | None, ids: Any, quiet: bool
) -> None:
    """Import a dataset from a public distribution.

    SOURCE is a folder, zip or file. OUT.jsonl may end in .gz. KIND is one of the kinds listed below.
    """
    from mderank.research.datasets.importers import import_dataset

    chosen = frozenset(line.strip() for line in ids if line.strip()) if ids else None
    summary = import_dataset(source, kind, target, references=references, first=first, ids=chosen)
    if quiet:
        return
    counts = f"{summary.documents} documents, {summary.keyphrases} gold keyphrases"
    click.echo(f"{target}: {counts}, SHA-256 {summary.sha256}", err=True)
    for number, what in ((summary.without_text, "text"), (summary.without_keyphrases, "gold keyphrases")):
        if number:
            click.echo(f"mderank: note: {number} documents have no {what}", err=True)
    _compare(target, summary.sha256)


def _compare(target: Path, sha256: str) -> None:
    """Print a note if a file with the name of a known dataset is not that dataset."""
    from mderank.research.datasets import DATASETS

    info = DATASETS.get(target.name.removesuffix(".gz").removesuffix(".jsonl"))
    if info and sha256 != info.sha256:
        click.echo(
            f"mderank: note: this is not byte for byte the '{info.name}' that results are published for "
            f"({info.documents} documents, {info.keyphrases} gold keyphrases): read it with --no-verify",
            err=True,
        )
