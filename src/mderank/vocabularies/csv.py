"""Vocabularies as tables: CSV and tab-separated values.

The first row names the columns. Synonyms share a cell, with ``|`` between them, or have rows of their own with the same
id. A column of labels may name its language: ``label_de``, ``synonyms_de``. Without a first row of names, the rows of a
``.tsv`` file are an address in angle brackets and a label, as Annif has them.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator
from typing import NamedTuple

from mderank.candidates.vocabulary import LabelKind
from mderank.errors import InputError
from mderank.reading.limits import list_names
from mderank.util.format import format_count
from mderank.vocabularies.collector import Collector, is_deprecated

_NAMES = {
    "id": ("id", "uri", "concept", "concept_id", "identifier"),
    "preferred": ("preferred", "label", "preflabel", "preferred_label", "term", "phrase", "concept_label"),
    "alternative": (
        "alternative",
        "synonyms",
        "synonym",
        "altlabel",
        "altlabels",
        "alternative_labels",
        "acronyms",
        "acronym",
    ),
    "hidden": ("hidden", "hiddenlabel", "hiddenlabels", "hidden_labels"),
    "language": ("language", "lang"),
    "deprecated": ("deprecated",),
}
_MEANINGS = {name: meaning for meaning, names in _NAMES.items() for name in names}
_IN_LANGUAGE = re.compile(r"(.+)[_@]([a-z]{2,3}(?:-[a-z0-9]+)*)")
_DELIMITERS = ",;\t"
_ADDRESS = re.compile(r"<([^<>\s]+)>\t")


class _Column(NamedTuple):
    """A column: its meaning, and the language that its name ends with."""

    meaning: str
    language: str


def read_tsv(text: str, collector: Collector) -> None:
    """Read a table with tabs: rows as Annif has them, or a table of concepts.

    Args:
        text: The text of the file.
        collector: Takes the concepts.

    Raises:
        InputError: If the first row names no column of labels, or a row is damaged.
    """
    (_read_annif if _ADDRESS.match(text) else read_csv)(text, collector)


def read_csv(text: str, collector: Collector) -> None:
    """Read a table of concepts.

    Args:
        text: The text of the file.
        collector: Takes the concepts.

    Raises:
        InputError: If the first row names no column of labels, or a row is damaged.
    """
    header = text.partition("\n")[0]
    delimiter = max(_DELIMITERS, key=lambda each: sum(_column(name) is not None for name in header.split(each)))
    rows = _rows(text, delimiter)
    _, names = next(rows, (0, []))
    columns = [_column(name) for name in names]
    if not any(each and each.meaning in ("preferred", "alternative") for each in columns):
        raise InputError(
            f"the first row names no column of labels; it has {list_names(names)}: name the columns id, label, "
            "synonyms (with | between them) and language"
        )
    for name, column in zip(names, columns, strict=True):
        if column is None:
            collector.leave_unused(name)
    for line, cells in rows:
        if len(cells) > len(columns):
            raise InputError(
                f"line {line:,} has {len(cells)} cells, and the first row names "
                f"{format_count(len(columns), 'column')}: put a cell with '{delimiter}' in quotation marks"
            )
        _add_row(line, cells, columns, collector)


def _rows(text: str, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not empty, each with its line."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    while True:
        line = reader.line_num + 1
        try:
            cells = next(reader, None)
        except csv.Error as error:
            raise InputError(
                f"line {line:,} is not CSV ({error}): quotation marks inside a cell are doubled, and the cell is in "
                "quotation marks"
            ) from error
        if cells is None:
            return
        if any(cell.strip() for cell in cells):
            yield line, cells


def _column(name: str) -> _Column | None:
    """The column of a name; None for columns that are not used."""
    plain = name.strip().strip('"').strip().lower().replace(" ", "_")
    plain = plain.rpartition(":")[2]  # skos:prefLabel
    if plain in _MEANINGS:
        return _Column(_MEANINGS[plain], "")
    named = _IN_LANGUAGE.fullmatch(plain)
    if named is None or _MEANINGS.get(named[1]) not in ("preferred", "alternative", "hidden"):
        return None
    return _Column(_MEANINGS[named[1]], named[2])


def _add_row(line: int, cells: list[str], columns: list[_Column | None], collector: Collector) -> None:
    language = concept = ""
    deprecated = False
    labels: list[tuple[LabelKind, str, str]] = []
    for column, cell in zip(columns, cells, strict=False):
        value = cell.strip()
        match column:
            case _Column("id"):
                concept = value.removeprefix("<").removesuffix(">")
            case _Column("language"):
                language = value
            case _Column("deprecated"):
                deprecated = is_deprecated(value, f"line {line:,}")
            case _Column("preferred", tag):
                labels.append(("preferred", tag, value))
            case _Column(meaning, tag):
                kind: LabelKind = "hidden" if meaning == "hidden" else "alternative"
                labels += [(kind, tag, each) for each in value.split("|")]
    named = next((text for kind, _, text in labels if kind == "preferred" and text), "")
    concept = concept or " ".join(named.split())
    if not concept:
        raise InputError(f"line {line:,} has neither an id nor a label: fill in one of them, or leave the row out")
    collector.add(concept)
    if deprecated:
        collector.deprecate(concept)
    for kind, tag, text in labels:
        collector.label(concept, kind, text, tag or language)


def _read_annif(text: str, collector: Collector) -> None:
    """Rows of an address in angle brackets, a tab and a label; what follows, such as a notation, is not used."""
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        found = _ADDRESS.match(line)
        if found is None:
            raise InputError(f"line {number:,} is not an address in angle brackets, a tab and a label")
        collector.label(found[1], "preferred", line[found.end() :].partition("\t")[0])
