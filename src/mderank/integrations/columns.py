"""Keyphrases as further columns of a table, for jobs of your own on Spark or Ray."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mderank.batch.row_files import to_arrow_types
from mderank.batch.worker import BatchWorker, Row
from mderank.errors import OptionError
from mderank.options import Options

ADDED = ("keyphrases", "truncated", "missing_phrases", "missing_count", "error", "language")
CHUNK = 64  # documents that are extracted together


def check_columns(columns: Sequence[str], text: str) -> None:
    """Refuse a table that lacks the text, or has a column where ours would go."""
    if text not in columns:
        raise OptionError(f"the column '{text}' is missing (columns: {', '.join(columns)}): name another, text=…")
    taken = [name for name in ADDED if name in columns]
    if taken:
        raise OptionError(f"the table has a column {', '.join(taken)} already: rename it")


def to_options(options: Options | Mapping[str, Any]) -> Options:
    """Options, also from a mapping of plain values."""
    return options if isinstance(options, Options) else Options.from_dict(options)


def added(worker: BatchWorker, texts: Iterable[Any]) -> Iterator[Row]:
    """The further columns of every row, in Arrow's types; what is no text has an error."""
    waiting = list(texts)
    for start in range(0, len(waiting), CHUNK):
        chunk = waiting[start : start + CHUNK]
        rows = iter(worker.texts([(number, text) for number, text in enumerate(chunk) if isinstance(text, str)]))
        for text in chunk:
            if isinstance(text, str):
                yield _kept(next(rows))
            else:
                what = "missing" if text is None else type(text).__name__
                yield {
                    "keyphrases": [],
                    "truncated": None,
                    "missing_phrases": [],
                    "missing_count": 0,
                    "error": f"the text is {what}, not a string",
                    "language": None,
                }


def _kept(row: Row) -> Row:
    """Without the id, which the table has; of an error, which begins with it, the rest."""
    made = to_arrow_types(row)
    error = None if made["error"] is None else str(made["error"]).removeprefix(f"{row['id']}: ")
    return {**{name: made[name] for name in ADDED}, "error": error}
