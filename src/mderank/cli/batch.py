"""``mderank batch``: many documents to a folder, on all cores or on a cluster, and on again where it was stopped."""

from __future__ import annotations

import signal
import sys
import time
import warnings
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._config import config_option
from mderank.cli._inputs import input_options, read_options
from mderank.cli._options import (
    SectionedCommand,
    extraction_options,
    import_spacy_without_torch,
    make_options,
    option,
)
from mderank.cli._terminal import Throughput
from mderank.errors import OptionError
from mderank.factory import build_extractor
from mderank.options import Options

if TYPE_CHECKING:
    from mderank.batch import BatchSummary
    from mderank.batch.engines.base import Engine
    from mderank.methods.base import Extractor

STDIN = "-"
ROW_FORMATS = ("jsonl", "jsonl.gz", "parquet")
ENGINES = ("local", "ray", "spark")


def build_in_worker(options: Options) -> Extractor:
    """Build the extractor in a worker process, without torch where the English pipeline is used."""
    if options.tagger is None:
        import_spacy_without_torch()
    return build_extractor(options)


@click.command(cls=SectionedCommand)
@click.argument("paths", nargs=-1, required=True, metavar="IN...")
@click.argument("out", metavar="OUT")
@input_options
@option("Results", "--format", "-f", "form", type=click.Choice(ROW_FORMATS), default="jsonl", show_default=True,
        help="Of the files in OUT; parquet needs the extra 'parquet'.")  # fmt: skip
@option("Results", "--fail-fast", is_flag=True, help="Stop at the first document that fails.")
@option("Results", "--retry-failed", is_flag=True,
        help="Make those files of OUT again in which documents failed.")  # fmt: skip
@option("Results", "--quiet", "-q", is_flag=True, help="No progress, notes or warnings; errors only.")
@option("Run", "--engine", type=click.Choice(ENGINES), default="local", show_default=True,
        help="The cores of this machine, or a cluster that sees IN and OUT under the same names.")  # fmt: skip
@option("Run", "--address", metavar="URL",
        help="A cluster that is there: Ray's address, Spark's master.  [default: one on this machine]")  # fmt: skip
@option("Run", "--processes", type=click.IntRange(1), metavar="N",
        help="Worker processes.  [default: as many as cores and memory allow; 1 for a GPU]")  # fmt: skip
@option("Run", "--threads", type=click.IntRange(1), metavar="N",
        help="Cores of each process.  [default: what there is for each of them]")  # fmt: skip
@option("Run", "--gpus", type=click.FloatRange(0), metavar="X",
        help="For ray: of a GPU for each process, e.g. 0.5; add --device cuda.")  # fmt: skip
@option("Run", "--batch-size", type=click.IntRange(1), default=32, show_default=True, metavar="N",
        help="Documents that a process is given at once; makes no difference to the result.")  # fmt: skip
@option("Run", "--shard-documents", type=click.IntRange(1), default=1_000, show_default=True, metavar="N",
        help="Documents in a file of OUT: what a run that is killed may have to do again.")  # fmt: skip
@option("Run", "--shard-mb", type=click.FloatRange(0, min_open=True), default=4.0, show_default=True, metavar="X",
        help="Megabytes of input that are enough for a file of OUT, however few documents.")  # fmt: skip
@option("Run", "--timeout", type=click.FloatRange(0, min_open=True), metavar="SECONDS",
        help="Give a document up that takes longer, alone in its batch.  [default: never]")  # fmt: skip
@extraction_options(without=("threads",))
@config_option
def batch(
    paths: tuple[str, ...],
    out: str,
    form: Any,
    fail_fast: bool,
    retry_failed: bool,
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

    IN is as in 'mderank extract': files (.jsonl, .csv, .parquet, .txt, .pdf …, also .gz), folders, patterns in quotes.
    OUT gets a file for every 1,000 documents or so, with a row for each document, in the order of the input: id,
    keyphrases with scores and spans, what was not seen, the error if there is one.

    A run that was stopped, killed or ran out of disk goes on with what is missing: give the same command again. It
    ends with the same bytes as one that was never disturbed. Input or settings that changed meanwhile are refused. A
    document that fails carries its error, and the rest goes on; one that takes its process with it is tried again,
    alone.

    'mderank collection OUT' says what the whole is about.
    """
    from mderank.batch import BatchWorker, FailedDocumentError, ShardSize, extract_folder

    if STDIN in paths:
        raise OptionError("standard input cannot be read again when a run goes on: save it to a file")
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)  # a worker that died must not take us with it
    reading = read_options(settings)
    options = make_options(settings)
    if options.device not in (None, "cpu") and engine == "local":
        processes = processes or 1
    runner = _engine(engine, address, processes, threads, gpus, batch_size, timeout)
    worker = BatchWorker(options, reading, build=build_in_worker)
    skipped: Counter[str] = Counter()
    shown = Throughput("documents", silent=quiet)
    start = time.monotonic()
    with shown, warnings.catch_warnings():
        if quiet:
            warnings.simplefilter("ignore")
        try:
            outcome = extract_folder(
                paths,
                out,
                worker,
                output_format=form,
                shard_size=ShardSize(shard_documents, max(1, round(shard_mb * 1e6))),
                engine=runner,
                fail_fast=fail_fast,
                retry_failed=retry_failed,
                planned=shown.found,
                advance=shown.advance,
                skipped=lambda file: skipped.update([file.suffix or "without suffix"]),
            )
        except FailedDocumentError as error:
            click.echo(f"mderank: error: {error}", err=True)
            sys.exit(1)
        except KeyboardInterrupt:
            click.echo("mderank: stopped; the same command goes on where it was", err=True)
            sys.exit(130)
    if not quiet:
        _summary(outcome, out, time.monotonic() - start, skipped)
    if outcome.failed:
        sys.exit(1)


def _engine(
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
        raise OptionError("--gpus is for --engine ray; on this machine, --device cuda is enough")
    if name == "local":
        return Local(processes, threads, batch_documents=batch_size, timeout=timeout)
    options: dict[str, Any] = {"processes": processes, "threads": threads, "timeout": timeout}
    if name == "ray":
        from mderank.batch.engines.ray import Ray

        return Ray(address, gpus=gpus, batch_documents=batch_size, **options)
    from mderank.batch.engines.spark import Spark

    return Spark(address, batch_documents=batch_size, **options)


def _summary(outcome: BatchSummary, out: str, seconds: float, skipped: Counter[str]) -> None:
    """What was done, on stderr."""
    if skipped:
        listed = ", ".join(f"{number} {kind}" for kind, number in skipped.most_common(5))
        click.echo(f"mderank: note: {skipped.total()} other files in the folders were not read ({listed})", err=True)
    if outcome.replaced:
        click.echo(f"mderank: note: {outcome.replaced} worker processes died and were replaced", err=True)
    fresh = outcome.documents - outcome.resumed
    parts = [f"{outcome.documents:,} documents in {outcome.shards:,} files in {out}"]
    if outcome.resumed:
        parts.append(f"{outcome.resumed:,} of them from before")
    if outcome.failed:
        parts.append(f"{outcome.failed:,} failed: their rows have the error")
    if fresh:
        parts.append(f"{fresh / max(seconds, 1e-9):.1f} documents/s")
    click.echo(f"mderank: {'; '.join(parts)}", err=True)
