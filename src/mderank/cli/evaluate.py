"""``mderank evaluate``: run methods over labelled datasets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click

from mderank.cli._config import config_option
from mderank.cli._inputs import max_document_chars_option
from mderank.cli._options import (
    SectionedCommand,
    extraction_options,
    import_spacy_without_torch,
    make_options,
    option,
)
from mderank.cli._signals import RESUME, stopped_with
from mderank.cli._terminal import progress
from mderank.errors import InputError, OptionError
from mderank.methods.registry import METHODS
from mderank.options import Options

if TYPE_CHECKING:
    from mderank.research.evaluation.measures import Measure
    from mderank.research.evaluation.protocols import Protocol
    from mderank.research.evaluation.runs import Run

# A run keeps the whole ranking, so that every protocol can be computed from it.
_WITHOUT = ("method", "top_k", "dedupe", "min_score", "min_confidence", "max_sum")


@click.command(cls=SectionedCommand)
@option("Input", "--dataset", "-d", "datasets", multiple=True, required=True, metavar="NAME|FILE",
        help="Dataset: a name (see 'mderank datasets'), a JSON lines file, or 'all' for the paper's six. Repeatable."
        )  # fmt: skip
@option("Input", "--data-dir", metavar="DIR", help="Folder of the datasets.  [default: MDERANK_DATA_DIR]")
@option("Input", "--text", type=click.Choice(["paper", "full"]),
        help="paper: the paper's input, that is 512 words and tokens, and its own use of titles. full: title and full "
        "text.  [default: paper; full for judged datasets and those that are not English]")  # fmt: skip
@option("Input", "--limit", type=click.IntRange(1), metavar="N", help="Only the first N documents of a dataset.")
@option("Input", "--document", "documents", multiple=True, metavar="ID",
        help="Only the document with this id. Repeatable.")  # fmt: skip
@option("Input", "--no-verify", is_flag=True, help="Do not compare the dataset's checksum.")
@max_document_chars_option
@option("Results", "--out", type=click.Path(path_type=Path), default=Path("runs"), show_default=True,
        help="Folder of the runs. A run is written to OUT/DATASET/LABEL, and resumes there if it was stopped."
        )  # fmt: skip
@option("Results", "--label", metavar="NAME", help="Label of the run.  [default: the method and its options]")
@option("Results", "--protocol", "protocols", multiple=True, metavar="NAME",
        help="Further protocol, besides mderank and macro-stem. Repeatable.")  # fmt: skip
@option("Results", "--measure", "measures", multiple=True, metavar="M@K",
        help="Measure. Repeatable.  [default: F1@5, F1@10, F1@15; on judged datasets acceptable@10, junk@10, "
        "redundancy@10]")  # fmt: skip
@option("Results", "--show-unjudged", is_flag=True,
        help="On judged datasets: list the phrases that are neither acceptable nor junk, per document.")  # fmt: skip
@option("Results", "--quiet", "-q", is_flag=True, help="No progress and no table; errors only.")
@option("Method", "--method", "methods", type=click.Choice([*METHODS, "oracle"]), multiple=True,
        help="Ranking method. oracle: gold keyphrases first, the upper bound. Repeatable: texts are "
        f"then tagged once for all methods.  [default: {Options().method}; with --preset, the preset's]")  # fmt: skip
@extraction_options(without=_WITHOUT)
@config_option
def evaluate(
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    data_dir: str | None,
    text: Literal["paper", "full"] | None,
    limit: int | None,
    documents: tuple[str, ...],
    no_verify: bool,
    max_document_chars: int,
    out: Path,
    label: str | None,
    protocols: tuple[str, ...],
    measures: tuple[str, ...],
    show_unjudged: bool,
    quiet: bool,
    **settings: Any,
) -> None:
    """Run methods over labelled datasets, and score them.

    The predictions of each document are written at once, and a run that was stopped resumes. Scores are printed under
    the paper's own protocol (mderank) and as the mean over documents (macro-stem). 'mderank compare' compares runs.

    A judged dataset (everyday) has phrases that a reader would accept and phrases that none would. There a method runs
    as 'mderank extract' runs it, with its own de-duplication and ten phrases per document. The table shows the shares
    of acceptable phrases and of junk, also by kind of document. redundancy is the number of phrases per document that
    are part of another one of the list, or contain one.

    Stems are those of each document's language. spaCy tags English labelled datasets. Documents in other languages are
    read in their language by what is installed for it, unless --tagger names a tagger.
    """
    from mderank.research.datasets import PAPER_DATASETS
    from mderank.research.evaluation.evaluate import Resources, prepare
    from mderank.research.evaluation.measures import JUDGED_MEASURES, PAPER_MEASURES, Measure, chosen
    from mderank.research.evaluation.protocols import REPORTED, get_protocol
    from mderank.research.evaluation.runs import RunStore
    from mderank.research.evaluation.spec import RunSpec, find_method

    chosen_methods = tuple(dict.fromkeys(methods))
    if label and len(chosen_methods) > 1:
        raise OptionError("--label names one run: leave it out where there are several methods")
    scoring = [get_protocol(name) for name in dict.fromkeys((*REPORTED, *protocols))]
    asked = [Measure.parse(name) for name in measures]
    names = list(dict.fromkeys(each for name in datasets for each in (PAPER_DATASETS if name == "all" else (name,))))
    options = [make_options(settings, method=method, find_method=find_method) for method in chosen_methods or (None,)]
    resources = Resources(
        data_dir, verify=not no_verify, cache_tags=len(chosen_methods) > 1, max_document_chars=max_document_chars
    )
    store = RunStore(out)
    texts: dict[str, dict[str, str]] = {}
    runs: list[Run] = []
    columns: dict[bool, tuple[Measure, ...]] = {}  # of labelled and of judged datasets
    for name in names:
        dataset = resources.dataset(name, limit)
        if not dataset.judged and (dataset.english or settings["tagger"]):
            import_spacy_without_torch(settings["tagger"])
        if show_unjudged and not dataset.judged:
            raise OptionError(f"--show-unjudged is for judged datasets such as everyday, and {name} is not one")
        default = JUDGED_MEASURES if dataset.judged else PAPER_MEASURES
        columns[dataset.judged] = chosen(asked, default, dataset.judged)
        spec = RunSpec(name, options[0], limit, documents, text)
        specs = [replace(spec, options=each) for each in options]
        # All extractors are built before the first run, so that errors come early.
        prepared = [prepare(each, store, label=label, resources=resources) for each in specs]
        texts[dataset.name] = {each.id: each.text for each in prepared[0].texts}
        for run in prepared:
            title = f"{name} {run.label}" if len(prepared) > 1 else name
            with progress(title, len(run.texts), silent=quiet) as advance, stopped_with(RESUME):
                try:
                    runs.append(run.execute(advance))
                except OSError as error:
                    raise InputError(f"{out}: cannot be written: {error.strerror or error}; {RESUME}") from error
            if not quiet:
                _print_failures(runs[-1])
        for note in () if quiet else dataset.notes:
            click.echo(f"mderank: note: {note}", err=True)
    if not quiet:
        _print_labelled(scoring, columns.get(False, ()), [run for run in runs if not run.judged], texts)
        _print_judged(columns.get(True, ()), [run for run in runs if run.judged], show_unjudged)


def _print_failures(run: Run) -> None:
    failed = [outcome for outcome in run.outcomes if outcome.error]
    if failed:
        first = f"the first ({failed[0].id}): {failed[0].error}"
        click.echo(f"mderank: note: {run.dataset}: {len(failed)} documents failed, {first}", err=True)


def _print_labelled(
    protocols: Sequence[Protocol], measures: Sequence[Measure], runs: Sequence[Run], texts: dict[str, dict[str, str]]
) -> None:
    """Print a table per method and protocol. Redundancy is always in it."""
    from mderank.research.evaluation.measures import REDUNDANCY

    columns = tuple(dict.fromkeys((*measures, REDUNDANCY)))
    for method in dict.fromkeys(run.method for run in runs):
        of_method = [run for run in runs if run.method == method]
        for protocol in protocols:
            _print_table(protocol, columns, of_method, texts)


def _print_table(
    protocol: Protocol, measures: Sequence[Measure], runs: list[Run], texts: dict[str, dict[str, str]]
) -> None:
    """Print a row per dataset, and their mean."""
    from mderank.util.tables import Block, Cell, Row, Table, as_text, number

    values = [[run.value(measure, protocol, texts[run.dataset]) for measure in measures] for run in runs]
    rows = [
        Row(run.dataset, (*map(number, row), number(run.seconds_per_document, 3)))
        for run, row in zip(runs, values, strict=True)
    ]
    if len(runs) > 1:
        means = (number(sum(column) / len(runs)) for column in zip(*values, strict=True))
        rows.append(Row("AVG", (*means, Cell(""))))
    title = f"{runs[0].name}, protocol {protocol.name} ({protocol.average} average)"
    unit = "per cent; redundancy: phrases per document"
    table = Table(f"{title}, {unit}", "dataset", (*map(str, measures), "s/doc"), (Block("", tuple(rows)),))
    click.echo(as_text(table))


def _print_judged(measures: Sequence[Measure], runs: Sequence[Run], show_unjudged: bool) -> None:
    """Print the table of all methods, and the same by kind of document."""
    if not runs:
        return
    from mderank.research.reports.judged import judged_tables, summarise_judged
    from mderank.research.reports.run_grid import arrange
    from mderank.util.tables import as_text

    for table in judged_tables(summarise_judged(arrange(runs), measures, tested=False)):
        click.echo(as_text(table))
    if show_unjudged:
        _print_unjudged(runs)


def _print_unjudged(runs: Sequence[Run]) -> None:
    """Print the phrases that are not judged, per document, of all methods together."""
    unjudged: dict[tuple[str, str, str], dict[str, None]] = {}
    for run in runs:
        for outcome in run.outcomes:
            found = unjudged.setdefault((run.dataset, outcome.id, outcome.kind), {})
            found.update(dict.fromkeys(outcome.unjudged))
    count = sum(map(len, unjudged.values()))
    click.echo(f"Neither acceptable nor junk: {count} phrase{'' if count == 1 else 's'}")
    for (dataset, document, kind), phrases in unjudged.items():
        if phrases:
            click.echo(f"{dataset} {document} ({kind})")
            for phrase in phrases:
                click.echo(f"  {' '.join(phrase.split())}")
