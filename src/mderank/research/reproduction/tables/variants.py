"""Tables 6, 8, 9 and 10, and figure 3: layers and pooling, the choice of θ, masking, similarity, diversity."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mderank.research.evaluation.spec import RunSpec
from mderank.research.reproduction.cells import (
    Block,
    Cell,
    CellGrid,
    CellSpec,
    Row,
    average,
    f1,
    gold_spread,
    less,
    spread,
)
from mderank.research.reproduction.config import PAPER_LAYERS, TEACHERS, Mode, ReproductionConfig
from mderank.research.reproduction.paper import KS, NAMES, SETS, printed
from mderank.research.reproduction.plots import Plot, column_plots, lines_plot
from mderank.research.reproduction.tables.base import (
    AVG,
    F1S,
    GridPart,
    Line,
    f1_row,
    mderank_lines,
    set_plots,
    six_sets,
)

# --- table 6: layers and pooling on DUC2001; and EmbedRank with its best configuration there on all datasets ----------

LAYERS_DATASET = "duc2001"
POOLINGS = {"mean": "AvgPooling", "max": "MaxPooling"}


def layer_options(config: ReproductionConfig, pooling: str, layer: int) -> dict[str, Any]:
    """Return the options for a pooling and a layer. The encoder's own values are left out.

    Args:
        config: The configuration.
        pooling: The pooling.
        layer: The layer.

    Returns:
        Fields of `Options`.

    """
    pooled = {} if pooling == config.encoder.pooling else {"pooling": pooling}
    return pooled if layer == config.encoder.layers else {**pooled, "layer": layer}


def lowest_layer(config: ReproductionConfig) -> Line:
    """Return the row of EmbedRank with average pooling and the lowest of the three layers."""
    layer = config.encoder.depths()[0]
    options = layer_options(config, "mean", layer)
    measured_with = f"{config.encoder.title}, layer {layer} of {config.encoder.layers}"
    name = "EmbedRank(BERT), AvgPooling, layer 3"
    return Line(name, measured_with, (), lambda dataset: config.embedrank(dataset, **options))


def _specify_layers(config: ReproductionConfig) -> list[CellGrid[CellSpec]]:
    return [_specify_duc2001(config), _specify_lowest(config)]


def _specify_duc2001(config: ReproductionConfig) -> CellGrid[CellSpec]:
    encoder = config.encoder
    blocks = []
    for pooling, title in POOLINGS.items():
        for paper_layer, layer in zip(PAPER_LAYERS, encoder.depths(), strict=True):
            options = layer_options(config, pooling, layer)
            measured_with = f"{encoder.title}, layer {layer} of {encoder.layers}"
            paper = printed("layers", "EmbedRank(BERT)", pooling, paper_layer)
            spec = config.embedrank(LAYERS_DATASET, **options)
            rows = [f1_row("EmbedRank(BERT)", measured_with, paper, spec)]
            paper = printed("layers", "MDERank(BERT)", pooling, paper_layer)
            for mode in config.modes_of(encoder):
                spec = config.mderank(LAYERS_DATASET, mode, **options)
                rows.append(f1_row("MDERank(BERT)", f"{measured_with}, {mode}", paper, spec))
            blocks.append(Block(f"{title}, layer {paper_layer} of 12", tuple(rows)))
    return CellGrid("DUC2001 by pooling and layer", F1S, tuple(blocks), "F1 in per cent")


def _specify_lowest(config: ReproductionConfig) -> CellGrid[CellSpec]:
    """Return the row on all datasets, and the difference of its average to MDERank's, which alone the paper prints."""
    line = lowest_layer(config)
    grid = six_sets("EmbedRank with average pooling and the lowest of these layers on all datasets", [line])
    rivals = mderank_lines(config, "MDERank(BERT)", ())
    columns = tuple(f"AVG less MDERank's ({each.mode})" for each in rivals)
    blocks = []
    for block, k, paper in zip(grid.blocks, KS, printed("lowest_layer", "EmbedRank(BERT)"), strict=True):
        (row,) = block.rows
        further = []
        for rival in rivals:
            both = [average([f1(spec, k) for spec in each.runs()]) for each in (line, rival)]
            further.append(CellSpec(paper, (*line.runs(), *rival.runs()), less(*both)))
        blocks.append(Block(block.name, (replace(row, cells=(*row.cells, *further)),)))
    return replace(grid, columns=(*grid.columns, *columns), blocks=tuple(blocks))


def _plot_layers(grids: list[CellGrid[Cell]]) -> list[Plot]:
    plots = []
    for number, title in enumerate(POOLINGS.values()):
        grid = replace(grids[0], blocks=grids[0].blocks[3 * number : 3 * number + 3])
        plots += lines_plot(
            f"layers-{number}", f"DUC2001, {title}, F1@15 by depth of the layer, in per cent of all layers", grid,
            (25, 50, 100), "depth, per cent", column=F1S.index("F1@15"),
        )  # fmt: skip
    return plots


LAYERS = GridPart(
    "table6",
    "layers",
    "Layers and pooling",
    "The paper's layers 3, 6 and 12 of 12 are, on an encoder of L layers, the layers L/4, L/2 and L, rounded up.",
    _specify_layers,
    _plot_layers,
)

# --- table 8: the method that teaches KPEBERT -------------------------------------------------------------------------

TEACHER_NAMES = {"textrank": "TextRank", "yake": "YAKE"}


def _teacher_lines(config: ReproductionConfig, teacher: str) -> list[Line]:
    """Return the rows of MDERank with the encoder that a method's labels have trained."""
    name = TEACHER_NAMES[teacher]
    encoder = config.kpe_by(teacher)
    if encoder is None:
        return [Line(name, f"give a trained encoder (--kpe {teacher}=DIR)", ("theta", name))]
    return mderank_lines(config, name, ("theta", name), encoder=encoder)


def _specify_theta(config: ReproductionConfig) -> list[CellGrid[CellSpec]]:
    rows = [line for teacher in reversed(TEACHERS) for line in _teacher_lines(config, teacher)]
    return [six_sets("KPEBERT by the method that made its labels", rows)]


def _plot_theta(grids: list[CellGrid[Cell]]) -> list[Plot]:
    return set_plots("theta", grids[0])


THETA = GridPart(
    "table8",
    "theta",
    "The choice of θ",
    "MDERank with KPEBERT, absolute sampling, trained on pseudo labels by TextRank and by YAKE.",
    _specify_theta,
    _plot_theta,
)

# --- table 9: the occurrences that a candidate hides ------------------------------------------------------------------

MASKINGS = {"all": "Mask All", "once": "Mask Once", "highest": "Mask Highest", "subset": "Mask Subset"}


def masking_options(masking: str) -> dict[str, Any]:
    """Return the options for a masking. Mask All is the default."""
    return {} if masking == "all" else {"masking": masking}


def masked(config: ReproductionConfig, dataset: str, mode: Mode, masking: str) -> RunSpec:
    """Specify a run of MDERank with a masking."""
    return config.mderank(dataset, mode, **masking_options(masking))


def _masking_lines(config: ReproductionConfig, *, with_paper: bool) -> list[Line]:
    return [
        line
        for masking, name in MASKINGS.items()
        for line in mderank_lines(config, name, ("masking", name) if with_paper else (), **masking_options(masking))
    ]


def _specify_masking(config: ReproductionConfig) -> list[CellGrid[CellSpec]]:
    return [six_sets("Masking variants", _masking_lines(config, with_paper=True))]


def _plot_masking(grids: list[CellGrid[Cell]]) -> list[Plot]:
    return set_plots("masking", grids[0])


MASKING = GridPart(
    "table9",
    "masking",
    "Masking variants",
    "What a candidate hides: all its occurrences, the first, the one that matters most, or only words that no longer "
    "candidate has hidden.",
    _specify_masking,
    _plot_masking,
)

# --- table 10: how embeddings are compared ----------------------------------------------------------------------------

SIMILARITIES: dict[str, dict[str, Any]] = {"Cos": {}, "Euc": {"similarity": "euclidean"}}


def _embedrank_line(config: ReproductionConfig, name: str, options: dict[str, Any]) -> Line:
    row = f"EmbedRank({name})"
    return Line(row, config.encoder.title, ("similarity", row), lambda dataset: config.embedrank(dataset, **options))


def _specify_similarity(config: ReproductionConfig) -> list[CellGrid[CellSpec]]:
    rows = [_embedrank_line(config, name, options) for name, options in SIMILARITIES.items()]
    for name, options in SIMILARITIES.items():
        rows += mderank_lines(config, f"MDERank({name})", ("similarity", f"MDERank({name})"), **options)
    return [six_sets("Cosine and Euclidean", rows)]


def _plot_similarity(grids: list[CellGrid[Cell]]) -> list[Plot]:
    return set_plots("similarity", grids[0])


SIMILARITY = GridPart(
    "table10",
    "similarity",
    "Similarity",
    "Embeddings compared by their cosine and by their Euclidean distance.",
    _specify_similarity,
    _plot_similarity,
)

# --- figure 3: the diversity of the first phrases ---------------------------------------------------------------------


def _specify_diversity(config: ReproductionConfig) -> list[CellGrid[CellSpec]]:
    embedrank = Line("EmbedRank(BERT)", config.encoder.title, (), config.embedrank)
    lines = [embedrank, *_masking_lines(config, with_paper=False)]
    rows = [_diversity_row(line, gold=False) for line in lines]
    rows.append(_diversity_row(Line("gold keyphrases", "", (), embedrank.run), gold=True))
    columns = (*(NAMES[each] for each in SETS), AVG)
    unit = "distinct words in per cent of all words of the first 15 phrases"
    return [CellGrid("Diversity", columns, (Block("", tuple(rows)),), unit)]


def _diversity_row(line: Line, gold: bool) -> Row[CellSpec]:
    runs = line.runs()
    single = [(gold_spread if gold else spread)(spec) for spec in runs]
    cells = [CellSpec(None, (spec,), compute) for spec, compute in zip(runs, single, strict=True)]
    return Row(line.name, line.measured_with, (*cells, CellSpec(None, runs, average(single))))


def _plot_diversity(grids: list[CellGrid[Cell]]) -> list[Plot]:
    (block,) = grids[0].blocks
    return column_plots("diversity", grids[0], block, len(grids[0].columns))


DIVERSITY = GridPart(
    "figure3",
    "diversity",
    "Diversity",
    "The paper shows it in a figure only, so that there are no numbers beside ours. What its formula counts is not "
    "said: here, distinct words in per cent of all words of the first 15 phrases, the mean over documents.",
    _specify_diversity,
    _plot_diversity,
)
