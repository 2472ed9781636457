"""The log of a run: a CSV file, a line every few steps, and the same for TensorBoard where it is installed."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mderank.errors import InputError
from mderank.research.training.run_folder import unwritable
from mderank.util.files import atomic_write
from mderank.util.format import format_number

LOG_FILE = "log.csv"
# The mean over the steps since the line before: loss and its parts, pairs in the right order in per cent; then the
# rate, seconds since the run began, pairs learned a second, and at validations what was measured.
COLUMNS = ("step", "epoch", "loss", "rank", "mlm", "stay", "accuracy", "learning_rate", "seconds", "pairs_per_second",
           "held_out_loss", "held_out_accuracy", "f1")  # fmt: skip


class Log:
    """Writes the log; what an earlier start wrote beyond ``step`` is taken away, since it will be done again."""

    def __init__(self, folder: Path, checkpoints: Path, step: int, sets: tuple[str, ...], *, tensorboard: bool) -> None:
        self._file, self._checkpoints = folder / LOG_FILE, checkpoints
        self._columns = (*COLUMNS, *sets)
        kept = [row for row in read_log(self._file) if int(row["step"]) <= step] if self._file.is_file() else []
        self._guarded(lambda: self._rewrite(kept))
        self._board = _board(folder / "tensorboard", step) if tensorboard else None

    def _rewrite(self, rows: list[dict[str, str]]) -> None:
        with atomic_write(self._file) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
            writer = csv.DictWriter(stream, self._columns, lineterminator="\n", extrasaction="ignore", restval="")
            writer.writeheader()
            writer.writerows(rows)

    def write(self, step: int, values: Mapping[str, float]) -> None:
        """A line."""
        row = {"step": step, **{name: format_number(value) for name, value in values.items()}}
        self._guarded(lambda: self._append(row))
        if self._board is not None:
            for name, value in values.items():
                self._board.add_scalar(name, value, step)
            self._board.flush()

    def _append(self, row: dict[str, Any]) -> None:
        with self._file.open("a", encoding="utf-8", newline="") as stream:
            csv.DictWriter(stream, self._columns, lineterminator="\n", extrasaction="ignore", restval="").writerow(row)

    def _guarded(self, write: Any) -> None:
        try:
            write()
        except OSError as error:
            raise unwritable(self._file, error, self._checkpoints) from error

    def close(self) -> None:
        """Nothing more will be written."""
        if self._board is not None:
            self._board.close()


def read_log(file: Path) -> list[dict[str, str]]:
    """The lines of a log, by column."""
    try:
        with file.open(encoding="utf-8", newline="") as stream:
            rows = [row for row in csv.DictReader(stream) if (row.get("step") or "").isdigit()]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{file} cannot be read as a training log: {error}") from error
    return rows


def _board(folder: Path, step: int) -> Any:
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError:
        return None
    return SummaryWriter(str(folder), purge_step=step + 1)
