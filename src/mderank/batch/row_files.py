"""A shard's rows as a file, and back: JSON lines, also compressed, and Parquet. The same rows give the same bytes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Literal

from mderank.batch.worker import Row
from mderank.errors import InputError, MissingExtraError
from mderank.writing.json import json_text

OutputForm = Literal["jsonl", "jsonl.gz", "parquet"]


def check_form(form: OutputForm) -> None:
    """Make sure, before anything is done, that it can be written."""
    if form == "parquet":
        _arrow()


def write_rows(rows: Sequence[Row], stream: IO[bytes], form: OutputForm) -> None:
    """Write one shard."""
    _WRITE[form](rows, stream)


def read_rows(file: Path) -> Iterator[Row]:
    """The rows of one shard, one at a time."""
    for form, read in _READ.items():
        if file.name.endswith(f".{form}"):
            try:
                yield from read(file)
            except (OSError, EOFError, ValueError) as error:  # pyarrow's errors are among these
                raise InputError(
                    f"{file}: is not a whole shard ({error}): remove it, and run the batch again"
                ) from error
            return
    raise InputError(f"{file}: is no shard of a batch: it is none of {', '.join(_READ)}")


def _write_jsonl(rows: Sequence[Row], stream: IO[bytes] | gzip.GzipFile) -> None:
    for row in rows:
        stream.write(json_text(row).encode("utf-8") + b"\n")


def _write_gzip(rows: Sequence[Row], stream: IO[bytes]) -> None:
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed:  # no name and no time in it
        _write_jsonl(rows, packed)


def _write_parquet(rows: Sequence[Row], stream: IO[bytes]) -> None:
    _, parquet = _arrow()
    parquet.write_table(table(rows), stream, compression="zstd")


def table(rows: Sequence[Row]) -> Any:
    """The rows as an Arrow table. Ids are texts, since a column has one type; lone surrogates are replaced."""
    pa, _ = _arrow()
    shown = [plain(row) for row in rows]
    return pa.Table.from_pylist(shown, schema=schema())


def schema() -> Any:
    """The columns of Parquet output."""
    pa, _ = _arrow()
    span = pa.struct([("start", pa.int32()), ("end", pa.int32())])
    keyphrase = pa.struct(
        [
            ("text", pa.string()),
            ("score", pa.float64()),
            ("similarity", pa.float64()),
            ("confidence", pa.float64()),  # of methods that have one
            ("spans", pa.list_(span)),
            ("forms", pa.list_(pa.string())),
            ("related", pa.list_(pa.string())),  # empty where there are none
        ]
    )
    return pa.schema(
        [
            ("id", pa.string()),
            ("text", pa.string()),  # only where it was taken out of something else, such as a PDF
            ("keyphrases", pa.list_(keyphrase)),
            ("unseen", span),
            ("missing", pa.list_(pa.string())),
            ("error", pa.string()),
        ]
    )


def plain(row: Row) -> Row:
    """A row in Arrow's types: a span is a pair of named numbers, and all text can be encoded."""
    keyphrases = [
        {**each, "text": _text(each["text"]), "confidence": each.get("confidence"),
         "spans": list(map(_span, each["spans"])), "forms": list(map(_text, each["forms"])),
         "related": list(map(_text, each.get("related", ())))}
        for each in row["keyphrases"]
    ]  # fmt: skip
    return {
        "id": _text(str(row["id"])),
        "text": None if row.get("text") is None else _text(row["text"]),
        "keyphrases": keyphrases,
        "unseen": None if row["unseen"] is None else _span(row["unseen"]),
        "missing": list(map(_text, row["missing"])),
        "error": None if row["error"] is None else _text(row["error"]),
    }


def _span(span: Sequence[int]) -> dict[str, int]:
    return {"start": span[0], "end": span[1]}


def _text(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8")


def _read_jsonl(file: Path) -> Iterator[Row]:
    with file.open("rb") as stream:
        yield from map(json.loads, stream)


def _read_gzip(file: Path) -> Iterator[Row]:
    with gzip.open(file, "rb") as stream:
        yield from map(json.loads, stream)


def _read_parquet(file: Path) -> Iterator[Row]:
    _, parquet = _arrow()
    with parquet.ParquetFile(file, pre_buffer=False) as shard:
        for batch in shard.iter_batches(256):
            for row in batch.to_pylist():
                for each in row["keyphrases"]:
                    each["spans"] = [[span["start"], span["end"]] for span in each["spans"]]
                    if each["confidence"] is None:
                        del each["confidence"]
                    if not each.get("related"):
                        each.pop("related", None)  # shards from before there were any have no such column
                if row["unseen"] is not None:
                    row["unseen"] = [row["unseen"]["start"], row["unseen"]["end"]]
                if row["text"] is None:
                    del row["text"]
                yield row


def _arrow() -> tuple[Any, Any]:
    try:
        import pyarrow
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("Parquet", "parquet") from error
    return pyarrow, parquet


_WRITE: dict[OutputForm, Callable[[Sequence[Row], IO[bytes]], None]] = {
    "jsonl": _write_jsonl,
    "jsonl.gz": _write_gzip,
    "parquet": _write_parquet,
}
_READ: dict[OutputForm, Callable[[Path], Iterator[Row]]] = {
    "jsonl": _read_jsonl,
    "jsonl.gz": _read_gzip,
    "parquet": _read_parquet,
}
FORMS = tuple(_WRITE)
