"""The extraction service that all routes share: queues, extractors, file readers and metrics."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import mderank
from mderank.errors import MDERankError, OptionError
from mderank.keyphrase import Keyphrases
from mderank.languages import LANGUAGES
from mderank.methods.registry import METHODS
from mderank.options import Options
from mderank.seeds import check_seeds
from mderank.serve import schemas as schema
from mderank.serve.batch_queue import BatchQueues, QueueEntry, extract_queued
from mderank.serve.config import ServerConfig
from mderank.serve.cost import CHARS_PER_UNIT, text_cost
from mderank.serve.errors import ApiError
from mderank.serve.extractor_cache import check_seeds_taken, cost_factor, http_options, http_params
from mderank.serve.extractors import Extractors, WorkerProcesses
from mderank.serve.file_reader import FileReaderPool, readable_kinds
from mderank.serve.metrics import Metrics
from mderank.serve.worker import QueuedText, WorkerProcess
from mderank.style import Style
from mderank.writing import explanation
from mderank.writing.plain_words import CONFIDENCE_WORDS, PLAIN_MEANINGS

_log = logging.getLogger("mderank.serve")
_LARGE = 20_000  # characters
# How much more than prose of the longest length a text may cost: tables and code have more marks than prose.
_DENSE = 2
_WARM_UP = "A cold engine starts slowly. The warm engine of a new car starts at once, whatever the weather is. " * 10
_MASKING = ("fusion", "mderank")
_LIMITS = ("max_body_bytes", "max_file_bytes", "max_text_chars", "max_request_documents", "timeout_seconds")
# The meaning of each term of a score, and of each field of an explained keyphrase.
_LANGUAGES = [{"code": each.code, "name": each.name} for each in sorted(LANGUAGES.values(), key=lambda each: each.name)]
_LABELS = {
    **explanation.MEANINGS,
    "raw_score": explanation.RAW_SCORE,
    "confidence": explanation.CONFIDENCE,
    "masked_similarity": explanation.MASKED,
    "related": explanation.RELATED,
}


class Service:
    """Queues, extractors and file readers of one server.

    Args:
        options: Encoder and tagger of the server.
        config: Limits of the server.
        extractors: What the queues extract with; None for processes of their own.
        styles: Styles that clients may name.

    Raises:
        OptionError: If two styles have the same name.

    Attributes:
        ready: Whether everything is loaded and requests are accepted.
        stopping: Whether the server is shutting down.
        failure: Why the server could not be loaded; None if it could.
        on_loaded: Called once the server is ready, or its loading has failed.
    """

    def __init__(
        self,
        options: Options,
        config: ServerConfig,
        extractors: Extractors | None = None,
        styles: Sequence[Style] = (),
    ) -> None:
        if len({each.name for each in styles}) < len(styles):
            raise OptionError(
                f"two styles have the same name ({', '.join(each.name for each in styles)}): leave one out"
            )
        self._styles = tuple(styles)
        self._languages = [] if options.tagger or options.tokenizer else _LANGUAGES
        self.config = config
        self.metrics = Metrics()
        self.queues = BatchQueues(config, self.metrics)
        self.metrics.watch(lambda: float(len(self.queues)))
        self.readers = FileReaderPool(config)
        self.model = ""
        self.stopping = False
        self.ready = False
        self.failure: Exception | None = None
        self.on_loaded: Callable[[], None] = lambda: None
        self._extractors: Extractors = extractors or WorkerProcesses(
            options, partial(WorkerProcess, styles=self._styles)
        )
        self._offered: list[dict[str, Any]] = []

    def start(self) -> None:
        """Load the encoder.

        Raises:
            MDERankError: If the encoder cannot be loaded.
        """
        if not self.model:
            self.model = self._extractors.start()

    def load(self) -> None:
        """Load the tagger, try which methods work, and measure the speed of both queues."""
        try:
            self.start()
            offered = self._extractors.methods()
            for queue in (self.queues.short, self.queues.long):
                extractor = self._extractors.get("short", Options())
                if queue is self.queues.short:
                    extractor.extract_together([QueuedText(_WARM_UP, 1)])
                queue.measure_speed(extractor, [_WARM_UP] * 4, Options().method)
            self._offered = [_describe_method(name, overlap) for name, overlap in offered.items()]
            self.ready = True
        except Exception as error:
            self.failure = error
            _log.error("loading failed, no request will be accepted: %s", error)
        self.on_loaded()

    def close(self) -> None:
        """Compute what waits, and end all threads and processes."""
        self.stopping = True
        self.queues.close()
        self._extractors.close()

    def methods(self) -> dict[str, Any]:
        """Return the methods with their options, the labels of score terms, and the limits.

        Returns:
            The body of ``GET /v1/methods``.
        """
        return {
            "version": mderank.__version__,
            "default": Options().method,
            "model": self.model,
            "methods": self._offered,
            "styles": [
                {"name": each.name, "preferences": list(each.preferences), "learned_from": dict(each.learned_from)}
                for each in self._styles
            ],
            "languages": self._languages,
            "labels": _LABELS,
            "plain_labels": PLAIN_MEANINGS,
            "confidence_words": [{"least": least, "words": words} for least, words in CONFIDENCE_WORDS],
            "limits": {**{name: getattr(self.config, name) for name in _LIMITS}, "max_text_chars": self.longest_text},
            "speeds": {name: round(speed, 1) for name, speed in self.queues.speeds().items()},
            "reads": readable_kinds(),
        }

    async def extract(
        self, options: Options, documents: Sequence[schema.InputDocument | schema.ExtractRequest]
    ) -> list[Keyphrases | MDERankError]:
        """Extract the keyphrases of the documents of one request.

        Args:
            options: Method and options, the same for all documents.
            documents: Documents of the request.

        Returns:
            The keyphrases of each document, or the error of a document that failed.

        Raises:
            ApiError: If the server is loading, a text is too long, the queue is full, or the answer is late.
            OptionError: If the method is not offered, or does not take an option.
        """
        self.check_ready()
        self._check_method(options.method)
        deadline = time.monotonic() + self.config.timeout_seconds
        factor = cost_factor(options)
        self._check_lengths([len(each.text) for each in documents], factor)
        sizes = await _count_sizes([each.text for each in documents], factor)
        self._check_sizes(sizes, factor)
        queue = self.queues.queue_for(sum(sizes))
        # Seeds go with each document: requests with different ones share an extractor, and are computed together.
        check_seeds_taken(options, any(_own_seeds(each) for each in documents))
        extractor = self._extractors.get(queue.name, replace(options, seeds=(), seed_weight=None))
        entries = [
            QueueEntry(
                extractor,
                each.text,
                options.top_k or None,
                size,
                each.format == "markdown",
                options.method,
                deadline,
                each.language if isinstance(each, schema.InputDocument) else None,
                options.seeds if (own := _own_seeds(each)) is None else check_seeds(own),
                options.seed_weight,
                each.prose,
            )
            for each, size in zip(documents, sizes, strict=True)
        ]
        found = await extract_queued(queue, entries, self.config.timeout_seconds)
        for each in found:
            if isinstance(each, OptionError):  # the options are those of all documents
                raise each
        return found

    @property
    def longest_text(self) -> int:
        """The longest text that is accepted: the limit that is set, or what this machine computes in time."""
        most = min(self.config.max_text_chars, self.queues.long.longest_text(Options().method))
        return max(1, int(most))

    def check_ready(self) -> None:
        """Refuse requests while the server is loading.

        Raises:
            ApiError: If the models are not loaded yet.
        """
        if not self.ready:
            raise ApiError("not_ready", "the server is still loading: try again", retry_after=2)

    def _check_method(self, name: str) -> None:
        """Refuse a method that ``GET /v1/methods`` does not list, and name those that it lists."""
        offered = [each["name"] for each in self._offered]
        if name not in offered:
            raise OptionError(f"the method '{name[:40]}' is not offered: it is one of {', '.join(offered)}")

    def _check_lengths(self, lengths: Sequence[int], factor: int) -> None:
        """Refuse texts that are too long, before anything is counted in them."""
        limit = self.config.max_text_chars
        if max(lengths) * factor > limit:
            why = f", which count {factor} times because these options are costly" if factor > 1 else ""
            raise ApiError(
                "text_too_long",
                f"a text has {max(lengths):,} characters{why}; the limit is {limit:,}: send a shorter text",
            )
        if sum(lengths) * factor > self.config.max_queue_chars:
            raise self._too_large()

    def _check_sizes(self, sizes: Sequence[int], factor: int) -> None:
        """Refuse texts that cost too much for their length."""
        limit = self.config.max_text_chars
        if max(sizes) > _DENSE * limit:
            units = max(sizes) // factor // CHARS_PER_UNIT
            raise ApiError(
                "text_too_long",
                f"a text has {units:,} words and marks, which cost as much as {max(sizes):,} characters of prose; the "
                f"limit is {limit:,}: send a shorter text",
            )
        if sum(sizes) > self.config.max_queue_chars:
            raise self._too_large()

    def _too_large(self) -> ApiError:
        limit = self.config.max_queue_chars
        return ApiError(
            "batch_too_large", f"the texts have more than {limit:,} characters together: send fewer documents"
        )


def _own_seeds(document: schema.InputDocument | schema.ExtractRequest) -> list[str] | None:
    """The seeds of a document that has some beside those of its request."""
    return document.seeds if isinstance(document, schema.InputDocument) else None


async def _count_sizes(texts: Sequence[str], factor: int) -> list[int]:
    """Return what texts cost. Long ones are counted in a thread, so that others are answered meanwhile."""

    def count() -> list[int]:
        return [max(1, text_cost(text) * factor) for text in texts]

    return count() if sum(map(len, texts)) <= _LARGE else await asyncio.to_thread(count)


def _describe_method(name: str, overlap: str) -> dict[str, Any]:
    method = METHODS[name]
    return {
        "name": name,
        "kind": method.kind,
        "summary": method.summary,
        "options": http_options(method),
        "params": [
            {"name": name, "type": each.describe(), "default": each.default_text(), "help": each.param.help}
            for name, each in http_params(method).items()
        ],
        "diverse": "diversity" in method.options,
        "overlap": overlap,
        "masks": name in _MASKING,
    }
