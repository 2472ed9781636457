"""The log of a training run, as CSV, as TensorBoard events and as curves.

``python -m mderank.research.training.train_log FILE.svg RUN/log.csv …`` draws the curves of several runs in one file.
"""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from mderank.errors import InputError, MDERankError
from mderank.research.reports.svg import Line, line_plot, page
from mderank.research.training.run_folder import RunFolder
from mderank.util.files import atomic_write
from mderank.util.format import format_number

# loss to accuracy: means over the steps since the line before; accuracy is the share of pairs in the right order, in
# per cent. The last three columns, and those of the datasets, have values after validations only.
COLUMNS = ("step", "epoch", "loss", "rank", "mlm", "drift", "accuracy", "learning_rate", "seconds", "pairs_per_second",
           "held_out_loss", "held_out_accuracy", "f1")  # fmt: skip

# Title, and columns with their labels, of each plot.
PLOTS = (
    ("ranking loss", (("rank", "training"), ("held_out_loss", "held out"))),
    ("pairs in the right order, %", (("accuracy", "training"), ("held_out_accuracy", "held out"))),
    ("mean F1 on labelled datasets, %", (("f1", ""),)),
)


class TrainLog:
    """Writes the log of a run. Lines beyond the run's step are removed, since their steps are done again.

    Args:
        folder: The run's folder.
        step: The number of steps that are done.
        columns: Further columns, for the scores on labelled datasets.
        tensorboard: Whether to write events for TensorBoard too, if that is installed.

    Raises:
        TrainingError: The log cannot be written.
    """

    def __init__(self, folder: RunFolder, step: int, columns: Iterable[str] = (), *, tensorboard: bool = False) -> None:
        self._folder, self._file = folder, folder.log
        self._columns = (*COLUMNS, *columns)
        kept = [row for row in read_log(self._file) if int(row["step"]) <= step] if self._file.is_file() else []
        with folder.writing(self._file), atomic_write(self._file) as temporary:
            self._append(temporary, kept, header=True)
        self._events = _open_events(folder.path / "tensorboard", step) if tensorboard else None

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """Add a line.

        Args:
            step: The step.
            values: Values by column; columns without a value stay empty.

        Raises:
            TrainingError: The log cannot be written.
        """
        row = {"step": step, **{name: format_number(value) for name, value in values.items()}}
        with self._folder.writing(self._file):
            self._append(self._file, [row])
        if self._events is not None:
            for name, value in values.items():
                self._events.add_scalar(name, value, step)
            self._events.flush()

    def _append(self, file: Path, rows: Iterable[Mapping[str, Any]], *, header: bool = False) -> None:
        with file.open("a", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, self._columns, lineterminator="\n", extrasaction="ignore", restval="")
            if header:
                writer.writeheader()
            writer.writerows(rows)

    def close(self) -> None:
        """Close the log."""
        if self._events is not None:
            self._events.close()


def _open_events(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=step + 1)


def read_log(file: Path) -> list[dict[str, str]]:
    """Read a log.

    Args:
        file: Path of ``log.csv``.

    Returns:
        The lines, each by column.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            return [row for row in csv.DictReader(stream) if (row.get("step") or "").isdigit()]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file} cannot be read as a training log: {error}") from error


def draw_curves(logs: Mapping[str, Path]) -> str:
    """Draw the curves of some runs: ranking loss, pairs in the right order, F1.

    Args:
        logs: The paths of the logs, by the name of their run.

    Returns:
        A self-contained SVG picture.

    Raises:
        InputError: A log cannot be read.
    """
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
            plots.append(line_plot(f"plot{len(plots)}", title, _describe(lines), lines, ("step", title)))
    return page(plots)


def _describe(lines: Iterable[Line]) -> str:
    """Describe a plot for readers who do not see it."""
    return "; ".join(f"{line.label}: from {line.points[0][1]:.4g} to {line.points[-1][1]:.4g}" for line in lines)


def write_curves(logs: Mapping[str, Path], file: Path) -> None:
    """Write the curves of some runs to a file.

    Args:
        logs: The paths of the logs, by the name of their run.
        file: Path of the SVG file.

    Raises:
        InputError: A log cannot be read.
        OSError: The file cannot be written.
    """
    with atomic_write(file) as temporary:
        temporary.write_text(draw_curves(logs), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Run the module as a program.

    Args:
        arguments: Path of the SVG file, and paths of logs.

    Returns:
        The exit status.
    """
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
