"""Reading a user's own labelled documents: JSON lines, CSV, Parquet, or a folder of texts with files of labels."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from mderank.errors import InputError, MissingExtraError
from mderank.reading import ReadOptions, find_files, read_file
from mderank.research.datasets import DATASETS, Dataset, LabelledDocument, load_dataset
from mderank.research.datasets.loading import parse_record, read_bytes

KEY_SUFFIX = ".key"
_TABLES = (".csv", ".tsv")
_DELIMITERS = ",;\t|"
_SEPARATORS = (";", "|", ",")  # of labels, the most telling first
_ROWS = 256  # of Parquet that are read at once
_LONGEST_FIELD = 1 << 28  # Python's limit is shorter than a paper


@dataclass(frozen=True)
class LabelFields:
    """Names of fields or columns.

    Attributes:
        text: Field of the text.
        labels: Field of the labels: a list, or one string that is split at the separator.
        title: Field of the title, which may be missing.
        id: Field of the id, which may be missing.
        separator: What separates labels in a string; None finds it: a semicolon, a bar or a comma, or a line break.
    """

    text: str = "text"
    labels: str = "keyphrases"
    title: str = "title"
    id: str = "id"
    separator: str | None = None


def load_labelled(
    source: str | Path,
    data_dir: str | Path | None = None,
    *,
    fields: LabelFields = LabelFields(),
    limit: int | None = None,
    verify: bool = True,
) -> Dataset:
    """Read labelled documents.

    Args:
        source: A file of JSON lines, a table as CSV or Parquet, or a folder in which each text has a ``.key`` file
            beside it, with a label per line. Or a dataset by name, as for `load_dataset`.
        data_dir: Folder of named datasets.
        fields: Names of the fields or columns.
        limit: Read only the first ``limit`` documents.
        verify: Whether a dataset with a known name must have the known checksum.

    Returns:
        The documents. Notes name the texts of a folder that have no labels.

    Raises:
        InputError: If the source does not exist, cannot be read or has no labelled document.
        MissingExtraError: If Parquet is read without the extra ``parquet``.
    """
    path = Path(source)
    notes: list[str] = []
    if path.is_dir():
        documents = _folder(path, notes)
        digest = ""
    elif path.is_file() and str(source) not in DATASETS:
        data = read_bytes(path)
        digest = hashlib.sha256(data).hexdigest()
        suffix = Path(path.name.removesuffix(".gz")).suffix.lower()
        read_rows = _parquet if suffix == ".parquet" else _table if suffix in _TABLES else _lines
        documents = _from_records(read_rows(data, path), fields, notes)
    else:
        return load_dataset(source, data_dir, limit=limit, verify=verify)
    read = tuple(islice(documents, limit))
    if not any(each.keyphrases for each in read):
        raise InputError(f"{source}: there is no labelled document here{_hint(path)}")
    return Dataset(path.name.split(".")[0] or "documents", None, read, digest, tuple(notes))


def _hint(path: Path) -> str:
    return f"; put the labels of report.txt into report{KEY_SUFFIX}, one per line" if path.is_dir() else ""


def _folder(folder: Path, notes: list[str]) -> Iterator[LabelledDocument]:
    """Documents of all formats that have a file of labels beside them."""
    found = find_files([str(folder)])
    for error in found.errors:
        notes.append(str(error.error))
    for file in found.files:
        path = Path(str(file))
        if path.suffix == KEY_SUFFIX:
            continue
        key = path.with_suffix(KEY_SUFFIX)
        name = path.relative_to(folder).as_posix()
        if not key.is_file():
            notes.append(f"{name} has no labels ({key.name}) and is left out")
            continue
        labels = tuple(_clean(_decode(read_bytes(key), key).splitlines()))
        for document in read_file(file, ReadOptions()):
            if document.error is not None:
                notes.append(str(document.error))
            else:
                yield LabelledDocument(name, "", document.prose or document.text, labels)


def _decode(data: bytes, path: Path) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: byte {error.start} is not UTF-8: save the file as UTF-8") from error


def _lines(data: bytes, path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.strip():
            yield f"{path}:{number}", parse_record(line, f"{path}:{number}")


def _table(data: bytes, path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    csv.field_size_limit(_LONGEST_FIELD)
    text = _decode(data, path)
    delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
    reader = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        for row in reader:
            yield f"{path}:{reader.line_num}", row
    except csv.Error as error:
        raise InputError(f"{path}:{reader.line_num}: this row is not CSV: {error}") from error


def _parquet(data: bytes, path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    try:
        from pyarrow import parquet
    except ImportError as error:
        raise MissingExtraError("reading Parquet", "parquet") from error
    number = 0
    try:
        for batch in parquet.ParquetFile(io.BytesIO(data)).iter_batches(batch_size=_ROWS):
            for row in batch.to_pylist():
                number += 1
                yield f"{path}:{number}", row
    except Exception as error:  # damaged files make pyarrow raise errors of many kinds
        raise InputError(f"{path}: this is not a whole Parquet file: {error}") from error


def _from_records(
    rows: Iterable[tuple[str, Mapping[str, Any]]], fields: LabelFields, notes: list[str]
) -> Iterator[LabelledDocument]:
    listed = []
    for place, record in rows:
        if record.get("done") is False:  # so 'mderank label' marks documents that somebody has begun to label
            notes.append(f"{place}: the labels of this document are not finished, and it is left out")
        else:
            listed.append((place, record))
    split = _splitter([record.get(fields.labels) for _, record in listed], fields.separator)
    seen: set[str] = set()
    for place, record in listed:
        text = _required(record, fields.text, "--text-field", place)
        labels = _required(record, fields.labels, "--label-field", place)
        if not isinstance(text, str):
            raise InputError(f"{place}: the field '{fields.text}' is not a string")
        identity = str(record.get(fields.id) or place)
        if identity in seen:
            raise InputError(f"{place}: the id '{identity}' occurs twice: give each document its own")
        seen.add(identity)
        title = record.get(fields.title) or ""
        yield LabelledDocument(identity, str(title), text, tuple(_clean(split(labels, place))))


def _required(record: Mapping[str, Any], name: str, flag: str, place: str) -> Any:
    if record.get(name) is None:
        known = ", ".join(map(str, record)) or "none"
        raise InputError(f"{place}: the field '{name}' is missing (fields: {known}); name another: {flag}")
    return record[name]


def _splitter(values: Iterable[Any], separator: str | None) -> Callable[[Any, str], Iterable[str]]:
    """How labels that are one string are divided: the same way for all documents."""
    strings = [value for value in values if isinstance(value, str)]
    if separator is None:
        separator = next((each for each in _SEPARATORS if any(each in value for value in strings)), ",")

    def split(value: Any, place: str) -> Iterable[str]:
        if isinstance(value, str):
            return [part for line in value.splitlines() for part in line.split(separator)]
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return value
        raise InputError(f"{place}: the labels are neither a list of strings nor one string")

    return split


def _clean(labels: Iterable[str]) -> Iterator[str]:
    """Labels without white space around them, each once."""
    return iter(dict.fromkeys(stripped for label in labels if (stripped := " ".join(label.split()))))
