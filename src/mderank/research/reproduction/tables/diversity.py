"""Figure 3: how diverse the first phrases are."""

from __future__ import annotations

from mderank.research.reproduction.cells import Ask, Block, Cell, Grid, Row
from mderank.research.reproduction.config import Setup
from mderank.research.reproduction.paper import NAMES, SETS
from mderank.research.reproduction.plots import Plot, column_plots
from mderank.research.reproduction.results import average, gold_spread, spread
from mderank.research.reproduction.tables.base import AVG, GridPart, Line, mderank_lines
from mderank.research.reproduction.tables.masking import MASKINGS, options


def _ask(setup: Setup) -> list[Grid[Ask]]:
    embedrank = Line("EmbedRank(BERT)", setup.encoder.title, (), setup.embedrank)
    lines = [embedrank]
    for masking, name in MASKINGS.items():
        lines += mderank_lines(setup, name, (), *options(masking))
    rows = [_row(line, gold=False) for line in lines]
    rows.append(_row(Line("gold phrases", "", (), embedrank.wanted), gold=True))
    columns = (*(NAMES[each] for each in SETS), AVG)
    unit = "distinct words in per cent of all words of the first 15 phrases"
    return [Grid("Diversity", columns, (Block("", tuple(rows)),), unit)]


def _row(line: Line, gold: bool) -> Row[Ask]:
    runs = line.runs()
    single = [(gold_spread if gold else spread)(wanted) for wanted in runs]
    asks = [Ask(None, (wanted,), compute) for wanted, compute in zip(runs, single, strict=True)]
    return Row(line.name, line.here, (*asks, Ask(None, runs, average(single))))


def _plots(grids: list[Grid[Cell]]) -> list[Plot]:
    (block,) = grids[0].blocks
    return column_plots("diversity", grids[0], block, len(grids[0].columns))


PART = GridPart(
    "figure3",
    "diversity",
    "Diversity",
    "The paper shows it in a figure only, so that there are no numbers beside ours. What its formula counts is not "
    "said: here, distinct words in per cent of all words of the first 15 phrases, the mean over documents.",
    _ask,
    _plots,
)
