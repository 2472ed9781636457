"""``mderank tune``: a method's weights for one's own labelled documents."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._config import config_option
from mderank.cli._options import SectionedCommand, import_spacy_without_torch, method_options, option
from mderank.cli._terminal import output as opened
from mderank.cli._terminal import progress
from mderank.cli.making import given_options, make_extractor
from mderank.errors import OptionError
from mderank.util.format import format_number

if TYPE_CHECKING:
    from mderank.research.datasets import Dataset
    from mderank.research.evaluation.tuning import Tuning

TUNABLE = ("fusion",)
# Options of the method that are not about what it gives, or that tune has in another sense.
_NOT_WRITTEN = ("threads", "device", "batch_tokens", "assignments", "seed")


@click.command(cls=SectionedCommand)
@option("Input", "--dataset", "-d", "name", required=True, metavar="FILE|NAME",
        help="JSON lines with id, text, keyphrases, perhaps title; or a set by name (mderank datasets).")  # fmt: skip
@option("Input", "--data-dir", metavar="DIR", help="Where named sets are.  [default: MDERANK_DATA_DIR]")
@option("Input", "--limit", type=click.IntRange(1), metavar="N", help="Only the first N documents.")
@option("Input", "--no-verify", is_flag=True, help="Do not compare a named set's checksum.")
@option("Results", "--output", "-o", required=True, metavar="FILE", help="Where the weights go, for --config.")
@option("Results", "--at", type=click.IntRange(1), default=10, show_default=True, metavar="K",
        help="How many phrases a document count: what is made best is F1@K.")  # fmt: skip
@option("Results", "--protocol", default="micro-stem", show_default=True, metavar="NAME",
        help="How phrases are matched and documents averaged, as for evaluate.")  # fmt: skip
@option("Results", "--folds", type=click.IntRange(2), default=5, show_default=True, metavar="N",
        help="Parts that the documents are divided into, each of which is once held out.")  # fmt: skip
@option("Results", "--seed", type=int, default=0, show_default=True, help="Of the division, and of the interval.")
@option("Results", "--quiet", "-q", is_flag=True, help="No progress and no report; errors only.")
@option("Method", "--method", type=click.Choice(TUNABLE), default=TUNABLE[0], show_default=True,
        help="The method whose weights are chosen.")  # fmt: skip
@method_options(without=("preset", "method", "seed", "min_score", "min_confidence", "max_sum", "masking", "corpus"))
@config_option
def tune(
    name: str,
    data_dir: str | None,
    limit: int | None,
    no_verify: bool,
    output: str,
    at: int,
    protocol: str,
    folds: int,
    seed: int,
    quiet: bool,
    **settings: Any,
) -> None:
    """Choose a method's weights on your own labelled documents, and write them for --config.

    Each document is encoded once, title and whole text. Weights are chosen by cross-validation: what they are worth
    is measured on documents that were not used to choose them, beside the weights as they are. If that is no gain,
    the file has the weights as they are. --set gives others to begin with; a weight of 0 stays 0.
    """
    from mderank.research.datasets import full_text, load_dataset
    from mderank.research.evaluation import tuning as library
    from mderank.research.evaluation.protocols import get_protocol
    from mderank.research.evaluation.runs import Task

    scoring = get_protocol(protocol)
    given = given_options()
    if settings["tagger"] is None:
        import_spacy_without_torch()
    dataset = load_dataset(name, data_dir, limit=limit, verify=not no_verify)
    if dataset.judged:
        raise OptionError(f"{dataset.name} has judged phrases, and F1 needs gold keyphrases: name a labelled set")
    ranker: Any = make_extractor(settings, given)
    tasks = [Task(each.id, full_text(each), each.keyphrases) for each in dataset.documents]
    with progress("reading", len(tasks), silent=quiet) as advance:
        gathered = library.gather(ranker, tasks, advance)
    with progress("choosing weights", 1 + min(folds, len(gathered.documents)), silent=quiet) as advance:
        tuning = library.tune(gathered, folds=folds, at=at, protocol=scoring, seed=seed, advance=advance)
    written = {each: settings[each] for each in settings if each in given and each not in _NOT_WRITTEN}
    with opened(output) as stream:
        stream.writelines(_toml(tuning, dataset, {"method": settings["method"], **written}))
    if quiet:
        return
    for note in (*(f"note: {each}" for each in gathered.notes), *_warnings(tuning, dataset)):
        click.echo(f"mderank: {note}", err=True)
    for line in _report(tuning, dataset):
        click.echo(line)
    click.echo(f"{output}: use it with --config {output}")


def _warnings(tuning: Tuning, dataset: Dataset) -> Iterator[str]:
    from mderank.research.evaluation.tuning import FEW

    if tuning.documents < FEW:
        yield (
            f"warning: {tuning.documents} documents are few: what is chosen on fewer than {FEW} is mostly chance; "
            "label more"
        )
    if dataset.info is not None:
        yield (
            f"warning: '{dataset.name}' is a set for testing: methods that are tuned on it cannot be compared on it "
            "with others"
        )


def _verdict(tuning: Tuning) -> str:
    if not tuning.helps:
        return (
            "Tuning does not help here: on documents that had no say in the choice, tuned weights are no better than "
            "the weights as they were. The file has these."
        )
    if tuning.comparison.low > 0:
        return "Tuning helps, and by more than chance."
    return "Tuning seems to help, but the interval has 0 in it: it may be chance. More documents would tell."


def _difference(tuning: Tuning) -> str:
    of = tuning.comparison
    return f"{100 * of.difference:+.2f}, 95 % interval {100 * of.low:+.2f} to {100 * of.high:+.2f}"


def _report(tuning: Tuning, dataset: Dataset) -> Iterator[str]:
    yield (
        f"{dataset.name}: {tuning.documents} documents, {len(tuning.of_folds)} folds, {tuning.measure}, protocol "
        f"{tuning.protocol.name} ({tuning.protocol.average} average), per cent"
    )
    yield f"  weights as they were         {tuning.before:6.2f}"
    yield f"  tuned, documents held out    {tuning.held_out:6.2f}   {_difference(tuning)}"
    yield f"  tuned, the same documents    {tuning.seen:6.2f}   too good to be true: the weights were chosen on them"
    yield ""
    yield f"  {'weight':<12}{'was':>8}{'tuned':>8}   without each fold"
    for name, was in tuning.start.items():
        folds = " ".join(f"{each[name]:g}" for each in tuning.of_folds)
        yield f"  {name:<12}{was:>8g}{tuning.chosen[name]:>8g}   {folds}"
    yield ""
    yield _verdict(tuning)


def _toml(tuning: Tuning, dataset: Dataset, options: Mapping[str, Any]) -> Iterator[str]:
    """The weights and the options they were chosen with; comments say where they come from and what they are worth."""
    name = json.dumps(dataset.name, ensure_ascii=False)
    yield f"# Weights of {options['method']} by 'mderank tune', chosen on {name} ({tuning.documents} documents).\n"
    yield (
        f"# {tuning.measure}, protocol {tuning.protocol.name}, on held-out folds: {tuning.held_out:.2f} per cent, "
        f"before {tuning.before:.2f}; difference {_difference(tuning)}.\n"
    )
    yield f"# {_verdict(tuning)}\n"
    for key, value in options.items():
        yield f"{key.replace('_', '-')} = {json.dumps(value, ensure_ascii=False)}\n"
    yield "\n[params]\n"
    for key in tuning.weights:
        if key != "similarity":  # the unit of the others, not an option
            yield f"{key} = {format_number(tuning.weights[key])}\n"
