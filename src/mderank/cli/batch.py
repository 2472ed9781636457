"""``mderank batch``: extract many documents into a folder, on all cores or on a cluster; a stopped run resumes."""

from __future__ import annotations

import shlex
import sys
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._config import config_option
from mderank.cli._inputs import SkippedPaths, carry_option, echo_absent_fields, input_options, read_options
from mderank.cli._options import (
    SectionedCommand,
    extraction_options,
    import_spacy_without_torch,
    make_options,
    option,
)
from mderank.cli._signals import RESUME, stopped_with
from mderank.cli._terminal import Throughput
from mderank.errors import OptionError
from mderank.factory import build_extractor
from mderank.options import Options
from mderank.util.format import escape_unprintable, format_count

if TYPE_CHECKING:
    from mderank.batch import BatchSummary
    from mderank.batch.engines.base import Engine
    from mderank.methods.base import Extractor

STDIN = "-"
ROW_FORMATS = ("jsonl", "jsonl.gz", "parquet")
ENGINES = ("local", "ray", "spark")
_SHOWN_FAILURES = 5


def build_in_worker(options: Options) -> Extractor:
    """Build the extractor in a worker process, without torch where the English pipeline is used."""
    import_spacy_without_torch(options.tagger, options.tokenizer)
    return build_extractor(options)


@click.command(cls=SectionedCommand)
@click.argument("paths", nargs=-1, metavar="IN...")
@click.argument("out", metavar="OUT")
@input_options
@option("Results", "--format", "-f", "output_format", type=click.Choice(ROW_FORMATS), default="jsonl",
        show_default=True, help="Output format. Parquet needs: pip install 'mderank[parquet]'.")  # fmt: skip
@option("Results", "--fail-fast", is_flag=True, help="Stop at the first document that fails.")
@option("Results", "--retry-failed", is_flag=True,
        help="Write the files of OUT again in which documents failed.")  # fmt: skip
@option("Results", "--overwrite", is_flag=True,
        help="Begin anew in an OUT of mderank batch, and remove what it wrote there; other files stay.")  # fmt: skip
@carry_option
@option("Results", "--quiet", "-q", is_flag=True, help="No progress, notes or warnings; errors only.")
@option("Run", "--engine", type=click.Choice(ENGINES), default="local", show_default=True,
        help="Where to run: on this machine, or on a cluster that has IN and OUT under the same paths.")  # fmt: skip
@option("Run", "--address", metavar="URL",
        help="Address of a running cluster: Ray's address, or Spark's master.  [default: start one here]")  # fmt: skip
@option("Run", "--processes", type=click.IntRange(1), metavar="N",
        help="Number of worker processes.  [default: as many as cores and memory allow; 1 for a GPU]")  # fmt: skip
@option("Run", "--threads", type=click.IntRange(1), metavar="N",
        help="Cores per process.  [default: the cores divided by the processes]")  # fmt: skip
@option("Run", "--gpus", type=click.FloatRange(0), metavar="X",
        help="GPUs per process, e.g. 0.5, with --engine ray and --device cuda.")  # fmt: skip
@option("Run", "--batch-size", type=click.IntRange(1), default=32, show_default=True, metavar="N",
        help="Documents that a process gets at once. It does not change the result.")  # fmt: skip
@option("Run", "--shard-documents", type=click.IntRange(1), default=1_000, show_default=True, metavar="N",
        help="Documents per file of OUT. A killed run repeats at most one file per process.")  # fmt: skip
@option("Run", "--shard-mb", type=click.FloatRange(0, min_open=True), default=4.0, show_default=True, metavar="X",
        help="Megabytes of input per file of OUT, if fewer documents reach it.")  # fmt: skip
@option("Run", "--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
        help="Stop a document that takes longer, alone in its batch.  [default: no limit]")  # fmt: skip
@extraction_options(without=("threads",))
@config_option
def batch(
    paths: tuple[str, ...],
    out: str,
    output_format: Any,
    fail_fast: bool,
    retry_failed: bool,
    overwrite: bool,
    quiet: bool,
    engine: str,
    address: str | None,
    processes: int | None,
    threads: int | None,
    gpus: float | None,
    batch_size: int,
    shard_documents: int,
    shard_mb: float,
    timeout: float | None,
    **settings: Any,
) -> None:
    """Extract the keyphrases of many documents into the folder OUT.

    IN is as in 'mderank extract': files (.jsonl, .json, .csv, .parquet, .txt, .docx …, also .gz), folders, patterns.
    OUT gets one file per 1,000 documents, with one row per document, in the order of the input. A row has the id, the
    keyphrases with scores and spans, the part of the text that was not read, the error if the document failed, and what
    --carry takes from the input.

    To resume a run that was stopped, killed or ran out of disk, give the same command again. It ends with the same
    bytes as a run without interruption. Changed input or settings are refused. A document that fails has its error in
    its row, and the run continues. A document that crashes its process is tried again, alone.

    'mderank collection OUT' lists the phrases of all documents together.
    """
    from mderank.batch import BatchWorker, FailedDocumentError, ShardSize, extract_folder
    from mderank.batch.shards import input_files

    if not paths:
        raise click.UsageError(f"the output folder OUT is missing: mderank batch {out} OUT")
    if overwrite and retry_failed:
        raise OptionError("--overwrite begins anew, and --retry-failed resumes: give one of them")
    if STDIN in paths:
        raise OptionError("standard input cannot be read again when a run resumes: save it to a file")
    reading = read_options(settings)
    options = make_options(settings)
    if options.device not in (None, "cpu") and engine == "local":
        processes = processes or 1
    runner = _make_engine(engine, address, processes, threads, gpus, batch_size, timeout)
    worker = BatchWorker(options, reading, build=build_in_worker)
    if not quiet:  # before a long run for nothing
        echo_absent_fields(input_files(paths, Path(out).resolve(), lambda file: None), reading)
    skipped = SkippedPaths()
    shown = Throughput("documents", silent=quiet)
    start = time.monotonic()
    with shown, warnings.catch_warnings(), stopped_with(RESUME):
        if quiet:
            warnings.simplefilter("ignore")
        try:
            summary = extract_folder(
                paths,
                out,
                worker,
                output_format=output_format,
                shard_size=ShardSize(shard_documents, max(1, round(shard_mb * 1e6))),
                engine=runner,
                fail_fast=fail_fast,
                retry_failed=retry_failed,
                overwrite=overwrite,
                planned=shown.found,
                advance=shown.advance,
                skipped=skipped.add,
            )
        except FailedDocumentError as error:
            click.echo(f"mderank: error: {error}", err=True)
            sys.exit(1)
    if not quiet:
        skipped.echo()
        _print_summary(summary, out, time.monotonic() - start)
    if summary.failed:
        sys.exit(1)


def _make_engine(
    name: str,
    address: str | None,
    processes: int | None,
    threads: int | None,
    gpus: float | None,
    batch_size: int,
    timeout: float | None,
) -> Engine:
    from mderank.batch import Local

    if name == "local" and address is not None:
        raise OptionError("--address is for --engine ray and --engine spark")
    if name != "ray" and gpus is not None:
        raise OptionError("--gpus is for --engine ray; on this machine, give --device cuda alone")
    if name == "local":
        return Local(processes, threads, batch_documents=batch_size, timeout=timeout)
    settings: dict[str, Any] = {
        "processes": processes, "threads": threads, "batch_documents": batch_size, "timeout": timeout
    }  # fmt: skip
    if name == "ray":
        from mderank.batch.engines.ray import Ray

        return Ray(address, gpus=gpus, **settings)
    from mderank.batch.engines.spark import Spark

    return Spark(address, **settings)


def _print_summary(summary: BatchSummary, out: str, seconds: float) -> None:
    """Print what was done, to standard error."""
    if summary.replaced:
        died = (
            "1 worker process died and was"
            if summary.replaced == 1
            else f"{summary.replaced} worker processes died and were"
        )
        click.echo(f"mderank: note: {died} replaced", err=True)
    fresh = summary.documents - summary.resumed
    parts = [f"{format_count(summary.documents, 'document')} in {format_count(summary.shards, 'file')} in {out}"]
    if summary.resumed:
        parts.append(f"{summary.resumed:,} of them from an earlier run")
    if summary.failed:
        parts.append(f"{summary.failed:,} failed: their rows have the error")
    if fresh:
        parts.append(f"{fresh / max(seconds, 1e-9):.1f} documents/s")
    click.echo(f"mderank: {'; '.join(parts)}", err=True)
    _print_failures(summary, out)


def _print_failures(summary: BatchSummary, out: str) -> None:
    """Print the most frequent reasons of failures, with an example of each."""
    shown = summary.failures[:_SHOWN_FAILURES]
    for each in shown:
        reason, example = escape_unprintable(each.reason), escape_unprintable(each.example)
        click.echo(f"mderank: {each.documents:,} × {reason}; e.g. {example}", err=True)
    rest = summary.failed - sum(each.documents for each in shown)
    if rest:
        click.echo(f"mderank: {rest:,} for other reasons", err=True)
    if summary.failed:
        click.echo(f"mderank: all of them: mderank collection {shlex.quote(out)} --failed", err=True)
