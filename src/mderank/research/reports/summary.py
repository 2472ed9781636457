"""From runs to numbers: every value that a comparison prints or draws, and nothing about how it looks.

Values are in per cent, redundancy in phrases per document. AVG and AvgRank are those of the paper's main table: the
mean over sets, and the mean and population standard deviation of a method's rank among all methods on each set, where
ties share the mean of their ranks. Both are taken over the sets that all methods have.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, pstdev

from mderank.research.evaluation.measures import PAPER_MEASURES, REDUNDANCY, Judgement, Measure
from mderank.research.evaluation.protocols import Protocol, diversity, duplicate_ratio, recall_by_length
from mderank.research.evaluation.runs import DocumentOutcome, Run
from mderank.research.evaluation.significance import Comparison, Pair, compare_all, holm, intervals
from mderank.research.reports.run_grid import RunGrid, notes

LEVEL = 0.05  # corrected p-values below it are significant
TOP = 15  # predictions whose recall by length, diversity and duplicates are measured, as in the paper
MAP, NDCG = Measure("AP", None), Measure("nDCG", 10)
FURTHER = (MAP, NDCG, REDUNDANCY)

Key = tuple[str, str, Measure]  # method, set, measure
Judged = Mapping[str, Judgement]  # by document
Texts = Mapping[str, Mapping[str, str]]  # set -> document's id -> text


@dataclass(frozen=True)
class Against:
    """A method against the baseline on a set, in percentage points; ``p_holm`` is corrected over the protocol.

    ``lower_is_better`` is said of the measure.
    """

    comparison: Comparison
    p_holm: float
    lower_is_better: bool = False

    @property
    def verdict(self) -> int:
        """1 if significantly better than the baseline, -1 if worse, otherwise 0."""
        if self.p_holm >= LEVEL or not self.comparison.difference:
            return 0
        return 1 if (self.comparison.difference > 0) != self.lower_is_better else -1


@dataclass(frozen=True)
class Score:
    """A method's value on a set, its 95 % interval, over how many documents, and how it stands to the baseline."""

    value: float
    low: float
    high: float
    documents: int
    against: Against | None = None


@dataclass(frozen=True)
class ProtocolScores:
    """What one protocol says."""

    protocol: Protocol
    cells: Mapping[Key, Score]
    further: Mapping[Key, float]
    averages: Mapping[tuple[str, Measure], float]
    ranks: Mapping[tuple[str, Measure], tuple[float, float]]
    comparisons: int  # how many p-values were corrected together


@dataclass(frozen=True)
class Properties:
    """What a run's rankings are like, whatever the protocol, and what they cost."""

    recall: Mapping[str, tuple[float, int]]
    diversity: float
    duplicates: float
    seconds: float
    memory: int | None


@dataclass(frozen=True)
class Summary:
    """All numbers of a comparison."""

    grid: RunGrid
    measures: tuple[Measure, ...]
    scores: tuple[ProtocolScores, ...]
    properties: Mapping[tuple[str, str], Properties]
    gold_diversity: Mapping[str, float]
    notes: tuple[str, ...]


def summarise(
    grid: RunGrid,
    protocols: Sequence[Protocol],
    measures: Sequence[Measure] = PAPER_MEASURES,
    texts: Texts | None = None,
    advance: Callable[[], object] = lambda: None,
    further_notes: Sequence[str] = (),
) -> Summary:
    """Every number. ``advance`` is called when a set is done; ``texts`` are for protocols that look into them."""
    cells: dict[str, dict[Key, Score]] = {protocol.name: {} for protocol in protocols}
    further: dict[str, dict[Key, float]] = {protocol.name: {} for protocol in protocols}
    properties = {}
    for dataset in grid.datasets:
        runs = grid.on(dataset)
        judged = {
            protocol: {method: judge(run, protocol, (texts or {}).get(dataset)) for method, run in runs.items()}
            for protocol in protocols
        }
        for (protocol, method, measure), score in cells_of(judged, measures, grid.baseline).items():
            cells[protocol.name][method, dataset, measure] = score
        for protocol in protocols:
            further[protocol.name] |= _further(dataset, judged[protocol], protocol)
        properties.update({(method, dataset): _properties(run) for method, run in runs.items()})
        advance()
    scores = tuple(_scores(grid, each, measures, cells[each.name], further[each.name]) for each in protocols)
    gold = {dataset: _gold_diversity(grid.on(dataset).values()) for dataset in grid.datasets}
    return Summary(grid, tuple(measures), scores, properties, gold, (*notes(grid), *further_notes))


def judge(run: Run, protocol: Protocol, texts: Mapping[str, str] | None = None) -> dict[str, Judgement]:
    """What is right, by document; without those that have no gold phrases, or that the protocol leaves out."""
    judged = {outcome.id: outcome.judge(protocol, (texts or {}).get(outcome.id, "")) for outcome in run.outcomes}
    return {document: judgement for document, judgement in judged.items() if judgement is not None}


def cells_of(
    judged: Mapping[Protocol, Mapping[str, Judged]], measures: Sequence[Measure], baseline: str
) -> dict[tuple[Protocol, str, Measure], Score]:
    """The scores on one set, of all protocols at once, so that documents are drawn once; p is not corrected yet."""
    all_of = {(each, method): list(found.values()) for each, by in judged.items() for method, found in by.items()}
    keys = [(*which, measure) for which, found in all_of.items() if found for measure in measures]
    limits = intervals([(all_of[each, method], measure, each.average) for each, method, measure in keys])
    scores = {}
    for (protocol, method, measure), (low, high) in zip(keys, limits, strict=True):
        found = all_of[protocol, method]
        value = measure.over(found, protocol.average)
        scale = measure.scale
        scores[protocol, method, measure] = Score(scale * value, scale * low, scale * high, len(found))
    against = [key for key in keys if key[1] != baseline and judged[key[0]].get(baseline)]
    pairs = [_pair(judged[each][method], judged[each][baseline], measure, each) for each, method, measure in against]
    for key, result in zip(against, compare_all(pairs), strict=True):
        measure = key[2]
        against_baseline = Against(_scaled(result, measure.scale), result.p, measure.lower_is_better)
        scores[key] = replace(scores[key], against=against_baseline)
    return scores


def _pair(one: Mapping[str, Judgement], other: Mapping[str, Judgement], measure: Measure, protocol: Protocol) -> Pair:
    """The documents that both have, in the same order."""
    shared = [document for document in other if document in one]
    return Pair([one[each] for each in shared], [other[each] for each in shared], measure, protocol.average)


def _scaled(result: Comparison, scale: float) -> Comparison:
    return replace(result, difference=scale * result.difference, low=scale * result.low, high=scale * result.high)


def _further(dataset: str, judged: Mapping[str, Judged], protocol: Protocol) -> dict[Key, float]:
    return {
        (method, dataset, measure): measure.scale * measure.over(list(found.values()), protocol.average)
        for method, found in judged.items()
        if found
        for measure in FURTHER
    }


def _scores(
    grid: RunGrid, protocol: Protocol, measures: Sequence[Measure], cells: dict[Key, Score], further: dict[Key, float]
) -> ProtocolScores:
    """A protocol's scores, with p-values corrected over all of them, and what is taken over sets."""
    tests = corrected(cells)
    averages, ranks = {}, {}
    for measure in measures:
        columns = [
            [cells[method, dataset, measure].value for method in grid.methods]
            for dataset in grid.common
            if all((method, dataset, measure) in cells for method in grid.methods)
        ]
        if columns:
            sign = -1 if measure.lower_is_better else 1
            standing = mean_ranks([[sign * value for value in column] for column in columns])
            for method, values, rank in zip(grid.methods, zip(*columns, strict=True), standing, strict=True):
                averages[method, measure] = fmean(values)
                ranks[method, measure] = rank
    return ProtocolScores(protocol, cells, further, averages, ranks, tests)


def corrected(cells: dict[Key, Score]) -> int:
    """Correct the p-values of the cells for their number, and return it."""
    tested = [(key, score, score.against) for key, score in cells.items() if score.against]
    p_values = holm([against.comparison.p for _, _, against in tested])
    for (key, score, against), p in zip(tested, p_values, strict=True):
        cells[key] = replace(score, against=replace(against, p_holm=p))
    return len(tested)


def mean_ranks(columns: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    """AvgRank (STD): for each method, the mean and population standard deviation of its ranks on the sets.

    A column has the methods' values on one set, the higher the better.

    >>> mean_ranks([[30.0, 20.0, 20.0], [10.0, 40.0, 5.0]])
    [(1.5, 0.5), (1.75, 0.75), (2.75, 0.25)]
    """
    by_set = [_ranks(column) for column in columns]
    return [(fmean(ranks), pstdev(ranks)) for ranks in zip(*by_set, strict=True)]


def _ranks(values: Sequence[float]) -> list[float]:
    better = [sum(other > value + 1e-9 for other in values) for value in values]
    equal = [sum(abs(other - value) <= 1e-9 for other in values) for value in values]
    return [above + (same + 1) / 2 for above, same in zip(better, equal, strict=True)]


def _properties(run: Run) -> Properties:
    rankings = [(outcome.predictions, outcome.gold) for outcome in run.outcomes if outcome.gold]
    phrases = [[each.text for each in outcome.predictions] for outcome in run.outcomes if outcome.predictions]
    recall = recall_by_length(rankings, TOP)
    return Properties(
        {length: (100 * share, count) for length, (share, count) in recall.items()},
        _mean(diversity(each, TOP) for each in phrases),
        100 * _mean(duplicate_ratio(each, TOP) for each in phrases),
        run.seconds_per_document,
        (run.summary or {}).get("peak_memory_mb"),
    )


def _gold_diversity(runs: Iterable[Run]) -> float:
    golds: dict[str, DocumentOutcome] = {}
    for run in runs:
        for outcome in run.outcomes:
            golds.setdefault(outcome.id, outcome)
    return _mean(diversity(outcome.gold, TOP) for outcome in golds.values() if outcome.gold)


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return fmean(numbers) if numbers else 0.0
