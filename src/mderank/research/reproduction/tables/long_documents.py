"""Table 7: beyond 512 words, by an encoder for long texts and by windows; and how much of the gold is there."""

from __future__ import annotations

from mderank.research.datasets.statistics import coverage
from mderank.research.reproduction.cells import Ask, Block, Cell, Grid, Row
from mderank.research.reproduction.config import EVERYTHING, Model, Setup
from mderank.research.reproduction.paper import KS, NAMES, data, printed
from mderank.research.reproduction.plots import Plot, column_plots, coverage_plot
from mderank.research.reproduction.results import Compute, Results, Value, f1
from mderank.research.reproduction.tables.base import PLOTTED, GridPart
from mderank.research.reproduction.wanted import Wanted

LENGTHS = {"nus": (512, 2000), "krapivin": (512, 2500)}
COVERED = ("duc2001", "krapivin", "nus")
FIRST_WORDS = (128, 256, 500, 1000, 2000, 2500, 4000, 8000)
COLUMNS = tuple((each, words) for each, lengths in LENGTHS.items() for words in (*lengths, None))


def beyond(model: Model, words: int | None) -> tuple[str, ...]:
    """The options that read so many words, or all: in windows where they are more than the encoder takes."""
    if words == 512:
        return ()
    if words is None:
        return "--max-words", EVERYTHING, "--max-tokens", EVERYTHING
    return "--max-words", str(words), "--max-tokens", EVERYTHING if model.max_length <= 512 else str(model.max_length)


def _ask(setup: Setup) -> list[Grid[Ask]]:
    return [_long(setup), _coverage()]


def _long(setup: Setup) -> Grid[Ask]:
    model, long = setup.encoder, setup.long_encoder
    windows = f"{model.title}, in windows beyond 512"
    missing = "give an encoder for long texts (--long-encoder)"
    blocks = []
    for k in KS:
        rows = [_row("EmbedRank(BERT)", windows, k, [setup.embedrank(d, *beyond(model, w)) for d, w in COLUMNS])]
        of_long = [setup.embedrank(d, *beyond(long, w), model=long) for d, w in COLUMNS] if long else []
        rows.append(_row("EmbedRank(BigBird)", long.title if long else missing, k, of_long, whole=False))
        for form in setup.forms_of(model):
            # The exact form encodes each window again for every candidate in it: longer texts are for one pass only.
            short = form == "exact"
            runs = [setup.mderank(d, form, *beyond(model, w)) for d, w in COLUMNS]
            here = f"{model.title}, {form}" if short else f"{windows}, {form}"
            rows.append(_row("MDERank(BERT)", here, k, runs, whole=not short, only_512=short))
        of_long = [setup.mderank(d, "exact", *beyond(long, w), model=long) for d, w in COLUMNS] if long else []
        rows.append(_row("MDERank(BigBird)", f"{long.title}, exact" if long else missing, k, of_long, whole=False))
        blocks.append(Block(f"F1@{k}", tuple(rows)))
    columns = (f"{NAMES[each]} ({words or 'whole'})" for each, words in COLUMNS)
    return Grid("Longer documents", tuple(columns), tuple(blocks), "F1 in per cent")


def _row(name: str, here: str, k: int, runs: list[Wanted], *, whole: bool = True, only_512: bool = False) -> Row[Ask]:
    asks = []
    for index, (dataset, words) in enumerate(COLUMNS):
        numbers = printed("long_documents", name, f"{dataset}-{words}")
        paper = numbers[KS.index(k)] if numbers else None
        left_out = not runs or (words is None and not whole) or (words != 512 and only_512)
        asks.append(Ask(paper) if left_out else Ask(paper, (runs[index],), f1(runs[index], k)))
    return Row(name, here, tuple(asks))


def _coverage() -> Grid[Ask]:
    """The share of gold phrases in the first words, as mean over documents."""
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
        said = data()["coverage"][dataset]
        asks = (
            Ask(said["share"] if words == said["words"] else None, (), share(dataset, index))
            for index, words in enumerate(FIRST_WORDS)
        )
        rows.append(Row(NAMES[dataset], "", tuple(asks)))
    title = "Gold phrases in the first words of a document"
    columns, blocks = tuple(map(str, FIRST_WORDS)), (Block("first words", tuple(rows)),)
    return Grid(title, columns, blocks, "mean share, in per cent", uncoloured=columns)


def _plots(grids: list[Grid[Cell]]) -> list[Plot]:
    long = grids[0]
    return [*column_plots("long", long, long.blocks[PLOTTED], len(COLUMNS)), *coverage_plot(grids[1], FIRST_WORDS)]


PART = GridPart(
    "table7",
    "long-documents",
    "Long documents",
    "Beyond 512 words the paper uses BigBird (here --long-encoder); beside it are windows of the usual encoder over "
    "the same words, and over the whole text, which the paper does not have. In windows MDERank is run in one pass "
    "only: the exact form encodes each window again for every candidate in it. A gold phrase is in the first words if "
    "its stems stand there; how the paper counted is not said.",
    _ask,
    _plots,
)
