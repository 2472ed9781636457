"""The progress of reading files: how many documents are done, and how much of the files they are."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TypeVar

from mderank.cli._terminal import StatusLine, bar
from mderank.reading import SourceDocument
from mderank.util.format import format_count, format_duration

_COMPRESSED = (".gz", ".parquet")
_RATIO = 3  # characters per byte of a compressed file, about

_Result = TypeVar("_Result")


class ReadingProgress:
    """A progress bar on standard error that moves with each document, by the length of its text.

    Args:
        files: The files that are read; None if the length of the input is not known, as on standard input.
        silent: Whether to show nothing.
        clock: Returns seconds.
    """

    def __init__(
        self, files: Sequence[Path] | None, *, silent: bool = False, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.total = None if files is None else sum(map(_size, files))
        self.documents = 0
        self.done = 0  # bytes of the files, or characters of standard input
        self._silent = silent
        self._clock = clock
        self._begin = 0  # of the file that is read
        self._ends: deque[int] = deque()  # of the documents that are read and not done
        self._line = StatusLine()

    def read(self, files: Iterable[Path], read: Callable[[Path], Iterable[SourceDocument]]) -> Iterator[SourceDocument]:
        """Read files, and note where each document ends.

        Args:
            files: The files.
            read: Reads the documents of one of them.

        Yields:
            The documents, in order.
        """
        for file in files:
            size, position = _size(file), 0
            # A pipe has no size, and its next document may be long in coming.
            found = _with_last(read(file)) if size else ((source, True) for source in read(file))
            for source, is_last in found:
                position = size if is_last else min(size, position + len(source.text))
                self._ends.append(self._begin + position)
                yield source
            self._begin += size

    def stream(self, sources: Iterable[SourceDocument]) -> Iterator[SourceDocument]:
        """Note the lengths of documents of no known file.

        Args:
            sources: The documents.

        Yields:
            The same documents.
        """
        for source in sources:
            self._begin += len(source.text)
            self._ends.append(self._begin)
            yield source

    def follow(self, results: Iterable[_Result]) -> Iterator[_Result]:
        """Move the bar with each result.

        Args:
            results: One result per document that was read, in the same order.

        Yields:
            The same results.
        """
        start = self._clock()
        try:
            for result in results:
                self.documents += 1
                self.done = max(self.done, self._ends.popleft())
                if not self._silent:
                    self._line.show(lambda: self.describe(self._clock() - start))
                yield result
        finally:
            self._line.clear()

    def describe(self, seconds: float) -> str:
        """Describe the state in one line.

        Args:
            seconds: Time since the start.

        Returns:
            The line.
        """
        documents = format_count(self.documents, "document")
        if not self.total:
            return f"extracting {documents}, {format_count(self.done, 'character')}"
        left = f", {format_duration(seconds / self.done * (self.total - self.done))} left" if self.done else ""
        return f"extracting {bar(self.done, self.total)} {documents}{left}"


def _size(file: Path) -> int:
    """Return about how many characters a file has."""
    try:
        size = file.stat().st_size
    except OSError:
        return 0
    return size * _RATIO if file.suffix.lower() in _COMPRESSED else size


_Item = TypeVar("_Item")


def _with_last(items: Iterable[_Item]) -> Iterator[tuple[_Item, bool]]:
    """Yield items, and whether each is the last.

    >>> list(_with_last("ab"))
    [('a', False), ('b', True)]
    """
    remaining = iter(items)
    try:
        item = next(remaining)
    except StopIteration:
        return
    for following in remaining:
        yield item, False
        item = following
    yield item, True
