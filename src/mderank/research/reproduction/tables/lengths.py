"""Tables 4, 5 and 7: the length of phrases, the number of words that are read, and long documents."""

from __future__ import annotations

from typing import Any

from mderank.research.datasets.statistics import coverage
from mderank.research.evaluation.protocols import LENGTHS
from mderank.research.evaluation.spec import RunSpec
from mderank.research.reproduction.cells import (
    Block,
    Cell,
    CellGrid,
    CellSpec,
    Compute,
    Results,
    Row,
    Value,
    f1,
    recall,
)
from mderank.research.reproduction.config import NO_LIMIT, EncoderInfo, ReproductionConfig
from mderank.research.reproduction.paper import KS, NAMES, SETS, data, printed
from mderank.research.reproduction.plots import Plot, block_plots, column_plots, coverage_plot, lines_plot
from mderank.research.reproduction.tables.base import F1S, PLOTTED, GridPart, f1_row

# --- table 4: recall by the number of words of the gold keyphrase -----------------------------------------------------


def _specify_phrase_length(config: ReproductionConfig) -> list[CellGrid[CellSpec]]:
    encoder = config.encoder.title
    blocks = []
    for dataset in SETS:
        rows = [_recall_row("EmbedRank(BERT)", encoder, dataset, config.embedrank(dataset))]
        for mode in config.modes_of(config.encoder):
            rows.append(_recall_row("MDERank(BERT)", f"{encoder}, {mode}", dataset, config.mderank(dataset, mode)))
        blocks.append(Block(NAMES[dataset], tuple(rows)))
    return [CellGrid("Recall by phrase length", LENGTHS, tuple(blocks), "recall among the first 15, in per cent")]


def _recall_row(name: str, measured_with: str, dataset: str, spec: RunSpec) -> Row[CellSpec]:
    paper = printed("phrase_length", name, dataset)
    cells = (CellSpec(number, (spec,), recall(spec, length)) for number, length in zip(paper, LENGTHS, strict=True))
    return Row(name, measured_with, tuple(cells))


def _plot_phrase_length(grids: list[CellGrid[Cell]]) -> list[Plot]:
    return block_plots("length", grids[0])


PHRASE_LENGTH = GridPart(
    "table4",
    "phrase-length",
    "Recall by phrase length",
    "The share of the gold keyphrases of 1, 2, 3 and more words that are among the first 15 predictions; stems are "
    "compared.",
    _specify_phrase_length,
    _plot_phrase_length,
)

# --- table 5: the first words of NUS ----------------------------------------------------------------------------------

CUT_DATASET = "nus"
CUTS = (128, 256, 512)


def cut_options(words: int) -> dict[str, Any]:
    """Return the options that read so many words. The paper's 512 are read anyway."""
    return {} if words == CUTS[-1] else {"max_words": words}


def _specify_document_length(config: ReproductionConfig) -> list[CellGrid[CellSpec]]:
    encoder = config.encoder.title
    blocks = []
    for words in CUTS:
        options = cut_options(words)
        paper = printed("document_length", "EmbedRank(BERT)", words)
        rows = [f1_row("EmbedRank(BERT)", encoder, paper, config.embedrank(CUT_DATASET, **options))]
        for mode in config.modes_of(config.encoder):
            paper = printed("document_length", "MDERank(BERT)", words)
            spec = config.mderank(CUT_DATASET, mode, **options)
            rows.append(f1_row("MDERank(BERT)", f"{encoder}, {mode}", paper, spec))
        blocks.append(Block(f"{words} words", tuple(rows)))
    return [CellGrid("NUS by document length", F1S, tuple(blocks), "F1 in per cent")]


def _plot_document_length(grids: list[CellGrid[Cell]]) -> list[Plot]:
    return lines_plot("words", "NUS, F1@15 by words read", grids[0], CUTS, "words", column=F1S.index("F1@15"))


DOCUMENT_LENGTH = GridPart(
    "table5",
    "document-length",
    "Document length",
    "The first 128, 256 and 512 words of the papers of NUS.",
    _specify_document_length,
    _plot_document_length,
)

# --- table 7: beyond 512 words, by an encoder for long texts and in windows -------------------------------------------

LONG_CUTS = {"nus": (512, 2000), "krapivin": (512, 2500)}
COVERED = ("duc2001", "krapivin", "nus")
FIRST_WORDS = (128, 256, 500, 1000, 2000, 2500, 4000, 8000)
LONG_COLUMNS = tuple((each, words) for each, cuts in LONG_CUTS.items() for words in (*cuts, None))


def long_options(encoder: EncoderInfo, words: int | None) -> dict[str, Any]:
    """Return the options that read so many words, or all. More than the encoder takes are read in windows.

    Args:
        encoder: The encoder.
        words: Number of words; None reads all.

    Returns:
        Fields of `Options`.

    """
    if words == 512:
        return {}
    if words is None:
        return {"max_words": NO_LIMIT, "max_tokens": NO_LIMIT}
    return {"max_words": words, "max_tokens": NO_LIMIT if encoder.max_length <= 512 else encoder.max_length}


def _specify_long_documents(config: ReproductionConfig) -> list[CellGrid[CellSpec]]:
    return [_specify_long(config), _specify_coverage()]


def _specify_long(config: ReproductionConfig) -> CellGrid[CellSpec]:
    usual, long = config.encoder, config.long_encoder
    windows = f"{usual.title}, in windows beyond 512"
    missing = "give an encoder for long texts (--long-encoder)"
    blocks = []
    for k in KS:
        runs = [config.embedrank(each, **long_options(usual, words)) for each, words in LONG_COLUMNS]
        rows = [_long_row("EmbedRank(BERT)", windows, k, runs)]
        runs = (
            [config.embedrank(each, encoder=long, **long_options(long, words)) for each, words in LONG_COLUMNS]
            if long
            else []
        )
        rows.append(_long_row("EmbedRank(BigBird)", long.title if long else missing, k, runs, whole=False))
        for mode in config.modes_of(usual):
            # Exact mode encodes each window again for every candidate in it: longer texts are for one pass only.
            short = mode == "exact"
            runs = [config.mderank(each, mode, **long_options(usual, words)) for each, words in LONG_COLUMNS]
            measured_with = f"{usual.title}, {mode}" if short else f"{windows}, {mode}"
            rows.append(_long_row("MDERank(BERT)", measured_with, k, runs, whole=not short, only_512=short))
        runs = (
            [config.mderank(each, "exact", encoder=long, **long_options(long, words)) for each, words in LONG_COLUMNS]
            if long
            else []
        )
        measured_with = f"{long.title}, exact" if long else missing
        rows.append(_long_row("MDERank(BigBird)", measured_with, k, runs, whole=False))
        blocks.append(Block(f"F1@{k}", tuple(rows)))
    columns = (f"{NAMES[each]} ({words or 'whole'})" for each, words in LONG_COLUMNS)
    return CellGrid("Longer documents", tuple(columns), tuple(blocks), "F1 in per cent")


def _long_row(
    name: str, measured_with: str, k: int, runs: list[RunSpec], *, whole: bool = True, only_512: bool = False
) -> Row[CellSpec]:
    cells = []
    for index, (dataset, words) in enumerate(LONG_COLUMNS):
        numbers = printed("long_documents", name, f"{dataset}-{words}")
        paper = numbers[KS.index(k)] if numbers else None
        left_out = not runs or (words is None and not whole) or (words != 512 and only_512)
        cells.append(CellSpec(paper) if left_out else CellSpec(paper, (runs[index],), f1(runs[index], k)))
    return Row(name, measured_with, tuple(cells))


def _specify_coverage() -> CellGrid[CellSpec]:
    """Return the table of the share of gold keyphrases in the first words, as a mean over documents."""
    known: dict[str, list[float]] = {}

    def share(dataset: str, index: int) -> Compute:
        def compute(results: Results) -> Value | None:
            if dataset not in results.datasets:
                return None
            if dataset not in known:
                known[dataset] = coverage(results.datasets[dataset], FIRST_WORDS)
            return Value(100 * known[dataset][index])

        return compute

    rows = []
    for dataset in COVERED:
        paper = data()["coverage"][dataset]
        cells = (
            CellSpec(paper["share"] if words == paper["words"] else None, (), share(dataset, index))
            for index, words in enumerate(FIRST_WORDS)
        )
        rows.append(Row(NAMES[dataset], "", tuple(cells)))
    title = "Gold keyphrases in the first words of a document"
    columns, blocks = tuple(map(str, FIRST_WORDS)), (Block("first words", tuple(rows)),)
    return CellGrid(title, columns, blocks, "mean share, in per cent", uncoloured=columns)


def _plot_long_documents(grids: list[CellGrid[Cell]]) -> list[Plot]:
    long = grids[0]
    plots = column_plots("long", long, long.blocks[PLOTTED], len(LONG_COLUMNS))
    return [*plots, *coverage_plot(grids[1], FIRST_WORDS)]


LONG_DOCUMENTS = GridPart(
    "table7",
    "long-documents",
    "Long documents",
    "Beyond 512 words the paper uses BigBird (here --long-encoder); beside it are windows of the usual encoder over "
    "the same words, and over the whole text, which the paper does not have. In windows MDERank is run in one pass "
    "only: exact mode encodes each window again for every candidate in it. A gold keyphrase is in the first words if "
    "its stems are there; the paper does not say how it counted.",
    _specify_long_documents,
    _plot_long_documents,
)
