"""``mderank evaluate``: a method on labelled sets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._config import config_option
from mderank.cli._options import SectionedCommand, import_spacy_without_torch, method_options, option
from mderank.cli._terminal import progress
from mderank.cli.making import given_options, load_model, make_extractor
from mderank.cli.running import (
    LIST_LENGTH,
    ORACLE,
    about,
    folder_of,
    label_of,
    make_oracle,
    method_settings,
    tasks_of,
    text_of,
)
from mderank.errors import OptionError
from mderank.methods.registry import METHODS, Method

if TYPE_CHECKING:
    from mderank.methods.base import Extractor
    from mderank.research.evaluation.measures import Measure
    from mderank.research.evaluation.runs import Run
    from mderank.tagging import Tagger


@click.command(cls=SectionedCommand)
@option("Input", "--dataset", "-d", "datasets", multiple=True, required=True, metavar="NAME|FILE",
        help="A set by name (mderank datasets), a JSON lines file, 'all' for the paper's six; repeatable.")  # fmt: skip
@option("Input", "--data-dir", metavar="DIR", help="Where the sets are.  [default: MDERANK_DATA_DIR]")
@option("Input", "--text", "asked_text", type=click.Choice(["paper", "whole"]),
        help="The paper's input (512 words and pieces, its own use of titles), or title and whole text.  "
        "[default: paper; whole for judged datasets]")  # fmt: skip
@option("Input", "--limit", type=click.IntRange(1), metavar="N", help="Only the first N documents of a set.")
@option("Input", "--document", "only", multiple=True, metavar="ID", help="Only the document of this id; repeatable.")
@option("Input", "--no-verify", is_flag=True, help="Do not compare the set's checksum.")
@option("Results", "--out", type=click.Path(path_type=Path), default=Path("runs"), show_default=True,
        help="Runs go to OUT/SET/LABEL, and go on there if they were stopped.")  # fmt: skip
@option("Results", "--label", metavar="NAME", help="What to call it.  [default: the method and its options]")
@option("Results", "--protocol", "protocols", multiple=True, metavar="NAME",
        help="Further ways of scoring, beside mderank and macro-stem.")  # fmt: skip
@option("Results", "--measure", "measures", multiple=True, metavar="M@K",
        help="[default: F1@5, F1@10, F1@15; on judged datasets acceptable@10, junk@10, redundancy@10]")  # fmt: skip
@option("Results", "--show-unjudged", is_flag=True,
        help="On judged datasets: list the phrases that are neither acceptable nor junk, per document.")  # fmt: skip
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
    asked_text: str | None,
    limit: int | None,
    only: tuple[str, ...],
    no_verify: bool,
    out: Path,
    label: str | None,
    protocols: tuple[str, ...],
    measures: tuple[str, ...],
    show_unjudged: bool,
    quiet: bool,
    **settings: Any,
) -> None:
    """Run a method over labelled sets and score it.

    Every document's predictions are written as they come; a run that was stopped goes on where it was. Scores are
    printed under the paper's own protocol (mderank) and as the mean over documents (macro-stem); 'mderank compare'
    sets runs side by side.

    A judged dataset (everyday) has phrases that a reader would accept and phrases that none would. There a method is
    run as 'mderank extract' runs it, with its own de-duplication and ten phrases per document, and the table has the
    shares of acceptable phrases and of junk, also by kind of document. redundancy is the number of phrases per
    document that stand in another one of the list, or contain one.
    """
    from mderank.research.datasets import PAPER_DATASETS, load_dataset
    from mderank.research.evaluation.measures import JUDGED_MEASURES, PAPER_MEASURES, Measure, chosen
    from mderank.research.evaluation.protocols import REPORTED, get_protocol
    from mderank.research.evaluation.runs import execute
    from mderank.research.evaluation.tagger_cache import SharedTagger
    from mderank.tagging import SpacyTagger

    if label and len(methods) > 1:
        raise OptionError("--label names one run: leave it out where there are several methods")
    scoring = [get_protocol(name) for name in dict.fromkeys((*REPORTED, *protocols))]
    asked = [Measure.parse(name) for name in measures]
    given = given_options()
    methods = tuple(dict.fromkeys(methods))
    names = list(dict.fromkeys(each for name in datasets for each in (PAPER_DATASETS if name == "all" else (name,))))
    if settings["tagger"] is None:
        import_spacy_without_torch()
    taggers = {
        tokenizer: SharedTagger(SpacyTagger(settings["tagger"], tokenizer=tokenizer))
        for tokenizer in (None, "mderank", "spacy")
    }
    extractors = _Extractors(given, taggers if len(methods) > 1 else {})
    texts: dict[str, dict[str, str]] = {}
    runs: list[Run] = []
    columns: dict[bool, tuple[Measure, ...]] = {}  # of labelled and of judged datasets
    for name in names:
        dataset = load_dataset(name, data_dir, limit=limit, verify=not no_verify)
        judged, text = dataset.judged, text_of(dataset, asked_text)
        if show_unjudged and not judged:
            raise OptionError(f"--show-unjudged is for judged datasets such as everyday, and {name} is not one")
        columns[judged] = chosen(asked, JUDGED_MEASURES if judged else PAPER_MEASURES, judged)
        every = [method_settings(method, settings, given, text, judged=judged) for method in methods]
        tasks = tasks_of(dataset, text, only)
        texts[dataset.name] = {task.id: task.text for task in tasks}
        gold = {task.text: task.gold for task in tasks}
        rankers = [extractors.get(each, gold) for each in every]
        for each, ranker in zip(every, rankers, strict=True):
            title = label or label_of(each, given, only, ranker, dataset, out)
            told = about(each, dataset, text, limit, title, ranker, only)
            folder = out / folder_of(dataset) / title
            with progress(f"{name} {title}" if len(every) > 1 else name, len(tasks), silent=quiet) as advance:
                top_k = LIST_LENGTH if judged else None
                clock = taggers[each["tokenizer"]].clock
                run = execute(ranker, tasks, folder, told, advance, clock, top_k=top_k)
            runs.append(run)
            for note in () if quiet else _failures(run):
                click.echo(f"mderank: note: {note}", err=True)
        for note in () if quiet else dataset.notes:
            click.echo(f"mderank: note: {note}", err=True)
        for tagger in taggers.values():
            tagger.forget()
    if not quiet:
        _print_labelled(scoring, columns.get(False, ()), [run for run in runs if not run.judged], texts)
        _print_judged(columns.get(True, ()), [run for run in runs if run.judged], show_unjudged)


class _Extractors:
    """The extractors of a command, each made once; encoders are shared by those for labelled and judged datasets."""

    def __init__(self, given: frozenset[str], taggers: Mapping[str | None, Tagger]) -> None:
        self._given, self._taggers = given, taggers
        self._made: dict[tuple[str, bool, str | None], Extractor] = {}
        self._encoders: dict[str, Any] = {}

    def get(self, settings: dict[str, Any], gold: dict[str, tuple[str, ...]]) -> Extractor:
        """The extractor for the settings of a method; ``gold`` is for the oracle."""
        tokenizer = settings["tokenizer"]
        further = {"tagger": self._taggers[tokenizer]} if self._taggers else {}
        if settings["method"] == ORACLE:
            return make_oracle(settings, self._given, gold, further)
        key = (settings["method"], "dedupe" in settings, tokenizer)
        if key not in self._made:
            self._made[key] = make_extractor(settings, self._given, self._load, **further)
        return self._made[key]

    def _load(self, method: Method, settings: dict[str, Any]) -> Any:
        if method.name not in self._encoders:
            self._encoders[method.name] = load_model(method, settings)
        return self._encoders[method.name]


def _failures(run: Run) -> list[str]:
    failed = [outcome for outcome in run.outcomes if outcome.error]
    return (
        [f"{run.dataset}: {len(failed)} documents failed, the first ({failed[0].id}): {failed[0].error}"]
        if failed
        else []
    )


def _print_labelled(
    protocols: Sequence[Any], measures: Sequence[Measure], runs: Sequence[Run], texts: dict[str, dict[str, str]]
) -> None:
    """A table for each method and protocol; redundancy is always there."""
    from mderank.research.evaluation.measures import REDUNDANCY

    for method in dict.fromkeys(run.settings["method"] for run in runs):
        of_method = [run for run in runs if run.settings["method"] == method]
        for protocol in protocols:
            _print_table(protocol, tuple(dict.fromkeys((*measures, REDUNDANCY))), of_method, texts)


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
    widths = [max(8, len(str(measure))) for measure in measures]
    about_it = f"{runs[0].name}, protocol {protocol.name} ({protocol.average} average)"
    click.echo(f"{about_it}, per cent; redundancy: phrases per document")
    heading = (f"{measure!s:>{each}}" for measure, each in zip(measures, widths, strict=True))
    click.echo(" ".join([" " * width, *heading, "   s/doc"]))
    for name, row, cost in zip(names, values, costs, strict=True):
        cells = (f"{value:{each}.2f}" for value, each in zip(row, widths, strict=True))
        click.echo(" ".join([f"{name:<{width}}", *cells, cost]).rstrip())
    click.echo()


def _print_judged(measures: Sequence[Measure], runs: Sequence[Run], show_unjudged: bool) -> None:
    """The lists of all methods, and the same by kind of document."""
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
    """The phrases to be judged, per document; all methods together."""
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
