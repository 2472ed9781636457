"""Bounded queues of documents, which one thread per queue computes in batches.

Documents of different requests share a batch if they have the same extractor. Results do not depend on the batch
(ARCHITECTURE.md). There are two queues, so that a book does not delay abstracts.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace

from mderank.errors import InputError, MDERankError
from mderank.keyphrase import Keyphrases
from mderank.serve.config import ServerConfig
from mderank.serve.errors import ApiError
from mderank.serve.metrics import Metrics
from mderank.serve.worker import Outcome, QueuedText, QueueExtractor

_log = logging.getLogger("mderank.serve")
_INITIAL_SPEED = 20_000.0  # characters per second, until it is measured
_MIN_BATCH_CHARS = 4_000  # on slow machines too
_OVERHEAD_CHARS = 300  # that a document costs besides its text
_WAIT_SHARE = 0.5  # of the timeout: longer expected waits are refused, as the estimate may be wrong


@dataclass(eq=False, frozen=True)
class QueueEntry:
    """A document that waits for extraction.

    Attributes:
        extractor: Extractor for the options of its request.
        text: The document.
        top: Number of keyphrases; None for all.
        size: What it costs, in characters of ordinary prose (see `mderank.serve.cost`).
        markdown: Whether the text is Markdown.
        method: Name of the method, whose speed is measured.
        deadline: Value of `time.monotonic` after which its client no longer waits.
        language: Its language, if the client names one.
        seeds: Phrases that pull its ranking towards a topic.
        seed_weight: How much they count; None for the method's own.
        prose: The text without what no phrase may be part of, if the client sent it.
        future: Receives the keyphrases, or the error. Cancelling it takes the entry out of the queue.
    """

    extractor: QueueExtractor
    text: str
    top: int | None
    size: int
    markdown: bool = False
    method: str = ""
    deadline: float = float("inf")
    language: str | None = None
    seeds: tuple[str, ...] = ()
    seed_weight: float | None = None
    prose: str | None = None
    future: Future[Keyphrases] = field(default_factory=Future)

    def queued_text(self, speed: float) -> QueuedText:
        """Return the document for its extractor.

        Args:
            speed: Characters that are computed per second.
        """
        seconds = (self.size + _OVERHEAD_CHARS) / speed
        return QueuedText(
            self.text,
            self.top,
            self.markdown,
            self.deadline,
            seconds,
            self.language,
            self.seeds,
            self.seed_weight,
            self.prose,
        )


@dataclass(eq=False, frozen=True)
class _Batch:
    """Documents that are computed together.

    Attributes:
        entries: The documents.
        texts: The same as their extractor gets them.
        ahead: Whether its extractor had them while it computed the batch before.
    """

    entries: list[QueueEntry]
    texts: list[QueuedText]
    ahead: bool = False

    def send_ahead(self) -> bool:
        """Send the texts before their results are asked for. Whether the extractor has them."""
        return self.entries[0].extractor.send_ahead(self.texts)


class BatchQueue:
    """A bounded queue of documents, and the thread that computes them in batches.

    Args:
        name: Label of the queue in metrics and of its thread.
        config: Limits of the queue and of its batches.
        metrics: Counters of the server.
        best_speeds: Best speed of each method, in characters per second, which queues share.
    """

    def __init__(
        self, name: str, config: ServerConfig, metrics: Metrics, best_speeds: dict[str, float] | None = None
    ) -> None:
        self.name = name
        self._config = config
        self._metrics = metrics
        self._waiting: deque[QueueEntry] = deque()
        self._size = 0  # sum of the sizes of all waiting entries
        self._costs: Counter[str] = Counter()  # of all waiting entries, by method
        self._speed = _INITIAL_SPEED  # of methods that were not measured yet
        self._speeds: dict[str, float] = {}  # of each method, lately
        self._best = {} if best_speeds is None else best_speeds
        self._closing = False
        self._changed = threading.Condition()
        # A daemon, so that it does not keep a failing process alive; `close` waits for it.
        self._thread = threading.Thread(target=self._work, name=f"mderank-{name}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def __len__(self) -> int:
        """Return the number of waiting documents."""
        return len(self._waiting)

    def measure_speed(self, extractor: QueueExtractor, texts: Sequence[str], method: str = "") -> None:
        """Measure how many characters per second are computed, before the first request.

        Args:
            extractor: Extractor with the default options.
            texts: Texts to extract from.
            method: Name of the method.
        """
        entries = [QueueEntry(extractor, text, 1, len(text), method=method) for text in texts]
        start = time.perf_counter()
        extractor.extract_together([entry.queued_text(self._speed) for entry in entries])
        self._speed = self._cost(entries) / max(time.perf_counter() - start, 1e-6)
        self._note_speed(method, self._speed)

    def longest_text(self, method: str) -> float:
        """Return the characters that can be computed in time, at the best speed that was measured.

        Args:
            method: Name of the method.

        Returns:
            The number of characters of ordinary prose; infinite if the method was never measured.
        """
        return self._best.get(method, float("inf")) * self._config.timeout_seconds

    def speeds(self) -> dict[str, float]:
        """Return the characters that were computed per second lately, by method.

        Returns:
            The speeds of the methods that were measured.
        """
        return dict(self._speeds)

    def _note_speed(self, method: str, speed: float, *, ahead: bool = False) -> None:
        self._speeds[method] = 0.8 * self._speeds.get(method, speed) + 0.2 * speed
        if not ahead:  # it may have been begun before the time was taken
            self._best[method] = max(speed, self._best.get(method, 0.0))

    def put(self, entries: Sequence[QueueEntry]) -> None:
        """Add all entries, or none.

        Args:
            entries: The documents of one request.

        Raises:
            ApiError: If the queue is closed or full, the documents would wait too long, or cannot be computed in
                time.
        """
        with self._changed:
            if self._closing:
                raise ApiError("stopping", "the server is stopping: try again", retry_after=5)
            size = sum(entry.size for entry in entries)
            if (cost := self._cost(entries)) > (most := self.longest_text(entries[0].method)):
                self._metrics.refused.inc()
                raise ApiError(
                    "text_too_long",
                    f"the request counts {cost:,.0f} characters, and this machine computes {most:,.0f} within "
                    f"{self._config.timeout_seconds:g} seconds: send less text",
                )
            wait = sum(cost / self._speeds.get(method, self._speed) for method, cost in self._costs.items())
            if (
                len(self._waiting) + len(entries) > self._config.max_queue_documents
                or self._size + size > self._config.max_queue_chars
                or wait > _WAIT_SHARE * self._config.timeout_seconds
            ):
                self._metrics.refused.inc()
                message = f"{len(self._waiting)} documents are waiting: try again"
                raise ApiError("busy", message, retry_after=min(30.0, wait))
            for entry in entries:
                self._add(entry)
            self._changed.notify()
        for entry in entries:
            entry.future.add_done_callback(lambda _, entry=entry: self._drop_if_cancelled(entry))  # type: ignore[misc]

    def _add(self, entry: QueueEntry) -> None:
        self._waiting.append(entry)
        self._size += entry.size
        self._costs[entry.method] += entry.size + _OVERHEAD_CHARS

    def _remove(self, entry: QueueEntry) -> None:
        """Take an entry out. Raises ValueError if it is not there."""
        self._waiting.remove(entry)
        self._size -= entry.size
        self._costs[entry.method] -= entry.size + _OVERHEAD_CHARS
        if not self._costs[entry.method]:
            del self._costs[entry.method]  # clients can make up names

    def _drop_if_cancelled(self, entry: QueueEntry) -> None:
        """Remove an entry whose client disconnected or timed out, so that it is never computed."""
        if entry.future.cancelled():
            with self._changed:
                try:
                    self._remove(entry)
                except ValueError:  # it was taken into a batch already
                    return
            self._metrics.dropped.inc()

    def close(self) -> None:
        """Refuse new entries, compute those that wait, and end the thread."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        if self._thread.is_alive():
            self._thread.join()

    def _work(self) -> None:
        ahead: _Batch | None = None
        finished = 0.0
        while batch := ahead or self._make_batch(self._next_batch()):
            start = finished if batch.ahead else time.perf_counter()
            computed = False
            try:
                # The extractor has the next batch before this one is done, so that it has no pause between them.
                ahead = self._take_ahead() if batch.send_ahead() else None
                found_of = batch.entries[0].extractor.extract_together(batch.texts)
                finished = time.perf_counter()
                computed = self._answer(batch.entries, found_of)
            except BaseException as error:  # every waiting client gets an answer, whatever failed
                finished = time.perf_counter()
                _log.exception("a batch failed")
                for entry in batch.entries:
                    if not entry.future.done():
                        entry.future.set_exception(RuntimeError(f"{type(error).__name__} in a batch"))
            seconds = finished - start
            if computed:  # a refused option costs nothing, and neither does a text that nobody waits for
                speed = self._cost(batch.entries) / max(seconds, 1e-6)
                self._note_speed(batch.entries[0].method, speed, ahead=batch.ahead)
            self._metrics.batches.labels(self.name).observe(len(batch.entries))
            self._metrics.computing.labels(self.name).observe(seconds)

    def _make_batch(self, entries: list[QueueEntry], *, ahead: bool = False) -> _Batch | None:
        """Make a batch; None of no entries."""
        if not entries:
            return None
        speed = self._speeds.get(entries[0].method, self._speed)
        return _Batch(entries, [entry.queued_text(speed) for entry in entries], ahead)

    def _take_ahead(self) -> _Batch | None:
        """Take the next batch if it is whole already: a part of one would be computed without those that come soon."""
        with self._changed:
            batch = self._make_batch(self._take_batch(), ahead=True) if self._full() else None
        return batch if batch is None or batch.send_ahead() else replace(batch, ahead=False)

    def _next_batch(self) -> list[QueueEntry]:
        """Wait for the next batch. An empty list means that the queue is closed and all entries are computed."""
        with self._changed:
            while True:
                self._changed.wait_for(lambda: self._waiting or self._closing)
                if not self._waiting:
                    return []
                self._changed.wait_for(lambda: self._full() or self._closing, self._config.batch_wait_seconds)
                if batch := self._take_batch():
                    return batch

    def _take_batch(self) -> list[QueueEntry]:
        """Take the first entry and those after it with the same extractor; an empty list if all were cancelled."""
        if not self._waiting:  # they were, while the batch waited for more
            return []
        batch: list[QueueEntry] = []
        size = 0
        # Smaller batches on a slow machine, so that the next documents do not wait long.
        first = self._waiting[0]
        speed = self._speeds.get(first.method, self._speed)
        limit = min(self._config.batch_chars, max(_MIN_BATCH_CHARS, speed * self._config.batch_seconds))
        for entry in list(self._waiting):
            if entry.extractor != first.extractor:
                continue
            if len(batch) == self._config.batch_documents or (batch and size + entry.size > limit):
                break
            self._remove(entry)
            if entry.future.set_running_or_notify_cancel():
                batch.append(entry)
                size += entry.size
        return batch

    @staticmethod
    def _cost(entries: Iterable[QueueEntry]) -> float:
        return sum(entry.size + _OVERHEAD_CHARS for entry in entries)

    def _full(self) -> bool:
        return len(self._waiting) >= self._config.batch_documents or self._size >= self._config.batch_chars

    def _answer(self, batch: Sequence[QueueEntry], found_of: Sequence[Outcome]) -> bool:
        """Answer the requests of a batch. Whether anything was computed."""
        for entry, found in zip(batch, found_of, strict=True):
            if isinstance(found, MDERankError | ApiError):
                entry.future.set_exception(found)
            elif isinstance(found, Exception):  # any error of a tagger or an encoder
                _log.error("a document failed", exc_info=found)
                entry.future.set_exception(InputError(f"extraction failed: {type(found).__name__}"))
            else:
                entry.future.set_result(found)
        self._metrics.documents.inc(len(batch))
        self._metrics.characters.inc(sum(len(entry.text) for entry in batch))
        return not all(isinstance(found, MDERankError | ApiError) for found in found_of)


class BatchQueues:
    """The two queues of a server: one for short texts, one for long ones.

    Args:
        config: Limits of both queues.
        metrics: Counters of the server.
    """

    def __init__(self, config: ServerConfig, metrics: Metrics) -> None:
        self._long_text_chars = config.long_text_chars
        best_speeds: dict[str, float] = {}
        self.short = BatchQueue("short", config, metrics, best_speeds)
        self.long = BatchQueue("long", config, metrics, best_speeds)

    def queue_for(self, size: int) -> BatchQueue:
        """Return the queue for a request of that size, in characters."""
        return self.long if size > self._long_text_chars else self.short

    def __len__(self) -> int:
        """Return the number of waiting documents."""
        return len(self.short) + len(self.long)

    def speeds(self) -> dict[str, float]:
        """Return the characters per second of each method that was measured; those of long texts come first."""
        return {**self.short.speeds(), **self.long.speeds()}

    def start(self) -> None:
        """Start both threads."""
        self.short.start()
        self.long.start()

    def close(self) -> None:
        """Refuse new entries, compute those that wait, and end both threads."""
        self.short.close()
        self.long.close()


async def extract_queued(
    queue: BatchQueue, entries: Sequence[QueueEntry], timeout_seconds: float
) -> list[Keyphrases | MDERankError]:
    """Add entries to a queue and wait for their results. Cancellation and timeout cancel the entries too.

    Args:
        queue: Queue for texts of their size.
        entries: The documents of one request.
        timeout_seconds: Longest wait.

    Returns:
        The keyphrases of each entry, or the error of a document that failed.

    Raises:
        ApiError: If the queue refuses the entries, or the results are late.
    """
    queue.put(entries)
    waiting = [asyncio.wrap_future(entry.future) for entry in entries]
    try:
        async with asyncio.timeout(timeout_seconds):
            results = await asyncio.gather(*waiting, return_exceptions=True)
    except TimeoutError:
        message = f"the answer was not ready within {timeout_seconds:g} seconds: send less text"
        raise ApiError("timeout", message) from None
    finally:
        for future in waiting:
            future.cancel()
    found: list[Keyphrases | MDERankError] = []
    for result in results:
        if isinstance(result, BaseException) and not isinstance(result, MDERankError):
            raise result
        found.append(result)
    return found
