"""Progress at the terminal."""

import io
import os
from types import SimpleNamespace

import pytest

from mderank.cli._terminal import StatusLine, Throughput, progress


class Terminal(io.StringIO):
    def isatty(self):
        return True

    @property
    def lines(self):
        return [part.removesuffix("\x1b[K") for part in self.getvalue().split("\r")[1:]]


@pytest.fixture
def terminal(monkeypatch):
    shown = Terminal()
    monkeypatch.setattr("mderank.cli._terminal.sys", SimpleNamespace(stderr=shown))
    return shown


def test_a_line_is_written_over_now_and_then_and_removed(terminal):
    now = 0.0
    line = StatusLine(clock=lambda: now)
    line.show(lambda: "one")
    line.show(lambda: "too soon")
    now = 0.2
    line.show(lambda: "two")
    line.clear()
    assert terminal.lines == ["one", "two", ""]


def test_a_line_is_no_wider_than_the_terminal(terminal, monkeypatch):
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((20, 10)))
    StatusLine().show(lambda: "x" * 100)
    assert terminal.lines == ["x" * 19]


def test_nothing_is_removed_that_was_not_written(terminal):
    StatusLine().clear()
    with progress("reading", 3, silent=True) as advance:
        advance()
    assert terminal.getvalue() == ""


def test_a_bar(terminal, monkeypatch):
    monkeypatch.setattr(StatusLine, "EVERY", 0.0)
    with progress("reading", 2) as advance:
        advance()
        advance(1)
    first, half, whole, removed = terminal.lines
    assert first == f"reading {'╌' * 30} 0/2"
    assert half.startswith(f"reading {'━' * 15}{'╌' * 15} 1/2, ")
    assert whole.startswith(f"reading {'━' * 30} 2/2, ")
    assert removed == ""


def test_the_bar_goes_where_the_work_fails(terminal):
    with pytest.raises(ZeroDivisionError), progress("reading", None):
        1 / 0  # noqa: B018
    assert terminal.lines == ["reading 0", ""]


def test_throughput(terminal):
    with Throughput("documents") as shown:
        shown.found(3)
    assert terminal.lines == ["3 documents found", ""]


def test_no_bar_where_there_is_no_terminal(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr("mderank.cli._terminal.sys", SimpleNamespace(stderr=stream))
    with progress("reading", 2) as advance:
        advance()
    assert stream.getvalue() == ""
