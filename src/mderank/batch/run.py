"""Run a batch: plan the shards, write the missing ones, complete the output folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path

from mderank.batch.engines.base import Engine, EngineJob
from mderank.batch.engines.local import Local
from mderank.batch.failures import FailureCounts, FailureKind
from mderank.batch.output_folder import OutputFolder
from mderank.batch.row_files import RowFormat, check_row_format
from mderank.batch.shards import ShardSize, check_paths, input_files, plan_shards
from mderank.batch.worker import BatchWorker, Row
from mderank.errors import InputError, OptionError
from mderank.options import Options
from mderank.row_columns import carried_columns


@dataclass(frozen=True)
class BatchSummary:
    """The result of a run.

    Attributes:
        shards: number of shards in the output folder.
        documents: number of documents.
        failed: number of documents with an error.
        resumed: number of documents that an earlier run had finished.
        replaced: number of worker processes that died and were replaced.
        failures: the reasons of the failures, the most frequent first. Those of rare kinds may be missing.
    """

    shards: int
    documents: int
    failed: int
    resumed: int
    replaced: int = 0
    failures: tuple[FailureKind, ...] = ()


class FailedDocumentError(InputError):
    """A document failed, and the run was asked to stop at the first failure."""


def extract_folder(
    paths: Sequence[str],
    out: str | Path,
    options: Options | BatchWorker,
    *,
    output_format: RowFormat = "jsonl",
    shard_size: ShardSize | None = None,
    engine: Engine | None = None,
    fail_fast: bool = False,
    retry_failed: bool = False,
    overwrite: bool = False,
    planned: Callable[[int], None] = lambda documents: None,
    advance: Callable[[int], None] = lambda documents: None,
    skipped: Callable[[Path], None] = lambda file: None,
) -> BatchSummary:
    """Extract the keyphrases of all documents in ``paths`` into an output folder.

    A run that was stopped resumes, and ends with the same files.

    Args:
        paths: files, folders and glob patterns.
        out: the output folder.
        options: options of the extraction, or a worker for other ways to read files or to build the extractor. A run
            that resumes with other options is refused.
        output_format: format of the output files.
        shard_size: when a shard, and so an output file, ends.
        engine: where the shards run; None uses the cores of this machine.
        fail_fast: stop at the first document that fails. Otherwise its row has the error.
        retry_failed: write the shards again in which documents failed.
        overwrite: begin anew in a folder that an earlier run has written to. What it wrote is removed.
        planned: called with the number of documents of each shard that is planned.
        advance: called with the number of documents of each shard that is written, those of an earlier run first.
        skipped: called with each file and folder in a folder that is not read.

    Returns:
        The numbers of shards, documents and failures.

    Raises:
        InputError: a path stands for no file.
        OptionError: ``overwrite`` and ``retry_failed`` together.
        BatchError: the folder has other files, other settings or another plan, or cannot be written.
        FailedDocumentError: a document failed, with ``fail_fast``.
        MissingExtraError: a format or an engine needs an extra that is not installed.
    """
    worker = BatchWorker(options) if isinstance(options, Options) else options
    engine = engine or Local()
    shard_size = shard_size or ShardSize()
    check_row_format(output_format)
    if overwrite and retry_failed:
        raise OptionError("overwrite begins anew, and retry_failed resumes: give one of them")
    out = Path(out)
    check_paths(paths, out.resolve())  # before a folder is made for nothing
    if isinstance(engine, Local):  # nodes of a cluster may have files that this machine does not have
        worker.check_vocabulary()
    with OutputFolder(out, output_format, carried_columns(worker.reading.carry), overwrite=overwrite) as folder:
        settings = worker.settings()
        folder.check_settings(input=list(paths), output=output_format, shard_size=asdict(shard_size), settings=settings)
        shards = plan_shards(input_files(paths, out.resolve(), skipped), worker.reading, shard_size)
        for shard in folder.keep_plan(shards):
            planned(shard.documents)
        done = {shard: each for shard, each in folder.done().items() if not (retry_failed and each.failed)}
        resumed = sum(each.documents for each in done.values())
        advance(resumed)
        missing = (shard for shard in folder.plan() if shard.number not in done)
        if (first := next(missing, None)) is not None:
            check = stop_at_error if fail_fast else ignore_errors
            for each in engine.run(EngineJob(worker, chain([first], missing), folder, check)):
                folder.record(each)
                done[each.shard] = each
                advance(each.documents)
        folder.finish(done)
    failures = FailureCounts()
    for number in sorted(done):
        failures.add(done[number].failed, done[number].failures)
    documents = sum(each.documents for each in done.values())
    return BatchSummary(len(done), documents, failures.total, resumed, engine.replaced, failures.most_common())


def ignore_errors(rows: Sequence[Row]) -> None:
    """Accept rows with and without errors.

    Args:
        rows: rows of documents.
    """


def stop_at_error(rows: Sequence[Row]) -> None:
    """Stop at the first row with an error.

    Args:
        rows: rows of documents.

    Raises:
        FailedDocumentError: a row has an error.
    """
    for row in rows:
        if row["error"] is not None:
            raise FailedDocumentError(row["error"])
