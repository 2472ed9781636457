"""Fields of a record that are carried into the row of its result."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Any

from mderank.errors import InputError
from mderank.reading.fields import MISSING, find_field
from mderank.row_columns import ALL, OWN_COLUMNS, parse_carry

_MOST_LEVELS = 100  # of nested values: fewer than Python's limit, with which rows are sent to other processes


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
