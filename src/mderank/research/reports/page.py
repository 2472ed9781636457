"""The comparison of runs as one self-contained page (``templates/comparison.html``).

The page has tables, plots, and the documents with the phrases that each method got right. It has no script: choices are
radio buttons and CSS.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from mderank.research.evaluation.measures import Measure
from mderank.research.evaluation.protocols import JUDGED, LENGTHS
from mderank.research.evaluation.runs import DocumentOutcome, Run
from mderank.research.reports.document_view import SHOWN, GoldPhrase, View, occurrences, view
from mderank.research.reports.judged import JudgedSummary, judged_tables
from mderank.research.reports.score_tables import (
    average_recall,
    comparison_table,
    name_of,
    property_table,
    recall_table,
    score_table,
)
from mderank.research.reports.summary import TOP, ProtocolScores, Summary, Texts
from mderank.research.reports.svg import Bar, Point, bar_plot, colour, scatter_plot
from mderank.util.html import render_page
from mderank.util.tables import Table

if TYPE_CHECKING:
    from markupsafe import Markup


class Figure(NamedTuple):
    """A plot with its caption; ``svg`` is markup."""

    caption: str
    svg: Markup


class _PlotGroup(NamedTuple):
    title: str
    figures: list[Figure]


class _Protocol(NamedTuple):
    name: str
    table: Table
    plots: _PlotGroup
    cost: Figure | None
    comparison: Table | None


class _Recall(NamedTuple):
    plots: _PlotGroup | None
    table: Table


class _Piece(NamedTuple):
    """Text before a gold keyphrase, and the keyphrase; ``first`` says that it is the phrase's first occurrence."""

    before: str
    text: str = ""
    phrase: GoldPhrase | None = None
    first: bool = False


class _Document(NamedTuple):
    view: View
    beginning: str
    pieces: list[_Piece]


class _JudgedDocument(NamedTuple):
    id: str
    kind: str
    text: str
    lists: dict[str, list[tuple[str, bool, bool]]]  # phrase, acceptable, junk


class _Dataset(NamedTuple):
    name: str
    documents: Sequence[_Document | _JudgedDocument]


class _Documents(NamedTuple):
    methods: Sequence[str]
    has_texts: bool
    datasets: list[_Dataset]


class _Judged(NamedTuple):
    tables: list[Table]
    comparison: Table | None
    datasets: list[_Dataset]


def comparison_page(
    summary: Summary | None, texts: Texts | None = None, documents: int = 20, judged: JudgedSummary | None = None
) -> str:
    """Write the page.

    Args:
        summary: Numbers of the datasets with gold keyphrases, if there are any.
        texts: The documents' texts, by dataset and id; documents are shown without text where they are missing.
        documents: Documents of each dataset that are shown.
        judged: Numbers of the judged datasets, if there are any.

    Returns:
        A self-contained HTML page.
    """
    summaries = [each for each in (summary, judged) if each is not None]
    grids = [each.grid for each in summaries]
    # Methods in the same order as on the page without judged datasets, so that their letters are the same.
    methods = tuple(dict.fromkeys(method for grid in grids for method in grid.methods))
    datasets = sum(len(grid.datasets) for grid in grids)
    return render_page(
        "comparison.html",
        title=f"{_count(len(methods), 'method')} on {_count(datasets, 'dataset')}",
        methods=methods,
        numbers={method: number for number, method in enumerate(methods)},
        baselines={grid.baseline for grid in grids},
        all_notes=[note for each in summaries for note in each.notes],
        protocols=[_build_protocol(summary, scores) for scores in summary.scores] if summary else [],
        recall=_Recall(_recall_plots(summary), recall_table(summary)) if summary else None,
        properties=property_table(summary) if summary else None,
        documents=_build_documents(summary, texts or {}, documents) if summary and documents else None,
        judged=_build_judged(judged, texts or {}, documents) if judged else None,
        colour=colour,
        letter=letter,
        top=TOP,
        shown_predictions=SHOWN,
    )


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def letter(number: int) -> str:
    """Return a method's letter, so that colour is not the only sign of a method.

    Args:
        number: number of the method, from 0.

    Returns:
        A to Z, then numbers from 27.
    """
    return chr(ord("A") + number) if number < 26 else str(number + 1)


def _build_protocol(summary: Summary, scores: ProtocolScores) -> _Protocol:
    measure = plotted_measure(summary)
    return _Protocol(
        scores.protocol.name,
        score_table(summary, scores),
        _dataset_plots(summary, scores, measure),
        _cost_plot(summary, scores, measure),
        comparison_table(summary.grid, summary.measures, scores) if scores.comparisons else None,
    )


def plotted_measure(summary: Summary) -> Measure:
    """Return the measure that the plots show.

    Args:
        summary: the compared runs.

    Returns:
        F1@10 if it was measured, otherwise the first measure.
    """
    usual = Measure("F1", 10)
    return usual if usual in summary.measures else summary.measures[0]


def _figure(caption: str, svg: str) -> Figure:
    from markupsafe import Markup

    return Figure(caption, Markup(svg))  # svg.py escapes its text


def _dataset_plots(summary: Summary, scores: ProtocolScores, measure: Measure) -> _PlotGroup:
    grid = summary.grid
    cells = {(method, dataset): score for (method, dataset, each), score in scores.cells.items() if each == measure}
    limit = max((score.high for score in cells.values()), default=0.0)
    figures: list[Figure] = []
    for dataset in grid.datasets:
        bars = [
            Bar(f"{letter(number)} {method}", cells[method, dataset].value, number, score.low, score.high)
            for number, method in enumerate(grid.methods)
            if (score := cells.get((method, dataset)))
        ]
        name = f"{scores.protocol.name}-{len(figures)}"
        plot = bar_plot(name, f"{name_of(measure)} on {dataset}", _describe_bars(bars), bars, limit)
        figures.append(_figure(dataset, plot))
    return _PlotGroup(f"{name_of(measure)} by dataset, with 95 % intervals", figures)


def _describe_bars(bars: Sequence[Bar]) -> str:
    return "; ".join(
        f"{bar.label} {bar.value:.2f}" + ("" if bar.low is None else f", {bar.low:.2f} to {bar.high:.2f}")
        for bar in bars
    )


def _cost_plot(summary: Summary, scores: ProtocolScores, measure: Measure) -> Figure | None:
    grid = summary.grid
    points = []
    for number, method in enumerate(grid.methods):
        times = [summary.properties[method, dataset].seconds for dataset in grid.common]
        value = scores.averages.get((method, measure))
        if value is not None and sum(times) > 0:
            points.append(Point(f"{letter(number)} {method}", sum(times) / len(times), value, number))
    if not points:
        return None
    title = f"{name_of(measure)}, mean over {', '.join(grid.common)}, against time"
    description = "; ".join(f"{point.label} {point.y:.2f} at {point.x:.3g} s" for point in points)
    axes = (
        "seconds per document, logarithmic",
        f"{name_of(measure)}, {'per cent' if measure.scale == 100 else 'phrases'}",
    )
    return _figure(title, scatter_plot(f"{scores.protocol.name}-cost", title, description, points, axes))


def _recall_plots(summary: Summary) -> _PlotGroup | None:
    grid = summary.grid
    if not grid.common:
        return None
    recalls = [average_recall(summary, method) for method in grid.methods]
    limit = max(max(recall) for recall in recalls)
    figures: list[Figure] = []
    for index, length in enumerate(LENGTHS):
        bars = [
            Bar(f"{letter(number)} {method}", recalls[number][index], number)
            for number, method in enumerate(grid.methods)
        ]
        name = f"{length.replace('>', 'more than ')} word{'' if length == '1' else 's'}"
        plot = bar_plot(f"recall-{index}", f"Recall of phrases of {name}", _describe_bars(bars), bars, limit)
        figures.append(_figure(name, plot))
    where = ", ".join(grid.common)
    return _PlotGroup(
        f"Recall among the first {TOP} by words of the gold keyphrase, mean over {where}, per cent", figures
    )


def _build_documents(summary: Summary, texts: Texts, limit: int) -> _Documents:
    grid = summary.grid
    ours = {dataset: texts[dataset] for dataset in grid.datasets if dataset in texts}
    datasets = []
    for dataset in grid.datasets:
        views = islice(_views(grid.on(dataset)), limit)
        datasets.append(
            _Dataset(dataset, [_build_document(each, ours.get(dataset, {}).get(each.id)) for each in views])
        )
    return _Documents(grid.methods, bool(ours), datasets)


def _views(runs: Mapping[str, Run]) -> Iterator[View]:
    """Yield the documents of a dataset, those of the first method's run first."""
    outcomes = {method: {outcome.id: outcome for outcome in run.outcomes} for method, run in runs.items()}
    for document in dict.fromkeys(document for found in outcomes.values() for document in found):
        yield view({method: found[document] for method, found in outcomes.items() if document in found})


def _build_document(shown: View, text: str | None) -> _Document:
    beginning = " ".join(text.split())[:90] if text else ""
    return _Document(shown, beginning, _split_text(text, shown) if text else [])


def _split_text(text: str, shown: View) -> list[_Piece]:
    pieces = []
    position = 0
    seen: set[str] = set()
    for start, end, phrase in occurrences(text, shown.gold, shown.language):
        pieces.append(_Piece(text[position:start], text[start:end], phrase, phrase.stems not in seen))
        seen.add(phrase.stems)
        position = end
    return [*pieces, _Piece(text[position:])]


def _build_judged(summary: JudgedSummary, texts: Texts, limit: int) -> _Judged:
    """Return the judged datasets: their tables, and the methods' lists with acceptable phrases and junk."""
    grid = summary.grid
    scores = summary.scores
    datasets = []
    for dataset in grid.datasets if limit else ():
        outcomes = {
            method: {outcome.id: outcome for outcome in run.outcomes} for method, run in grid.on(dataset).items()
        }
        ids = list(dict.fromkeys(document for found in outcomes.values() for document in found))[:limit]
        documents = []
        for document in ids:
            found = {method: each[document] for method, each in outcomes.items() if document in each}
            documents.append(_build_judged_document(found, texts.get(dataset, {}).get(document)))
        datasets.append(_Dataset(dataset, documents))
    comparison = comparison_table(grid, summary.measures, scores) if scores and scores.comparisons else None
    return _Judged(list(judged_tables(summary)), comparison, datasets)


def _build_judged_document(outcomes: Mapping[str, DocumentOutcome], text: str | None) -> _JudgedDocument:
    first = next(iter(outcomes.values()))
    lists = {method: _judge_phrases(outcome) for method, outcome in outcomes.items()}
    return _JudgedDocument(first.id, first.kind, text or "", lists)


def _judge_phrases(outcome: DocumentOutcome) -> list[tuple[str, bool, bool]]:
    judgement = outcome.judge(JUDGED)
    if judgement is None:
        return []
    return list(zip(judgement.phrases, judgement.hits, judgement.junk, strict=True))
