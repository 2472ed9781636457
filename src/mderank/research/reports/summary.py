"""The numbers of a comparison: values, intervals, tests, averages and ranks.

Values are in per cent, redundancy in phrases per document. AVG and AvgRank are those of the paper's main table. AVG is
the mean over datasets. AvgRank is the mean, with the population standard deviation, of a method's rank among all
methods on each dataset; ties share the mean of their ranks. Both are over the datasets that all methods have.
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

Key = tuple[str, str, Measure]  # method, dataset, measure
Judged = Mapping[str, Judgement]  # by document
Texts = Mapping[str, Mapping[str, str]]  # dataset -> document's id -> text


@dataclass(frozen=True)
class Against:
    """The comparison of a method with the baseline on a dataset.

    Attributes:
        comparison: The difference in percentage points, its interval and its p-value.
        p_holm: The p-value, corrected over all tests of the protocol.
        lower_is_better: Whether a lower value of the measure is better.

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
    """A method's value on a dataset.

    Attributes:
        value: The value.
        low: Lower end of its 95 % interval.
        high: Upper end of its 95 % interval.
        documents: Number of documents.
        against: The comparison with the baseline; None for the baseline itself.

    """

    value: float
    low: float
    high: float
    documents: int
    against: Against | None = None


@dataclass(frozen=True)
class ProtocolScores:
    """The scores under one protocol.

    Attributes:
        protocol: The protocol.
        cells: Scores by method, dataset and measure.
        further: Values of further measures, without intervals.
        averages: Means over datasets, by method and measure.
        ranks: Mean and standard deviation of ranks, by method and measure.
        comparisons: Number of p-values that were corrected together.

    """

    protocol: Protocol
    cells: Mapping[Key, Score]
    further: Mapping[Key, float]
    averages: Mapping[tuple[str, Measure], float]
    ranks: Mapping[tuple[str, Measure], tuple[float, float]]
    comparisons: int


@dataclass(frozen=True)
class Properties:
    """Properties of a run that do not depend on a protocol.

    Attributes:
        recall: Recall and number of gold keyphrases by their number of words.
        diversity: Distinct words of the first predictions in per cent of all their words.
        duplicates: Predictions in per cent that have the stem of an earlier one.
        seconds: Seconds per document.
        memory: Peak memory in megabytes; None if it was not recorded.

    """

    recall: Mapping[str, tuple[float, int]]
    diversity: float
    duplicates: float
    seconds: float
    memory: int | None


@dataclass(frozen=True)
class Summary:
    """All numbers of a comparison.

    Attributes:
        grid: The runs.
        measures: The measures.
        scores: The scores, by protocol.
        properties: Properties by method and dataset.
        gold_diversity: Diversity of the gold keyphrases by dataset.
        notes: Notes on the runs.

    """

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
    """Compute all numbers of a comparison.

    Args:
        grid: The runs.
        protocols: The protocols.
        measures: The measures.
        texts: The texts, for protocols that look into them.
        advance: Called after each dataset.
        further_notes: Further notes on the runs.

    Returns:
        The numbers.

    """
    cells: dict[str, dict[Key, Score]] = {protocol.name: {} for protocol in protocols}
    further: dict[str, dict[Key, float]] = {protocol.name: {} for protocol in protocols}
    properties = {}
    for dataset in grid.datasets:
        runs = grid.on(dataset)
        judged = {
            protocol: {method: judge(run, protocol, (texts or {}).get(dataset)) for method, run in runs.items()}
            for protocol in protocols
        }
        for (protocol, method, measure), score in compute_scores(judged, measures, grid.baseline).items():
            cells[protocol.name][method, dataset, measure] = score
        for protocol in protocols:
            further[protocol.name] |= _further(dataset, judged[protocol], protocol)
        properties.update({(method, dataset): _properties(run) for method, run in runs.items()})
        advance()
    scores = tuple(_scores(grid, each, measures, cells[each.name], further[each.name]) for each in protocols)
    gold = {dataset: _gold_diversity(grid.on(dataset).values()) for dataset in grid.datasets}
    return Summary(grid, tuple(measures), scores, properties, gold, (*notes(grid), *further_notes))


def judge(run: Run, protocol: Protocol, texts: Mapping[str, str] | None = None) -> dict[str, Judgement]:
    """Judge the predictions of a run.

    Args:
        run: The run.
        protocol: The protocol.
        texts: The texts by document, for protocols that look into them.

    Returns:
        The judgements by document, without documents that have no gold keyphrases or that the protocol leaves out.

    """
    judged = {outcome.id: outcome.judge(protocol, (texts or {}).get(outcome.id, "")) for outcome in run.outcomes}
    return {document: judgement for document, judgement in judged.items() if judgement is not None}


def compute_scores(
    judged: Mapping[Protocol, Mapping[str, Judged]], measures: Sequence[Measure], baseline: str
) -> dict[tuple[Protocol, str, Measure], Score]:
    """Compute the scores on one dataset. All protocols share the resampled documents.

    Args:
        judged: Judgements by protocol, method and document.
        measures: The measures.
        baseline: The method that others are tested against.

    Returns:
        The scores by protocol, method and measure. Their p-values are not corrected yet.

    """
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
    """Pair the documents that both have, in the same order."""
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
    """Return a protocol's scores with corrected p-values, and with averages and ranks over datasets."""
    tests = correct_p_values(cells)
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


def correct_p_values(cells: dict[Key, Score]) -> int:
    """Correct the p-values of scores for their number, in place.

    Args:
        cells: The scores.

    Returns:
        The number of p-values.

    """
    tested = [(key, score, score.against) for key, score in cells.items() if score.against]
    p_values = holm([against.comparison.p for _, _, against in tested])
    for (key, score, against), p in zip(tested, p_values, strict=True):
        cells[key] = replace(score, against=replace(against, p_holm=p))
    return len(tested)


def mean_ranks(columns: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
    """Compute AvgRank (STD): the mean and population standard deviation of each method's ranks.

    Args:
        columns: The methods' values on each dataset; higher is better.

    Returns:
        Mean and standard deviation, by method.

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
    labelled = [outcome for outcome in run.outcomes if outcome.gold]
    rankings = [(outcome.predictions, outcome.gold) for outcome in labelled]
    predicted = [outcome for outcome in run.outcomes if outcome.predictions]
    phrases = [[each.text for each in outcome.predictions] for outcome in predicted]
    languages = [outcome.language for outcome in predicted]
    recall = recall_by_length(rankings, TOP, [outcome.language for outcome in labelled])
    return Properties(
        {length: (100 * share, count) for length, (share, count) in recall.items()},
        _mean(diversity(each, TOP) for each in phrases),
        100 * _mean(duplicate_ratio(each, TOP, code) for each, code in zip(phrases, languages, strict=True)),
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
