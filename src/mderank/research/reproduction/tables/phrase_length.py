"""Table 4: recall by the number of words of the gold phrase."""

from __future__ import annotations

from mderank.research.evaluation.protocols import LENGTHS
from mderank.research.reproduction.cells import Ask, Block, Cell, Grid, Row
from mderank.research.reproduction.config import Setup
from mderank.research.reproduction.paper import NAMES, SETS, printed
from mderank.research.reproduction.plots import Plot, block_plots
from mderank.research.reproduction.results import recall
from mderank.research.reproduction.tables.base import GridPart
from mderank.research.reproduction.wanted import Wanted


def _ask(setup: Setup) -> list[Grid[Ask]]:
    encoder = setup.encoder.title
    blocks = []
    for dataset in SETS:
        rows = [_row("EmbedRank(BERT)", encoder, dataset, setup.embedrank(dataset))]
        for form in setup.forms_of(setup.encoder):
            rows.append(_row("MDERank(BERT)", f"{encoder}, {form}", dataset, setup.mderank(dataset, form)))
        blocks.append(Block(NAMES[dataset], tuple(rows)))
    return [Grid("Recall by phrase length", LENGTHS, tuple(blocks), "recall among the first 15, in per cent")]


def _row(name: str, here: str, dataset: str, wanted: Wanted) -> Row[Ask]:
    paper = printed("phrase_length", name, dataset)
    asks = (Ask(number, (wanted,), recall(wanted, length)) for number, length in zip(paper, LENGTHS, strict=True))
    return Row(name, here, tuple(asks))


def _plots(grids: list[Grid[Cell]]) -> list[Plot]:
    return block_plots("length", grids[0])


PART = GridPart(
    "table4",
    "phrase-length",
    "Recall by phrase length",
    "The share of the gold phrases of 1, 2, 3 and more words that are among the first 15 predictions; stems are "
    "compared.",
    _ask,
    _plots,
)
