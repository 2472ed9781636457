"""The paper's tables and figures, a file each."""

from __future__ import annotations

from collections.abc import Sequence

from mderank.errors import OptionError
from mderank.research.reproduction.tables import (
    case,
    datasets,
    diversity,
    document_length,
    layers,
    long_documents,
    main,
    masking,
    phrase_length,
    similarity,
    theta,
)
from mderank.research.reproduction.tables.base import Part

PARTS: tuple[Part, ...] = (
    case.PART,
    datasets.PART,
    main.PART,
    phrase_length.PART,
    document_length.PART,
    layers.PART,
    long_documents.PART,
    theta.PART,
    masking.PART,
    similarity.PART,
    diversity.PART,
)

__all__ = ["PARTS", "Part", "choose"]


def choose(names: Sequence[str]) -> tuple[Part, ...]:
    """The parts of these names, in the paper's order; all of them for none, or for ``all``.

    >>> [part.alias for part in choose(["main", "table2"])]
    ['datasets', 'main']
    """
    known = {name for part in PARTS for name in (part.name, part.alias)}
    unknown = [name for name in names if name not in known and name != "all"]
    if unknown:
        listed = ", ".join(f"{part.name} ({part.alias})" for part in PARTS)
        raise OptionError(f"'{unknown[0]}' is none of the paper's tables: it is one of {listed}, or all")
    if not names or "all" in names:
        return PARTS
    return tuple(part for part in PARTS if part.name in names or part.alias in names)
