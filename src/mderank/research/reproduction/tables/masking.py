"""Table 9: what a candidate hides."""

from __future__ import annotations

from mderank.research.reproduction.cells import Ask, Cell, Grid
from mderank.research.reproduction.config import Form, Setup
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.tables.base import GridPart, Line, mderank_lines, set_plots, six_sets
from mderank.research.reproduction.wanted import Wanted

MASKINGS = {"all": "Mask All", "once": "Mask Once", "highest": "Mask Highest", "subset": "Mask Subset"}


def options(masking: str) -> tuple[str, ...]:
    """What asks for a masking."""
    return () if masking == "all" else ("--masking", masking)


def masked(setup: Setup, dataset: str, form: Form, masking: str) -> Wanted:
    """MDERank with a masking."""
    return setup.mderank(dataset, form, *options(masking))


def _ask(setup: Setup) -> list[Grid[Ask]]:
    rows: list[Line] = []
    for masking, name in MASKINGS.items():
        rows += mderank_lines(setup, name, ("masking", name), *options(masking))
    return [six_sets("Masking variants", rows)]


def _plots(grids: list[Grid[Cell]]) -> list[Plot]:
    return set_plots("masking", grids[0])


PART = GridPart(
    "table9",
    "masking",
    "Masking variants",
    "What a candidate hides: all its occurrences, the first, the one that matters most, or only words that no longer "
    "candidate has hidden.",
    _ask,
    _plots,
)
