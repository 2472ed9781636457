"""A run from input to output: plan, go on with what is missing, finish."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from mderank.batch.engines.base import Engine, Job
from mderank.batch.engines.local import Local
from mderank.batch.output_folder import Folder
from mderank.batch.row_files import OutputForm, check_form
from mderank.batch.shards import Cut, input_files, plan
from mderank.batch.worker import Row, Work
from mderank.errors import InputError


@dataclass(frozen=True)
class Outcome:
    """What came of a run."""

    shards: int
    documents: int
    failed: int
    resumed: int  # documents that were done before
    replaced: int = 0  # worker processes that died


class FailedDocumentError(InputError):
    """A document that failed, where that was to stop the run."""


def extract_folder(
    paths: Sequence[str],
    out: str | Path,
    work: Work,
    *,
    form: OutputForm = "jsonl",
    cut: Cut | None = None,
    engine: Engine | None = None,
    settings: dict[str, Any] | None = None,
    fail_fast: bool = False,
    retry_failed: bool = False,
    planned: Callable[[int], None] = lambda documents: None,
    advance: Callable[[int], None] = lambda documents: None,
    skipped: Callable[[Path], None] = lambda file: None,
) -> Outcome:
    """Extract the keyphrases of all documents in ``paths`` (files, folders, patterns) into the folder ``out``.

    A run that was stopped goes on where it was, and ends with the same files. ``settings`` are the options that
    ``work`` was made from, as plain data: a run with others is refused. With ``fail_fast`` the first document that
    fails stops it; otherwise its row has the error. With ``retry_failed`` shards in which documents failed are made
    again. ``planned`` is told how many documents are found as they are,
    ``advance`` how many are done, those of an earlier run first.
    """
    engine = engine or Local()
    cut = cut or Cut()
    check_form(form)
    out = Path(out)
    with Folder(out, form) as folder:
        about = {"reading": asdict(work.reading), "top_k": work.top_k, **(settings or {})}
        folder.claim(input=list(paths), output=form, cut=asdict(cut), settings=about)
        shards = plan(input_files(paths, out.resolve(), skipped), work.reading, cut)
        for shard in folder.keep_plan(shards):
            planned(shard.documents)
        done = {shard: each for shard, each in folder.done().items() if not (retry_failed and each.failed)}
        resumed = sum(each.documents for each in done.values())
        advance(resumed)
        missing = (shard for shard in folder.plan() if shard.number not in done)
        if (first := next(missing, None)) is not None:
            check = stop_at_error if fail_fast else go_on
            for each in engine.run(Job(work, chain([first], missing), folder, check)):
                folder.tell(each)
                done[each.shard] = each
                advance(each.documents)
        folder.finish(done)
    documents, failed = (sum(getattr(each, name) for each in done.values()) for name in ("documents", "failed"))
    return Outcome(len(done), documents, failed, resumed, engine.replaced)


def go_on(rows: Sequence[Row]) -> None:
    """Whatever the rows are."""


def stop_at_error(rows: Sequence[Row]) -> None:
    """Raise the first error there is."""
    for row in rows:
        if row["error"] is not None:
            raise FailedDocumentError(row["error"])
