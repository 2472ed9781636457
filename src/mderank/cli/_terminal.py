"""Helpers for the terminal: a progress bar, output files that are written as a whole, the choice of colour."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from pathlib import Path
from typing import TextIO

import click

from mderank.errors import InputError, OptionError
from mderank.util.files import atomic_write
from mderank.util.format import escape_unprintable, format_duration

# Names of files need not be UTF-8; standard output escapes them in the same way.
_ERRORS = "backslashreplace"


@contextlib.contextmanager
def progress(what: str, total: int | None, *, silent: bool = False) -> Iterator[Callable[..., None]]:
    """Something to call after a step (or with a number of steps); a bar on stderr if that is a terminal."""
    if silent or not sys.stderr.isatty():
        yield lambda steps=1: None
        return
    start, done = time.monotonic(), 0
    line = StatusLine()

    def advance(steps: int = 1) -> None:
        nonlocal done
        done += steps
        line.show(lambda: _bar(what, done, total, time.monotonic() - start))

    line.show(lambda: _bar(what, 0, total, 0.0))
    try:
        yield advance
    finally:
        line.clear()


_BAR = 30  # characters


def _bar(what: str, done: int, total: int | None, seconds: float) -> str:
    """The state of some work in one line.

    >>> _bar("reading", 10, 40, 10.0)
    'reading ━━━━━━━╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌ 10/40, 30 s left'
    >>> _bar("reading", 10, None, 20.0)
    'reading 10'
    """
    if not total:
        return f"{what} {done}"
    left = f", {format_duration(seconds / done * (total - done))} left" if done else ""
    return f"{what} {bar(done, total)} {done}/{total}{left}"


def bar(done: int, total: int) -> str:
    """Draw a bar.

    Args:
        done: The part that is done.
        total: The whole.

    Returns:
        A bar of 30 characters.
    """
    full = min(_BAR, _BAR * done // total)
    return "━" * full + "╌" * (_BAR - full)


class StatusLine:
    """One line on stderr that is written over, and is gone at the end.

    Args:
        clock: Returns seconds.
    """

    EVERY = 0.1  # seconds between changes

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._shown: float | None = None

    def show(self, make: Callable[[], str]) -> None:
        """Write the line, unless it was written a moment ago.

        Args:
            make: Makes the text of the line.
        """
        now = self._clock()
        if self._shown is not None and now - self._shown < self.EVERY:
            return
        self._shown = now
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write(f"\r{make()[:width]}\x1b[K")
        sys.stderr.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self._shown is not None:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._shown = None


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
    """A line on stderr with the number of items, those done, the rate and the remaining time.

    Written over if that is a terminal; otherwise a line now and then, since nobody watches a job for days.
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
        self._line = StatusLine()

    def __enter__(self) -> Throughput:
        return self

    def __exit__(self, *_: object) -> None:
        self._line.clear()

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
            self._line.show(self.__str__)
        elif self._clock() - self._told >= self.EVERY:
            self._told = self._clock()
            print(f"mderank: {self}", file=sys.stderr, flush=True)


@contextlib.contextmanager
def output(file: str | None, *, keep_partial: bool = False) -> Iterator[TextIO]:
    """Open standard output, or a file that appears under its name only when it is complete.

    Args:
        file: Path of the file; None for standard output.
        keep_partial: Whether to keep what was written as FILE.partial if a signal stops the command.

    Yields:
        The stream.

    Raises:
        InputError: It cannot be written.
    """
    if file is None:
        if sys.stdout is None:
            raise InputError("standard output is closed: open it, or write to a file with --output")
        yield sys.stdout
        sys.stdout.flush()
        return
    path = Path(file)
    if path.is_dir():
        raise InputError(f"{file}: cannot be written: it is a folder; name a file")
    if not path.parent.exists():
        raise InputError(f"{file}: cannot be written: there is no folder {path.parent}; create it first")
    try:
        if path.exists() and not path.is_file():  # a device or a named pipe is not replaced
            with path.open("w", encoding="utf-8", errors=_ERRORS, newline="") as stream:
                yield stream
            return
        with (
            atomic_write(path) as temporary,
            temporary.open("w", encoding="utf-8", errors=_ERRORS, newline="") as stream,
        ):
            try:
                yield stream
            except KeyboardInterrupt:
                if keep_partial:
                    stream.close()
                    temporary.replace(partial_file(file))
                raise
    except OSError as error:
        raise InputError(f"{file}: cannot be written: {error.strerror or error}") from error


_TABLE_SUFFIXES = ("", "txt", "text", "out", "log")
_FORMAT_OF_SUFFIX = {"htm": "html", "md": "markdown", "ndjson": "jsonl", "tex": "latex"}


def format_of_output(file: str | None, formats: Collection[str], *, quiet: bool = False) -> str:
    """Return the format that the suffix of an output file names. Others get a table, and a note says so.

    Args:
        file: Path of the file; None for standard output.
        formats: The formats of the command.
        quiet: Whether to leave out the note.

    Returns:
        One of the formats, or ``table``.
    """
    suffix = "" if file is None else Path(file).suffix.lower().lstrip(".")
    form = _FORMAT_OF_SUFFIX.get(suffix, suffix)
    if form in formats:
        return form
    if suffix not in _TABLE_SUFFIXES and not quiet:
        note = "no output format has this suffix: it is written as a table; -f names another format"
        click.echo(f"mderank: note: {escape_unprintable(str(file))}: {note}", err=True)
    return "table"


def check_output(file: str | None, inputs: Iterable[Path]) -> None:
    """Refuse to write to a file that is read: its text would be lost.

    Args:
        file: Path of the output file; None for standard output.
        inputs: The files that are read.

    Raises:
        OptionError: It is one of them.
    """
    if file is None or not Path(file).is_file():
        return
    for each in inputs:
        with contextlib.suppress(OSError):
            if Path(file).samefile(each):
                raise OptionError(f"--output {file} is one of the files to read: name another file")


def partial_file(file: str) -> Path:
    """Return the path of what was written to a file before the command was stopped."""
    return Path(f"{file}.partial")


def wants_color(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
