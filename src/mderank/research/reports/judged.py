"""Comparisons on judged datasets: shares of acceptable phrases and of junk in the lists that users get.

A table has a column per measure, since the measures belong together. A second table is by kind of document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from mderank.research.evaluation.measures import JUDGED_MEASURES, Measure
from mderank.research.evaluation.protocols import JUDGED
from mderank.research.evaluation.runs import DocumentOutcome
from mderank.research.reports.run_grid import RunGrid, notes
from mderank.research.reports.summary import LEVEL, Key, ProtocolScores, Score, compute_scores, correct_p_values, judge
from mderank.util.tables import BETTER, NOTHING, WORSE, Best, Block, Cell, Row, Table, number, with_places

FURTHER_COLUMNS = ("phrases", "on empty")


@dataclass(frozen=True)
class Lists:
    """A method's lists on some documents.

    Attributes:
        documents: Number of documents.
        values: Each measure's value, in per cent or in phrases per document.
        phrases: Mean number of phrases per document.
        empty_documents: Documents without an acceptable phrase.
        on_empty: Phrases that were returned on these.
        seconds: Mean time per document.

    """

    documents: int
    values: Mapping[Measure, float]
    phrases: float
    empty_documents: int
    on_empty: int
    seconds: float


@dataclass(frozen=True)
class JudgedSummary:
    """All numbers of a comparison on judged datasets.

    Attributes:
        grid: The runs.
        measures: The measures.
        lists: The lists by method and dataset.
        kinds: The lists by method, dataset and kind of document.
        scores: The tested scores; None if nothing was tested.
        notes: Notes on the runs.

    """

    grid: RunGrid
    measures: tuple[Measure, ...]
    lists: Mapping[tuple[str, str], Lists]
    kinds: Mapping[tuple[str, str, str], Lists]
    scores: ProtocolScores | None
    notes: tuple[str, ...]


def summarise_judged(
    grid: RunGrid,
    measures: Sequence[Measure] = JUDGED_MEASURES,
    advance: Callable[[], object] = lambda: None,
    further_notes: Sequence[str] = (),
    *,
    tested: bool = True,
) -> JudgedSummary:
    """Compute all numbers of a comparison on judged datasets.

    Args:
        grid: Runs on judged datasets.
        measures: The measures.
        advance: Called after each dataset.
        further_notes: Further notes on the runs.
        tested: Whether to compute intervals, and to test methods against the baseline.

    Returns:
        The numbers.

    """
    lists: dict[tuple[str, str], Lists] = {}
    kinds: dict[tuple[str, str, str], Lists] = {}
    cells: dict[Key, Score] = {}
    for dataset in grid.datasets:
        runs = grid.on(dataset)
        for method, run in runs.items():
            lists[method, dataset] = _lists(run.outcomes, measures)
            by_kind: dict[str, list[DocumentOutcome]] = {}
            for outcome in run.outcomes:
                by_kind.setdefault(outcome.kind, []).append(outcome)
            kinds |= {(method, dataset, kind): _lists(by_kind[kind], measures) for kind in sorted(by_kind)}
        if tested:
            judged = {JUDGED: {method: judge(run, JUDGED) for method, run in runs.items()}}
            for (_, method, measure), score in compute_scores(judged, measures, grid.baseline).items():
                cells[method, dataset, measure] = score
        advance()
    tests = correct_p_values(cells)
    scores = ProtocolScores(JUDGED, cells, {}, {}, {}, tests) if tested else None
    return JudgedSummary(grid, tuple(measures), lists, kinds, scores, (*notes(grid), *further_notes))


def _lists(outcomes: Sequence[DocumentOutcome], measures: Sequence[Measure]) -> Lists:
    judgements = [judgement for each in outcomes if (judgement := each.judge(JUDGED)) is not None]
    empty = [outcome for outcome in outcomes if not outcome.gold]
    count = max(1, len(outcomes))
    return Lists(
        len(outcomes),
        {measure: measure.scale * measure.over(judgements, JUDGED.average) for measure in measures},
        sum(len(outcome.predictions) for outcome in outcomes) / count,
        len(empty),
        sum(len(outcome.predictions) for outcome in empty),
        sum(outcome.seconds for outcome in outcomes) / count,
    )


def list_table(summary: JudgedSummary) -> Table:
    """Make the table with a row per method, a column per measure and a block per dataset."""
    grid = summary.grid
    blocks = []
    for dataset in grid.datasets:
        found = {method: summary.lists[method, dataset] for method in grid.on(dataset)}
        rows = [
            Row(method, (*_cells(summary, each, method, dataset), number(each.seconds, 3)))
            for method, each in found.items()
        ]
        documents = max(each.documents for each in found.values())
        blocks.append(Block(f"{dataset}, {_documents(documents)}", with_places(rows, [*_best(summary), None])))
    legend = [
        "acceptable and junk: per cent of all phrases shown; redundancy: phrases per document that stand in another or "
        "contain one; phrases: per document; on empty: phrases in so many documents that have no acceptable phrase."
    ]
    if summary.scores and summary.scores.comparisons:
        legend.append(
            f"{BETTER}\u00a0better, {WORSE}\u00a0worse than {grid.baseline} on the same documents: p < {LEVEL}, paired "
            f"randomisation test, Holm's correction over the table's {summary.scores.comparisons} tests."
        )
    columns = (*map(str, summary.measures), *FURTHER_COLUMNS, "s/doc")
    return Table("Judged lists, as users get them", "Method", columns, tuple(blocks), " ".join(legend))


def kind_table(summary: JudgedSummary) -> Table:
    """Make the table by kind of document, with a block per kind."""
    blocks = []
    for dataset, kind in dict.fromkeys((dataset, kind) for _, dataset, kind in summary.kinds):
        methods = [method for method in summary.grid.methods if (method, dataset, kind) in summary.kinds]
        found = {method: summary.kinds[method, dataset, kind] for method in methods}
        rows = [Row(method, tuple(_cells(summary, each))) for method, each in found.items()]
        documents = max(each.documents for each in found.values())
        named = f"{dataset}, {kind or NOTHING}, {_documents(documents)}"
        blocks.append(Block(named, with_places(rows, _best(summary))))
    columns = (*map(str, summary.measures), *FURTHER_COLUMNS)
    return Table("Judged lists by kind of document", "Method", columns, tuple(blocks))


def judged_tables(summary: JudgedSummary) -> list[Table]:
    """Make the table of methods, and that of kinds of documents if there is more than one kind."""
    several = len({(dataset, kind) for _, dataset, kind in summary.kinds}) > len(summary.grid.datasets)
    return [list_table(summary), *([kind_table(summary)] if several else [])]


def _cells(summary: JudgedSummary, lists: Lists, method: str = "", dataset: str = "") -> Iterator[Cell]:
    for measure in summary.measures:
        score = summary.scores.cells.get((method, dataset, measure)) if summary.scores else None
        verdict = score.against.verdict if score and score.against else 0
        yield number(lists.values[measure], mark={1: BETTER, -1: WORSE}.get(verdict, ""))
    yield number(lists.phrases, 1)
    on_empty = Cell(f"{lists.on_empty} in {lists.empty_documents}", lists.on_empty)
    yield on_empty if lists.empty_documents else Cell(NOTHING)


def _best(summary: JudgedSummary) -> list[Best | None]:
    best: list[Best | None] = ["lowest" if each.lower_is_better else "highest" for each in summary.measures]
    return [*best, None, "lowest"]


def _documents(count: int) -> str:
    return f"{count} document{'' if count == 1 else 's'}"


def judged_values(summary: JudgedSummary) -> Iterator[tuple[str, str, str, float]]:
    """Yield the dataset, method, name and value of every number that is not tested."""
    for (method, dataset), lists in summary.lists.items():
        yield dataset, method, "phrases per document", lists.phrases
        if lists.empty_documents:
            yield dataset, method, "phrases on empty documents", lists.on_empty
        if lists.seconds > 0:
            yield dataset, method, "documents per second", 1 / lists.seconds
    for (method, dataset, kind), lists in summary.kinds.items():
        for measure, value in lists.values.items():
            yield dataset, method, f"{measure} kind {kind}", value
