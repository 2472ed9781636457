"""What commands share at the terminal: a progress bar, output that is whole or not there, colour where it belongs."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

from mderank.errors import InputError
from mderank.util.files import atomic_write
from mderank.util.format import format_duration


@contextlib.contextmanager
def progress(what: str, total: int | None, *, silent: bool = False) -> Iterator[Callable[..., None]]:
    """Something to call after a step (or with a number of steps); a bar on stderr if that is a terminal."""
    if silent or not sys.stderr.isatty():
        yield lambda steps=1: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda steps=1: bar.advance(task, steps)


@contextlib.contextmanager
def show_stages(*, silent: bool = False) -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar per stage, one after the other.

    Args:
        silent: Whether to show nothing.

    Yields:
        A function that is called with a stage, the number of steps that are done, and the number of all steps.

    """
    with contextlib.ExitStack() as stack:
        bars: dict[str, tuple[Callable[..., None], int]] = {}

        def show(stage: str, done: int, total: int) -> None:
            if stage not in bars:
                stack.close()
                bars[stage] = stack.enter_context(progress(stage, total, silent=silent)), 0
            advance, before = bars[stage]
            advance(done - before)
            bars[stage] = advance, done

        yield show


class Throughput:
    """How many there are, how many of them are done, how many a second, how long the rest will take; on stderr.

    A bar if that is a terminal; otherwise a line now and then, since nobody watches a job for days.
    """

    EVERY = 60.0  # seconds between lines

    def __init__(self, what: str, *, silent: bool = False, clock: Callable[[], float] = time.monotonic) -> None:
        self.what = what
        self.silent = silent
        self.total = self.done = 0
        self._clock = clock
        self._before = 0
        self._start: float | None = None
        self._told = clock()
        self._bar: Any = None

    def __enter__(self) -> Throughput:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def found(self, count: int) -> None:
        """Count further items as found.

        Args:
            count: Number of items.
        """
        self.total += count
        self._show()

    def advance(self, count: int) -> None:
        """Count further items as done.

        Those that are reported first are from an earlier run, and do not count for the speed.

        Args:
            count: Number of items.
        """
        self.done += count
        if self._start is None:
            self._start, self._before = self._clock(), count
        self._show()

    def __str__(self) -> str:
        """The state in one line."""
        if self._start is None:
            return f"{self.total:,} {self.what} found"
        told = f"{self.done:,} of {self.total:,} {self.what}"
        seconds = self._clock() - self._start
        speed = (self.done - self._before) / seconds if seconds > 0 else 0.0
        if not speed:
            return told
        return f"{told}, {speed:.1f} {self.what}/s, {format_duration((self.total - self.done) / speed)} left"

    def _show(self) -> None:
        if self.silent:
            return
        if sys.stderr.isatty():
            self._show_bar()
        elif self._clock() - self._told >= self.EVERY:
            self._told = self._clock()
            print(f"mderank: {self}", file=sys.stderr, flush=True)

    def _show_bar(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn

        if self._bar is None:
            columns = (BarColumn(), TextColumn("{task.description}"))
            self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
            self._bar.start()
            self._bar.add_task("", total=None)
        total = None if self._start is None else self.total  # the bar only pulses while it is not known
        self._bar.update(self._bar.task_ids[0], completed=self.done, total=total, description=str(self))


@contextlib.contextmanager
def output(file: str | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears only when it is whole."""
    if file is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    try:
        with atomic_write(Path(file)) as temporary, temporary.open("w", encoding="utf-8", newline="") as stream:
            yield stream
    except OSError as error:
        raise InputError(f"{file}: cannot be written: {error.strerror or error}") from error


def wants_color(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
