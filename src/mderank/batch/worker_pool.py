"""Worker processes that are replaced when they die, and what is done about the document they died of.

Every worker is a process of its own that has loaded the extractor, is given a batch, and sends back its rows. If it
dies, another takes its place, and the documents of its batch are tried one by one; one that takes its worker with it
again and again is given up, with an error in its row. If the parent dies, the workers end themselves.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any

from mderank.batch.worker import Row, Work
from mderank.errors import BatchError, MDERankError, MDERankWarning
from mderank.reading import Record

# How often a document may take its worker with it, alone in its batch. Whoever kills a process from outside (a person,
# the system when memory runs out) does not mean the document, or may not: it takes more of that.
CRASHES, KILLS = 2, 4
STARTS = 10  # workers in a row that die before they are ready

# Libraries that have threads of their own, beside ONNX Runtime's.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass
class Task:
    """Documents for one worker; ``key`` is whose they are, and ``positions`` which."""

    key: int
    positions: Sequence[int]
    records: Sequence[Record]
    crashes: int = 0
    kills: int = 0

    def one_by_one(self) -> Iterator[Task]:
        """The same, one document each."""
        for position, record in zip(self.positions, self.records, strict=True):
            yield Task(self.key, [position], [record])


@dataclass
class _Member:
    process: Any
    connection: Connection
    ready: bool = False
    task: Task | None = None
    deadline: float | None = None
    late: bool = False


class Crew:
    """So many worker processes; a context manager, at whose end they are gone.

    ``timeout`` is how many seconds a document may take, alone in its batch; without it, any time.
    """

    def __init__(self, work: Work, processes: int, *, timeout: float | None = None) -> None:
        self.work = work
        self.processes = processes
        self.timeout = timeout
        self.about: dict[str, Any] | None = None
        self.replaced = 0  # workers that died
        self._members: list[_Member] = []
        self._deaths_at_start = 0

    def __enter__(self) -> Crew:
        return self

    def __exit__(self, *_: object) -> None:
        for member in self._members:
            member.connection.close()
            member.process.kill()
        for member in self._members:
            member.process.join()
        self._members.clear()

    def describe(self) -> dict[str, Any]:
        """What a worker says of its extractor, which is loaded for it."""
        while self.about is None:
            if not self._members:
                self._start(None)
            for _ in self._events(deque()):
                pass
        return self.about

    def run(self, tasks: Iterable[Task]) -> Iterator[tuple[Task, list[Row]]]:
        """The rows of every task, or of parts of it, as they are done. A task is asked for when a worker is free."""
        coming = iter(tasks)
        again: deque[Task] = deque()

        def next_task() -> Task | None:
            return again.popleft() if again else next(coming, None)

        try:
            while True:
                for member in list(self._members):
                    if member.task is None and (task := next_task()) is not None:
                        self._give(member, task, again)
                while len(self._members) < self.processes and (task := next_task()) is not None:
                    self._start(task)
                if not any(member.task for member in self._members):
                    if again:
                        continue
                    return
                yield from self._events(again)
        finally:  # nobody waits any more for what they are at
            for member in [member for member in self._members if member.task is not None]:
                member.process.kill()
                self._remove(member)

    def _start(self, task: Task | None) -> None:
        """A new worker, which gets ``task`` when it is ready."""
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, self.work), daemon=True)
        with _environment(self.work.threads):
            process.start()
        theirs.close()
        self._members.append(_Member(process, ours, task=task))

    def _give(self, member: _Member, task: Task, again: deque[Task]) -> None:
        """Hand a task to a worker; one that is still starting gets it when it is ready."""
        member.task = task
        if not member.ready:
            return
        if self.timeout is not None:
            member.deadline = time.monotonic() + self.timeout * len(task.records)
        try:
            member.connection.send(task.records)
        except OSError:  # it died with nothing to do
            member.task = None
            again.appendleft(task)
            self._bury(member)

    def _events(self, again: deque[Task]) -> Iterator[tuple[Task, list[Row]]]:
        """Wait for something to happen, and see to it."""
        happened = wait(
            [each for member in self._members for each in (member.connection, member.process.sentinel)],
            self._patience(),
        )
        for member in list(self._members):
            if member.connection in happened or (member.process.sentinel in happened and member.connection.poll()):
                try:
                    message, content = member.connection.recv()
                except (EOFError, OSError):
                    yield from self._died(member, again)
                else:
                    yield from self._told(member, message, content, again)
            elif member.process.sentinel in happened:
                yield from self._died(member, again)
            elif member.deadline is not None and time.monotonic() > member.deadline:
                member.late = True
                member.deadline = None
                member.process.kill()

    def _patience(self) -> float | None:
        deadlines = [member.deadline for member in self._members if member.deadline is not None]
        return max(0.0, min(deadlines) - time.monotonic()) + 0.01 if deadlines else None

    def _told(
        self, member: _Member, message: str, content: Any, again: deque[Task]
    ) -> Iterator[tuple[Task, list[Row]]]:
        if message == "ready":
            member.ready = True
            self._deaths_at_start = 0
            self._introduced(*content)
            if member.task is not None:
                self._give(member, member.task, again)
        elif message == "error":  # a model, an extra, an option: no document's fault
            raise content
        else:
            task, member.task, member.deadline = member.task, None, None
            assert task is not None
            if message == "rows":
                yield task, content
            else:
                yield from self._again(task, again, f"extraction failed: {content}")

    def _introduced(self, about: dict[str, Any], notes: list[Warning]) -> None:
        """All workers must be the same; what the first has to say of its extractor is said once."""
        if self.about is None:
            self.about = about
            for note in notes:
                warnings.warn(note, stacklevel=2)
        elif about != self.about:
            raise BatchError(f"worker processes differ from each other: {about} and {self.about}")

    def _died(self, member: _Member, again: deque[Task]) -> Iterator[tuple[Task, list[Row]]]:
        task, member.task = member.task, None
        code = self._bury(member)
        if not member.ready:
            self._deaths_at_start += 1
            if self._deaths_at_start >= STARTS:
                raise BatchError(
                    f"worker processes die while they start ({_cause(code)}): if memory is short, give fewer "
                    "--processes; a script that calls mderank.batch needs: if __name__ == '__main__':"
                )
            if task is not None:
                again.appendleft(task)
        elif task is not None:
            killed = code == -getattr(signal, "SIGKILL", 9) and not member.late
            cause = f"it took more than {self.timeout:g} seconds" if member.late else _cause(code)
            yield from self._again(task, again, f"the worker process died of this document ({cause})", killed)

    def _bury(self, member: _Member) -> int | None:
        """Take note of a worker that died. Its exit code."""
        member.process.join(1)
        if member.process.is_alive():  # its connection broke, and it did not notice
            member.process.kill()
        self._remove(member)
        self.replaced += 1
        code: int | None = member.process.exitcode
        return code

    def _remove(self, member: _Member) -> None:
        member.process.join()
        member.connection.close()
        self._members.remove(member)

    def _again(
        self, task: Task, again: deque[Task], reason: str, killed: bool = False
    ) -> Iterator[tuple[Task, list[Row]]]:
        """Try the documents of a task again, or give one up."""
        if len(task.records) > 1:
            again.extend(task.one_by_one())
            return
        task.kills += killed
        task.crashes += not killed
        if task.crashes < CRASHES and task.kills < KILLS:
            again.append(task)
        else:
            yield task, [self.work.failed(task.records[0], reason)]


@contextlib.contextmanager
def _environment(threads: int | None) -> Iterator[None]:
    """What a process that is started meanwhile finds about threads, unless the user has said something."""
    ours = [name for name in _THREADS if threads is not None and name not in os.environ]
    os.environ.update(dict.fromkeys(ours, str(threads)))
    try:
        yield
    finally:
        for name in ours:
            del os.environ[name]


def _cause(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
    return f"exit code {code}"


def serve(connection: Connection, work: Work) -> None:
    """The life of a worker: load, say so, and answer batches until there are no more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent sees to that
    _die_with_parent()
    try:
        try:
            with warnings.catch_warnings(record=True) as caught:
                about = work.describe()
        except MDERankError as error:
            connection.send(("error", error))
            return
        notes = [each.message for each in caught if issubclass(each.category, MDERankWarning)]
        connection.send(("ready", (about, notes)))
        warnings.simplefilter("ignore")  # what is to be said of single documents is in their rows
        while True:
            connection.send(_answer(work, connection.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone, or has no more
        return


def _answer(work: Work, records: Sequence[Record]) -> tuple[str, Any]:
    try:
        return "rows", work.rows(records)
    except MDERankError as error:
        return "error", error
    except Exception as error:  # a bug of ours, or memory: this batch's fault, and not the others'
        return "raised", f"{type(error).__name__}: {error}"


def _die_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
