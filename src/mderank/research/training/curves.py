"""The curves of one or more runs as a picture: loss, pairs in the right order, F1.

``python -m mderank.research.training.curves FILE.svg RUN/log.csv …`` draws the logs of several runs beside each other.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from mderank.errors import MDERankError
from mderank.research.reports.svg import Line, line_plot, page
from mderank.research.training.train_log import read_log
from mderank.util.files import atomic_write

# Columns that share a plot; the first is smoothed by the log already, being a mean over its steps.
PLOTS = (
    ("ranking loss", (("rank", "training"), ("held_out_loss", "held out"))),
    ("pairs in the right order, %", (("accuracy", "training"), ("held_out_accuracy", "held out"))),
    ("mean F1 on labelled sets, %", (("f1", ""),)),
)


def curves(logs: Mapping[str, Path]) -> str:
    """The picture of the logs, by the name of their run, as a self-contained SVG."""
    rows = {name: read_log(file) for name, file in logs.items()}
    plots: list[str] = []
    for title, columns in PLOTS:
        lines: list[Line] = []
        for name, read in rows.items():
            for column, kind in columns:
                points = [(float(row["step"]), float(row[column])) for row in read if row.get(column)]
                label = " ".join(part for part in (name if len(rows) > 1 or not kind else "", kind) if part)
                if points:
                    lines.append(Line(label, points, len(lines)))
        if lines:
            plots.append(line_plot(f"plot{len(plots)}", title, _told(lines), lines, ("step", title)))
    return page(plots)


def _told(lines: list[Line]) -> str:
    return "; ".join(f"{line.label}: from {line.points[0][1]:.4g} to {line.points[-1][1]:.4g}" for line in lines)


def write_curves(logs: Mapping[str, Path], file: Path) -> None:
    """Write the picture."""
    with atomic_write(file) as temporary:
        temporary.write_text(curves(logs), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """The program."""
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    target, *files = map(Path, arguments)
    logs = {file.parent.name if file.stem == "log" else file.stem: file for file in files}
    try:
        write_curves(logs, target)
    except (MDERankError, OSError) as error:
        print(f"mderank: error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
