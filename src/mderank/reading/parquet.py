"""Parquet: one document per row. Each row is converted to a line of JSON and read as such."""

from __future__ import annotations

import io
from collections.abc import Iterator
from typing import IO, Any

from mderank.errors import InputError, MDERankError, MissingExtraError
from mderank.reading.base import ReadOptions, Record, RecordPosition
from mderank.reading.decoding import decode_as
from mderank.reading.fields import is_index, split_name
from mderank.reading.limits import too_many_bytes
from mderank.reading.tabular import check_columns, to_json

_MAX_ROWS = 256  # rows that are read at once, if they are short
_MAX_RATIO = 200  # text compresses to a third or a tenth
_TEXT_TYPES = ("string", "large_string", "binary", "large_binary")


def parquet_records(source: IO[bytes], name: str, options: ReadOptions, start: RecordPosition) -> Iterator[Record]:
    """Locate the documents of a Parquet file. Only the columns that the options name are read.

    A column of lists is read only if a field in it is named, or it is carried. Arrow decodes the elements of a row
    before they can be counted: the memory for them is not limited, only that of what they become.

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
        columns = check_columns(schema.names, options, lambda name: _find_column(schema, name), _list_fields(schema))
        _check_ratio(source, metadata, options)
        # A dictionary holds equal values once. Decoded, a small file could fill the memory with copies of one value.
        texts = [path for column in columns for path in _text_paths(schema.field(column).type, column)]
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
                yield Record(where, to_json(data, columns, options), "jsonl", position)
            except InputError as error:
                yield Record(where, position=position, failure=str(error))


def _convert(cell: Any, options: ReadOptions) -> Any:
    """Convert a cell to a value that JSON has, or that has a text."""
    try:
        return _Cell(options).convert(cell)
    except InputError:
        raise
    except Exception as error:  # dates after the year 9999, and other values that Python does not have
        reason = (str(error).splitlines() or [""])[0][:200]
        raise InputError(f"a value of this row cannot be read ({reason or type(error).__name__})") from error


class _Cell:
    """Converts one cell, which may be nested. Each copy of a text counts, also where Arrow holds it once."""

    def __init__(self, options: ReadOptions) -> None:
        self._options = options
        self._left = options.max_bytes("parquet")

    def convert(self, cell: Any) -> Any:
        import pyarrow

        self._count(1)
        if isinstance(cell, pyarrow.DictionaryScalar):
            cell = cell.value
        if not cell.is_valid:
            return None
        if isinstance(cell, pyarrow.StringScalar | pyarrow.BinaryScalar):
            data = cell.as_buffer()
            self._count(data.size - 1)
            is_text = isinstance(cell, pyarrow.StringScalar | pyarrow.LargeStringScalar)
            return decode_as(data.to_pybytes(), "utf-8" if is_text else self._options.encoding)
        if getattr(cell.type, "unit", None) == "ns":  # Python's times have microseconds
            return cell.cast(pyarrow.string()).as_py()
        return self._convert_nested(cell)

    def _convert_nested(self, cell: Any) -> Any:
        import pyarrow

        if isinstance(cell, pyarrow.MapScalar):
            pairs = (each.values() for each in cell.values)
            return {str(self.convert(key)): self.convert(value) for key, value in pairs}
        if isinstance(cell, pyarrow.StructScalar):
            return {name: self.convert(value) for name, value in cell.items()}
        if isinstance(cell, pyarrow.ListScalar):
            return [self.convert(each) for each in cell.values]
        return cell.as_py()

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise InputError(too_many_bytes("row", "parquet", self._options))


# --- columns that have fields -----------------------------------------------------------------------------------------


def _find_column(schema: Any, name: str) -> str | None:
    """Return the column that has a field, such as ``document`` for ``document.body.text``."""
    found = split_name(name, schema.names)
    if found is None:
        return None
    column, rest = found
    return column if not rest or _has_field(schema.field(column).type, rest) else None


def _has_field(kind: Any, name: str) -> bool:
    """Return whether values of a type may have a field: which indices and keys there are differs between rows."""
    from pyarrow import types

    if types.is_map(kind):
        return True
    if _is_list(kind):
        index, _, rest = name.partition(".")
        return is_index(index) and (not rest or _has_field(kind.value_type, rest))
    if types.is_struct(kind):
        found = split_name(name, [field.name for field in kind])
        return found is not None and (not found[1] or _has_field(kind.field(found[0]).type, found[1]))
    return False


def _list_fields(schema: Any) -> Iterator[str]:
    """Yield the names of columns, and of the fields that they have."""
    from pyarrow import types

    def listed(field: Any, before: str) -> Iterator[str]:
        if types.is_struct(field.type):
            for inner in field.type:
                yield from listed(inner, f"{before}{field.name}.")
        else:
            yield f"{before}{field.name}"

    for column in schema:
        yield from listed(column, "")


def _text_paths(kind: Any, path: str) -> Iterator[str]:
    """Yield the paths of a column's texts, as Parquet names them."""
    from pyarrow import types

    if str(kind) in _TEXT_TYPES:
        yield path
    elif types.is_map(kind):
        yield from _text_paths(kind.item_type, f"{path}.key_value.value")
    elif _is_list(kind):
        yield from _text_paths(kind.value_type, f"{path}.list.element")
    elif types.is_struct(kind):
        for field in kind:
            yield from _text_paths(field.type, f"{path}.{field.name}")


def _is_list(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))
