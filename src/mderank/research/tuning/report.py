"""A report on a learned style: in text for the terminal, and as a plot of the learning curve."""

from __future__ import annotations

from collections.abc import Iterator
from math import log2

from mderank.research.reports.svg import Line, line_plot, page
from mderank.research.tuning.learn import FEW, StyleReport
from mderank.research.tuning.learner import KS

_SHOWN_ABSENT = 5
_MIDDLE = KS.index(10)


def format_report(report: StyleReport) -> Iterator[str]:
    """Describe a learned style and its worth, for the terminal.

    Args:
        report: The report.

    Yields:
        Lines.
    """
    style = report.style
    yield (
        f"{style.name}: {report.documents} documents, {report.labels} labels; F1 in per cent on held-out documents, "
        f"protocol {report.protocol.name} ({report.protocol.average} average)"
    )
    yield f"  {'':<22}" + "".join(f"{f'@{k}':>10}" for k in KS)
    yield f"  {'without a style':<22}" + "".join(f"{each:>10.2f}" for each in report.before)
    yield f"  {'with the style':<22}" + "".join(f"{each:>10.2f}" for each in report.after)
    yield f"  {'difference':<22}" + "".join(f"{each:>+10.2f}" for each in report.gain)
    yield f"  {'95 % interval, low':<22}" + "".join(f"{100 * each.low:>+10.2f}" for each in report.comparisons)
    yield f"  {'95 % interval, high':<22}" + "".join(f"{100 * each.high:>+10.2f}" for each in report.comparisons)
    yield f"  learned number of phrases: {report.learned_number[1]:.1f} per document, F1 {report.learned_number[0]:.2f}"
    yield ""
    yield from _format_curve(report)
    if style.preferences:
        yield f"It prefers, compared with the default: {', '.join(style.preferences)}."
    yield f"Phrases that are part of each other: {style.overlap} (--overlap)."
    if report.absent:
        shown = ", ".join(f"'{label}' ({document})" for document, label in report.absent[:_SHOWN_ABSENT])
        yield (
            f"{len(report.absent)} of {report.labels} labels do not occur in their texts and cannot be found: "
            f"{shown}{', …' if len(report.absent) > _SHOWN_ABSENT else ''}"
        )
    yield ""
    for example in report.examples:
        yield from _format_example(example.id, example.labels, example.before, example.after)
    yield format_verdict(report)


def format_verdict(report: StyleReport) -> str:
    """Say in a sentence whether the style helps.

    Args:
        report: The report.

    Returns:
        The sentence.
    """
    if report.choice.is_default:
        return (
            "Nothing that was learned is better than the default by more than chance, so the default is kept. Label "
            "more documents, or leave it at the default."
        )
    if not report.helps:
        return "The style does not help here: on held-out documents it is no better than the default."
    if report.documents < FEW:
        return (
            f"{report.documents} documents are few: what is learned from fewer than {FEW} is mostly chance. Label more."
        )
    if report.is_certain:
        return "The style helps, and by more than chance."
    return "The style seems to help, but the intervals contain 0: it may be chance. Label more documents to find out."


def _format_curve(report: StyleReport) -> Iterator[str]:
    if not report.curve:
        return
    steps = "; ".join(
        f"with {point.documents}: {' / '.join(f'{gain:+.1f}' for gain in point.gain)}" for point in report.curve
    )
    more = forecast(report)
    expected = "" if more is None else f"; twice as many would give about {more:+.1f} at 10"
    yield f"Learning curve, gain at {', '.join(map(str, KS))} phrases: {steps}{expected}"


def forecast(report: StyleReport) -> float | None:
    """Estimate the gain at ten phrases with twice as many documents.

    The last doubling of the documents gained something; the next is taken to gain half of that.

    Args:
        report: The report.

    Returns:
        The gain in per cent; None if there is no learning curve for half of the documents.
    """
    halves = [point for point in report.curve if point.documents <= report.documents / 2]
    if not halves:
        return None
    now, then = report.gain[_MIDDLE], halves[-1].gain[_MIDDLE]
    doublings = log2(report.documents / halves[-1].documents)
    return now + max(0.0, now - then) / doublings / 2


def _format_example(
    document: str, labels: tuple[str, ...], before: tuple[str, ...], after: tuple[str, ...]
) -> Iterator[str]:
    width = max(30, *(len(phrase) + 2 for phrase in before)) if before else 30
    yield f"{document}; labels: {', '.join(labels)}"
    yield f"  {'before':<{width}}after"
    for number in range(max(len(before), len(after))):
        was = before[number] if number < len(before) else ""
        now = after[number] if number < len(after) else ""
        yield f"  {was:<{width}}{now}"
    yield ""


def plot_curve(report: StyleReport) -> str:
    """Draw the learning curve.

    Args:
        report: The report.

    Returns:
        An SVG with a style sheet of its own.
    """
    lines = [
        Line(f"gain at {k} phrases", tuple((point.documents, point.gain[number]) for point in report.curve), number)
        for number, k in enumerate(KS)
    ]
    title = f"Learning curve of {report.style.name}"
    return page([line_plot("curve", title, "Gain in F1 by number of documents", lines, ("documents", "gain in F1"))])
