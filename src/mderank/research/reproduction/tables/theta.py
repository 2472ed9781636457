"""Table 8: which method teaches KPEBERT."""

from __future__ import annotations

from mderank.research.reproduction.cells import Ask, Cell, Grid
from mderank.research.reproduction.config import TEACHERS, Setup
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.tables.base import GridPart, Line, mderank_lines, set_plots, six_sets

NAMES = {"textrank": "TextRank", "yake": "YAKE"}


def lines(setup: Setup, teacher: str) -> list[Line]:
    """MDERank with the encoder that a method's labels have trained."""
    name = NAMES[teacher]
    model = setup.kpe_by(teacher)
    if model is None:
        return [Line(name, f"give a trained encoder (--kpe {teacher}=DIR)", ("theta", name))]
    return mderank_lines(setup, name, ("theta", name), model=model)


def _ask(setup: Setup) -> list[Grid[Ask]]:
    rows = [line for teacher in reversed(TEACHERS) for line in lines(setup, teacher)]
    return [six_sets("KPEBERT by the method that made its labels", rows)]


def _plots(grids: list[Grid[Cell]]) -> list[Plot]:
    return set_plots("theta", grids[0])


PART = GridPart(
    "table8",
    "theta",
    "The choice of θ",
    "MDERank with KPEBERT, absolute sampling, trained on pseudo labels by TextRank and by YAKE.",
    _ask,
    _plots,
)
