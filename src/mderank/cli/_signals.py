"""Early ends of a command: Ctrl-C, SIGTERM, a pipe that nobody reads, a disk that is full."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Iterator
from typing import Any, NoReturn, TextIO

import click

from mderank.errors import MDERankError
from mderank.util.format import escape_unprintable

INTERRUPTED, TERMINATED, BROKEN_PIPE = 130, 143, 141  # exit codes: 128 and the number of the signal
RESUME = "run the same command again to resume"


class Terminated(KeyboardInterrupt):
    """The process was asked to end by SIGTERM. What cleans up after Ctrl-C cleans up after it too."""


_held: list[KeyboardInterrupt] | None = None  # signals that arrived while they were held
_raised: KeyboardInterrupt | None = None  # the signal that stops the command


def handle_signals() -> None:
    """Let Ctrl-C and SIGTERM raise `KeyboardInterrupt` and `Terminated`, and a closed pipe an `OSError`."""
    signal.signal(signal.SIGTERM, lambda *_: _stop(Terminated()))
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # nohup and background jobs ignore it
        signal.signal(signal.SIGINT, lambda *_: _stop(KeyboardInterrupt()))


def _stop(stopped: KeyboardInterrupt) -> None:
    if _held is None or _held:  # the second signal does not wait: what is written may never be read
        _raise(stopped)
    _held.append(stopped)


def _raise(stopped: KeyboardInterrupt) -> NoReturn:
    global _raised  # noqa: PLW0603
    _raised = stopped
    raise stopped


@contextlib.contextmanager
def signals_held() -> Iterator[None]:
    """Let a step finish before a signal stops the command, so that its output is whole.

    Raises:
        KeyboardInterrupt: If a signal arrives meanwhile, or one was raised before and taken for an error of a document.
    """
    global _held  # noqa: PLW0603
    if _raised is not None:
        raise _raised
    arrived: list[KeyboardInterrupt] = []
    _held = arrived
    try:
        yield
    finally:
        _held = None
    if arrived:
        _raise(arrived[0])


def signal_of(error: BaseException) -> KeyboardInterrupt | None:
    """Return the signal that an error comes from.

    Args:
        error: An error that ends a command. Libraries in C turn a signal into errors of their own, such as a failed
            import.

    Returns:
        The signal; None if there was none.
    """
    return error if isinstance(error, KeyboardInterrupt) else _raised


@contextlib.contextmanager
def stopped_with(remedy: str) -> Iterator[None]:
    """Say what was kept, or how to go on, if a signal stops the body.

    Args:
        remedy: End of the line that the user reads.
    """
    try:
        yield
    except (KeyboardInterrupt, Exception) as error:
        stopped = signal_of(error)
        if stopped is None:
            raise
        if not stopped.args:
            stopped.args = (remedy,)
        raise stopped from None


@contextlib.contextmanager
def ends_in_one_line() -> Iterator[None]:
    """Turn what ends a command before its time into one line on standard error, and an exit code."""
    global _raised  # noqa: PLW0603
    _raised = None
    try:
        with stopped_with(""), _errors_in_one_line():
            yield
    except KeyboardInterrupt as stopped:
        ended = isinstance(stopped, Terminated)
        told = "; ".join(("terminated" if ended else "interrupted", *filter(None, map(str, stopped.args))))
        _discard_output(sys.stdout)
        with contextlib.suppress(OSError):
            click.echo(f"mderank: {told}", err=True)
        sys.exit(TERMINATED if ended else INTERRUPTED)


@contextlib.contextmanager
def _errors_in_one_line() -> Iterator[None]:
    try:
        try:
            yield
        finally:
            if sys.stdout is not None:
                sys.stdout.flush()
    except BrokenPipeError:  # as in `mderank extract … | head -1`: nobody wants the rest
        _discard_output(sys.stdout, sys.stderr)
        sys.exit(BROKEN_PIPE)
    except MDERankError as error:
        raise OneLine(str(error)) from error
    except OSError as error:
        _discard_output(sys.stdout)
        # Failed writes have no file name.
        where = "the output cannot be written" if error.filename is None else error.filename
        raise OneLine(f"{where}: {error.strerror or error}") from error


def _discard_output(*streams: TextIO | None) -> None:
    """Write what is still in the buffers to nowhere if it cannot be written, so that Python's end is quiet."""
    for stream in streams:
        if stream is None:
            continue
        try:
            stream.flush()
        except (OSError, ValueError):
            with contextlib.suppress(OSError, ValueError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, stream.fileno())
                os.close(nowhere)


class OneLine(click.ClickException):
    """An error that ends the command: one line on standard error, exit code 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Print the line."""
        with contextlib.suppress(OSError):  # the exit code tells where standard error cannot
            click.echo(f"mderank: error: {escape_unprintable(self.message)}", err=True)
