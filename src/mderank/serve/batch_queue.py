"""Documents of all clients wait in a line, and are computed together: shared encoder passes, never a growing backlog.

What a document gives does not depend on what it is computed with (ARCHITECTURE.md), so that strangers may share a pass.
There are two lines, each with a thread: whoever sends a book does not keep those with an abstract waiting.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

from mderank.document import Document
from mderank.errors import InputError, MDERankError
from mderank.keyphrase import Keyphrases
from mderank.methods.base import BaseExtractor
from mderank.reading.markdown import blank_markup
from mderank.serve.config import Settings
from mderank.serve.errors import ApiError
from mderank.serve.metrics import Metrics
from mderank.tagging.spacy import forgetting

_log = logging.getLogger("mderank.serve")
_USUAL_SPEED = 20_000.0  # characters a second, until it is known
_LEAST = 4_000  # characters that are computed together, however slow the machine is
_EACH = 300  # characters that a document costs besides its own
_SHARE = 0.5  # of the time for an answer that a document may be expected to wait; the estimate may be wrong


@dataclass(eq=False, frozen=True)
class Job:
    """One document of a request. ``size`` is its length, more with costly options."""

    extractor: BaseExtractor
    text: str
    top: int
    size: int
    markdown: bool = False
    future: Future[Keyphrases] = field(default_factory=Future)


class Lane:
    """A line of documents, and the thread that computes them, as many at once as are worth it."""

    def __init__(self, name: str, settings: Settings, metrics: Metrics) -> None:
        self.name = name
        self._settings = settings
        self._metrics = metrics
        self._waiting: deque[Job] = deque()
        self._size = 0  # of all that wait
        self._speed = _USUAL_SPEED
        self._closing = False
        self._changed = threading.Condition()
        # A daemon, so that a process that must end does; `close` waits for it.
        self._thread = threading.Thread(target=self._work, name=f"mderank-{name}", daemon=True)

    def start(self) -> None:
        """Begin to compute."""
        self._thread.start()

    def __len__(self) -> int:
        """Documents that wait."""
        return len(self._waiting)

    def learn(self, speed: float) -> None:
        """So many characters a second are computed."""
        self._speed = speed

    def measure(self, extractor: BaseExtractor, texts: Sequence[str]) -> None:
        """Find out how fast it is, before anybody waits."""
        jobs = [Job(extractor, text, 1, len(text)) for text in texts]
        start = time.perf_counter()
        extractor.score(texts)
        self.learn(self._cost(jobs) / max(time.perf_counter() - start, 1e-6))

    def put(self, jobs: Sequence[Job]) -> None:
        """Take all of these, or none."""
        with self._changed:
            if self._closing:
                raise ApiError("stopping", "the server is about to stop: try again", retry_after=5)
            size = sum(job.size for job in jobs)
            wait = self._cost(self._waiting) / self._speed
            if (
                len(self._waiting) + len(jobs) > self._settings.max_queue
                or self._size + size > self._settings.max_queued_text
                or wait > _SHARE * self._settings.timeout
            ):
                self._metrics.refused.inc()
                told = f"{len(self._waiting)} documents are waiting: try again"
                raise ApiError("busy", told, retry_after=min(30.0, wait))
            self._waiting.extend(jobs)
            self._size += size
            self._changed.notify()
        for job in jobs:
            job.future.add_done_callback(lambda _, job=job: self._forget(job))  # type: ignore[misc]

    def _forget(self, job: Job) -> None:
        """Nobody waits for it any more: it shall not cost anything, nor stand in others' way."""
        if job.future.cancelled():
            with self._changed:
                try:
                    self._waiting.remove(job)
                except ValueError:  # it had been taken out already
                    return
                self._size -= job.size
            self._metrics.dropped.inc()

    def close(self) -> None:
        """Take no more, finish what was taken."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        while batch := self._take():
            start = time.perf_counter()
            try:
                with forgetting(batch[0].extractor.tagger):
                    self._compute(batch)
            except BaseException as error:  # whatever it is, nobody is left waiting
                _log.exception("a batch failed")
                for job in batch:
                    if not job.future.done():
                        job.future.set_exception(RuntimeError(f"{type(error).__name__} in a batch"))
            seconds = time.perf_counter() - start
            self.learn(0.8 * self._speed + 0.2 * self._cost(batch) / max(seconds, 1e-6))
            self._metrics.batches.labels(self.name).observe(len(batch))
            self._metrics.computing.labels(self.name).observe(seconds)

    def _take(self) -> list[Job]:
        """The first document and those behind it that can share its passes; nothing once all is done."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return []
                self._changed.wait_for(lambda: self._full() or self._closing, self._settings.linger)
                if batch := self._first():
                    return batch

    def _first(self) -> list[Job]:
        """What is taken out of the line; nothing if all of it had been cancelled."""
        batch: list[Job] = []
        size = 0
        # On a slow machine fewer, so that those who come next do not wait for long.
        most = min(self._settings.batch_text, max(_LEAST, self._speed * self._settings.batch_seconds))
        for job in list(self._waiting):
            if batch and job.extractor is not batch[0].extractor:
                continue
            if len(batch) == self._settings.batch_documents or (batch and size + job.size > most):
                break
            self._waiting.remove(job)
            self._size -= job.size
            if job.future.set_running_or_notify_cancel():
                batch.append(job)
                size += job.size
        return batch

    @staticmethod
    def _cost(jobs: Iterable[Job]) -> float:
        return sum(job.size + _EACH for job in jobs)

    def _full(self) -> bool:
        return len(self._waiting) >= self._settings.batch_documents or self._size >= self._settings.batch_text

    def _compute(self, batch: Sequence[Job]) -> None:
        extractor = batch[0].extractor
        try:
            scored = extractor.score([_prepared(job) for job in batch])
            found = [extractor.choose(*each, job.top) for each, job in zip(scored, batch, strict=True)]
        except Exception:  # one of them failed: find out which, and give the others their due
            for job in batch:
                _alone(job)
        else:
            for job, keyphrases in zip(batch, found, strict=True):
                job.future.set_result(keyphrases)
        self._metrics.documents.inc(len(batch))
        self._metrics.characters.inc(sum(len(job.text) for job in batch))


def _prepared(job: Job) -> str | Document:
    """The text, or of Markdown its prose, tagged."""
    if not job.markdown:
        return job.text
    (document,) = job.extractor.tagger.tag([blank_markup(job.text)])
    return document.with_breaks(job.text)


def _alone(job: Job) -> None:
    try:
        job.future.set_result(job.extractor.extract(_prepared(job), job.top))
    except MDERankError as error:
        job.future.set_exception(error)
    except Exception as error:  # whatever a tagger or an encoder raises
        _log.exception("a document failed")
        job.future.set_exception(InputError(f"extraction failed: {type(error).__name__}"))


class Lanes:
    """The lines: one for short texts, one for long ones."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._long_text = settings.long_text
        self.short = Lane("short", settings, metrics)
        self.long = Lane("long", settings, metrics)

    def of(self, size: int) -> Lane:
        """Where a text of that size goes."""
        return self.long if size > self._long_text else self.short

    def __len__(self) -> int:
        """Documents that wait."""
        return len(self.short) + len(self.long)

    def start(self) -> None:
        """Begin to compute."""
        self.short.start()
        self.long.start()

    def close(self) -> None:
        """Take no more, finish what was taken."""
        self.short.close()
        self.long.close()


async def computed(lane: Lane, jobs: Sequence[Job], timeout: float) -> list[Keyphrases | MDERankError]:
    """What becomes of the jobs. Whoever waits for this and is cancelled, or waits too long, cancels them."""
    lane.put(jobs)
    waiting = [asyncio.wrap_future(job.future) for job in jobs]
    try:
        async with asyncio.timeout(timeout):
            results = await asyncio.gather(*waiting, return_exceptions=True)
    except TimeoutError:
        raise ApiError("timeout", f"the answer was not ready within {timeout:g} seconds: send less text") from None
    finally:
        for future in waiting:
            future.cancel()
    made: list[Keyphrases | MDERankError] = []
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, MDERankError):
            raise result
        made.append(result)
    return made
