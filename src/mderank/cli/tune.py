"""``mderank tune``: choose a method's weights on labelled documents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._config import config_option
from mderank.cli._options import (
    SectionedCommand,
    extraction_options,
    import_spacy_without_torch,
    make_options,
    option,
)
from mderank.cli._terminal import output as opened
from mderank.cli._terminal import show_stages
from mderank.factory import build_extractor
from mderank.options import Options
from mderank.util.format import format_number

if TYPE_CHECKING:
    from mderank.research.datasets import Dataset
    from mderank.research.evaluation.tuning import TuningResult

TUNABLE = ("fusion",)
# Options that do not change the result, and the weights, which have a table of their own.
_NOT_WRITTEN = ("method", "threads", "device", "batch_tokens", "params")


@click.command(cls=SectionedCommand)
@option("Input", "--dataset", "-d", "name", required=True, metavar="FILE|NAME",
        help="JSON lines with id, text, keyphrases, title; or a dataset by name (mderank datasets).")  # fmt: skip
@option("Input", "--data-dir", metavar="DIR", help="Folder of named datasets.  [default: MDERANK_DATA_DIR]")
@option("Input", "--limit", type=click.IntRange(1), metavar="N", help="Use only the first N documents.")
@option("Input", "--no-verify", is_flag=True, help="Do not check the checksum of a named dataset.")
@option("Results", "--output", "-o", required=True, metavar="FILE", help="File for the weights, for --config.")
@option("Results", "--k", type=click.IntRange(1), default=10, show_default=True, metavar="K",
        help="Keyphrases per document; the weights are chosen by F1@K.")  # fmt: skip
@option("Results", "--protocol", default="micro-stem", show_default=True, metavar="NAME",
        help="How phrases are matched and documents averaged, as for mderank evaluate.")  # fmt: skip
@option("Results", "--folds", type=click.IntRange(2), default=5, show_default=True, metavar="N",
        help="Folds of the cross-validation; each is held out once.")  # fmt: skip
@option("Results", "--seed", type=int, default=0, show_default=True,
        help="Random seed for the folds and the bootstrap interval.")  # fmt: skip
@option("Results", "--quiet", "-q", is_flag=True, help="Print errors only.")
@option("Method", "--method", type=click.Choice(TUNABLE), default=TUNABLE[0], show_default=True,
        help="The method whose weights are chosen.")  # fmt: skip
@extraction_options(
    without=("preset", "method", "seed", "top_k", "min_score", "min_confidence", "max_sum", "masking", "frequencies")
)
@config_option
def tune(
    name: str,
    data_dir: str | None,
    limit: int | None,
    no_verify: bool,
    output: str,
    k: int,
    protocol: str,
    folds: int,
    seed: int,
    quiet: bool,
    **settings: Any,
) -> None:
    """Choose a method's weights on your own labelled documents, and write them for --config.

    Each document is encoded once, title and full text. Weights are chosen by cross-validation, and their worth is
    measured on held-out documents. If they are no better than the method's own weights, the file has the latter. --set
    gives other weights to start from; a weight of 0 stays 0.
    """
    from mderank.research.datasets import load_dataset
    from mderank.research.evaluation.protocols import get_protocol
    from mderank.research.evaluation.tuning import tune as run

    scoring = get_protocol(protocol)
    options = make_options(settings)
    if options.tagger is None:
        import_spacy_without_torch()
    dataset = load_dataset(name, data_dir, limit=limit, verify=not no_verify)
    extractor: Any = build_extractor(options)
    with show_stages(silent=quiet) as show:
        result = run(dataset, extractor, k=k, folds=folds, protocol=scoring, seed=seed, progress=show)
    with opened(output) as stream:
        stream.writelines(_format_toml(result, dataset, options))
    if quiet:
        return
    for note in (*(f"note: {each}" for each in result.notes), *_warnings(result, dataset)):
        click.echo(f"mderank: {note}", err=True)
    for line in _format_report(result, dataset):
        click.echo(line)
    click.echo(f"{output}: use it with --config {output}")


def _warnings(result: TuningResult, dataset: Dataset) -> Iterator[str]:
    from mderank.research.evaluation.tuning import FEW

    if result.documents < FEW:
        yield (
            f"warning: {result.documents} documents are few: a choice on fewer than {FEW} is mostly chance; label more"
        )
    if dataset.info is not None:
        yield (
            f"warning: '{dataset.name}' is a test dataset: methods that are tuned on it cannot be compared with others "
            "on it"
        )


def _format_verdict(result: TuningResult) -> str:
    if not result.helps:
        return (
            "Tuning does not help here: on held-out documents, tuned weights are no better than the method's own. The "
            "file has the method's own weights."
        )
    if result.comparison.low > 0:
        return "Tuning helps, and by more than chance."
    return "Tuning seems to help, but the interval contains 0: it may be chance. Label more documents to find out."


def _format_difference(result: TuningResult) -> str:
    found = result.comparison
    return f"{100 * found.difference:+.2f}, 95 % interval {100 * found.low:+.2f} to {100 * found.high:+.2f}"


def _format_report(result: TuningResult, dataset: Dataset) -> Iterator[str]:
    yield (
        f"{dataset.name}: {result.documents} documents, {len(result.fold_weights)} folds, {result.measure}, protocol "
        f"{result.protocol.name} ({result.protocol.average} average), per cent"
    )
    yield f"  own weights                  {result.before:6.2f}"
    yield f"  tuned, held-out documents    {result.held_out:6.2f}   {_format_difference(result)}"
    yield f"  tuned, the same documents    {result.seen:6.2f}   too optimistic: the weights were chosen on them"
    yield ""
    yield f"  {'weight':<12}{'own':>8}{'tuned':>8}   without each fold"
    for name, was in asdict(result.start).items():
        folds = " ".join(f"{getattr(each, name):g}" for each in result.fold_weights)
        yield f"  {name:<12}{was:>8g}{getattr(result.chosen, name):>8g}   {folds}"
    yield ""
    yield _format_verdict(result)


def _format_toml(result: TuningResult, dataset: Dataset, options: Options) -> Iterator[str]:
    """Write the weights with the options they were chosen with. Comments say where they come from, and their worth."""
    name = json.dumps(dataset.name, ensure_ascii=False)
    yield f"# Weights of {options.method} by 'mderank tune', chosen on {name} ({result.documents} documents).\n"
    yield (
        f"# {result.measure}, protocol {result.protocol.name}, on held-out folds: {result.held_out:.2f} per cent, "
        f"before {result.before:.2f}; difference {_format_difference(result)}.\n"
    )
    yield f"# {_format_verdict(result)}\n"
    plain = options.to_dict()
    for key in ("method", *(name for name in options.given() if name not in _NOT_WRITTEN)):
        yield f"{key.replace('_', '-')} = {json.dumps(plain[key], ensure_ascii=False)}\n"
    yield "\n[params]\n"
    for key, weight in asdict(result.weights).items():
        if key != "similarity":  # the unit of the others, not an option
            yield f"{key} = {format_number(weight)}\n"
