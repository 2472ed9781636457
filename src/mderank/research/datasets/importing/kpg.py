"""The JSON lines of OpenNMT-kpg: ``{"title", "abstract", "keywords"}``, and ``"fulltext"`` where there is one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from mderank.errors import InputError
from mderank.research.datasets.base import LabelledDocument
from mderank.research.datasets.importing.base import Files, Options, running_text


def read(files: Files, options: Options) -> Iterator[LabelledDocument]:
    """Titles and abstracts."""
    for identity, record, place in _records(files):
        text = running_text(_string(record, "abstract", place))
        yield LabelledDocument(identity, _title(record, place), text, _phrases(record, place))


def read_full(files: Files, options: Options) -> Iterator[LabelledDocument]:
    """Titles, abstracts and whole texts."""
    for identity, record, place in _records(files):
        parts = (running_text(_string(record, field, place)) for field in ("abstract", "fulltext"))
        yield LabelledDocument(identity, _title(record, place), "\n".join(parts), _phrases(record, place))


def _records(files: Files) -> Iterator[tuple[str, dict[str, Any], str]]:
    """The lines with their ids: what they call themselves, else their number."""
    names = files.ending(".json", ".jsonl")
    if len(names) != 1:
        found = f"has {len(names)}: {', '.join(names[:5])}" if names else "has none"
        raise InputError(f"{files.root}: name one .json file of OpenNMT-kpg, e.g. inspec/test.json (this {found})")
    for number, line in enumerate(files.text(names[0]).split("\n"), start=1):
        if not line.strip():
            continue
        place = f"{files.place(names[0])}:{number}"
        try:
            record = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise InputError(f"{place}: this line is not JSON: {error}") from error
        if not isinstance(record, dict):
            raise InputError(f"{place}: this line is not a JSON object")
        yield str(record.get("id", record.get("name", number))), record, place


def _string(record: dict[str, Any], field: str, place: str) -> str:
    value = record.get(field)
    if not isinstance(value, str):
        raise InputError(f"{place}: the field '{field}' is missing or not a string (fields: {', '.join(record)})")
    return value


def _title(record: dict[str, Any], place: str) -> str:
    return " ".join(_string(record, "title", place).split())


def _phrases(record: dict[str, Any], place: str) -> tuple[str, ...]:
    """The phrases: one string with semicolons, or a list, depending on the release."""
    value = record.get("keywords")
    phrases = value.split(";") if isinstance(value, str) else value
    if not isinstance(phrases, list) or not all(isinstance(phrase, str) for phrase in phrases):
        raise InputError(f"{place}: the field 'keywords' is neither a list nor a string with semicolons")
    cleaned = (" ".join(phrase.split()) for phrase in phrases)
    return tuple(phrase for phrase in cleaned if phrase)
