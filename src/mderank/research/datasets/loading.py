"""Find datasets and read them.

A dataset is a file of JSON lines, ``{"id", "title", "text", "keyphrases"}``, plain or with gzip. A judged dataset has
``acceptable``, ``junk`` and ``kind`` in place of ``keyphrases``. ``language``, a code, may be left out. These faults
are errors: a line that is not JSON, a field that is missing or of the wrong type, a language that is unknown, an id
that occurs twice, a phrase that is both acceptable and junk, a checksum that is not the known one. A document without
text or without gold keyphrases stays in the dataset, with a note: measures decide whether it counts.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import tomllib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from mderank.errors import InputError, OptionError
from mderank.languages import get_language
from mderank.reading import MAX_DOCUMENT_CHARS, ReadOptions
from mderank.reading.gzip_stream import GzipStream
from mderank.reading.limits import PIECE, list_names, read_at_most, too_many_bytes, too_many_chars
from mderank.research.datasets.base import Dataset, DatasetInfo, LabelledDocument, PaperInput, PaperStatistics
from mderank.research.datasets.judged_phrases import JudgedPhrases

DATA_DIR_VARIABLE = "MDERANK_DATA_DIR"
_DEFAULT_DIR = "data"
SUFFIXES = (".jsonl", ".jsonl.gz")
LANGUAGES_FOLDER = "languages"  # in the data folder, for datasets in other languages than English
_MOST_BYTES = 1_000_000_000  # of a file that is read as a whole


def _read_descriptions() -> dict[str, DatasetInfo]:
    with (Path(__file__).parent / "datasets.toml").open("rb") as file:
        return {name: _description(name, fields) for name, fields in tomllib.load(file).items()}


def _description(name: str, fields: dict[str, Any]) -> DatasetInfo:
    paper_input, paper = PaperInput(**fields.pop("paper_input", {})), fields.pop("paper", None)
    return DatasetInfo(name, paper_input=paper_input, paper=PaperStatistics(**paper) if paper else None, **fields)


DATASETS = _read_descriptions()  # all datasets that are known by name, in the order of the paper's main table
PAPER_DATASETS = tuple(info.name for info in DATASETS.values() if info.paper)


def load_dataset(
    name_or_path: str | Path,
    data_dir: str | Path | None = None,
    *,
    limit: int | None = None,
    verify: bool = True,
    max_document_chars: int = MAX_DOCUMENT_CHARS,
) -> Dataset:
    """Read a dataset.

    Args:
        name_or_path: A known name (`DATASETS`), a path in the data folder such as ``tuning/inspec_dev``, or the path
            of any file. A file is recognised as a known dataset by its checksum. Known datasets in other languages
            than English may also be in the folder ``languages`` of the data folder.
        data_dir: The data folder. Default: the environment variable ``MDERANK_DATA_DIR``, or ``./data``.
        limit: Read only the first ``limit`` documents.
        verify: Whether a dataset with a known name must have the known checksum.
        max_document_chars: Length of the longest document; a line may have 4 bytes per character.

    Returns:
        The dataset.

    Raises:
        InputError: If the dataset is missing, damaged, or not the known one.
        OptionError: If ``limit`` or ``max_document_chars`` is less than 1.

    """
    if limit is not None and limit < 1:
        raise OptionError(f"limit must be at least 1, not {limit}")
    name = str(name_or_path)
    file = _find(name_or_path, data_dir)
    reading = ReadOptions(max_document_chars=max_document_chars)
    sha256 = _checksum(file)
    info = DATASETS.get(name)
    if info is None:
        info = next((known for known in DATASETS.values() if known.sha256 == sha256 or _is_packaged(known, file)), None)
        given = file.name if Path(name_or_path) == file else name
        name = info.name if info else _short(given)
    elif verify and info.sha256 not in (None, sha256):
        raise InputError(
            f"{file} is not the dataset '{name}' that results are published for: its SHA-256 is {sha256}, expected "
            f"{info.sha256}; get it again ({info.source}), or read it as it is: --no-verify (verify=False)"
        )
    language = info.language if info else "en"
    documents = tuple(islice(_documents(file, reading, language), limit))
    if not documents:
        raise InputError(f"{file}: there is no document in this file")
    if len({document.junk is None for document in documents}) > 1:
        raise InputError(f"{file}: some documents have 'keyphrases' and some 'acceptable': make two files of them")
    return Dataset(name, info, documents, sha256, tuple(_notes(documents)))


def available(data_dir: str | Path | None = None) -> tuple[str, ...]:
    """List the datasets in the data folder and those that are part of mderank.

    Args:
        data_dir: The data folder, as for `load_dataset`.

    Returns:
        Their names; known datasets come first, in the order of `DATASETS`.

    Raises:
        InputError: If the data folder that was named does not exist.

    """
    folder = _folder(data_dir)
    found = {info.name for info in DATASETS.values() if info.packaged} | {
        _name(file.relative_to(folder)) for suffix in SUFFIXES for file in folder.rglob(f"*{suffix}") if file.is_file()
    }
    return (*(name for name in DATASETS if name in found), *sorted(found - set(DATASETS)))


def _folder(data_dir: str | Path | None) -> Path:
    """Return the data folder. A folder that was named must exist."""
    variable = os.environ.get(DATA_DIR_VARIABLE)
    named = data_dir or variable
    folder = Path(named or _DEFAULT_DIR)
    if named and not folder.is_dir():
        source = "--data-dir" if data_dir else DATA_DIR_VARIABLE
        raise InputError(f"the data folder {folder} ({source}) is not a folder")
    return folder


def _find(name_or_path: str | Path, data_dir: str | Path | None) -> Path:
    name = str(name_or_path)
    info = DATASETS.get(name) if isinstance(name_or_path, str) else None
    if info is None and Path(name_or_path).is_file():
        return Path(name_or_path)
    if info is not None and info.packaged:
        return _packaged(info)
    folder = _folder(data_dir)
    places = (folder, folder / LANGUAGES_FOLDER) if info is not None and info.language != "en" else (folder,)
    for place in places:
        for suffix in (*SUFFIXES, ""):
            file = place / f"{name}{suffix}"
            if file.is_file():
                return file
    raise InputError(_missing(info, folder) if info else _unknown(name, folder))


def _packaged(info: DatasetInfo) -> Path:
    """Return the file of a dataset that is part of mderank."""
    return Path(__file__).parent / f"{info.name}.jsonl"


def _is_packaged(info: DatasetInfo, file: Path) -> bool:
    return info.packaged and file.resolve() == _packaged(info)


def _missing(info: DatasetInfo, folder: Path) -> str:
    return (
        f"the dataset '{info.name}' is not in {folder} ({' or '.join(info.name + suffix for suffix in SUFFIXES)}): "
        f"name the folder that has it (--data-dir, or {DATA_DIR_VARIABLE}){_describe_source(info)}"
    )


def _describe_source(info: DatasetInfo) -> str:
    """Return where a dataset is from, for an error. Not every part of a dataset can be made by a command."""
    if info.import_command:
        return f", or make it from {info.source}: {info.import_command}"
    return f"; its documents are from {info.source}"


def _unknown(name: str, folder: Path) -> str:
    if name.endswith((*SUFFIXES, ".json")):
        return f"{name}: there is no such file, neither here nor in {folder}"
    return (
        f"the dataset '{name}' is unknown: it is one of {', '.join(DATASETS)}, the path of a JSON lines file, or of "
        f"one in {folder} (--data-dir, or {DATA_DIR_VARIABLE})"
    )


def _short(name: str) -> str:
    """Return a file's name without the suffix of datasets."""
    return name.removesuffix(".gz").removesuffix(".jsonl")


def _name(path: Path) -> str:
    """Return the name of a dataset in the data folder: its path, but the known name of one in another language."""
    info = DATASETS.get(_short(path.name))
    known = info is not None and info.language != "en" and path.parent == Path(LANGUAGES_FOLDER)
    return _short(path.name if known else path.as_posix())


@contextmanager
def _open(file: Path) -> Iterator[Any]:
    """Open a file as a binary stream, uncompressed."""
    try:
        with file.open("rb") as raw:
            compressed = file.suffix == ".gz" or raw.peek(2).startswith(b"\x1f\x8b")
            yield io.BufferedReader(GzipStream(raw)) if compressed else raw
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{file} is not a whole gzip file ({error}): get it again") from error
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error


def read_bytes(file: Path) -> bytes:
    """Return the bytes of a file, uncompressed.

    Args:
        file: The file, plain or with gzip.

    Returns:
        Its content.

    Raises:
        InputError: If it cannot be read, is not a whole gzip file, or has more than a gigabyte.
    """
    with _open(file) as stream:
        data = read_at_most(stream, _MOST_BYTES)
    if data is None:
        raise InputError(f"{file} has more than {_MOST_BYTES:,} bytes: divide it into smaller files")
    return data


def _checksum(file: Path) -> str:
    """Return the SHA-256 checksum of a file, uncompressed."""
    digest = hashlib.sha256()
    with _open(file) as stream:
        while piece := stream.read(PIECE):
            digest.update(piece)
    return digest.hexdigest()


def _documents(file: Path, reading: ReadOptions, language: str) -> Iterator[LabelledDocument]:
    """Yield the documents, checked. An error names the faulty line. ``language`` is that of records without one."""
    seen: dict[str, int] = {}
    name, limit = str(file), reading.max_bytes("jsonl")
    with _open(file) as stream:
        lines = iter(lambda: stream.readline(limit + 1), b"")
        for number, line in enumerate(lines, start=1):
            if len(line) > limit:
                raise InputError(f"{name}:{number}: {too_many_bytes('line', 'jsonl', reading)}")
            if not line.strip():
                continue
            document = _document(parse_record(line, f"{name}:{number}"), f"{name}:{number}", language)
            first = seen.setdefault(document.id, number)
            if first != number:
                raise InputError(f"{name}:{number}: the id '{document.id}' is that of line {first}: give each its own")
            if len(document.text) > reading.max_document_chars:
                raise InputError(f"{name}:{number}: {too_many_chars(reading.max_document_chars)}")
            yield document


def parse_record(line: bytes, place: str) -> dict[str, Any]:
    """Parse a line of JSON.

    Args:
        line: The line.
        place: Name of the file with the line's number, for errors.

    Returns:
        The object.

    Raises:
        InputError: If the line is not a JSON object in UTF-8.
    """
    try:
        record = json.loads(line.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise InputError(f"{place}: byte {error.start} is not UTF-8: save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        raise InputError(f"{place}: this line is not JSON: {error.msg} at column {error.colno}") from error
    except RecursionError as error:
        raise InputError(f"{place}: this line is nested too deeply") from error
    except ValueError as error:  # Python refuses to read whole numbers of more than 4,300 digits
        raise InputError(f"{place}: this line has a number with too many digits: write it as a string") from error
    if not isinstance(record, dict):
        raise InputError(f'{place}: this line is not a JSON object, as in {{"id": …, "text": …, "keyphrases": […]}}')
    return record


def _document(record: dict[str, Any], place: str, language: str) -> LabelledDocument:
    """Return the document of a line. Title and language may be missing; an id may be a number."""
    judged = "keyphrases" not in record and "acceptable" in record
    fields = ("id", "text", "kind", "acceptable", "junk") if judged else ("id", "text", "keyphrases")
    missing = [field for field in fields if field not in record]
    if missing:
        raise InputError(f"{place}: the field '{missing[0]}' is missing (fields: {list_names(record)})")
    identity, title, text = record["id"], record.get("title") or "", record["text"]
    if isinstance(identity, bool) or not isinstance(identity, str | int):
        raise InputError(f"{place}: the field 'id' is neither a string nor a whole number")
    if not isinstance(title, str) or not isinstance(text, str):
        raise InputError(f"{place}: the field '{'text' if isinstance(title, str) else 'title'}' is not a string")
    language = _language(record.get("language"), place) or language
    if not judged:
        return LabelledDocument(str(identity), title, text, _phrases(record, "keyphrases", place), language=language)
    if not isinstance(record["kind"], str):
        raise InputError(f"{place}: the field 'kind' is not a string")
    acceptable, junk = (_phrases(record, field, place) for field in ("acceptable", "junk"))
    _refuse_both(acceptable, junk, place)
    return LabelledDocument(str(identity), title, text, acceptable, junk, record["kind"], language)


def _language(name: object, place: str) -> str | None:
    """Return the code of a record's language; None if the record has none."""
    if name is None:
        return None
    if not isinstance(name, str):
        raise InputError(f"{place}: the field 'language' is not a string")
    try:
        return get_language(name).code
    except OptionError as error:
        raise InputError(f"{place}: the field 'language': {error}") from error


def _phrases(record: dict[str, Any], field: str, place: str) -> tuple[str, ...]:
    phrases = record[field]
    if not isinstance(phrases, list) or not all(isinstance(phrase, str) for phrase in phrases):
        raise InputError(f"{place}: the field '{field}' is not a list of strings")
    return tuple(phrases)


def _refuse_both(acceptable: tuple[str, ...], junk: tuple[str, ...], place: str) -> None:
    """Refuse a document that has a phrase in both lists, also in another spelling."""
    accepted = JudgedPhrases(acceptable)
    both = next(((phrase, found) for phrase in junk if (found := accepted.find(phrase)) is not None), None)
    if both is not None:
        raise InputError(
            f"{place}: '{both[0]}' is junk, and acceptable as '{both[1]}': take it out of one of the two lists"
        )


def _notes(documents: tuple[LabelledDocument, ...]) -> Iterator[str]:
    for document in documents:
        if not document.text.strip():
            yield f"the document '{document.id}' has no text"
        if not document.keyphrases and document.junk is None:
            yield f"the document '{document.id}' has no gold keyphrases"
