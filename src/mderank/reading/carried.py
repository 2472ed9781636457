"""Fields of a record that are carried into the row of its result."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any, NamedTuple

from mderank.errors import InputError, OptionError
from mderank.reading.fields import MISSING, find_field

ALL = "all"  # carries every field
CARRIED = "carried"  # the column of a table that has all fields, as a JSON object
OWN_COLUMNS = ("id", "text", "keyphrases", "truncated", "missing_phrases", "missing_count", "error", "language")
_MOST_LEVELS = 100  # of nested values: fewer than Python's limit, with which rows are sent to other processes


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
    taken = {*OWN_COLUMNS, *((CARRIED,) if ALL in carry else ())}
    for each in carry:
        if each == ALL:
            continue
        field, renamed, name = each.rpartition("=") if "=" in each else (each, "", each)
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


def without_values(carry: Iterable[str]) -> dict[str, Any]:
    """Return what a document has that is not a record, or could not be parsed: each named field, without a value.

    Args:
        carry: as for `parse_carry`.
    """
    return {each.name: None for each in parse_carry(carry)}


def carry_fields(record: dict[str, Any], carry: Collection[str], read: Collection[str]) -> dict[str, Any]:
    """Take the fields to carry out of a record.

    Args:
        record: the record.
        carry: as for `parse_carry`.
        read: fields that ``all`` leaves out, because the row has them in another way.

    Returns:
        The values by their names in the row; None for a named field that the record does not have.

    Raises:
        InputError: ``all`` meets a field with the name of a column that every row has, or a value is nested too deeply.
    """
    named = parse_carry(carry)
    carried: dict[str, Any] = {}
    for each in named:
        value = find_field(record, each.field).value
        carried[each.name] = None if value is MISSING else _to_json_value(value, each.field)
    if ALL in carry:
        renamed = {each.field for each in named}
        for field, value in record.items():
            if field in read or field in renamed:
                continue
            if field in OWN_COLUMNS or field in carried:
                raise InputError(
                    f"the field '{field}' cannot be carried under its name, which the row has already: name another, "
                    f"--carry {field}=NAME"
                )
            carried[field] = _to_json_value(value, field)
    return carried


def _to_json_value(value: Any, field: str, level: int = 0) -> Any:
    """Return a value that every JSON reader takes: numbers that JSON does not have, such as NaN, become null."""
    if level > _MOST_LEVELS:
        raise InputError(f"the field '{field}' is nested more than {_MOST_LEVELS} levels deep: it cannot be carried")
    if isinstance(value, dict):
        return {key: _to_json_value(each, field, level + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_to_json_value(each, field, level + 1) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
