"""The columns of a document's row: its own, and those that carry fields of its record."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from mderank.errors import OptionError
from mderank.util.format import json_text

OWN_COLUMNS = ("id", "text", "keyphrases", "truncated", "missing_phrases", "missing_count", "error", "language")
ALL = "all"  # carries every field
CARRIED = "carried"  # the column of a table that has what `ALL` carries, as a JSON object


class CarriedField(NamedTuple):
    """A field to carry.

    Attributes:
        field: name of the field in the record.
        name: its name in the row.
    """

    field: str
    name: str


def parse_carry(carry: Iterable[str]) -> tuple[CarriedField, ...]:
    """Read the names of fields to carry, without ``all``.

    >>> parse_carry(["all", "year", "meta.lang=lang"])
    (CarriedField(field='year', name='year'), CarriedField(field='meta.lang', name='lang'))

    Args:
        carry: fields, or ``FIELD=NAME`` to rename one.

    Returns:
        The fields.

    Raises:
        OptionError: a name is blank, occurs twice, or is that of a column that every row has.
    """
    carry = tuple(carry)
    fields = []
    taken = {*OWN_COLUMNS, CARRIED}
    for each in carry:
        if each == ALL:
            continue
        field, _, name = each.rpartition("=") if "=" in each else (each, "", each)
        if not field.strip() or not name.strip():
            raise OptionError(f"carry {each!r}: the name of the field is missing; write FIELD, or FIELD=NAME")
        if name in taken:
            what = "of two carried fields" if name not in (*OWN_COLUMNS, CARRIED) else "of a column of every row"
            raise OptionError(f"carry {each!r}: '{name}' is the name {what}: give another, {field}=NAME")
        taken.add(name)
        fields.append(CarriedField(field, name))
    return tuple(fields)


def carried_columns(carry: Collection[str]) -> tuple[str, ...]:
    """Return the columns that a table needs for carried fields. Their names do not depend on the records.

    >>> carried_columns(["year", "all"])
    ('year', 'carried')

    Args:
        carry: as for `parse_carry`.

    Returns:
        A column per named field, and `CARRIED` for all fields together.
    """
    return (*(each.name for each in parse_carry(carry)), *((CARRIED,) if ALL in carry else ()))


def carried_values(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a row carries.

    Args:
        row: a document's row.

    Returns:
        The columns that are not its own.
    """
    return {name: value for name, value in row.items() if name not in OWN_COLUMNS}


def carried_cells(carried: Mapping[str, Any], columns: Sequence[str]) -> list[str | None]:
    """Return carried values as cells of a table. All are texts, so that a column has one type in all files.

    >>> carried_cells({"year": 2020, "title": "Reefs", "tags": ["sea"]}, ["title", "year", "carried"])
    ['Reefs', '2020', '{"tags": ["sea"]}']

    Args:
        carried: the values by name.
        columns: the columns of the table, from `carried_columns`.

    Returns:
        A cell per column: a text as it is, another value as JSON, None where there is none.
    """
    rest = {name: value for name, value in carried.items() if name not in columns or name == CARRIED}
    return [json_text(rest) if name == CARRIED else _to_text(carried.get(name)) for name in columns]


def _to_text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json_text(value)
