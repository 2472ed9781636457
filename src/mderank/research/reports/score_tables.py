"""Tables of a comparison, and its numbers as rows for CSV."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from mderank.research.evaluation.measures import REDUNDANCY, Measure
from mderank.research.evaluation.protocols import LENGTHS
from mderank.research.reports.judged import JudgedSummary, judged_tables, judged_values
from mderank.research.reports.run_grid import RunGrid
from mderank.research.reports.summary import FURTHER, LEVEL, MAP, TOP, Properties, ProtocolScores, Summary
from mderank.util.tables import BETTER, NOTHING, WORSE, Best, Block, Cell, Row, Table, number, with_places

AVG = "AVG"
GOLD = "gold keyphrases"
ABOUT = {
    "mderank": "the paper's code to the letter: micro average",
    "micro-stem": "micro average, both sides de-duplicated by stem",
    "macro-stem": "macro average, both sides de-duplicated by stem",
    "macro-stem-present": "macro average, gold keyphrases that are in the text only",
}


def make_tables(summary: Summary | None, judged: JudgedSummary | None = None) -> list[Table]:
    """Make all tables: those of protocols first, those of judged datasets last.

    Args:
        summary: The numbers of datasets with gold keyphrases.
        judged: The numbers of judged datasets.

    Returns:
        The tables.

    """
    found = []
    if summary is not None:
        found += [
            *(score_table(summary, scores) for scores in summary.scores),
            recall_table(summary),
            property_table(summary),
            *(
                comparison_table(summary.grid, summary.measures, scores)
                for scores in summary.scores
                if scores.comparisons
            ),
        ]
    if judged is not None:
        found += judged_tables(judged)
        if judged.scores and judged.scores.comparisons:
            found.append(comparison_table(judged.grid, judged.measures, judged.scores))
    return found


def name_of(measure: Measure) -> str:
    """Return the name of a measure over documents: the mean of AP is MAP."""
    if measure == MAP:
        return "MAP"
    return f"M{measure}" if measure.name == "AP" else str(measure)


def score_table(summary: Summary, scores: ProtocolScores) -> Table:
    """Make the paper's main table: a block per measure, a column per dataset, AVG and AvgRank."""
    grid = summary.grid
    blocks = []
    for measure in summary.measures:
        order: Best = "lowest" if measure.lower_is_better else "highest"
        best: list[Best | None] = [*(order for _ in (*grid.datasets, AVG)), "lowest"]
        rows = [
            Row(
                method,
                (
                    *(_score(scores, method, dataset, measure) for dataset in grid.datasets),
                    number(scores.averages.get((method, measure))),
                    _rank(scores.ranks.get((method, measure))),
                ),
            )
            for method in grid.methods
        ]
        blocks.append(Block(name_of(measure), with_places(rows, best)))
    unit = "in per cent" + "; redundancy: phrases per document" * any(each.scale == 1 for each in summary.measures)
    title = f"Protocol {scores.protocol.name} ({ABOUT[scores.protocol.name]}), {unit}"
    return Table(title, "Method", (*grid.datasets, AVG, "AvgRank"), tuple(blocks), _score_legend(summary, scores))


def _score(scores: ProtocolScores, method: str, dataset: str, measure: Measure) -> Cell:
    score = scores.cells.get((method, dataset, measure))
    if score is None:
        return Cell(NOTHING)
    verdict = score.against.verdict if score.against else 0
    return number(score.value, mark={1: BETTER, -1: WORSE}.get(verdict, ""))


def _rank(rank: tuple[float, float] | None) -> Cell:
    return Cell(NOTHING) if rank is None else Cell(f"{rank[0]:.2f} (±{rank[1]:.2f})", rank[0])


def _score_legend(summary: Summary, scores: ProtocolScores) -> str:
    legend = [_average_legend(summary, "AVG and AvgRank (± standard deviation; lower is better) are taken")]
    if scores.comparisons:
        legend.append(
            f"{BETTER}\u00a0better, {WORSE}\u00a0worse than {summary.grid.baseline} on the same documents: "
            f"p < {LEVEL}, paired randomisation test, Holm's correction over the table's {scores.comparisons} tests."
        )
    return " ".join(legend)


def _average_legend(summary: Summary, beginning: str) -> str:
    grid = summary.grid
    if not grid.common:
        return f"There is no {AVG}: no dataset has runs of all methods."
    which = "all datasets" if grid.common == grid.datasets else "the datasets that all methods have"
    return f"{beginning} over {which}: {', '.join(grid.common)}."


def comparison_table(grid: RunGrid, measures: Sequence[Measure], scores: ProtocolScores) -> Table:
    """Make the table of each method against the baseline, by dataset."""
    columns = ("dataset", "difference", "low", "high", "p", "p (Holm)", "won", "tied", "lost")
    blocks = []
    for measure in measures:
        rows = []
        for method in grid.methods:
            for dataset in grid.datasets:
                score = scores.cells.get((method, dataset, measure))
                if score and score.against:
                    result, mark = score.against.comparison, {1: BETTER, -1: WORSE}.get(score.against.verdict, "")
                    signed = (Cell(f"{each:+.2f}") for each in (result.difference, result.low, result.high))
                    counts = (Cell(str(each)) for each in (result.wins, result.ties, result.losses))
                    p_values = (number(result.p, 4), number(score.against.p_holm, 4, mark))
                    rows.append(Row(method, (Cell(dataset), *signed, *p_values, *counts)))
        blocks.append(Block(name_of(measure), tuple(rows)))
    return Table(
        f"Against {grid.baseline}, protocol {scores.protocol.name}",
        "Method",
        columns,
        tuple(blocks),
        "Difference in percentage points (redundancy: in phrases) and its 95 % interval (paired bootstrap); p of the "
        "paired randomisation test, before and after Holm's correction; documents won, tied and lost. Documents "
        "that both have.",
    )


def recall_table(summary: Summary) -> Table:
    """Make the table of recall by the number of words of the gold keyphrase: a block per dataset."""
    grid = summary.grid
    highest: list[Best | None] = ["highest"] * len(LENGTHS)
    blocks = []
    if len(grid.datasets) > 1 and grid.common:
        rows = [Row(method, tuple(map(number, average_recall(summary, method)))) for method in grid.methods]
        blocks.append(Block(AVG, with_places(rows, highest)))
    for dataset in grid.datasets:
        found = {method: summary.properties[method, dataset].recall for method in grid.on(dataset)}
        rows = [Row(method, tuple(number(recall[length][0]) for length in LENGTHS)) for method, recall in found.items()]
        counts = next(iter(found.values()))
        rows.append(Row(GOLD, tuple(number(counts[length][1], 0) for length in LENGTHS), ranked=False))
        blocks.append(Block(dataset, with_places(rows, highest)))
    return Table(
        f"Recall by phrase length, in per cent of the gold keyphrases of so many words (the first {TOP})",
        "Words",
        LENGTHS,
        tuple(blocks),
        _average_legend(summary, f"{AVG} is taken"),
    )


def average_recall(summary: Summary, method: str) -> list[float]:
    """Return a method's recall by phrase length: a mean over the common datasets that have such keyphrases."""
    recalls = [summary.properties[method, dataset].recall for dataset in summary.grid.common]
    by_length = ([recall[length][0] for recall in recalls if recall[length][1]] for length in LENGTHS)
    return [fmean(values) if values else 0.0 for values in by_length]


@dataclass(frozen=True)
class _Quantity:
    """A property of runs that a block shows.

    Attributes:
        name: The block's name.
        of: Returns the value of a run.
        best: Which value is best.
        decimals: Number of decimals.
        average: Averages the values of datasets; None if there is no average.

    """

    name: str
    of: Callable[[Properties], float | None]
    best: Best | None
    decimals: int = 2
    average: Callable[[Sequence[float]], float] | None = fmean


def _rate(run: Properties) -> float | None:
    return 1 / run.seconds if run.seconds > 0 else None


DIVERSITY = _Quantity(f"Diversity of the first {TOP}", lambda run: run.diversity, None)
QUANTITIES = (
    DIVERSITY,
    _Quantity(f"Duplicates by stem among the first {TOP}", lambda run: run.duplicates, "lowest"),
    # Documents per second over datasets: the inverse of the mean time, not the mean of the inverses.
    _Quantity("Documents per second", _rate, "highest", average=lambda rates: len(rates) / sum(1 / r for r in rates)),
    _Quantity("Peak memory (MB)", lambda run: run.memory, "lowest", 0, None),
)


def property_table(summary: Summary) -> Table:
    """Make the table of MAP, nDCG@10, diversity, redundancy, duplicates, speed and memory: a block each."""
    grid = summary.grid
    blocks = [
        _further_block(summary, scores, measure)
        for scores in summary.scores
        for measure in FURTHER
        if measure != REDUNDANCY
    ]
    for quantity in QUANTITIES:
        gold = summary.gold_diversity if quantity is DIVERSITY else None
        blocks.append(
            _block(
                summary,
                quantity.name,
                {key: quantity.of(properties) for key, properties in summary.properties.items()},
                quantity.best,
                quantity.decimals,
                quantity.average,
                gold,
            )
        )
        if quantity is DIVERSITY:
            blocks += [_further_block(summary, scores, REDUNDANCY) for scores in summary.scores]
    return Table(
        "Ranking quality, diversity and cost",
        "Method",
        (*grid.datasets, AVG),
        tuple(blocks),
        "MAP, nDCG and duplicates in per cent; diversity: distinct words in per cent of all words; redundancy: phrases "
        "per document that stand in another one of the first, or contain one. "
        f"{_average_legend(summary, f'{AVG} is taken')}",
    )


def _further_block(summary: Summary, scores: ProtocolScores, measure: Measure) -> Block:
    name = f"{name_of(measure)}, protocol {scores.protocol.name}"
    return _block(summary, name, _further(scores, measure), "lowest" if measure.lower_is_better else "highest")


def _further(scores: ProtocolScores, measure: Measure) -> dict[tuple[str, str], float | None]:
    return {(method, dataset): value for (method, dataset, each), value in scores.further.items() if each == measure}


def _block(
    summary: Summary,
    name: str,
    values: dict[tuple[str, str], float | None],
    best: Best | None,
    decimals: int = 2,
    average: Callable[[Sequence[float]], float] | None = fmean,
    gold: Mapping[str, float] | None = None,
) -> Block:
    grid = summary.grid

    def row(name: str, by_set: Mapping[str, float | None], ranked: bool = True) -> Row:
        common = [by_set.get(dataset) for dataset in grid.common]
        known = [value for value in common if value is not None]
        mean = average(known) if average and known and len(known) == len(common) else None
        cells = (*(number(by_set.get(dataset), decimals) for dataset in grid.datasets), number(mean, decimals))
        return Row(name, cells, ranked)

    rows = [row(method, {each: values.get((method, each)) for each in grid.datasets}) for method in grid.methods]
    if gold is not None:
        rows.append(row(GOLD, gold, ranked=False))
    return Block(name, with_places(rows, [best] * (len(grid.datasets) + 1)))


CSV_HEADER = ("protocol", "dataset", "method", "measure", "value", "low", "high", "difference", "p", "p_holm",
              "difference_low", "difference_high", "won", "tied", "lost", "documents")  # fmt: skip


def long_rows(summary: Summary | None, judged: JudgedSummary | None = None) -> Iterator[tuple[object, ...]]:
    """Yield a row per value for `CSV_HEADER`: tested values, averages and ranks, the rest; judged datasets last."""
    if summary is not None:
        yield from _labelled_rows(summary)
    if judged is not None:
        if judged.scores is not None:
            yield from _tested_rows(judged.scores)
        for dataset, method, name, value in judged_values(judged):
            yield _short_row("judged", dataset, method, name, value)


def _tested_rows(scores: ProtocolScores) -> Iterator[tuple[object, ...]]:
    for (method, dataset, measure), score in scores.cells.items():
        values = (_format_value(score.value), _format_value(score.low), _format_value(score.high))
        rest: tuple[object, ...] = (None,) * 8
        if score.against:
            result = score.against.comparison
            rest = (
                _format_value(result.difference), f"{result.p:.4f}", f"{score.against.p_holm:.4f}",
                _format_value(result.low), _format_value(result.high), result.wins, result.ties, result.losses,
            )  # fmt: skip
        yield (scores.protocol.name, dataset, method, name_of(measure), *values, *rest, score.documents)


def _labelled_rows(summary: Summary) -> Iterator[tuple[object, ...]]:
    for scores in summary.scores:
        protocol = scores.protocol.name
        yield from _tested_rows(scores)
        for (method, measure), value in scores.averages.items():
            mean, spread = scores.ranks[method, measure]
            yield _short_row(protocol, AVG, method, name_of(measure), value)
            yield _short_row(protocol, AVG, method, f"AvgRank {name_of(measure)}", mean)
            yield _short_row(protocol, AVG, method, f"AvgRank STD {name_of(measure)}", spread)
        for (method, dataset, measure), value in scores.further.items():
            if measure not in summary.measures:
                yield _short_row(protocol, dataset, method, name_of(measure), value)
    yield from _property_rows(summary)


def _property_rows(summary: Summary) -> Iterator[tuple[object, ...]]:
    for (method, dataset), properties in summary.properties.items():
        for length, (share, _) in properties.recall.items():
            yield _short_row("", dataset, method, f"R@{TOP} words {length}", share)
        yield _short_row("", dataset, method, f"diversity@{TOP}", properties.diversity)
        yield _short_row("", dataset, method, f"duplicates@{TOP}", properties.duplicates)
        if properties.seconds > 0:
            yield _short_row("", dataset, method, "documents per second", 1 / properties.seconds)
        if properties.memory is not None:
            yield _short_row("", dataset, method, "peak memory MB", properties.memory)
    for dataset, value in summary.gold_diversity.items():
        yield _short_row("", dataset, "gold", f"diversity@{TOP}", value)


def _short_row(protocol: str, dataset: str, method: str, measure: str, value: float) -> tuple[object, ...]:
    return (protocol, dataset, method, measure, _format_value(value), *(None,) * (len(CSV_HEADER) - 5))


def _format_value(value: float) -> str:
    return f"{value:.2f}"
