"""Extraction that does not block an event loop, for asyncio, trio and anyio.

Taggers and encoders are not made to be called by several threads at once. So every extractor has one thread, in which
calls wait in the order in which they were made. The encoder itself uses all cores, so that more threads would gain
nothing.
"""

from __future__ import annotations

import asyncio
import sys
from abc import abstractmethod
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from contextvars import copy_context
from functools import cache, partial
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from mderank.document import AnyText
from mderank.errors import OptionError
from mderank.keyphrase import Keyphrases
from mderank.methods.base import Extractor
from mderank.shortcuts import extract

_Result = TypeVar("_Result")


async def aextract(text: AnyText | Path, top_k: int | None = 10, **options: Any) -> Keyphrases:
    """Extract the keyphrases of a text, or of a file, without blocking the event loop.

    >>> import asyncio, mderank
    >>> asyncio.run(mderank.aextract("Coral reefs feed fish. Warm water harms coral reefs.", top_k=1)).texts
    ['Coral reefs']

    All calls share one thread, in which they wait in their order. A call that is cancelled while it waits is not
    computed; one that has begun is finished in the background.

    Args:
        text: A text, or the path of a file with one document. A string is always a text.
        top_k: Number of keyphrases; None or 0 returns all.
        **options: Fields of `Options`, as for `extract`.

    Returns:
        The keyphrases, the best first.

    Raises:
        InputError: If the text or the file cannot be read, or the file has several documents.
        OptionError: If an option is unknown or does not fit.
    """
    return await _wait(_thread_of_shortcuts().submit(partial(extract, text, top_k, **options)))


class AsyncExtractor:
    """Makes the calls of an extractor awaitable.

    >>> import asyncio
    >>> from mderank import FusionRank
    >>> async def first_phrases(texts):
    ...     extractor = AsyncExtractor(FusionRank())
    ...     return [found[0].text async for found in extractor.extract_many(texts, top_k=1)]
    >>> asyncio.run(first_phrases(["Coral reefs feed fish.", "A storm surge lifts the sea."]))
    ['Coral reefs', 'storm surge']

    Each extractor has one thread, however many objects of this class it is in. Calls wait there in the order in which
    they were made. A call that is cancelled while it waits is not computed; one that has begun is finished in the
    background, and harms no other.

    Args:
        extractor: The extractor. Making one loads its model, which takes a moment: do it before the event loop runs,
            or in a thread.

    Raises:
        OptionError: If it is not an extractor.
    """

    def __init__(self, extractor: Extractor) -> None:
        if not isinstance(extractor, Extractor) or isinstance(extractor, type):
            raise OptionError(f"extractor must be an extractor such as FusionRank(), not {_name(extractor)}")
        self._extractor = extractor
        self._thread = _thread_of(extractor)

    async def extract(self, text: AnyText, top_k: int | None = 10, **options: Any) -> Keyphrases:
        """Extract the keyphrases of one text.

        Args:
            text: A text, a `MarkedUpText`, or a tagged `Document`.
            top_k: Number of keyphrases; None returns all.
            **options: Further arguments of the extractor's own ``extract``, such as ``seeds``.

        Returns:
            The keyphrases, the best first.

        Raises:
            InputError: If the text cannot be read.
        """
        return await _wait(self._thread.submit(partial(self._extractor.extract, text, top_k, **options)))

    def extract_many(
        self, texts: Iterable[AnyText] | AsyncIterable[AnyText], top_k: int | None = 10, **options: Any
    ) -> AsyncIterator[Keyphrases]:
        """Extract the keyphrases of many texts.

        Texts are read as results are asked for, so that few are in memory. An iterable is read in the extractor's
        thread and fills the encoder's batches. An asynchronous iterable is read in the event loop, and each of its
        texts is computed as soon as it comes.

        If waiting for a result is cancelled, no result is lost: the next one that is asked for is the same.

        Args:
            texts: The texts.
            top_k: Number of keyphrases per text; None returns all.
            **options: Further arguments of the extractor's own ``extract_many``, such as ``seeds``. For an
                asynchronous iterable they hold for all texts alike.

        Returns:
            An asynchronous iterator over the keyphrases of each text, in order. A text that fails has its error in
            ``Keyphrases.error``.

        Raises:
            OptionError: If ``texts`` is one text.
            RuntimeError: If two tasks ask for the next result at one time.
        """
        if isinstance(texts, AnyText) or not isinstance(texts, Iterable | AsyncIterable):
            raise OptionError(f"extract_many takes several texts, not {_name(texts)}: use extract(text)")
        many = partial(self._extractor.extract_many, top_k=top_k, **options)
        if isinstance(texts, AsyncIterable):
            return _EachComing(self._thread, aiter(texts), many)
        return _Chunked(self._thread, partial(many, texts))


class _Thread:
    """One thread, in which jobs run in the order in which they were submitted. It ends when nothing refers to it."""

    def __init__(self) -> None:
        self._executor = ThreadPoolExecutor(1, thread_name_prefix="mderank")

    def submit(self, job: Callable[[], _Result]) -> Future[_Result]:
        return self._executor.submit(copy_context().run, job)


class _Results(AsyncIterator[Keyphrases]):
    """Results, each of which is one job of a thread. A job stays the current one until its result was handed over."""

    def __init__(self, thread: _Thread) -> None:
        self._thread = thread
        self._job: Callable[[], Keyphrases | None] | None = None
        self._running: Future[Keyphrases | None] | None = None
        self._asked = False

    @abstractmethod
    async def _next_job(self) -> Callable[[], Keyphrases | None]:
        """Return the job that computes the next result, or None after the last."""

    async def __anext__(self) -> Keyphrases:
        if self._asked:
            raise RuntimeError("another task waits for the next result: give the texts to one task, or use extract")
        self._asked = True
        try:
            return await self._next_result()
        finally:
            self._asked = False

    async def _next_result(self) -> Keyphrases:
        if self._job is None:
            self._job = await self._next_job()
        if self._running is None:
            self._running = self._thread.submit(self._job)
        running = self._running
        try:
            found = await _wait(running)
        except BaseException:
            if running.cancelled():  # before it began
                self._running = None
            elif running.done() and running.exception() is not None:
                self._job = self._running = None
            raise
        self._job = self._running = None
        if found is None:
            raise StopAsyncIteration
        return found


class _Chunked(_Results):
    """The results of an iterable, which the extractor reads in chunks of its own."""

    def __init__(self, thread: _Thread, many: Callable[[], Iterator[Keyphrases]]) -> None:
        super().__init__(thread)
        self._many = many
        self._found: Iterator[Keyphrases] | None = None

    async def _next_job(self) -> Callable[[], Keyphrases | None]:
        return self._next

    def _next(self) -> Keyphrases | None:
        if self._found is None:
            self._found = self._many()
        return next(self._found, None)


class _EachComing(_Results):
    """The results of an asynchronous iterable, text by text."""

    def __init__(
        self, thread: _Thread, texts: AsyncIterator[AnyText], many: Callable[[list[AnyText]], Iterator[Keyphrases]]
    ) -> None:
        super().__init__(thread)
        self._texts = texts
        self._many = many

    async def _next_job(self) -> Callable[[], Keyphrases | None]:
        text = await anext(self._texts)
        return lambda: next(self._many([text]))


async def _wait(future: Future[_Result]) -> _Result:
    """Wait for a job. If waiting is cancelled, so is a job that has not begun."""
    if not _in_trio():
        return await asyncio.wrap_future(future)
    trio = sys.modules["trio"]
    done = trio.Event()
    token = trio.lowlevel.current_trio_token()

    def report(_: object) -> None:
        with suppress(trio.RunFinishedError):
            token.run_sync_soon(done.set)

    future.add_done_callback(report)
    try:
        await done.wait()
    except BaseException:
        future.cancel()
        raise
    return future.result()


def _in_trio() -> bool:
    """Whether trio runs the current task. It is asked only if it is loaded."""
    try:
        return sys.modules["trio"].lowlevel.current_task() is not None
    except (KeyError, RuntimeError):
        return False


_threads: WeakKeyDictionary[Extractor, _Thread] = WeakKeyDictionary()
_making = Lock()


def _thread_of(extractor: Extractor) -> _Thread:
    """The thread of an extractor."""
    with _making:
        try:
            return _threads.setdefault(extractor, _Thread())
        except TypeError:  # of a class without hash or weak references
            return _Thread()


@cache
def _thread_of_shortcuts() -> _Thread:
    return _Thread()


def _name(value: object) -> str:
    return f"the class {value.__name__}" if isinstance(value, type) else f"a {type(value).__name__}"
