"""Table 3: all methods on all sets, and Inspec with one-word candidates moved to the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mderank.research.evaluation.measures import Measure
from mderank.research.reports.summary import mean_ranks
from mderank.research.reproduction.cells import Ask, Block, Cell, Grid, Row
from mderank.research.reproduction.config import SAMPLINGS, Form, Setup
from mderank.research.reproduction.paper import KS, SETS, printed
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.results import PROTOCOL, Compute, Measured, Results, Value, one_word_last
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


def lines(setup: Setup) -> list[Line]:
    """The rows, in the paper's order."""
    encoder = setup.encoder.title
    rows = [_graph(setup, name, method) for name, method in GRAPHS.items()]
    rows.append(_sent2vec(setup))
    sifrank = "ELMo" if setup.elmo else f"{encoder} in place of ELMo"
    rows.append(Line("SIFRank(ELMo)", sifrank, ("main", "SIFRank(ELMo)"), setup.sifrank))
    rows.append(Line("EmbedRank(BERT)", encoder, ("main", "EmbedRank(BERT)"), setup.embedrank))
    rows += mderank_lines(setup, BERT, ("main", BERT))
    for sampling in SAMPLINGS:
        rows += _kpebert(setup, sampling)
    return rows


def _graph(setup: Setup, name: str, method: str) -> Line:
    return Line(name, "as in its own paper", ("main", name), lambda each: setup.baseline(each, method))


def _sent2vec(setup: Setup) -> Line:
    if setup.sent2vec is None:
        return Line(SENT2VEC, "give a model (--sent2vec)", ("main", SENT2VEC))
    options = ("--set", f"sent2vec={setup.sent2vec}", "--diversity", "0.5")
    return Line(
        SENT2VEC,
        "Sent2Vec, MMR 0.5",
        ("main", SENT2VEC),
        lambda each: setup.baseline(each, "embedrank-sent2vec", *options),
    )


def _kpebert(setup: Setup, sampling: str) -> list[Line]:
    name = KPEBERT[sampling]
    model = setup.kpe.get(sampling)
    if model is None:
        return [Line(name, f"give a trained encoder (--kpe {sampling}=DIR)", ("main", name))]
    return mderank_lines(setup, name, ("main", name), model=model)


def _ask(setup: Setup) -> list[Grid[Ask]]:
    rows = lines(setup)
    grid = six_sets("Main results", rows)
    blocks = (_ranked(block, rows, k) for block, k in zip(grid.blocks, KS, strict=True))
    columns = (*grid.columns, RANK, SPREAD)
    main = replace(grid, columns=columns, blocks=tuple(blocks), uncoloured=(RANK, SPREAD))
    return [main, _one_word_last(setup)]


def _ranked(block: Block[Ask], rows: list[Line], k: int) -> Block[Ask]:
    """The block with the mean and standard deviation of each row's rank."""
    ranked = []
    for row, line in zip(block.rows, rows, strict=True):
        paper = printed(*line.paper, k)[len(SETS) + 1 :]
        runs = line.runs()
        asks = [Ask(number, runs, _rank(line, rows, k, which) if runs else None) for which, number in enumerate(paper)]
        ranked.append(replace(row, cells=(*row.cells, *asks)))
    return Block(block.name, tuple(ranked))


def ranked_together(rows: Sequence[Line], form: Form | None) -> list[Line]:
    """The rows that AvgRank is taken among: MDERank in one form, and all other methods."""
    return [each for each in rows if each.form in (None, form)]


def _rank(line: Line, rows: list[Line], k: int, which: int) -> Compute:
    """The mean (0) or the standard deviation (1) of a row's rank among all rows that were run on all sets.

    Rows of MDERank compete in one form: this row's, or for a row that has none, the last there is. All are compared on
    the documents that all of them have.
    """
    form = line.form or next((each.form for each in reversed(rows) if each.form), None)
    rivals = ranked_together(rows, form)

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
    """F1 at ``k`` of several runs on the documents that all of them have."""
    shared = set.intersection(*(set(run.judged) for run in runs))
    return [
        Measure("F1", k).over([found for each, found in run.judged.items() if each in shared], PROTOCOL.average)
        for run in runs
    ]


def _one_word_last(setup: Setup) -> Grid[Ask]:
    """Inspec, whose gold phrases are long."""
    paper = printed("one_word_last", BERT)
    rows = []
    for form in setup.forms_of(setup.encoder):
        wanted = setup.mderank("inspec", form)
        asks = tuple(Ask(number, (wanted,), one_word_last(wanted, k)) for number, k in zip(paper, KS, strict=True))
        rows.append(Row(BERT, f"{setup.encoder.title}, {form}", asks))
    title = "Inspec, with candidates of one word moved to the end of the ranking"
    return Grid(title, F1S, (Block("", tuple(rows)),), "F1 in per cent")


def _plots(grids: list[Grid[Cell]]) -> list[Plot]:
    return set_plots("main", grids[0])


PART = GridPart(
    "table3",
    "main",
    "Main results",
    "F1 under the paper's protocol, on its input: the first 512 words and word pieces. AvgRank is taken among the rows "
    "that were run on all six sets, on the documents that all of them have; MDERank's forms are ranked apart from each "
    "other.",
    _ask,
    _plots,
)
