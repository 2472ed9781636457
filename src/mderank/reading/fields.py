"""Find the fields of a record by name, also nested ones: ``document.body.text`` or ``items.0.text``."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Final, NamedTuple

MISSING: Final = object()  # in place of a value that is not there; None is a value
_MOST_DIGITS = 9  # of an index; no record has more elements


class FoundField(NamedTuple):
    """A field, or how far its name leads.

    Attributes:
        value: the value; `MISSING` if there is none.
        parent: the innermost object, list or other value that the name leads to, the field itself not counted.
        path: the name of ``parent``; empty for the record.
    """

    value: Any
    parent: Any
    path: str


def find_field(record: dict[str, Any], name: str) -> FoundField:
    """Find a field of a record.

    A dot leads into an object, and a number into a list. A key that has the dot itself comes first.

    >>> find_field({"document": {"parts": [{"text": "Coral reefs"}]}}, "document.parts.0.text").value
    'Coral reefs'
    >>> find_field({"a.b": 1, "a": {"b": 2}}, "a.b").value
    1

    Args:
        record: the record.
        name: name of the field.

    Returns:
        The value and where it is.
    """
    value: Any = record
    rest, path = name, ""
    while True:
        parent, parent_path = value, path
        found = split_name(rest, value) if isinstance(value, dict) else _split_index(rest, value)
        if found is None:
            return FoundField(MISSING, parent, parent_path)
        key, rest = found
        value = value[key]
        path = f"{path}.{key}" if path else str(key)
        if not rest:
            return FoundField(value, parent, parent_path)


def split_name(name: str, keys: Collection[str]) -> tuple[str, str] | None:
    """Divide the name of a field after its longest beginning that is a key.

    >>> split_name("a.b.c", {"a", "a.b"})
    ('a.b', 'c')

    Args:
        name: name of a field, with dots.
        keys: the keys of the object that the name begins in.

    Returns:
        The key and the rest of the name; None if no beginning is a key.
    """
    end = len(name)
    while end > 0:
        if name[:end] in keys:
            return name[:end], name[end + 1 :]
        end = name.rfind(".", 0, end)
    return None


def _split_index(name: str, value: Any) -> tuple[int, str] | None:
    """Divide a name after the index of an element that a list has."""
    index, _, rest = name.partition(".")
    if not isinstance(value, list) or not is_index(index) or int(index) >= len(value):
        return None
    return int(index), rest


def is_index(text: str) -> bool:
    """Return whether a part of a name is the index of an element.

    Args:
        text: the part.
    """
    return text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
