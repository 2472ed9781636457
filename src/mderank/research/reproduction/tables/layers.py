"""Table 6: layers and pooling on DUC2001; and EmbedRank with its best configuration there on all sets."""

from __future__ import annotations

from dataclasses import replace

from mderank.research.reproduction.cells import Ask, Block, Cell, Grid, Row
from mderank.research.reproduction.config import PAPER_LAYERS, Setup
from mderank.research.reproduction.paper import KS, printed
from mderank.research.reproduction.plots import Plot, lines_plot
from mderank.research.reproduction.results import average, f1, less
from mderank.research.reproduction.tables.base import F1S, GridPart, Line, f1_row, mderank_lines, six_sets

SET = "duc2001"
POOLINGS = {"mean": "AvgPooling", "max": "MaxPooling"}


def options(setup: Setup, pooling: str, layer: int) -> tuple[str, ...]:
    """What asks for a pooling and a layer; what the encoder has by itself is not asked for."""
    pooled = () if pooling == setup.encoder.pooling else ("--pooling", pooling)
    return pooled if layer == setup.encoder.layers else (*pooled, "--layer", str(layer))


def _ask(setup: Setup) -> list[Grid[Ask]]:
    return [_duc2001(setup), _lowest(setup)]


def _duc2001(setup: Setup) -> Grid[Ask]:
    model = setup.encoder
    blocks = []
    for pooling, title in POOLINGS.items():
        for paper_layer, layer in zip(PAPER_LAYERS, model.depths(), strict=True):
            asked = options(setup, pooling, layer)
            here = f"{model.title}, layer {layer} of {model.layers}"
            paper = printed("layers", "EmbedRank(BERT)", pooling, paper_layer)
            rows: list[Row[Ask]] = [f1_row("EmbedRank(BERT)", here, paper, setup.embedrank(SET, *asked))]
            paper = printed("layers", "MDERank(BERT)", pooling, paper_layer)
            for form in setup.forms_of(model):
                rows.append(f1_row("MDERank(BERT)", f"{here}, {form}", paper, setup.mderank(SET, form, *asked)))
            blocks.append(Block(f"{title}, layer {paper_layer} of 12", tuple(rows)))
    return Grid("DUC2001 by pooling and layer", F1S, tuple(blocks), "F1 in per cent")


def lowest(setup: Setup) -> Line:
    """EmbedRank with average pooling and the lowest of the three layers."""
    layer = setup.encoder.depths()[0]
    asked = options(setup, "mean", layer)
    here = f"{setup.encoder.title}, layer {layer} of {setup.encoder.layers}"
    return Line("EmbedRank(BERT), AvgPooling, layer 3", here, (), lambda each: setup.embedrank(each, *asked))


def _lowest(setup: Setup) -> Grid[Ask]:
    """The row on all six sets, and how far its average is from MDERank's: the latter is all that the paper prints."""
    line = lowest(setup)
    grid = six_sets("EmbedRank with average pooling and the lowest of these layers on all sets", [line])
    rivals = mderank_lines(setup, "MDERank(BERT)", ())
    columns = tuple(f"AVG less MDERank's ({each.form})" for each in rivals)
    blocks = []
    for block, k, paper in zip(grid.blocks, KS, printed("lowest_layer", "EmbedRank(BERT)"), strict=True):
        (row,) = block.rows
        further = []
        for rival in rivals:
            both = [average([f1(wanted, k) for wanted in each.runs()]) for each in (line, rival)]
            further.append(Ask(paper, (*line.runs(), *rival.runs()), less(*both)))
        blocks.append(Block(block.name, (replace(row, cells=(*row.cells, *further)),)))
    return replace(grid, columns=(*grid.columns, *columns), blocks=tuple(blocks))


def _plots(grids: list[Grid[Cell]]) -> list[Plot]:
    plots = []
    for number, title in enumerate(POOLINGS.values()):
        grid = replace(grids[0], blocks=grids[0].blocks[3 * number : 3 * number + 3])
        plots += lines_plot(
            f"layers-{number}", f"DUC2001, {title}, F1@15 by depth of the layer, in per cent of all layers", grid,
            (25, 50, 100), "depth, per cent", column=F1S.index("F1@15"),
        )  # fmt: skip
    return plots


PART = GridPart(
    "table6",
    "layers",
    "Layers and pooling",
    "The paper's layers 3, 6 and 12 of 12 are, on an encoder of L layers, the layers L/4, L/2 and L, rounded up.",
    _ask,
    _plots,
)
