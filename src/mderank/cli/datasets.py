"""``mderank datasets``: what labelled sets are there and what is in them; making them from public distributions."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._options import import_spacy_without_torch
from mderank.cli._terminal import progress
from mderank.errors import MDERankError

if TYPE_CHECKING:
    from mderank.research.datasets import Dataset, Statistics

# Kinds of distributions, as in mderank.research.datasets.importing; written out so that --help need not import it.
KINDS = ("inspec", "duc2001", "nus", "krapivin", "docs-keys", "ake", "kpg", "kpg-full")


@dataclass(frozen=True)
class _Row:
    dataset: Dataset
    statistics: Statistics
    ceiling: float | None


@click.group(invoke_without_command=True)
@click.option("--data-dir", type=click.Path(path_type=Path), metavar="DIR",
              help="Where the sets are.  [default: $MDERANK_DATA_DIR, or ./data]")  # fmt: skip
@click.option("--set", "-s", "names", multiple=True, metavar="NAME|FILE",
              help="Only this set; may be given several times.  [default: all in DIR]")  # fmt: skip
@click.option("--ceiling", is_flag=True, help="Tag the texts, and find how much of the gold is among the candidates.")
@click.option("--no-verify", is_flag=True, help="Take sets whose checksum is not the known one.")
@click.option("--json", "form", flag_value="json", help="As JSON, with citations, terms and places.")
@click.option("--markdown", "form", flag_value="markdown", help="As a Markdown table.")
@click.option("--quiet", "-q", is_flag=True, help="No progress and no notes; errors only.")
@click.pass_context
def datasets(
    ctx: click.Context,
    data_dir: Path | None,
    names: tuple[str, ...],
    ceiling: bool,
    no_verify: bool,
    form: str | None,
    quiet: bool,
) -> None:
    """List the labelled sets that are there, with Table 2 of the paper counted again.

    N_KP is the number of gold phrases a document, L_KP that of words a phrase, L_Doc that of words a document; the
    paper's value is in brackets. Present are the gold phrases whose stems stand in the text, or in its first 512
    words; the ceiling is the share that the paper's candidates, in the first 512 words that it reads, have among them.

    The everyday sets come with mderank; in these, acceptable phrases are counted in place of gold ones. The texts of
    the others are not ours to ship: 'mderank datasets import' makes them from the public distributions.
    """
    if ctx.invoked_subcommand is not None:
        return
    from mderank.research.datasets import available

    chosen = names or available(data_dir)
    if not quiet and not names:
        _note_missing(chosen)
    found = list(_loaded(chosen, data_dir, not no_verify))
    rows = _counted(found, ceiling, quiet)
    if not quiet:
        for note in (f"{each.name}: {note}" for each in found for note in each.notes):
            click.echo(f"mderank: note: {note}", err=True)
    if rows:
        click.echo({"json": _json, "markdown": _markdown}.get(form or "", _table)(rows))
    if len(found) < len(chosen):
        sys.exit(1)


def _note_missing(there: Sequence[str]) -> None:
    from mderank.research.datasets import DATASETS

    for info in DATASETS.values():
        if info.name not in there:
            click.echo(f"mderank: note: {info.name} is not here; {info.place}: {info.import_command}", err=True)


def _loaded(names: Sequence[str], data_dir: Path | None, verify: bool) -> Iterator[Dataset]:
    """The sets that can be read; the others are named on stderr."""
    from mderank.research.datasets import load_dataset

    for name in names:
        try:
            yield load_dataset(name, data_dir, verify=verify)
        except MDERankError as error:
            if len(names) == 1:
                raise
            click.echo(f"mderank: error: {error}", err=True)


def _counted(found: Sequence[Dataset], with_ceiling: bool, quiet: bool) -> list[_Row]:
    from mderank.research.datasets import ceiling, statistics

    tagger = None
    if with_ceiling:
        import_spacy_without_torch()
        from mderank.tagging import SpacyTagger

        tagger = SpacyTagger(tokenizer="spacy")
    steps = sum(len(each.documents) for each in found) * (2 if with_ceiling else 1)
    with progress("counting", steps, silent=quiet) as tick:
        return [
            _Row(each, statistics(each, tick), ceiling(each, tagger, tick=tick) if with_ceiling else None)
            for each in found
        ]


def _cells(row: _Row) -> list[str]:
    counted, info = row.statistics, row.dataset.info
    paper = info.paper if info else None
    return [
        row.dataset.name,
        str(counted.documents),
        _beside(counted.phrases, paper.phrases if paper else None),
        _beside(counted.phrase_words, paper.phrase_words if paper else None),
        _beside(counted.document_words, paper.document_words if paper else None),
        _percent(counted.present),
        _percent(counted.present_in_first_words),
        *([] if row.ceiling is None else [_percent(row.ceiling)]),
    ]


def _header(rows: Sequence[_Row]) -> list[str]:
    names = ["set", "docs", "N_KP (paper)", "L_KP (paper)", "L_Doc (paper)", "present", "in 512 words"]
    return names if rows[0].ceiling is None else [*names, "ceiling"]


def _beside(value: float, paper: float | None) -> str:
    return f"{value:.2f}" if paper is None else f"{value:.2f} ({paper:.2f})"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _table(rows: Sequence[_Row]) -> str:
    lines = [_header(rows), *map(_cells, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    )


def _markdown(rows: Sequence[_Row]) -> str:
    lines = [_header(rows), ["---", *["---:"] * (len(_header(rows)) - 1)], *map(_cells, rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _json(rows: Sequence[_Row]) -> str:
    return json.dumps([_record(row) for row in rows], indent=2, ensure_ascii=False)


def _record(row: _Row) -> dict[str, Any]:
    info = row.dataset.info
    return {
        "name": row.dataset.name,
        "sha256": row.dataset.sha256,
        **asdict(row.statistics),
        "ceiling": row.ceiling,
        "notes": list(row.dataset.notes),
        "known": asdict(info) if info else None,
    }


@datasets.command("import", short_help="Make a set from a public distribution.")
@click.argument("source", type=click.Path(path_type=Path))
@click.argument("kind", metavar="KIND", type=click.Choice(KINDS))
@click.argument("target", metavar="OUT.jsonl", type=click.Path(path_type=Path))
@click.option("--references", metavar="NAME", help="For ake: which references, e.g. test.uncontr.")
@click.option("--first", type=click.IntRange(1), metavar="N", help="Only the first N documents.")
@click.option(
    "--ids",
    type=click.File(encoding="utf-8"),
    metavar="FILE",
    help="Only the documents with the ids in FILE, one a line.",
)
@click.option("--quiet", "-q", is_flag=True, help="Say nothing.")
def import_(
    source: Path, kind: str, target: Path, references: str | None, first: int | None, ids: Any, quiet: bool
) -> None:
    """Make a set from a public distribution: SOURCE is a folder, zip or file, OUT.jsonl may end in .gz.

    \b
    KIND       what SOURCE is
    inspec     *.abstr and *.uncontr        github.com/sunyilgdx/SIFRank, data/Inspec
    duc2001    SGML and annotations.txt     github.com/sunyilgdx/SIFRank, data/DUC2001
    nus        10/10.txt, 10/KEY/*.key      github.com/sunyilgdx/SIFRank, data/NUS
    docs-keys  docsutf8/*.txt, keys/*.key   github.com/LIAAD/KeywordExtractor-Datasets, and SIFRank's SemEval2017
    krapivin   the same, with --T --A --B   github.com/LIAAD/KeywordExtractor-Datasets, Krapivin2009.zip
    ake        XML and references/*.json    github.com/boudinfl/ake-datasets
    kpg        JSON lines: abstracts        huggingface.co/datasets/memray/keyphrase
    kpg-full   the same: whole papers
    """  # noqa: D301 - click wants the character
    from mderank.research.datasets.importing import import_dataset

    wanted = frozenset(line.strip() for line in ids if line.strip()) if ids else None
    done = import_dataset(source, kind, target, references=references, first=first, ids=wanted)
    if quiet:
        return
    click.echo(f"{target}: {done.documents} documents, {done.keyphrases} gold phrases, SHA-256 {done.sha256}", err=True)
    for number, what in ((done.without_text, "text"), (done.without_keyphrases, "gold phrases")):
        if number:
            click.echo(f"mderank: note: {number} documents have no {what}", err=True)
    _compare(target, done.sha256)


def _compare(target: Path, sha256: str) -> None:
    """Say whether a file that has the name of a known set is that set."""
    from mderank.research.datasets import DATASETS

    info = DATASETS.get(target.name.removesuffix(".gz").removesuffix(".jsonl"))
    if info and sha256 != info.sha256:
        click.echo(
            f"mderank: note: this is not byte for byte the '{info.name}' that results are published for "
            f"({info.documents} documents, {info.keyphrases} gold phrases): read it with --no-verify",
            err=True,
        )
