"""Extraction for the queues of a server: in processes of their own, or in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from mderank.encoding import Encoder
from mderank.options import Options
from mderank.serve.extractor_cache import ExtractorCache, options_key
from mderank.serve.worker import LocalExtractor, QueueExtractor, RemoteExtractor, WorkerProcess
from mderank.style import Style
from mderank.tagging import Tagger

QUEUES = ("short", "long")


class Extractors(Protocol):
    """Interface of what the queues extract with."""

    def start(self) -> str:
        """Load the encoder, and return its name."""
        ...

    def methods(self) -> dict[str, str]:
        """Return the names of the methods that work, each with its own value of ``overlap``."""
        ...

    def get(self, queue: str, options: Options) -> QueueExtractor:
        """Return the extractor of a queue for the options of a client."""
        ...

    def close(self) -> None:
        """Free what was loaded."""
        ...


class WorkerProcesses:
    """A process for each queue. That of long texts starts with the first long text.

    Args:
        options: Encoder and tagger of the server.
        make: Makes a process, which starts when it is used.
    """

    def __init__(self, options: Options, make: Callable[[Options], WorkerProcess] = WorkerProcess) -> None:
        self.workers = {name: make(options) for name in QUEUES}

    def start(self) -> str:
        """Start the process of short texts, and return the name of its encoder."""
        return self.workers["short"].start()

    def methods(self) -> dict[str, str]:
        """Return the names of the methods that work, each with its own value of ``overlap``."""
        return self.workers["short"].methods()

    def get(self, queue: str, options: Options) -> QueueExtractor:
        """Return the extractor of a queue for the options of a client.

        Args:
            queue: Name of the queue.
            options: Options of a client. Its process checks them.

        Returns:
            The extractor; equal for equal options.
        """
        return RemoteExtractor(self.workers[queue], options_key(options), options)

    def close(self) -> None:
        """End the processes."""
        for worker in self.workers.values():
            worker.close()


class LocalExtractors:
    """An encoder of this process, and a tagger for the thread of each queue.

    Args:
        encoder: Encoder that all extractors share.
        make_tagger: Called once per queue, because taggers are not shared between threads.
        styles: Styles that clients may name.

    Raises:
        OptionError: If a style was learned with another encoder.
    """

    def __init__(self, encoder: Encoder, make_tagger: Callable[[], Tagger], styles: Sequence[Style] = ()) -> None:
        self._model = encoder.spec.name
        self._caches = {name: ExtractorCache(encoder, make_tagger(), styles) for name in QUEUES}
        self._caches["short"].check_styles()

    def start(self) -> str:
        """Return the name of the encoder."""
        return self._model

    def methods(self) -> dict[str, str]:
        """Return the names of the methods that work, each with its own value of ``overlap``."""
        return {name: kind.default_overlap for name, kind in self._caches["short"].offers().items()}

    def get(self, queue: str, options: Options) -> QueueExtractor:
        """Return the extractor of a queue for the options of a client.

        Args:
            queue: Name of the queue.
            options: Options of a client.

        Returns:
            The extractor; equal for equal options.

        Raises:
            OptionError: If the method is not offered, or does not take an option.
        """
        return LocalExtractor(self._caches[queue].get(options))

    def close(self) -> None:
        """Free nothing: what was loaded is the caller's."""
