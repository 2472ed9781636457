"""The paper's tables and figures: which runs each cell needs."""

from __future__ import annotations

from collections.abc import Sequence

from mderank.errors import OptionError
from mderank.research.reproduction.tables import datasets, lengths, main, variants
from mderank.research.reproduction.tables.base import Part

PARTS: tuple[Part, ...] = (
    datasets.EXAMPLE,
    datasets.DATASETS,
    main.MAIN,
    lengths.PHRASE_LENGTH,
    lengths.DOCUMENT_LENGTH,
    variants.LAYERS,
    lengths.LONG_DOCUMENTS,
    variants.THETA,
    variants.MASKING,
    variants.SIMILARITY,
    variants.DIVERSITY,
)

__all__ = ["PARTS", "Part", "choose_parts"]


def choose_parts(names: Sequence[str]) -> tuple[Part, ...]:
    """Choose tables and figures.

    Args:
        names: Their names or aliases. ``all``, or no name, stands for all of them.

    Returns:
        The tables and figures, in the paper's order.

    Raises:
        OptionError: If a name is unknown.

    >>> [part.alias for part in choose_parts(["main", "table2"])]
    ['datasets', 'main']
    """
    known = {name for part in PARTS for name in (part.name, part.alias)}
    unknown = [name for name in names if name not in known and name != "all"]
    if unknown:
        listed = ", ".join(f"{part.name} ({part.alias})" for part in PARTS)
        raise OptionError(f"'{unknown[0]}' is not a table of the paper: it is one of {listed}, or all")
    if not names or "all" in names:
        return PARTS
    return tuple(part for part in PARTS if part.name in names or part.alias in names)
