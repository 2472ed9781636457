"""Table 10: how embeddings are compared."""

from __future__ import annotations

from mderank.research.reproduction.cells import Ask, Cell, Grid
from mderank.research.reproduction.config import Setup
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.tables.base import GridPart, Line, mderank_lines, set_plots, six_sets

SIMILARITIES: dict[str, tuple[str, ...]] = {"Cos": (), "Euc": ("--similarity", "euclidean")}


def _embedrank(setup: Setup, name: str, asked: tuple[str, ...]) -> Line:
    row = f"EmbedRank({name})"
    return Line(row, setup.encoder.title, ("similarity", row), lambda each: setup.embedrank(each, *asked))


def _ask(setup: Setup) -> list[Grid[Ask]]:
    rows = [_embedrank(setup, name, asked) for name, asked in SIMILARITIES.items()]
    for name, asked in SIMILARITIES.items():
        rows += mderank_lines(setup, f"MDERank({name})", ("similarity", f"MDERank({name})"), *asked)
    return [six_sets("Cosine and Euclidean", rows)]


def _plots(grids: list[Grid[Cell]]) -> list[Plot]:
    return set_plots("similarity", grids[0])


PART = GridPart(
    "table10",
    "similarity",
    "Similarity",
    "Embeddings compared by their cosine and by their Euclidean distance.",
    _ask,
    _plots,
)
