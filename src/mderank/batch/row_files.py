"""Write and read the rows of a shard: JSON lines, gzipped JSON lines and Parquet. Equal rows give equal bytes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Literal

from mderank.batch.worker import Row
from mderank.errors import InputError, MissingExtraError
from mderank.util.format import json_text

RowFormat = Literal["jsonl", "jsonl.gz", "parquet"]


def check_row_format(output_format: RowFormat) -> None:
    """Check that a format can be written.

    Args:
        output_format: the format.

    Raises:
        MissingExtraError: Parquet, and the extra ``parquet`` is not installed.
    """
    if output_format == "parquet":
        _arrow()


def write_rows(rows: Sequence[Row], stream: IO[bytes], output_format: RowFormat) -> None:
    """Write the rows of one shard.

    Args:
        rows: the rows.
        stream: binary stream to write to.
        output_format: format of the file.

    Raises:
        MissingExtraError: Parquet, and the extra ``parquet`` is not installed.
    """
    _WRITE[output_format](rows, stream)


def read_rows(file: Path) -> Iterator[Row]:
    """Read the rows of one shard.

    Args:
        file: the shard's file; its suffix says the format.

    Yields:
        One row per document.

    Raises:
        InputError: the file is damaged, or its suffix is unknown.
        MissingExtraError: Parquet, and the extra ``parquet`` is not installed.
    """
    for suffix, read in _READ.items():
        if file.name.endswith(f".{suffix}"):
            try:
                yield from read(file)
            except (OSError, EOFError, ValueError) as error:  # pyarrow's errors are among these
                raise InputError(
                    f"{file}: this shard is damaged ({error}): remove it, and run the batch again"
                ) from error
            return
    raise InputError(f"{file}: is not a shard of a batch: its suffix is none of {', '.join(_READ)}")


def _write_jsonl(rows: Sequence[Row], stream: IO[bytes] | gzip.GzipFile) -> None:
    for row in rows:
        stream.write(json_text(row).encode("utf-8") + b"\n")


def _write_gzip(rows: Sequence[Row], stream: IO[bytes]) -> None:
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed:  # equal bytes
        _write_jsonl(rows, packed)


def _write_parquet(rows: Sequence[Row], stream: IO[bytes]) -> None:
    _, parquet = _arrow()
    parquet.write_table(table(rows), stream, compression="zstd")


def table(rows: Sequence[Row]) -> Any:
    """Convert rows to an Arrow table. Ids become text, since a column has one type; lone surrogates are replaced.

    Args:
        rows: the rows.

    Returns:
        A ``pyarrow.Table`` with the columns of `schema`.

    Raises:
        MissingExtraError: the extra ``parquet`` is not installed.
    """
    pa, _ = _arrow()
    return pa.Table.from_pylist(list(map(to_arrow_types, rows)), schema=schema())


def schema() -> Any:
    """Return the Arrow schema of Parquet output.

    Raises:
        MissingExtraError: the extra ``parquet`` is not installed.
    """
    pa, _ = _arrow()
    span = pa.struct([("start", pa.int32()), ("end", pa.int32())])
    keyphrase = pa.struct(
        [
            ("text", pa.string()),
            ("score", pa.float64()),
            ("raw_score", pa.float64()),
            ("confidence", pa.float64()),  # null for methods without confidence
            ("spans", pa.list_(span)),
            ("forms", pa.list_(pa.string())),
            ("related", pa.list_(pa.string())),  # empty where there are none
            ("concept", pa.struct([("id", pa.string()), ("label", pa.string())])),  # null without a vocabulary
        ]
    )
    language = pa.struct(
        [
            ("code", pa.string()),
            ("certainty", pa.float64()),  # null where the language was named
            ("tagger", pa.string()),
            ("encoder", pa.string()),
            ("warnings", pa.list_(pa.string())),
        ]
    )
    return pa.schema(
        [
            ("id", pa.string()),
            ("text", pa.string()),  # null unless it was extracted from another format
            ("keyphrases", pa.list_(keyphrase)),
            ("truncated", span),
            ("missing_phrases", pa.list_(pa.string())),  # empty where they are more than 100
            ("missing_count", pa.int64()),
            ("error", pa.string()),
            ("language", language),
        ]
    )


def to_arrow_types(row: Row) -> Row:
    """Convert a row to Arrow's types: spans become structs, and text that UTF-8 cannot encode is replaced.

    Args:
        row: a row, as in JSON output.

    Returns:
        A row for `schema`.
    """
    keyphrases = [
        {**each, "text": _encodable(each["text"]), "confidence": each.get("confidence"),
         "spans": list(map(_span_struct, each["spans"])), "forms": list(map(_encodable, each["forms"])),
         "related": list(map(_encodable, each.get("related", ()))),
         "concept": each.get("concept") and {name: _encodable(text) for name, text in each["concept"].items()}}
        for each in row["keyphrases"]
    ]  # fmt: skip
    return {
        "id": _encodable(str(row["id"])),
        "text": None if row.get("text") is None else _encodable(row["text"]),
        "keyphrases": keyphrases,
        "truncated": None if row["truncated"] is None else _span_struct(row["truncated"]),
        "missing_phrases": list(map(_encodable, row["missing_phrases"])),
        "missing_count": row.get("missing_count", len(row["missing_phrases"])),
        "error": None if row["error"] is None else _encodable(row["error"]),
        "language": row.get("language"),
    }


def _span_struct(span: Sequence[int]) -> dict[str, int]:
    return {"start": span[0], "end": span[1]}


def _encodable(text: str) -> str:
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
                        each.pop("related", None)  # the column is optional
                    if not each.get("concept"):
                        each.pop("concept", None)
                if row["truncated"] is not None:
                    row["truncated"] = [row["truncated"]["start"], row["truncated"]["end"]]
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


_WRITE: dict[RowFormat, Callable[[Sequence[Row], IO[bytes]], None]] = {
    "jsonl": _write_jsonl,
    "jsonl.gz": _write_gzip,
    "parquet": _write_parquet,
}
_READ: dict[RowFormat, Callable[[Path], Iterator[Row]]] = {
    "jsonl": _read_jsonl,
    "jsonl.gz": _read_gzip,
    "parquet": _read_parquet,
}
ROW_FORMATS = tuple(_WRITE)
