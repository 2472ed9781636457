"""Parquet: one document per row. Each row is converted to a line of JSON and read as such."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Any

from mderank.errors import InputError, MDERankError, MissingExtraError
from mderank.reading.base import ReadOptions, Record, RecordPosition
from mderank.reading.decoding import decode_as
from mderank.reading.limits import too_many_bytes
from mderank.reading.tabular import check_columns, to_json

_MAX_ROWS = 256  # rows that are read at once, if they are short
_MAX_RATIO = 200  # text compresses to a third or a tenth
_TEXT_TYPES = ("string", "large_string", "binary", "large_binary")


def parquet_records(source: IO[bytes], name: str, options: ReadOptions, start: RecordPosition) -> Iterator[Record]:
    """Locate the documents of a Parquet file. Only the columns that the options name are read.

    Args:
        source: the file's content as a seekable stream.
        name: the file's name.
        options: column names, encoding of columns without an encoding, and limit.
        start: position of the first row to return.

    Yields:
        A record per row. A row that cannot be converted or is too long has a failure, and so has a row group whose
        rows must be too long by its size.

    Raises:
        InputError: a required column is missing, or the file is damaged or decompresses to much more than its size.
        MissingExtraError: the extra ``parquet`` is not installed.
    """
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error
    try:
        with parquet.ParquetFile(source, pre_buffer=False) as file:
            metadata, schema = file.metadata, file.schema_arrow
        columns = check_columns(schema.names, options)
        _check_ratio(source, metadata, options)
        # A dictionary holds equal values once. Decoded, a small file could fill the memory with copies of one value.
        texts = [column for column in columns if str(schema.field(column).type) in _TEXT_TYPES]
        with parquet.ParquetFile(source, metadata=metadata, pre_buffer=False, read_dictionary=texts) as file:
            number = 0
            for group in range(file.num_row_groups):
                rows = file.metadata.row_group(group).num_rows
                if number + rows > start.number:
                    for record in _group_records(file, group, columns, name, number, options):
                        if record.position is None or record.position.number >= start.number:
                            yield record
                number += rows
    except MDERankError:
        raise
    except Exception as error:  # damaged files make pyarrow raise errors of many kinds
        reason = (str(error).splitlines() or [""])[0][:300]
        raise InputError(f"this is not a whole Parquet file: {reason or type(error).__name__}") from error


def _check_ratio(source: IO[bytes], metadata: Any, options: ReadOptions) -> None:
    """Refuse a row group that decompresses to much more than the file has. Equal values are not such a case."""
    compressed = source.seek(0, io.SEEK_END)
    largest = max((metadata.row_group(group).total_byte_size for group in range(metadata.num_row_groups)), default=0)
    if largest > max(options.max_bytes("parquet"), compressed * _MAX_RATIO):
        raise InputError(
            f"a row group decompresses to {largest:,} bytes, {_MAX_RATIO} times the file's size: divide it"
        )


def _group_records(
    file: Any, group: int, columns: list[str], name: str, number: int, options: ReadOptions
) -> Iterator[Record]:
    """Yield the records of a row group, whose first row has the number ``number``."""
    # Of a row group, not of its columns: with damaged metadata, pyarrow ends the process when asked for a column.
    rows, size = file.metadata.row_group(group).num_rows, file.metadata.row_group(group).total_byte_size
    limit = options.max_bytes("parquet")
    if size > rows * limit * file.metadata.num_columns:
        failure = too_many_bytes(f"row, or another of its row group of {rows},", "parquet", options)
        yield Record(f"{name}:{number + 1}", position=RecordPosition(0, number), failure=failure)
        return
    batch_rows = min(_MAX_ROWS, max(1, limit * rows // max(1, size)))
    for batch in file.iter_batches(batch_rows, row_groups=[group], columns=columns):
        values = {column: batch.column(column) for column in columns}
        for row in range(batch.num_rows):
            position = RecordPosition(0, number)
            where = f"{name}:{number + 1}"
            number += 1
            try:
                data = {column: _convert(value[row], options) for column, value in values.items()}
                yield Record(where, to_json(data, options), "jsonl", position)
            except InputError as error:
                yield Record(where, position=position, failure=str(error))


def _convert(cell: Any, options: ReadOptions) -> Any:
    """Convert a cell to a value that JSON has, or that has a text."""
    import pyarrow

    try:
        if isinstance(cell, pyarrow.DictionaryScalar):
            cell = cell.value
        if isinstance(cell, pyarrow.StringScalar | pyarrow.BinaryScalar) and cell.is_valid:
            data = cell.as_buffer()
            if data.size > options.max_bytes("parquet"):
                raise InputError(too_many_bytes("row", "parquet", options))
            is_text = isinstance(cell, pyarrow.StringScalar | pyarrow.LargeStringScalar)
            return decode_as(data.to_pybytes(), "utf-8" if is_text else options.encoding)
        if getattr(cell.type, "unit", None) == "ns":  # Python's times have microseconds
            return cell.cast(pyarrow.string()).as_py()
        return cell.as_py()
    except InputError:
        raise
    except Exception as error:  # dates after the year 9999, and other values that Python does not have
        reason = (str(error).splitlines() or [""])[0][:200]
        raise InputError(f"a value of this row cannot be read ({reason or type(error).__name__})") from error
