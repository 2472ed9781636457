"""``mderank tune``: learn a style from labelled documents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
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
from mderank.cli._signals import stopped_with
from mderank.cli._terminal import output as opened
from mderank.cli._terminal import show_stages
from mderank.errors import InputError
from mderank.factory import build_extractor
from mderank.util.format import escape_unprintable

if TYPE_CHECKING:
    from mderank.research.datasets import Dataset
    from mderank.research.tuning import StyleReport

# Options that a style is learned for; it decides the others itself, or they belong to other methods.
_OPTIONS = ("model", "device", "dtype", "threads", "tagger")


@click.command(cls=SectionedCommand, short_help="Learn from labelled documents what counts as a keyphrase.")
@click.argument("source", metavar="LABELLED")
@option("Input", "--text-field", default="text", show_default=True, help="Field or column of the text.")
@option("Input", "--label-field", default="keyphrases", show_default=True, help="Field or column of the labels.")
@option("Input", "--title-field", default="title", show_default=True, help="Field or column of the title.")
@option("Input", "--id-field", default="id", show_default=True, help="Field or column of the id.")
@option("Input", "--label-separator", metavar="TEXT",
        help="What separates labels in one string.  [default: ; or | or ,]")  # fmt: skip
@option("Input", "--data-dir", metavar="DIR", help="Folder of named datasets.  [default: MDERANK_DATA_DIR]")
@option("Input", "--limit", type=click.IntRange(1), metavar="N", help="Use only the first N documents.")
@option("Input", "--no-verify", is_flag=True, help="Do not check the checksum of a named dataset.")
@option("Results", "--output", "-o", required=True, metavar="FILE", help="File for the style, for --style.")
@option("Results", "--name", metavar="NAME", help="Name of the style.  [default: that of the input]")
@option("Results", "--curve", "plot", metavar="FILE.svg", help="Draw the learning curve.")
@option("Results", "--force", is_flag=True, help="Write the style even if it does not help.")
@option("Results", "--protocol", default="micro-stem", show_default=True, metavar="NAME",
        help="How phrases are matched and documents averaged, as for mderank evaluate.")  # fmt: skip
@option("Results", "--folds", type=click.IntRange(2), default=5, show_default=True, metavar="N",
        help="Folds of the cross-validation; each is held out once.")  # fmt: skip
@option("Results", "--seed", "random_seed", type=int, default=0, show_default=True,
        help="Random seed for the folds and the intervals.")  # fmt: skip
@option("Results", "--forget-labels", is_flag=True,
        help="Do not keep the labels themselves in the style, to know them again in other documents.")  # fmt: skip
@option("Results", "--quiet", "-q", is_flag=True, help="Print errors only.")
@extraction_options(only=_OPTIONS)
@config_option
def tune(
    source: str,
    text_field: str,
    label_field: str,
    title_field: str,
    id_field: str,
    label_separator: str | None,
    data_dir: str | None,
    limit: int | None,
    no_verify: bool,
    output: str,
    name: str | None,
    plot: str | None,
    force: bool,
    protocol: str,
    folds: int,
    random_seed: int,
    forget_labels: bool,
    quiet: bool,
    **settings: Any,
) -> None:
    """Learn from labelled documents what counts as a keyphrase, and write it as a style for --style.

    LABELLED is a file of JSON lines with text and keyphrases, a table (CSV, Parquet) with a column of labels, or a
    folder in which report.txt has its labels in report.key, one per line. Fifty documents are a good start.

    Each document is encoded once, title and full text. The worth of the style is measured on documents that it was not
    learned from. The default is kept where no gain is certain. A style that does not help, or that was learned from
    fewer than 20 documents, is not written without --force.
    """
    from mderank.research.evaluation.protocols import get_protocol
    from mderank.research.tuning import learn_style
    from mderank.research.tuning.labelled_files import LabelFields, load_labelled
    from mderank.research.tuning.report import format_report, plot_curve

    scoring = get_protocol(protocol)
    options = make_options(settings)
    import_spacy_without_torch(options.tagger, options.tokenizer)
    fields = LabelFields(text_field, label_field, title_field, id_field, label_separator)
    dataset = load_labelled(source, data_dir, fields=fields, limit=limit, verify=not no_verify)
    extractor: Any = build_extractor(options)
    with show_stages(silent=quiet) as show, stopped_with(f"{output} was not written"):
        report = learn_style(
            dataset,
            extractor,
            name=name or Path(output).stem,
            folds=folds,
            protocol=scoring,
            seed=random_seed,
            remember_labels=not forget_labels,
            progress=show,
        )
    if not quiet:
        for note in (*(f"note: {each}" for each in (*dataset.notes, *report.notes)), *_warnings(dataset)):
            click.echo(f"mderank: {escape_unprintable(note)}", err=True)
        for line in format_report(report):
            click.echo(escape_unprintable(line))
    if plot is not None:
        with opened(plot) as stream:
            stream.write(plot_curve(report))
    _write(report, output, force=force, quiet=quiet)


def _write(report: StyleReport, output: str, *, force: bool, quiet: bool) -> None:
    from mderank.research.tuning.learn import FEW

    if not force and (not report.helps or report.documents < FEW):
        if report.choice.is_default:
            reason = "it would be the default"
        else:
            reason = "it does not help" if not report.helps else f"it was learned from {report.documents} documents"
        raise InputError(f"{output} is not written, because {reason}; write it all the same: --force")
    with opened(output) as stream:
        stream.write(report.style.to_json())
    if not quiet:
        click.echo(f"{output}: use it with --style {output}")


def _warnings(dataset: Dataset) -> Iterator[str]:
    if dataset.info is not None:
        yield (
            f"warning: '{dataset.name}' is a test dataset: methods that are tuned on it cannot be compared with others "
            "on it"
        )
