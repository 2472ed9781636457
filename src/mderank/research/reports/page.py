"""The comparison as one page that needs nothing else: tables, plots, and what each method got right in the texts.

There is no script in the page: what can be chosen is chosen by CSS. All text is escaped, and a Content-Security-Policy
forbids anything but the page's own style.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice

from mderank.research.evaluation.measures import Measure
from mderank.research.evaluation.protocols import JUDGED, LENGTHS
from mderank.research.evaluation.runs import Outcome
from mderank.research.reports.document_view import SHOWN, GoldPhrase, View, occurrences, view
from mderank.research.reports.judged import JudgedSummary, judged_tables
from mderank.research.reports.run_grid import Grid
from mderank.research.reports.score_tables import (
    average_recall,
    comparison_table,
    name_of,
    property_table,
    recall_table,
    score_table,
)
from mderank.research.reports.style import STYLE
from mderank.research.reports.summary import TOP, Scores, Summary, Texts
from mderank.research.reports.svg import COLOURS, Bar, Point, bar_plot, colour, safe, scatter_plot
from mderank.util.tables import Cell, Table


def page(
    summary: Summary | None, texts: Texts | None = None, documents: int = 20, judged: JudgedSummary | None = None
) -> str:
    """The page.

    Args:
        summary: Numbers of the sets with gold keyphrases, if there are any.
        texts: The documents' texts, by set and id; documents are shown without text where they are missing.
        documents: Documents of each set that are shown.
        judged: Numbers of the judged datasets, if there are any.

    """
    summaries = [each for each in (summary, judged) if each is not None]
    grids = [each.grid for each in summaries]
    # Methods in the same order as on the page without judged datasets, so that their signs are the same.
    methods = tuple(dict.fromkeys(method for grid in grids for method in grid.methods))
    baselines = {grid.baseline for grid in grids}
    sets = sum(len(grid.datasets) for grid in grids)
    title = f"{_count(len(methods), 'method')} on {_count(sets, 'set')}"
    notes = [note for each in summaries for note in each.notes]
    parts = [
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
        f"<style>{STYLE}{_choices(len(methods))}</style></head><body>\n",
        f"<header><h1>{title}</h1>{_methods(methods, baselines)}{_notes(notes)}</header>\n<main>",
    ]
    if summary is not None:
        parts += [
            *(_protocol(summary, scores) for scores in summary.scores),
            _section("Phrase length", _recall_plots(summary), _folded("By set", table(recall_table(summary)))),
            _section("Ranking quality, diversity and cost", table(property_table(summary))),
            _documents(summary, _of(summary.grid, texts), documents) if documents else "",
        ]
    if judged is not None:
        parts.append(_judged(judged, methods, texts or {}, documents))
    return "".join([*parts, "</main></body></html>\n"])


def _of(grid: Grid, texts: Texts | None) -> Texts:
    """The texts of the grid's sets."""
    return {dataset: found for dataset, found in (texts or {}).items() if dataset in grid.datasets}


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _section(title: str, *parts: str) -> str:
    return f"<section><h2>{safe(title)}</h2>\n{''.join(parts)}</section>\n"


def _folded(title: str, content: str) -> str:
    return f"<details><summary>{safe(title)}</summary>{content}</details>\n"


def letter(number: int) -> str:
    """A short sign for a method, so that colour is never all there is to tell it by."""
    return chr(ord("A") + number) if number < 26 else str(number + 1)


def _chip(number: int, told: str = "") -> str:
    title = f' title="{safe(told)}"' if told else ""
    return f'<i class="chip {colour(number)}"{title}>{letter(number)}</i>'


def _methods(methods: Sequence[str], baselines: Collection[str]) -> str:
    items = (
        f"<li>{_chip(number)} {safe(method)}{' <small>(baseline)</small>' if method in baselines else ''}</li>"
        for number, method in enumerate(methods)
    )
    return f'<ul class="methods">{"".join(items)}</ul>'


def _notes(notes: Sequence[str]) -> str:
    if not notes:
        return ""
    items = "".join(f"<li>{safe(note)}</li>" for note in notes)
    return f'<div class="notes"><h2>Before you compare</h2><ul>{items}</ul></div>'


def table(shown: Table) -> str:
    """A table that scrolls sideways where it is too wide, its first column standing still."""
    heading = "".join(f'<th scope="col">{safe(name)}</th>' for name in shown.columns)
    lines = [
        f"<h3>{safe(shown.title)}</h3>"
        f'<div class="scroll" role="region" tabindex="0" aria-label="{safe(shown.title)}"><table>'
        f'<thead><tr><th scope="col">{safe(shown.corner)}</th>{heading}</tr></thead>\n'
    ]
    for block in shown.blocks:
        lines.append("<tbody>")
        if block.name:
            filler = f'<td colspan="{len(shown.columns)}"></td>'
            lines.append(f'<tr class="block"><th scope="rowgroup">{safe(block.name)}</th>{filler}</tr>\n')
        for row in block.rows:
            cells = "".join(f"<td>{_cell(cell)}</td>" for cell in row.cells)
            lines.append(f'<tr><th scope="row">{safe(row.name)}</th>{cells}</tr>\n')
        lines.append("</tbody>")
    return "".join([*lines, "</table></div>", f'<p class="legend">{safe(shown.legend)}</p>\n' * bool(shown.legend)])


def _cell(cell: Cell) -> str:
    text = {1: "<strong>{}</strong>", 2: "<u>{}</u>"}.get(cell.place, "{}").format(safe(cell.text))
    return f"{text}<sup>{safe(cell.mark)}</sup>" if cell.mark else text


def _protocol(summary: Summary, scores: Scores) -> str:
    shown = score_table(summary, scores)
    measure = plotted(summary)
    parts = [table(shown), _set_plots(summary, scores, measure), _cost_plot(summary, scores, measure)]
    if scores.comparisons:
        parts.append(_against(comparison_table(summary.grid, summary.measures, scores)))
    return _section(f"Protocol {scores.protocol.name}", *parts)


def _against(shown: Table) -> str:
    return _folded(f"{shown.title}: differences, intervals, p-values", table(shown))


def plotted(summary: Summary) -> Measure:
    """The measure that is drawn: F1@10 if it is there."""
    usual = Measure("F1", 10)
    return usual if usual in summary.measures else summary.measures[0]


def _set_plots(summary: Summary, scores: Scores, measure: Measure) -> str:
    grid = summary.grid
    cells = {(method, dataset): score for (method, dataset, each), score in scores.cells.items() if each == measure}
    limit = max((score.high for score in cells.values()), default=0.0)
    plots: list[tuple[str, str]] = []
    for dataset in grid.datasets:
        bars = [
            Bar(f"{letter(number)} {method}", cells[method, dataset].value, number, score.low, score.high)
            for number, method in enumerate(grid.methods)
            if (score := cells.get((method, dataset)))
        ]
        name = f"{scores.protocol.name}-{len(plots)}"
        plots.append((dataset, bar_plot(name, f"{name_of(measure)} on {dataset}", _listed(bars), bars, limit)))
    return _plots(f"{name_of(measure)} by set, with 95 % intervals", plots)


def _listed(bars: Sequence[Bar]) -> str:
    return "; ".join(
        f"{bar.label} {bar.value:.2f}" + ("" if bar.low is None else f", {bar.low:.2f} to {bar.high:.2f}")
        for bar in bars
    )


def _plots(title: str, plots: Sequence[tuple[str, str]]) -> str:
    """Small plots side by side, as many as there is room for."""
    figures = "".join(f"<figure><figcaption>{safe(name)}</figcaption>{svg}</figure>" for name, svg in plots)
    return f'<h3>{safe(title)}</h3><div class="plots">{figures}</div>\n'


def _cost_plot(summary: Summary, scores: Scores, measure: Measure) -> str:
    grid = summary.grid
    points = []
    for number, method in enumerate(grid.methods):
        times = [summary.properties[method, dataset].seconds for dataset in grid.common]
        value = scores.averages.get((method, measure))
        if value is not None and sum(times) > 0:
            points.append(Point(f"{letter(number)} {method}", sum(times) / len(times), value, number))
    title = f"{name_of(measure)}, mean over {', '.join(grid.common)}, against time"
    if not points:
        return ""
    told = "; ".join(f"{point.label} {point.y:.2f} at {point.x:.3g} s" for point in points)
    axes = (
        "seconds a document, logarithmic",
        f"{name_of(measure)}, {'per cent' if measure.scale == 100 else 'phrases'}",
    )
    plot = scatter_plot(f"{scores.protocol.name}-cost", title, told, points, axes)
    return f'<h3>{safe(title)}</h3><figure class="wide">{plot}</figure>\n'


def _recall_plots(summary: Summary) -> str:
    grid = summary.grid
    if not grid.common:
        return ""
    recalls = [average_recall(summary, method) for method in grid.methods]
    limit = max(max(recall) for recall in recalls)
    plots: list[tuple[str, str]] = []
    for index, length in enumerate(LENGTHS):
        bars = [
            Bar(f"{letter(number)} {method}", recalls[number][index], number)
            for number, method in enumerate(grid.methods)
        ]
        name = f"{length.replace('>', 'more than ')} word{'' if length == '1' else 's'}"
        plots.append((name, bar_plot(f"recall-{index}", f"Recall of phrases of {name}", _listed(bars), bars, limit)))
    where = ", ".join(grid.common)
    return _plots(f"Recall among the first {TOP} by words of the gold phrase, mean over {where}, per cent", plots)


def _choices(methods: int) -> str:
    """The style that shows the hits of one method only, once it is chosen."""
    rules = []
    for number in range(methods):
        chosen = f"#documents:has(#only{number}:checked)"
        rules.append(f"{chosen} .text mark:not(.m{number}) {{ background: none; }}")
        rules.append(f"{chosen} .text .chip:not(.m{number}) {{ display: none; }}")
        rules.append(f"{chosen} mark.m{number} {{ --c: var(--c{number % COLOURS}); }}")
    return "\n".join(rules)


def _documents(summary: Summary, texts: Texts, limit: int) -> str:
    grid = summary.grid
    numbers = {method: number for number, method in enumerate(grid.methods)}
    parts = [
        f"<p>Gold phrases are <span class=gold>underlined</span>; those that a method has among its first {TOP} are "
        "<mark class=gold>highlighted</mark>, with the sign of each such method where they first stand. Phrases are "
        "alike if their stems are.</p>",
        "" if texts else '<p class="note">The texts are not shown: name the folder with the sets (--data-dir).</p>',
        _chooser(grid.methods) if texts else "",
    ]
    for dataset in grid.datasets:
        views = list(islice(_views(summary, dataset), limit))
        parts.append(f"<h3>{safe(dataset)}: the first {_count(len(views), 'document')}</h3>")
        parts += [_document(each, texts.get(dataset, {}).get(each.id), numbers) for each in views]
    return f'<section id="documents"><h2>Documents</h2>\n{"".join(parts)}</section>\n'


def _views(summary: Summary, dataset: str) -> Iterator[View]:
    """The documents of a set, those of the first method's run first."""
    runs = summary.grid.on(dataset)
    outcomes = {method: {outcome.id: outcome for outcome in run.outcomes} for method, run in runs.items()}
    for document in dict.fromkeys(document for found in outcomes.values() for document in found):
        yield view({method: found[document] for method, found in outcomes.items() if document in found})


def _chooser(methods: Sequence[str]) -> str:
    choices = ['<label><input type="radio" name="only" checked> all methods</label>']
    for number, method in enumerate(methods):
        choices.append(
            f'<label><input type="radio" name="only" id="only{number}"> {_chip(number)} {safe(method)}</label>'
        )
    return f"<fieldset><legend>Highlight what was found by</legend>{''.join(choices)}</fieldset>"


def _document(shown: View, text: str | None, numbers: dict[str, int]) -> str:
    found = " ".join(f"{_chip(numbers[method])} {shown.found(method)}" for method in shown.predictions)
    beginning = f"<span>{safe(' '.join(text.split())[:90])}…</span>" if text else ""
    return (
        f'<details class="document"><summary><b>{safe(shown.id)}</b> {beginning}'
        f'<span class="found">right of the first {SHOWN}: {found} · gold {len(shown.gold)}</span></summary>'
        f'<div class="columns">{_text(text, shown, numbers) if text else ""}'
        f"<div>{_ranks(shown, numbers)}</div></div>{_predictions(shown, numbers)}</details>\n"
    )


def _text(text: str, shown: View, numbers: dict[str, int]) -> str:
    parts = []
    position = 0
    seen: set[str] = set()
    for start, end, phrase in occurrences(text, shown.gold):
        parts.append(safe(text[position:start]))
        parts.append(_occurrence(text[start:end], phrase, numbers, first=phrase.stems not in seen))
        seen.add(phrase.stems)
        position = end
    return f'<div class="text">{"".join(parts)}{safe(text[position:])}</div>'


def _occurrence(text: str, phrase: GoldPhrase, numbers: dict[str, int], first: bool) -> str:
    methods = phrase.found_by
    if not methods:
        return f'<span class="gold">{safe(text)}</span>'
    classes = " ".join(f"m{numbers[method]}" for method in methods)
    chips = "".join(
        f'<i class="chip {colour(numbers[method])} m{numbers[method]}" '
        f'title="{safe(f"{method}: rank {phrase.ranks[method]}")}">{letter(numbers[method])}</i>'
        for method in methods
    )
    return f'<mark class="gold {classes}">{safe(text)}</mark>{chips if first else ""}'


def _ranks(shown: View, numbers: dict[str, int]) -> str:
    """Gold phrases by methods: at which rank each has it."""
    heading = "".join(f'<th scope="col">{_chip(numbers[method], method)}</th>' for method in shown.predictions)
    rows = []
    for phrase in shown.gold:
        cells = "".join(f"<td>{_rank(phrase.ranks.get(method))}</td>" for method in shown.predictions)
        rows.append(f'<tr><th scope="row">{safe(phrase.text)}</th>{cells}</tr>')
    return (
        f'<table class="ranks"><caption>Rank of each gold phrase</caption><thead><tr><th scope="col">gold phrase</th>'
        f"{heading}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


def _rank(rank: int | None) -> str:
    if rank is None:
        return '<span class="dim">–</span>'
    return f"<strong>{rank}</strong>" if rank <= TOP else f'<span class="dim">{rank}</span>'


def _predictions(shown: View, numbers: dict[str, int]) -> str:
    """Each method's first predictions, what is right in bold."""
    lists = []
    for method, predictions in shown.predictions.items():
        items = "".join(
            f"<li><strong>{safe(text)}</strong></li>" if right else f"<li>{safe(text)}</li>"
            for text, right in predictions
        )
        lists.append(f"<div><h4>{_chip(numbers[method])} {safe(method)}</h4><ol>{items}</ol></div>")
    return f'<div class="lists">{"".join(lists)}</div>'


def _judged(summary: JudgedSummary, methods: Sequence[str], texts: Texts, limit: int) -> str:
    """The judged datasets: their tables, and the methods' lists with what is acceptable and what is junk."""
    grid = summary.grid
    numbers = {method: number for number, method in enumerate(methods)}
    first, *others = judged_tables(summary)
    parts = [table(first), *(_folded(each.title, table(each)) for each in others)]
    if summary.scores and summary.scores.comparisons:
        parts.append(_against(comparison_table(grid, summary.measures, summary.scores)))
    if limit:
        parts.append("<p><strong>✓ acceptable</strong>, <s>✗ junk</s>; phrases without a sign are not judged.</p>")
    for dataset in grid.datasets if limit else ():
        outcomes = {
            method: {outcome.id: outcome for outcome in run.outcomes} for method, run in grid.on(dataset).items()
        }
        ids = list(dict.fromkeys(document for found in outcomes.values() for document in found))[:limit]
        parts.append(f"<h3>{safe(dataset)}: the first {_count(len(ids), 'document')}</h3>")
        for document in ids:
            shown = {method: found[document] for method, found in outcomes.items() if document in found}
            parts.append(_judged_document(shown, texts.get(dataset, {}).get(document), numbers))
    return f'<section id="judged"><h2>Judged lists</h2>\n{"".join(parts)}</section>\n'


def _judged_document(outcomes: Mapping[str, Outcome], text: str | None, numbers: Mapping[str, int]) -> str:
    first = next(iter(outcomes.values()))
    lists = "".join(
        f"<div><h4>{_chip(numbers[method])} {safe(method)}</h4><ol>{_judged_items(outcome)}</ol></div>"
        for method, outcome in outcomes.items()
    )
    shown = f'<div class="text">{safe(text)}</div>' if text else ""
    return (
        f'<details class="document"><summary><b>{safe(first.id)}</b> {safe(first.kind)}</summary>'
        f'{shown}<div class="lists">{lists}</div></details>\n'
    )


def _judged_items(outcome: Outcome) -> str:
    judgement = outcome.judge(JUDGED)
    if judgement is None:
        return ""
    items = []
    for phrase, acceptable, junk in zip(judgement.phrases, judgement.hits, judgement.junk, strict=True):
        if acceptable:
            items.append(f"<li><strong>✓ {safe(phrase)}</strong></li>")
        else:
            items.append(f"<li><s>✗ {safe(phrase)}</s></li>" if junk else f"<li>{safe(phrase)}</li>")
    return "".join(items)
