"""``mderank evaluate``: a method on labelled sets."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli.configuration import config_option
from mderank.cli.making import given_options, make_extractor
from mderank.cli.options import SectionedCommand, import_spacy_without_torch, method_options, option
from mderank.cli.running import ORACLE, about, folder_of, label_of, make_oracle, method_settings, tasks_of
from mderank.cli.terminal import progress
from mderank.errors import OptionError
from mderank.methods import METHODS

if TYPE_CHECKING:
    from mderank.evaluation.runner import Run

PAPER_SETS = ("inspec", "semeval2017", "semeval2010", "duc2001", "krapivin", "nus")


@click.command(cls=SectionedCommand)
@option("Input", "--dataset", "-d", "datasets", multiple=True, required=True, metavar="NAME|FILE",
        help="A set by name (mderank datasets), a JSON lines file, 'all' for the paper's six; repeatable.")  # fmt: skip
@option("Input", "--data-dir", metavar="DIR", help="Where the sets are.  [default: MDERANK_DATA_DIR]")
@option("Input", "--text", type=click.Choice(["paper", "whole"]), default="paper", show_default=True,
        help="The paper's input (512 words and pieces, its own use of titles), or title and whole text.")  # fmt: skip
@option("Input", "--limit", type=click.IntRange(1), metavar="N", help="Only the first N documents of a set.")
@option("Input", "--document", "only", multiple=True, metavar="ID", help="Only the document of this id; repeatable.")
@option("Input", "--no-verify", is_flag=True, help="Do not compare the set's checksum.")
@option("Results", "--out", type=click.Path(path_type=Path), default=Path("runs"), show_default=True,
        help="Runs go to OUT/SET/LABEL, and go on there if they were stopped.")  # fmt: skip
@option("Results", "--label", metavar="NAME", help="What to call it.  [default: the method and its options]")
@option("Results", "--protocol", "protocols", multiple=True, metavar="NAME",
        help="Further ways of scoring, beside mderank and macro-stem.")  # fmt: skip
@option("Results", "--measure", "measures", multiple=True, metavar="M@K", help="[default: F1@5, F1@10, F1@15]")
@option("Results", "--quiet", "-q", is_flag=True, help="No progress and no table; errors only.")
@option("Method", "--method", "methods", type=click.Choice([*METHODS, ORACLE]), multiple=True, default=["mderank"],
        show_default=True, help="How candidates are ranked; oracle: gold phrases first, the best there is. "
        "Repeatable: texts are then tagged once for all.")  # fmt: skip
@method_options(without=("method", "dedupe", "min_score", "min_confidence", "max_sum"))  # a run keeps the whole ranking
@config_option
def evaluate(
    datasets: tuple[str, ...],
    methods: tuple[str, ...],
    data_dir: str | None,
    text: str,
    limit: int | None,
    only: tuple[str, ...],
    no_verify: bool,
    out: Path,
    label: str | None,
    protocols: tuple[str, ...],
    measures: tuple[str, ...],
    quiet: bool,
    **settings: Any,
) -> None:
    """Run a method over labelled sets and score it.

    Every document's predictions are written as they come; a run that was stopped goes on where it was. Scores are
    printed under the paper's own protocol (mderank) and as the mean over documents (macro-stem); 'mderank compare'
    sets runs side by side.
    """
    from mderank.evaluation.datasets import load_dataset
    from mderank.evaluation.measures import PAPER_MEASURES, Measure
    from mderank.evaluation.protocols import REPORTED, get_protocol
    from mderank.evaluation.runner import execute
    from mderank.evaluation.tagged import SharedTagger
    from mderank.tagging import SpacyTagger

    if label and len(methods) > 1:
        raise OptionError("--label names one run: leave it out where there are several methods")
    chosen = [get_protocol(name) for name in dict.fromkeys((*REPORTED, *protocols))]
    columns = [Measure.parse(name) for name in measures] or list(PAPER_MEASURES)
    given = given_options()
    every = [method_settings(method, settings, given, text) for method in dict.fromkeys(methods)]
    names = list(dict.fromkeys(each for name in datasets for each in (PAPER_SETS if name == "all" else (name,))))
    if settings["tagger"] is None:
        import_spacy_without_torch()
    tagger = SharedTagger(SpacyTagger(settings["tagger"]))
    further: dict[str, Any] = {"tagger": tagger} if len(every) > 1 else {}
    extractors = {
        each["method"]: None if each["method"] == ORACLE else make_extractor(each, given, **further) for each in every
    }
    texts: dict[str, dict[str, str]] = {}
    runs: dict[str, list[Run]] = {method: [] for method in extractors}
    for name in names:
        dataset = load_dataset(name, data_dir, limit=limit, verify=not no_verify)
        tasks = tasks_of(dataset, text, only)
        texts[dataset.name] = {task.id: task.text for task in tasks}
        for each in every:
            gold = {task.text: task.gold for task in tasks}
            ranker = extractors[each["method"]] or make_oracle(each, given, gold, further)
            title = label or label_of(each, given, only, ranker, dataset, out)
            told = about(each, dataset, text, limit, title, ranker, only)
            folder = out / folder_of(dataset) / title
            with progress(f"{name} {title}" if len(every) > 1 else name, len(tasks), silent=quiet) as advance:
                run = execute(ranker, tasks, folder, told, advance, tagger.clock)
            runs[each["method"]].append(run)
            for note in () if quiet else _failures(run):
                click.echo(f"mderank: note: {note}", err=True)
        for note in () if quiet else dataset.notes:
            click.echo(f"mderank: note: {note}", err=True)
        tagger.forget()
    if not quiet:
        for of_method in runs.values():
            for protocol in chosen:
                _print_table(protocol, columns, of_method, texts)


def _failures(run: Run) -> list[str]:
    failed = [outcome for outcome in run.outcomes if outcome.error]
    return (
        [f"{run.dataset}: {len(failed)} documents failed, the first ({failed[0].id}): {failed[0].error}"]
        if failed
        else []
    )


def _print_table(protocol: Any, measures: Sequence[Any], runs: list[Run], texts: dict[str, dict[str, str]]) -> None:
    """A row a set, and their mean."""
    values = [[run.value(measure, protocol, texts[run.dataset]) for measure in measures] for run in runs]
    names = [run.dataset for run in runs]
    costs = [f"{run.seconds_per_document:>9.3f}" for run in runs]
    if len(runs) > 1:
        names.append("AVG")
        values.append([sum(column) / len(runs) for column in zip(*values, strict=True)])
        costs.append(" " * 9)
    width = max(map(len, names))
    click.echo(f"{runs[0].name}, protocol {protocol.name} ({protocol.average} average), per cent")
    click.echo(" ".join([" " * width, *(f"{measure!s:>8}" for measure in measures), "   s/doc"]))
    for name, row, cost in zip(names, values, costs, strict=True):
        click.echo(" ".join([f"{name:<{width}}", *(f"{value:8.2f}" for value in row), cost]).rstrip())
    click.echo()
