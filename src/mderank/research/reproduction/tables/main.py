"""Table 3: all methods on all datasets, and Inspec with one-word candidates moved to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from mderank.research.evaluation.measures import Measure
from mderank.research.reports.summary import mean_ranks
from mderank.research.reproduction.cells import (
    PROTOCOL,
    Block,
    Cell,
    CellGrid,
    CellSpec,
    Compute,
    Measured,
    Results,
    Row,
    Value,
    one_word_last,
)
from mderank.research.reproduction.config import SAMPLINGS, Mode, ReproductionConfig
from mderank.research.reproduction.paper import KS, SETS, printed
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.tables.base import F1S, GridPart, Line, mderank_lines, set_plots, six_sets

GRAPHS = {
    "TextRank": "textrank",
    "SingleRank": "singlerank",
    "TopicRank": "topicrank",
    "MultipartiteRank": "multipartiterank",
    "YAKE": "yake",
}
SENT2VEC = "EmbedRank(Sent2Vec)+MMR"
RANK, SPREAD = "AvgRank", "STD"
BERT = "MDERank(BERT)"
KPEBERT = {sampling: f"MDERank(KPEBERT {sampling})" for sampling in SAMPLINGS}


def lines(config: ReproductionConfig) -> list[Line]:
    """Return the rows, in the paper's order."""
    encoder = config.encoder.title
    rows = [_graph(config, name, method) for name, method in GRAPHS.items()]
    rows.append(_sent2vec(config))
    sifrank = "ELMo" if config.elmo else f"{encoder} in place of ELMo"
    rows.append(Line("SIFRank(ELMo)", sifrank, ("main", "SIFRank(ELMo)"), config.sifrank))
    rows.append(Line("EmbedRank(BERT)", encoder, ("main", "EmbedRank(BERT)"), config.embedrank))
    rows += mderank_lines(config, BERT, ("main", BERT))
    for sampling in SAMPLINGS:
        rows += _kpebert(config, sampling)
    return rows


def _graph(config: ReproductionConfig, name: str, method: str) -> Line:
    return Line(name, "as in its own paper", ("main", name), lambda dataset: config.baseline(dataset, method))


def _sent2vec(config: ReproductionConfig) -> Line:
    if config.sent2vec is None:
        return Line(SENT2VEC, "give a model (--sent2vec)", ("main", SENT2VEC))
    options: dict[str, Any] = {"params": {"sent2vec": config.sent2vec}, "diversity": 0.5}
    return Line(
        SENT2VEC,
        "Sent2Vec, MMR 0.5",
        ("main", SENT2VEC),
        lambda dataset: config.baseline(dataset, "embedrank-sent2vec", **options),
    )


def _kpebert(config: ReproductionConfig, sampling: str) -> list[Line]:
    name = KPEBERT[sampling]
    encoder = config.kpe.get(sampling)
    if encoder is None:
        return [Line(name, f"give a trained encoder (--kpe {sampling}=DIR)", ("main", name))]
    return mderank_lines(config, name, ("main", name), encoder=encoder)


def _specify(config: ReproductionConfig) -> list[CellGrid[CellSpec]]:
    rows = lines(config)
    grid = six_sets("Main results", rows)
    blocks = (_ranked(block, rows, k) for block, k in zip(grid.blocks, KS, strict=True))
    columns = (*grid.columns, RANK, SPREAD)
    main = replace(grid, columns=columns, blocks=tuple(blocks), uncoloured=(RANK, SPREAD))
    return [main, _one_word_last(config)]


def _ranked(block: Block[CellSpec], rows: list[Line], k: int) -> Block[CellSpec]:
    """Return the block with the mean and standard deviation of each row's rank."""
    ranked = []
    for row, line in zip(block.rows, rows, strict=True):
        paper = printed(*line.paper, k)[len(SETS) + 1 :]
        runs = line.runs()
        cells = [
            CellSpec(number, runs, _rank(line, rows, k, which) if runs else None) for which, number in enumerate(paper)
        ]
        ranked.append(replace(row, cells=(*row.cells, *cells)))
    return Block(block.name, tuple(ranked))


def ranked_together(rows: Sequence[Line], mode: Mode | None) -> list[Line]:
    """Return the rows that are ranked together: MDERank in one mode, and all other methods."""
    return [each for each in rows if each.mode in (None, mode)]


def _rank(line: Line, rows: list[Line], k: int, which: int) -> Compute:
    """Compute the mean (0) or the standard deviation (1) of a row's rank, among rows that were run on all datasets.

    Rows of MDERank compete in one mode: this row's, or the last for rows without one. All are compared on the documents
    that all of them have.
    """
    mode = line.mode or next((each.mode for each in reversed(rows) if each.mode), None)
    rivals = ranked_together(rows, mode)

    def compute(results: Results) -> Value | None:
        mine = results.every(line.runs())
        if mine is None:
            return None
        known = [(each, runs) for each in rivals if (runs := results.every(each.runs())) is not None]
        place = [each is line for each, _ in known].index(True)
        columns = [_common([runs[index] for _, runs in known], k) for index in range(len(SETS))]
        documents = sum(len(run.outcomes) for run in mine)
        return Value(mean_ranks(columns)[place][which], documents, sum(run.of for run in mine))

    return compute


def _common(runs: list[Measured], k: int) -> list[float]:
    """Return F1 at ``k`` of several runs on the documents that all of them have."""
    shared = set.intersection(*(set(run.judged) for run in runs))
    return [
        Measure("F1", k).over([found for each, found in run.judged.items() if each in shared], PROTOCOL.average)
        for run in runs
    ]


def _one_word_last(config: ReproductionConfig) -> CellGrid[CellSpec]:
    """Return the table of Inspec, whose gold keyphrases are long, with candidates of one word moved to the end."""
    paper = printed("one_word_last", BERT)
    rows = []
    for mode in config.modes_of(config.encoder):
        spec = config.mderank("inspec", mode)
        cells = tuple(CellSpec(number, (spec,), one_word_last(spec, k)) for number, k in zip(paper, KS, strict=True))
        rows.append(Row(BERT, f"{config.encoder.title}, {mode}", cells))
    title = "Inspec, with candidates of one word moved to the end of the ranking"
    return CellGrid(title, F1S, (Block("", tuple(rows)),), "F1 in per cent")


def _plot(grids: list[CellGrid[Cell]]) -> list[Plot]:
    return set_plots("main", grids[0])


MAIN = GridPart(
    "table3",
    "main",
    "Main results",
    "F1 under the paper's protocol, on its input: the first 512 words and tokens. AvgRank is taken among the rows that "
    "were run on all six datasets, on the documents that all of them have. The modes of MDERank are ranked apart from "
    "each other.",
    _specify,
    _plot,
)
