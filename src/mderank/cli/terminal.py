"""What commands share at the terminal: a progress bar, output that is whole or not there, colour where it belongs."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TextIO

from mderank.errors import InputError


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
def output(file: str | None) -> Iterator[TextIO]:
    """Standard output, or a file that appears only when it is whole."""
    if file is None:
        yield sys.stdout
        sys.stdout.flush()
        return
    draft = Path(f"{file}.part")
    try:
        with draft.open("w", encoding="utf-8", newline="") as stream:
            yield stream
        draft.replace(file)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"{file}: cannot be written: {error.strerror or error}") from error


def wants_color(stream: TextIO) -> bool:
    """Whether a stream is a terminal that shows colours."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
