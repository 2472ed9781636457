"""Write and read the rows of a shard: JSON lines, gzipped JSON lines and Parquet. Equal rows give equal bytes."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Literal

from mderank.batch.worker import Row
from mderank.errors import InputError, MissingExtraError
from mderank.row_columns import carried_cells, carried_values
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


def write_rows(rows: Sequence[Row], stream: IO[bytes], output_format: RowFormat, carried: Sequence[str] = ()) -> None:
    """Write the rows of one shard.

    Args:
        rows: the rows.
        stream: binary stream to write to.
        output_format: format of the file.
        carried: columns of Parquet that carry fields of the input (`mderank.row_columns.carried_columns`).

    Raises:
        MissingExtraError: Parquet, and the extra ``parquet`` is not installed.
    """
    _WRITE[output_format](rows, stream, carried)


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


def _write_jsonl(rows: Sequence[Row], stream: IO[bytes] | gzip.GzipFile, _: Sequence[str] = ()) -> None:
    for row in rows:
        stream.write(json_text(row).encode("utf-8") + b"\n")


def _write_gzip(rows: Sequence[Row], stream: IO[bytes], _: Sequence[str] = ()) -> None:
    with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0) as packed:  # equal bytes
        _write_jsonl(rows, packed)


def _write_parquet(rows: Sequence[Row], stream: IO[bytes], carried: Sequence[str] = ()) -> None:
    _, parquet = _arrow()
    parquet.write_table(table(rows, carried), stream, compression="zstd")


def table(rows: Sequence[Row], carried: Sequence[str] = ()) -> Any:
    """Convert rows to an Arrow table. Ids become text, since a column has one type; lone surrogates are replaced.

    Args:
        rows: the rows.
        carried: columns that carry fields of the input.

    Returns:
        A ``pyarrow.Table`` with the columns of `schema`.

    Raises:
        MissingExtraError: the extra ``parquet`` is not installed.
    """
    pa, _ = _arrow()
    return pa.Table.from_pylist([to_arrow_types(row, carried) for row in rows], schema=schema(carried))


def schema(carried: Sequence[str] = ()) -> Any:
    """Return the Arrow schema of Parquet output. It depends on the options only, not on the documents.

    Args:
        carried: columns that carry fields of the input. They are texts.

    Raises:
        MissingExtraError: the extra ``parquet`` is not installed.
    """
    pa, _ = _arrow()
    span = pa.struct([("start", pa.int32()), ("end", pa.int32())])
    keyphrase = pa.struct(
        [
            ("text", pa.string()),
            ("key", pa.string()),  # null in rows that were written before there was one
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
            *((name, pa.string()) for name in carried),
        ]
    )


def to_arrow_types(row: Row, carried: Sequence[str] = ()) -> Row:
    """Convert a row to Arrow's types: spans become structs, and text that UTF-8 cannot encode is replaced.

    Args:
        row: a row, as in JSON output.
        carried: columns that carry fields of the input.

    Returns:
        A row for `schema`.
    """
    keyphrases = [
        {**each, "text": _encodable(each["text"]), "key": _encodable(each["key"]) if "key" in each else None,
         "confidence": each.get("confidence"),
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
        **{
            name: None if cell is None else _encodable(cell)
            for name, cell in zip(carried, carried_cells(carried_values(row), carried), strict=True)
        },
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
                    if each.get("key") is None:
                        each.pop("key", None)
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


_WRITE: dict[RowFormat, Callable[[Sequence[Row], IO[bytes], Sequence[str]], None]] = {
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
