"""Small plots as inline SVG: bars with their intervals, points on a logarithmic axis, lines.

A plot is a string. It has a title and a description for those who do not see it, takes its colours from the page
(class ``cN`` is the colour of series N), and is laid out so that it can be read at the width of a phone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

from mderank.util.html import escape_text

COLOURS = 8  # series after that begin again with the first colour; labels tell them apart

# Of both plots, in units that are pixels at full width.
_WIDTH, _WIDEST = 300, 360
_ROW = 34  # label and bar
_TOP, _BOTTOM = 8, 24
_SCATTER_WIDTH, _SCATTER_HEIGHT = 480, 320
_LEFT, _RIGHT = 46, 14
_LABEL = 7.0  # the average width of a letter, to keep labels apart
_SHIFTS = (-13, 13, -26, 26, -39, 39)  # up and down, in lines


@dataclass(frozen=True)
class Bar:
    """A labelled value.

    Attributes:
        label: The label.
        value: The value.
        series: The number of its colour.
        low: Lower end of its interval, if it has one.
        high: Upper end of its interval.

    """

    label: str
    value: float
    series: int
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class Point:
    """A labelled point.

    Attributes:
        label: The label.
        x: Its x value, above 0.
        y: Its y value.
        series: The number of its colour.

    """

    label: str
    x: float
    y: float
    series: int


@dataclass(frozen=True)
class Line:
    """A labelled line.

    Attributes:
        label: The label.
        points: Its points, by rising x.
        series: The number of its colour.

    """

    label: str
    points: Sequence[tuple[float, float]]
    series: int


@dataclass(frozen=True)
class ValuePair:
    """A labelled pair of values.

    Attributes:
        label: The label.
        reference: The reference value; may be missing.
        measured: The measured value; may be missing.
        series: The number of its colour.

    """

    label: str
    reference: float | None
    measured: float | None
    series: int


def colour(series: int) -> str:
    """The class that has a series' colour."""
    return f"c{series % COLOURS}"


def ticks(limit: float, about: int = 4) -> list[float]:
    """Round numbers from 0 to ``limit`` or just beyond, about so many.

    >>> ticks(37.2)
    [0.0, 10.0, 20.0, 30.0, 40.0]
    """
    step = _round_step(limit / about) if limit > 0 else 1.0
    return [step * number for number in range(ceil(limit / step - 1e-9) + 1)] if limit > 0 else [0.0, 1.0]


def span(low: float, high: float, about: int = 4) -> list[float]:
    """Round numbers from just below ``low`` to just above ``high``, about so many.

    >>> span(16.2, 28.4)
    [15.0, 20.0, 25.0, 30.0]
    """
    step = _round_step(max(high - low, abs(high) / 20, 0.1) / about)
    first = floor(low / step + 1e-9)
    return [step * number for number in range(first, max(ceil(high / step - 1e-9), first + 1) + 1)]


def _round_step(step: float) -> float:
    """The round number nearest above ``step``: 1, 2, 2.5 or 5 times a power of ten."""
    power = 10.0 ** floor(log10(step))
    return next(each * power for each in (1, 2, 2.5, 5, 10) if each * power >= step - 1e-12)


def powers(low: float, high: float) -> list[float]:
    """The powers of ten around two positive numbers.

    >>> powers(0.003, 0.9)
    [0.001, 0.01, 0.1, 1.0]
    """
    first, last = floor(log10(low) + 1e-9), ceil(log10(high) - 1e-9)
    return [float(f"1e{exponent}") for exponent in range(first, max(last, first + 1) + 1)]


def bar_plot(name: str, title: str, description: str, bars: Sequence[Bar], limit: float) -> str:
    """Horizontal bars from 0, one below the other; plots with the same ``limit`` can be compared.

    ``name`` is unique on the page.
    """
    marks = ticks(limit)
    scale = (_WIDTH - 2 * _TOP) / marks[-1]
    height = _TOP + _ROW * len(bars) + _BOTTOM
    parts = [*_frame(name, title, description, _WIDTH, height), *_value_axis(marks, scale, height)]
    for number, bar in enumerate(bars):
        parts += _bar(bar, _TOP + _ROW * number, scale)
    return "".join([*parts, "</svg>"])


def _value_axis(marks: Sequence[float], scale: float, height: float) -> Iterator[str]:
    """Yield the grid lines and numbers of plots whose rows are labelled."""
    for mark in marks:
        x = _TOP + scale * mark
        yield _line(x, _TOP, x, height - _BOTTOM, "grid")
        yield _text(x, height - 8, _short(mark), "tick", _anchor(mark, marks))


def _bar(bar: Bar, y: float, scale: float) -> Iterator[str]:
    start, middle = _TOP, y + 24
    shown = f"{bar.value:.2f}"
    room = int((_WIDTH - 2 * _TOP) / _LABEL) - len(shown) - 2
    label = bar.label if len(bar.label) <= room else bar.label[: room - 1] + "…"
    yield f'<g class="{colour(bar.series)}"><title>{escape_text(_describe_bar(bar))}</title>'
    yield _text(start, y + 14, label, "label")
    yield _text(_WIDTH - _TOP, y + 14, shown, "value", "end")
    yield f'<rect class="bar" x="{start}" y="{y + 19}" width="{_n(scale * max(bar.value, 0))}" height="10" rx="2"/>'
    if bar.low is not None and bar.high is not None:
        low, high = start + scale * bar.low, start + scale * bar.high
        yield _line(low, middle, high, middle, "error")
        yield _line(low, middle - 4, low, middle + 4, "error") + _line(high, middle - 4, high, middle + 4, "error")
    yield "</g>"


def _describe_bar(bar: Bar) -> str:
    between = "" if bar.low is None or bar.high is None else f" ({bar.low:.2f} to {bar.high:.2f})"
    return f"{bar.label}: {bar.value:.2f}{between}"


def pair_plot(name: str, title: str, description: str, pairs: Sequence[ValuePair], limit: float) -> str:
    """Draw pairs below each other: a ring for the reference, a dot for the measured value, a line between them.

    The plot grows with its labels, up to `_WIDEST`. Longer labels are cut, and complete in the tooltip.

    Args:
        name: The plot's id.
        title: Its title.
        description: The plot in words, for screen readers.
        pairs: The pairs.
        limit: The largest value of the axis, at least.

    Returns:
        The SVG.

    """
    marks = ticks(limit)
    needed = _LABEL * (max((len(pair.label) for pair in pairs), default=0) + 1 + len("10.00 → 20.00")) + 2 * _TOP
    width = min(max(_WIDTH, needed), _WIDEST)
    scale = (width - 2 * _TOP) / marks[-1]
    height = _TOP + _ROW * len(pairs) + _BOTTOM
    parts = [*_frame(name, title, description, width, height), *_value_axis(marks, scale, height)]
    for number, pair in enumerate(pairs):
        parts += _pair(pair, _TOP + _ROW * number, width, scale)
    return "".join([*parts, "</svg>"])


def _pair(pair: ValuePair, y: float, width: float, scale: float) -> Iterator[str]:
    shown = " → ".join("" if value is None else f"{value:.2f}" for value in (pair.reference, pair.measured))
    room = int((width - 2 * _TOP) / _LABEL) - len(shown) - 1
    label = pair.label if len(pair.label) <= room else pair.label[: room - 1] + "…"
    yield f'<g class="{colour(pair.series)}"><title>{escape_text(f"{pair.label}: {shown}")}</title>'
    yield _text(_TOP, y + 14, label, "label") + _text(width - _TOP, y + 14, shown, "value", "end")
    places = [None if value is None else _TOP + scale * max(value, 0) for value in (pair.reference, pair.measured)]
    if places[0] is not None and places[1] is not None:
        yield _line(places[0], y + 24, places[1], y + 24, "path")
    for place, kind in zip(places, ("ring", "point"), strict=True):
        if place is not None:
            yield f'<circle class="{kind}" cx="{_n(place)}" cy="{_n(y + 24)}" r="4.5"/>'
    yield "</g>"


def scatter_plot(name: str, title: str, description: str, points: Sequence[Point], axes: tuple[str, str]) -> str:
    """Draw points, with x on a logarithmic axis.

    Args:
        name: The plot's id.
        title: Its title.
        description: The plot in words, for screen readers.
        points: The points.
        axes: The names of the axes.

    Returns:
        The SVG.

    """
    xs, ys = powers(*_range(point.x for point in points)), span(*_range(point.y for point in points))
    width, height = _SCATTER_WIDTH, _SCATTER_HEIGHT
    top, bottom, right = 28, height - 46, width - _RIGHT
    across = (right - _LEFT) / (log10(xs[-1]) - log10(xs[0]))
    up = (bottom - top) / (ys[-1] - ys[0])
    parts = [*_frame(name, title, description, width, height)]
    for mark in xs:
        x = _LEFT + across * (log10(mark) - log10(xs[0]))
        parts += [_line(x, top, x, bottom, "grid"), _text(x, bottom + 16, f"{mark:g}", "tick", "middle")]
    for mark in ys:
        y = bottom - up * (mark - ys[0])
        parts += [_line(_LEFT, y, right, y, "grid"), _text(_LEFT - 6, y + 4, _short(mark), "tick", "end")]
    parts += [_text((_LEFT + right) / 2, height - 8, axes[0], "tick", "middle"), _text(4, 14, axes[1], "tick")]
    places = [(_LEFT + across * (log10(p.x) - log10(xs[0])), bottom - up * (p.y - ys[0])) for p in points]
    for point, (x, y), label in zip(points, places, _labels(points, places, (_LEFT, right)), strict=True):
        parts.append(f'<g class="{colour(point.series)}"><title>{escape_text(f"{point.label}: {point.y:.2f}")}, ')
        parts.append(f'{point.x:.3g} s</title><circle class="point" cx="{_n(x)}" cy="{_n(y)}" r="5"/>')
        parts.append(_text(*label, point.label, "label") + "</g>")
    return "".join([*parts, "</svg>"])


def line_plot(name: str, title: str, description: str, lines: Sequence[Line], axes: tuple[str, str]) -> str:
    """Draw lines, each with its label above the plot.

    Args:
        name: The plot's id.
        title: Its title.
        description: The plot in words, for screen readers.
        lines: The lines.
        axes: The names of the axes.

    Returns:
        The SVG.

    """
    places = [place for line in lines for place in line.points]
    xs, ys = span(*_range(x for x, _ in places), about=5), span(*_range(y for _, y in places))
    width, height = _SCATTER_WIDTH, _SCATTER_HEIGHT
    top, bottom, right = 28 + 15 * len(lines), height - 46, width - _RIGHT
    across, up = (right - _LEFT) / (xs[-1] - xs[0]), (bottom - top) / (ys[-1] - ys[0])
    parts = [*_frame(name, title, description, width, height)]
    for mark in xs:
        x = _LEFT + across * (mark - xs[0])
        parts += [_line(x, top, x, bottom, "grid"), _text(x, bottom + 16, _short(mark), "tick", "middle")]
    for mark in ys:
        y = bottom - up * (mark - ys[0])
        parts += [_line(_LEFT, y, right, y, "grid"), _text(_LEFT - 6, y + 4, _short(mark), "tick", "end")]
    parts += [_text((_LEFT + right) / 2, height - 8, axes[0], "tick", "middle"), _text(4, 14, axes[1], "tick")]
    for number, line in enumerate(lines):
        path = " ".join(f"{_n(_LEFT + across * (x - xs[0]))},{_n(bottom - up * (y - ys[0]))}" for x, y in line.points)
        parts.append(f'<g class="{colour(line.series)}"><title>{escape_text(line.label)}</title>')
        if len(line.points) == 1:
            alone = dict(zip(("cx", "cy"), path.split(","), strict=True))
            parts.append(f'<circle class="point" cx="{alone["cx"]}" cy="{alone["cy"]}" r="4"/>')
        parts.append(f'<polyline class="path" points="{path}"/>')
        parts.append(_line(_LEFT, 26 + 15 * number, _LEFT + 18, 26 + 15 * number, "path"))
        parts.append(_text(_LEFT + 24, 30 + 15 * number, line.label, "label") + "</g>")
    return "".join([*parts, "</svg>"])


def page(plots: Sequence[str]) -> str:
    """Line and scatter plots below each other, as an SVG file that needs no page around it."""
    height = _SCATTER_HEIGHT * max(1, len(plots))
    placed = [
        plot.replace(
            "<svg ", f'<svg y="{_SCATTER_HEIGHT * number}" width="{_SCATTER_WIDTH}" height="{_SCATTER_HEIGHT}" ', 1
        )
        for number, plot in enumerate(plots)
    ]
    size = f'viewBox="0 0 {_SCATTER_WIDTH} {height}" width="{_SCATTER_WIDTH}" height="{height}"'
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" {size}>', _OWN_STYLE, *placed, "</svg>", ""])


# What the page's style says of plots, for a picture by itself; the same colours.
_OWN_STYLE = """<style>
svg { font: 12px system-ui, sans-serif; background: #fcfcfa; color: #1c2430; }
text { fill: #1c2430; } .tick { fill: #5c6675; font-size: 11px; } .grid { stroke: #dfe3e8; }
.path { stroke: var(--c); stroke-width: 1.6; fill: none; } .point { fill: var(--c); }
.c0 { --c: #2563a8; } .c1 { --c: #b8500a; } .c2 { --c: #23774a; } .c3 { --c: #9b3272; } .c4 { --c: #7a6100; }
.c5 { --c: #5646b0; } .c6 { --c: #00727d; } .c7 { --c: #a82d26; }
</style>"""


def _range(values: Iterable[float]) -> tuple[float, float]:
    numbers = list(values)
    return min(numbers), max(numbers)


def _labels(
    points: Sequence[Point], places: Sequence[tuple[float, float]], inside: tuple[float, float]
) -> list[tuple[float, float]]:
    """Where labels begin: right, left, above or below their point, the first that is free and inside the plot."""
    taken: list[tuple[float, float, float]] = [(x - 6, x + 6, y) for x, y in places]
    labels = []
    for point, (x, y) in zip(points, places, strict=True):
        length = _LABEL * len(point.label)
        sides = [x + 9, x - 9 - length, x - length / 2]
        tries = [(sides[0], y), (sides[1], y), *((x, y + shift) for shift in _SHIFTS for x in sides[::-1])]
        kept = [(left, at) for left, at in tries if inside[0] <= left and left + length <= inside[1]] or tries
        free = (t for t in kept if not any(_meet((t[0], t[0] + length, t[1]), other) for other in taken))
        left, at = next(free, kept[0])
        taken.append((left, left + length, at))
        labels.append((left, at + 4))
    return labels


def _meet(one: tuple[float, float, float], other: tuple[float, float, float]) -> bool:
    return one[0] < other[1] and other[0] < one[1] and abs(one[2] - other[2]) < 12


def _frame(name: str, title: str, description: str, width: float, height: float) -> Iterator[str]:
    key = escape_text(name)
    yield f'<svg viewBox="0 0 {_n(width)} {_n(height)}" role="img" aria-labelledby="{key}-t {key}-d">'
    yield f'<title id="{key}-t">{escape_text(title)}</title><desc id="{key}-d">{escape_text(description)}</desc>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{_n(x1)}" y1="{_n(y1)}" x2="{_n(x2)}" y2="{_n(y2)}"/>'


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}" text-anchor="{anchor}">{escape_text(text)}</text>'


def _anchor(mark: float, marks: Sequence[float]) -> str:
    """The first and the last number of an axis stay inside the plot."""
    return "start" if mark == marks[0] else "end" if mark == marks[-1] else "middle"


def _short(value: float) -> str:
    return f"{value:g}"


def _n(value: float) -> str:
    """A coordinate: a tenth of a pixel is enough, and the same on every machine."""
    return f"{value:.1f}".removesuffix(".0")
