"""Tables as values, and their text: for the terminal, in Markdown, in LaTeX and as CSV.

A table has blocks of rows, as the paper's main table has one per K, so that the number of columns stays small.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from mderank.util.format import replace_unprintable as _plain

NOTHING = "–"
BETTER, WORSE = "†", "‡"
Best = Literal["highest", "lowest"]


@dataclass(frozen=True)
class Cell:
    """A cell.

    Attributes:
        text: the printed text.
        value: its number, for comparison within the column; None if it has none.
        mark: a sign that follows the text.
        place: 1 for the best of its column, 2 for the second, otherwise 0.
    """

    text: str
    value: float | None = None
    mark: str = ""
    place: int = 0


@dataclass(frozen=True)
class Row:
    """A row.

    Attributes:
        name: heading of the row.
        cells: one cell per column.
        ranked: whether it competes for the best of a column.
    """

    name: str
    cells: tuple[Cell, ...]
    ranked: bool = True


@dataclass(frozen=True)
class Block:
    """Rows under a common heading.

    Attributes:
        name: the heading; may be empty.
        rows: the rows.
    """

    name: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Table:
    """A table.

    Attributes:
        title: the title.
        corner: heading of the rows' names.
        columns: the other headings.
        blocks: the rows.
        legend: how to read the table.
        prose: True if the cells are words, not numbers.
    """

    title: str
    corner: str
    columns: tuple[str, ...]
    blocks: tuple[Block, ...]
    legend: str = ""
    prose: bool = False


def number(value: float | None, decimals: int = 2, mark: str = "") -> Cell:
    """Return a cell with a number.

    Args:
        value: the number; None gives a dash.
        decimals: number of decimals.
        mark: a sign that follows the number.

    Returns:
        The cell.
    """
    return Cell(NOTHING) if value is None else Cell(f"{value:.{decimals}f}", value, mark)


def with_places(rows: Sequence[Row], best: Sequence[Best | None]) -> tuple[Row, ...]:
    """Mark the best and the second-best cell of each column.

    Values that round to the same two decimals are equal. A column with a single value has no best.

    Args:
        rows: the rows.
        best: per column, whether the highest or the lowest value is best; None marks nothing.

    Returns:
        The rows, with ``Cell.place`` set.
    """
    placed = [list(row.cells) for row in rows]
    for column, order in enumerate(best):
        cells = [row.cells[column] for row in rows if row.ranked]
        values = {round(cell.value, 2) for cell in cells if cell.value is not None}
        if order is None or len(values) < 2:
            continue
        places = {value: place for place, value in enumerate(sorted(values, reverse=order == "highest")[:2], start=1)}
        for row, changed in zip(rows, placed, strict=True):
            cell = row.cells[column]
            if row.ranked and cell.value is not None:
                changed[column] = replace(cell, place=places.get(round(cell.value, 2), 0))
    return tuple(replace(row, cells=tuple(cells)) for row, cells in zip(rows, placed, strict=True))


def align_columns(rows: Sequence[Sequence[str]], align: str, gap: str = "  ") -> list[str]:
    """Align rows of text in columns, for the terminal.

    Args:
        rows: cells of each row, the heading included. They may be styled after the call, not before.
        align: a letter per column: ``<`` aligns left, ``>`` right.
        gap: text between columns.

    Returns:
        One line per row, without trailing spaces.

    >>> align_columns([("name", "n"), ("inspec", "2000"), ("nus", "211")], "<>")
    ['name       n', 'inspec  2000', 'nus      211']
    """
    widths = [max(map(cell_len, column)) for column in zip(*rows, strict=True)]
    return [
        gap.join(
            (_left if side == "<" else _right)(cell, width)
            for cell, side, width in zip(row, align, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def markdown_rows(header: Sequence[str], rows: Iterable[Sequence[str]], align: str) -> str:
    """Write a Markdown table whose cells are Markdown already.

    Args:
        header: the column headings.
        rows: cells of each row.
        align: a letter per column: ``<`` aligns left, ``>`` right.

    Returns:
        The table, ending with a line break.

    >>> print(markdown_rows(("name", "n"), [("nus", "211")], "<>"), end="")
    | name | n |
    | --- | ---: |
    | nus | 211 |
    """
    rule = ["---" if side == "<" else "---:" for side in align]
    return "".join(_pipes(row) + "\n" for row in (header, rule, *rows))


def as_text(table: Table, bold: Callable[[str], str] = str) -> str:
    """Write a table for the terminal.

    Args:
        table: the table.
        bold: styles the title and the best cell of each column.

    Returns:
        Lines with aligned columns.
    """
    rows = [row for block in table.blocks for row in block.rows]
    marked = [any(row.cells[column].mark for row in rows) for column in range(len(table.columns))]
    first = max(map(cell_len, (table.corner, *(_plain(row.name) for row in rows), *(b.name for b in table.blocks))))
    widths = [
        max(cell_len(name) + pad, *(cell_len(_plain(row.cells[column].text)) + pad for row in rows))
        for column, (name, pad) in enumerate(zip(map(_plain, table.columns), marked, strict=True))
    ]

    def line(row: Row) -> str:
        cells = []
        for cell, width, pad in zip(row.cells, widths, marked, strict=True):
            text = _plain(cell.text) + (cell.mark or " ") * pad
            cells.append(" " * (width - cell_len(text)) + (bold(text) if cell.place == 1 else text))
        return "  ".join((_left(_plain(row.name), first), *cells)).rstrip()

    heading = Row(table.corner, tuple(Cell(name) for name in table.columns))
    lines = [bold(_plain(table.title)), "", line(heading), "─" * (first + sum(widths) + 2 * len(widths))]
    for index, block in enumerate(table.blocks):
        lines += [""] * bool(index) + [_plain(block.name)] * bool(block.name) + [line(row) for row in block.rows]
    return "\n".join([*lines, *([""] if table.legend else []), *_wrapped(_plain(table.legend))]) + "\n"


def as_markdown(table: Table) -> str:
    """Write a table in Markdown, the best cell of each column in bold.

    Args:
        table: the table.

    Returns:
        A heading, then one Markdown table per block.
    """
    parts = [f"## {_md(table.title)}\n"]
    aligned = "<" if table.prose else ">"
    for block in table.blocks:
        heading = [_md(block.name or table.corner), *map(_md, table.columns)]
        rows = [[_md(row.name), *map(_md_cell, row.cells)] for row in block.rows]
        parts.append(markdown_rows(heading, rows, "<" + aligned * len(table.columns)))
    return "\n".join([*parts, *([_md(table.legend) + "\n"] if table.legend else [])])


def as_latex(table: Table) -> str:
    """Write a table in LaTeX, for booktabs and adjustbox. The best of a column is bold, the second underlined.

    Args:
        table: the table.

    Returns:
        A ``table*`` environment, no wider than the page.
    """
    columns = len(table.columns)
    shape = r"p{0.7\textwidth}" if table.prose else "r"
    lines = [
        r"\begin{table*}[t]",
        r"\centering",
        r"\begin{adjustbox}{max width=\textwidth}",
        rf"\begin{{tabular}}{{@{{}}l{shape * columns}@{{}}}}",
        r"\toprule",
        _ampersands([_tex(table.corner), *map(_tex, table.columns)]),
    ]
    for block in table.blocks:
        lines.append(r"\midrule")
        if block.name:
            lines.append(rf"\multicolumn{{{columns + 1}}}{{@{{}}l}}{{\textit{{{_tex(block.name)}}}}} \\")
        lines += [_ampersands([_tex(row.name), *map(_tex_cell, row.cells)]) for row in block.rows]
    caption = f"{table.title}. {table.legend}".strip()
    ends = (r"\bottomrule", r"\end{tabular}", r"\end{adjustbox}", rf"\caption{{{_tex(caption)}}}", r"\end{table*}", "")
    return "\n".join([*lines, *ends])


def notes_as_text(notes: Sequence[str]) -> str:
    """Write notes for the terminal.

    Args:
        notes: the notes.

    Returns:
        One line per note.
    """
    return "".join(f"Note: {_plain(note)}\n" for note in notes)


def notes_as_markdown(notes: Sequence[str]) -> str:
    """Write notes in Markdown.

    Args:
        notes: the notes.

    Returns:
        A list with a heading.
    """
    return "".join(["## Notes\n\n", *(f"- {_md(note)}\n" for note in notes)])


def notes_as_latex(notes: Sequence[str]) -> str:
    """Write notes as LaTeX comments.

    Args:
        notes: the notes.

    Returns:
        One comment line per note.
    """
    return "".join(f"% Note: {_plain(note)}\n" for note in notes)


NOTES: dict[str, Callable[[Sequence[str]], str]] = {
    "table": notes_as_text,
    "markdown": notes_as_markdown,
    "latex": notes_as_latex,
}


def as_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write rows as CSV.

    Args:
        header: the column names.
        rows: the rows; None becomes an empty cell.

    Returns:
        The text of the file.
    """
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(["" if value is None else value for value in row] for row in rows)
    return stream.getvalue()


def cell_len(text: str) -> int:
    """Return the number of columns that a text takes in a terminal.

    >>> cell_len("reef"), cell_len("珊瑚"), cell_len("cafe\u0301")
    (4, 4, 4)

    Args:
        text: A text without control characters.

    Returns:
        The number of columns.
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


@cache
def _columns(character: str) -> int:
    """The columns of a character: none for marks on another one, two for the wide ones of East Asia and emoji."""
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def _left(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _right(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text


def _wrapped(text: str, width: int = 100) -> Iterator[str]:
    line = ""
    for word in text.split(" "):  # a no-break space is none
        if line and cell_len(line) + 1 + cell_len(word) > width:
            yield line
            line = word
        else:
            line = f"{line} {word}".strip()
    if line:
        yield line


def _pipes(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _md(text: str) -> str:
    """Text that Markdown shows as it is, on one line, in a table too."""
    return re.sub(r"([\\`*_{}\[\]<>|#&~$])", r"\\\1", _plain(text))


def _md_cell(cell: Cell) -> str:
    return (f"**{_md(cell.text)}**" if cell.place == 1 else _md(cell.text)) + _md(cell.mark)


_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", "±": r"$\pm$", "−": "$-$", "–": "--", "…": r"\dots{}", "\u00a0": "~",
    "→": r"$\to$", "θ": r"$\theta$", BETTER: r"$^\dagger$", WORSE: r"$^\ddagger$", "\ufffd": "?",
}  # fmt: skip


def _tex(text: str) -> str:
    """Text that LaTeX shows as it is."""
    return "".join(_TEX.get(character, character) for character in _plain(text))


def _tex_cell(cell: Cell) -> str:
    wrapped = {1: r"\textbf{%s}", 2: r"\underline{%s}"}.get(cell.place, "%s") % _tex(cell.text)
    return wrapped + _tex(cell.mark)


def _ampersands(cells: Sequence[str]) -> str:
    return " & ".join(cells) + r" \\"
