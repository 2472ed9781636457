"""A pool of worker processes that survives crashes.

Each worker is a process that has loaded the extractor; it gets a batch of documents and sends back their rows. A worker
that dies is replaced, and the documents of its batch are tried one by one. A document that crashes its worker
repeatedly gets an error in its row. If the parent process dies, the workers exit.
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

from mderank.batch.worker import BatchWorker, Row
from mderank.errors import BatchError, MDERankError, MDERankWarning
from mderank.reading import Record

# How often a document may end its worker, alone in its batch. A process that is killed from outside (by a person, or by
# the system when memory runs out) says less about the document, so that more kills than crashes are allowed.
MAX_CRASHES, MAX_KILLS = 2, 4
MAX_FAILED_STARTS = 10  # consecutive workers that die before they are ready

# Thread settings of libraries other than ONNX Runtime.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass
class WorkerTask:
    """Documents for one worker.

    Attributes:
        key: number of the shard that the documents belong to.
        positions: positions of the documents in the shard.
        records: the documents.
        crashes: how often this task has crashed its worker.
        kills: how often this task's worker was killed from outside.
    """

    key: int
    positions: Sequence[int]
    records: Sequence[Record]
    crashes: int = 0
    kills: int = 0

    def one_by_one(self) -> Iterator[WorkerTask]:
        """Yield one task per document."""
        for position, record in zip(self.positions, self.records, strict=True):
            yield WorkerTask(self.key, [position], [record])


@dataclass
class _Worker:
    process: Any
    connection: Connection
    ready: bool = False
    task: WorkerTask | None = None
    deadline: float | None = None
    late: bool = False


class WorkerPool:
    """A number of worker processes; a context manager that ends them on exit.

    Args:
        batch_worker: what each process does with its documents.
        processes: number of processes.
        timeout: seconds that a document may take, alone in its batch; None sets no limit.

    Attributes:
        about: description of the extractor that the workers loaded; None before the first worker is ready.
        replaced: number of workers that died.
    """

    def __init__(self, batch_worker: BatchWorker, processes: int, *, timeout: float | None = None) -> None:
        self.batch_worker = batch_worker
        self.processes = processes
        self.timeout = timeout
        self.about: dict[str, Any] | None = None
        self.replaced = 0
        self._workers: list[_Worker] = []
        self._failed_starts = 0

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(self, *_: object) -> None:
        for worker in self._workers:
            worker.connection.close()
            worker.process.kill()
        for worker in self._workers:
            worker.process.join()
        self._workers.clear()

    def describe(self) -> dict[str, Any]:
        """Start a worker if there is none, and return its description of the extractor.

        Returns:
            The value of `BatchWorker.describe` in the worker process.

        Raises:
            BatchError: workers die while they start.
            MDERankError: the extractor cannot be loaded.
        """
        while self.about is None:
            if not self._workers:
                self._start(None)
            for _ in self._handle_events(deque()):
                pass
        return self.about

    def run(self, tasks: Iterable[WorkerTask]) -> Iterator[tuple[WorkerTask, list[Row]]]:
        """Extract the documents of all tasks.

        Args:
            tasks: the tasks; the next one is taken when a worker is free.

        Yields:
            Each task, or a part of it, with its rows, in the order in which they finish.

        Raises:
            BatchError: workers die while they start, or loaded different extractors.
            MDERankError: the extractor cannot be loaded.
        """
        coming = iter(tasks)
        retry_queue: deque[WorkerTask] = deque()

        def next_task() -> WorkerTask | None:
            return retry_queue.popleft() if retry_queue else next(coming, None)

        try:
            while True:
                for worker in list(self._workers):
                    if worker.task is None and (task := next_task()) is not None:
                        self._assign(worker, task, retry_queue)
                while len(self._workers) < self.processes and (task := next_task()) is not None:
                    self._start(task)
                if not any(worker.task for worker in self._workers):
                    if retry_queue:
                        continue
                    return
                yield from self._handle_events(retry_queue)
        finally:  # the caller stopped early: end the workers that are still busy
            for worker in [worker for worker in self._workers if worker.task is not None]:
                worker.process.kill()
                self._remove(worker)

    def _start(self, task: WorkerTask | None) -> None:
        """Start a worker. It gets ``task`` when it is ready."""
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=serve, args=(theirs, self.batch_worker), daemon=True)
        with _limit_threads(self.batch_worker.threads):
            process.start()
        theirs.close()
        self._workers.append(_Worker(process, ours, task=task))

    def _assign(self, worker: _Worker, task: WorkerTask, retry_queue: deque[WorkerTask]) -> None:
        """Give a task to a worker. A worker that is still starting gets it when it is ready."""
        worker.task = task
        if not worker.ready:
            return
        if self.timeout is not None:
            worker.deadline = time.monotonic() + self.timeout * len(task.records)
        try:
            worker.connection.send(task.records)
        except OSError:  # the worker died while it was idle
            worker.task = None
            retry_queue.appendleft(task)
            self._remove_dead(worker)

    def _handle_events(self, retry_queue: deque[WorkerTask]) -> Iterator[tuple[WorkerTask, list[Row]]]:
        """Wait for messages, deaths and deadlines of workers, and handle them."""
        happened = wait(
            [each for worker in self._workers for each in (worker.connection, worker.process.sentinel)],
            self._seconds_to_deadline(),
        )
        for worker in list(self._workers):
            if worker.connection in happened or (worker.process.sentinel in happened and worker.connection.poll()):
                try:
                    message, content = worker.connection.recv()
                except (EOFError, OSError):
                    yield from self._handle_death(worker, retry_queue)
                else:
                    yield from self._handle_message(worker, message, content, retry_queue)
            elif worker.process.sentinel in happened:
                yield from self._handle_death(worker, retry_queue)
            elif worker.deadline is not None and time.monotonic() > worker.deadline:
                worker.late = True
                worker.deadline = None
                worker.process.kill()

    def _seconds_to_deadline(self) -> float | None:
        deadlines = [worker.deadline for worker in self._workers if worker.deadline is not None]
        return max(0.0, min(deadlines) - time.monotonic()) + 0.01 if deadlines else None

    def _handle_message(
        self, worker: _Worker, message: str, content: Any, retry_queue: deque[WorkerTask]
    ) -> Iterator[tuple[WorkerTask, list[Row]]]:
        if message == "ready":
            worker.ready = True
            self._failed_starts = 0
            self._check_extractor(*content)
            if worker.task is not None:
                self._assign(worker, worker.task, retry_queue)
        elif message == "error":  # a model, an extra or an option is wrong, not a document
            raise content
        else:
            task, worker.task, worker.deadline = worker.task, None, None
            assert task is not None
            if message == "rows":
                yield task, content
            else:
                yield from self._retry(task, retry_queue, f"extraction failed: {content}")

    def _check_extractor(self, about: dict[str, Any], notes: list[Warning]) -> None:
        """Check that all workers loaded the same extractor, and show the first worker's warnings."""
        if self.about is None:
            self.about = about
            for note in notes:
                warnings.warn(note, stacklevel=2)
        elif about != self.about:
            raise BatchError(f"worker processes loaded different extractors: {about} and {self.about}")

    def _handle_death(self, worker: _Worker, retry_queue: deque[WorkerTask]) -> Iterator[tuple[WorkerTask, list[Row]]]:
        task, worker.task = worker.task, None
        code = self._remove_dead(worker)
        if not worker.ready:
            self._failed_starts += 1
            if self._failed_starts >= MAX_FAILED_STARTS:
                raise BatchError(
                    f"worker processes die while they start ({_describe_exit(code)}): if memory is short, give fewer "
                    "--processes; a script that calls mderank.batch needs: if __name__ == '__main__':"
                )
            if task is not None:
                retry_queue.appendleft(task)
        elif task is not None:
            killed = code == -getattr(signal, "SIGKILL", 9) and not worker.late
            cause = f"it took more than {self.timeout:g} seconds" if worker.late else _describe_exit(code)
            yield from self._retry(task, retry_queue, f"the worker process died of this document ({cause})", killed)

    def _remove_dead(self, worker: _Worker) -> int | None:
        """Remove a worker that died, and return its exit code."""
        worker.process.join(1)
        if worker.process.is_alive():  # its connection broke, and it has not noticed
            worker.process.kill()
        self._remove(worker)
        self.replaced += 1
        code: int | None = worker.process.exitcode
        return code

    def _remove(self, worker: _Worker) -> None:
        worker.process.join()
        worker.connection.close()
        self._workers.remove(worker)

    def _retry(
        self, task: WorkerTask, retry_queue: deque[WorkerTask], reason: str, killed: bool = False
    ) -> Iterator[tuple[WorkerTask, list[Row]]]:
        """Try the documents of a task again, or yield an error row for a document that failed too often."""
        if len(task.records) > 1:
            retry_queue.extend(task.one_by_one())
            return
        task.kills += killed
        task.crashes += not killed
        if task.crashes < MAX_CRASHES and task.kills < MAX_KILLS:
            retry_queue.append(task)
        else:
            yield task, [self.batch_worker.failed(task.records[0], reason)]


@contextlib.contextmanager
def _limit_threads(threads: int | None) -> Iterator[None]:
    """Set the thread variables for processes that start meanwhile, except those that the user has set."""
    ours = [name for name in _THREADS if threads is not None and name not in os.environ]
    os.environ.update(dict.fromkeys(ours, str(threads)))
    try:
        yield
    finally:
        for name in ours:
            del os.environ[name]


def _describe_exit(code: int | None) -> str:
    if code is not None and code < 0:
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
    return f"exit code {code}"


def serve(connection: Connection, batch_worker: BatchWorker) -> None:
    """Run a worker process: load the extractor, report it, and answer batches until the parent closes the connection.

    Args:
        connection: connection to the parent.
        batch_worker: what to do with the documents.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C
    _exit_with_parent()
    try:
        try:
            with warnings.catch_warnings(record=True) as caught:
                about = batch_worker.describe()
        except MDERankError as error:
            connection.send(("error", error))
            return
        notes = [each.message for each in caught if issubclass(each.category, MDERankWarning)]
        connection.send(("ready", (about, notes)))
        warnings.simplefilter("ignore")  # warnings about single documents are in their rows
        while True:
            connection.send(_answer(batch_worker, connection.recv()))
    except (EOFError, BrokenPipeError, ConnectionResetError):  # the parent is gone, or has no more documents
        return


def _answer(batch_worker: BatchWorker, records: Sequence[Record]) -> tuple[str, Any]:
    try:
        return "rows", batch_worker.rows(records)
    except MDERankError as error:
        return "error", error
    except Exception as error:  # a bug, or lack of memory: it concerns this batch only
        return "raised", f"{type(error).__name__}: {error}"


def _exit_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
