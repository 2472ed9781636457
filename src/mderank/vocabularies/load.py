"""Load a vocabulary from a file whose suffix names its format."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path

from mderank.candidates import Vocabulary
from mderank.candidates.label_index import Match
from mderank.candidates.phrase_list import check_match
from mderank.errors import InputError, OptionError
from mderank.reading.decoding import decode
from mderank.reading.limits import read_at_most
from mderank.vocabularies.collector import Collector, VocabularyFile
from mderank.vocabularies.csv import read_csv, read_tsv
from mderank.vocabularies.json import read_json, read_json_lines
from mderank.vocabularies.phrases import read_phrases
from mderank.vocabularies.skos import read_skos

_NEWLINE = b"\n"
MAX_BYTES = 500_000_000  # of a file, unpacked; the largest thesauri in use have about as many

_TEXTS: dict[str, Callable[[str, Collector], None]] = {
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".json": read_json,
    ".jsonl": read_json_lines,
    ".txt": read_phrases,
}
_SKOS = {
    ".rdf": "xml",
    ".xml": "xml",
    ".skos": "xml",
    ".owl": "xml",
    ".ttl": "turtle",
    ".nt": "turtle",
    ".jsonld": "json-ld",
}
SUFFIXES = (*_SKOS, *_TEXTS)
_SHEETS = (".xlsx", ".xls", ".ods")


def load_vocabulary(path: str | Path, *, match: Match = "variant", nested: bool = False) -> Vocabulary:
    """Load a vocabulary from a file.

    >>> load_vocabulary("examples/tides.csv").concept_of("mareographs").label()
    'tide gauge'

    Args:
        path: A file in SKOS (``.rdf``, ``.xml``, ``.skos``, ``.owl``, ``.ttl``, ``.nt``, ``.jsonld``), CSV (``.csv``,
            ``.tsv``), JSON (``.json``, ``.jsonl``), or with one phrase per line (``.txt``); each also with ``.gz``.
        match: What counts as an occurrence: "variant", "case" or "exact", as for `Vocabulary`.
        nested: Whether occurrences inside those of longer labels count too.

    Returns:
        The vocabulary. Deprecated concepts and those without labels are left out.

    Raises:
        InputError: If the file cannot be read, or has no concept.
        OptionError: If the suffix names no format, or ``match`` is unknown.
        MissingExtraError: If the file is SKOS and the extra ``skos`` is not installed.
    """
    return read_vocabulary(path, match=match, nested=nested).vocabulary


def read_vocabulary(path: str | Path, *, match: Match = "variant", nested: bool = False) -> VocabularyFile:
    """Load a vocabulary from a file, and count what was left out.

    Args:
        path: As for `load_vocabulary`.
        match: As for `load_vocabulary`.
        nested: As for `load_vocabulary`.

    Returns:
        The vocabulary, with the numbers of concepts that were left out.

    Raises:
        InputError: If the file cannot be read, or has no concept.
        OptionError: If the suffix names no format, or ``match`` is unknown.
        MissingExtraError: If the file is SKOS and the extra ``skos`` is not installed.
    """
    check_match(match)
    path = Path(path)
    suffix = Path(path.name.lower().removesuffix(".gz")).suffix
    if suffix not in SUFFIXES:
        fix = (
            "save the sheet as 'CSV UTF-8'"
            if suffix in _SHEETS
            else (f"it is one of {', '.join(SUFFIXES)}, each also with .gz")
        )
        raise OptionError(f"{path}: the suffix '{suffix}' names no format of vocabularies: {fix}")
    collector = Collector(str(path))
    data = _read(path)
    try:
        _check_content(data)
        if suffix in _SKOS:
            read_skos(data, _SKOS[suffix], collector)
            hint = "its concepts need skos:prefLabel, skos:altLabel or skos:hiddenLabel"
        else:
            _TEXTS[suffix](_decode(data), collector)
            hint = "give at least one"
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    return collector.finish(match, nested, hint=hint)


def _check_content(data: bytes) -> None:
    """Refuse what is no vocabulary in any format: nothing, or the web page that is there instead of a file."""
    start = data[:1_000].removeprefix(codecs.BOM_UTF8).lstrip().lower()
    if not start and not data.removeprefix(codecs.BOM_UTF8).strip():
        raise InputError("is empty: name the file of a vocabulary")
    if start.startswith((b"<!doctype html", b"<html")):
        raise InputError("is a web page (HTML), not a vocabulary: download the file that the page links to")


def _decode(data: bytes) -> str:
    try:
        return decode(data, "utf-8")
    except InputError as error:
        cause = error.__cause__
        if not isinstance(cause, UnicodeDecodeError):
            raise
        line = data.count(_NEWLINE, 0, cause.start) + 1
        where = f"line {line:,}: byte {cause.start:,} is not {cause.encoding}"
        raise InputError(f"{where}: save the file as UTF-8 (in Excel, as 'CSV UTF-8')") from error


def _read(path: Path) -> bytes:
    """Read a file, unpacked. Devices and pipes are refused."""
    try:
        if path.exists() and not path.is_file():
            raise InputError(f"{path}: is not a regular file: name the file of a vocabulary")
        opened = partial(gzip.open, path, "rb") if path.name.lower().endswith(".gz") else partial(path.open, "rb")
        with opened() as stream:
            data = read_at_most(stream, MAX_BYTES)
    except FileNotFoundError as error:
        raise InputError(f"{path}: there is no such file: name the file of a vocabulary") from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from error
    if data is None:
        raise InputError(f"{path}: has more than {MAX_BYTES:,} bytes: leave out languages that you do not need")
    return data
