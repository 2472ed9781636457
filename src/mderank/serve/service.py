"""The extraction service that all routes share: queues, extractors, file readers and metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mderank
from mderank.encoding import Encoder
from mderank.errors import MDERankError
from mderank.keyphrase import Keyphrases
from mderank.methods.base import BaseExtractor
from mderank.methods.registry import METHODS
from mderank.options import Options
from mderank.serve import schemas as schema
from mderank.serve.batch_queue import BatchQueues, QueueEntry, extract_queued
from mderank.serve.config import ServerConfig
from mderank.serve.errors import ApiError
from mderank.serve.extractor_cache import ExtractorCache, cost_factor, http_options, http_params
from mderank.serve.file_reader import FileReaderPool, readable_kinds
from mderank.serve.metrics import Metrics
from mderank.tagging import Tagger
from mderank.writing import explanation

_WARM_UP = "A cold engine starts slowly. The warm engine of a new car starts at once, whatever the weather is. " * 10
_MASKING = ("fusion", "mderank")
_LIMITS = ("max_body_bytes", "max_file_bytes", "max_text_chars", "max_request_documents", "timeout_seconds")
# The meaning of each term of a score, and of each field of an explained keyphrase.
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
        encoder: Encoder that all extractors share.
        make_tagger: Called once per queue, because taggers are not shared between threads.
        config: Limits of the server.

    Attributes:
        ready: Whether everything is loaded and requests are accepted.
        stopping: Whether the server is shutting down.
    """

    def __init__(self, encoder: Encoder, make_tagger: Callable[[], Tagger], config: ServerConfig) -> None:
        self.config = config
        self.metrics = Metrics()
        self.queues = BatchQueues(config, self.metrics)
        self.metrics.watch(lambda: float(len(self.queues)))
        self.readers = FileReaderPool(config)
        self.model = encoder.spec.name
        self.stopping = False
        self.ready = False
        self._caches = {name: ExtractorCache(encoder, make_tagger()) for name in ("short", "long")}
        self._offered: list[dict[str, Any]] = []

    def load(self) -> None:
        """Load the models, measure the speed of both queues, and try which methods work."""
        offered = self._caches["short"].offers()
        for queue in (self.queues.short, self.queues.long):
            extractor = self._caches[queue.name].get(Options())
            extractor.extract(_WARM_UP)
            queue.measure_speed(extractor, [_WARM_UP] * 4)
        self._offered = [_describe_method(name, kind) for name, kind in offered.items()]
        self.ready = True

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
            "labels": _LABELS,
            "limits": {name: getattr(self.config, name) for name in _LIMITS},
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
        """
        self.check_ready()
        sizes = [len(each.text) * cost_factor(options) for each in documents]
        self._check_sizes(sizes, options)
        queue = self.queues.queue_for(sum(sizes))
        extractor = self._caches[queue.name].get(options)
        entries = [
            QueueEntry(extractor, each.text, options.top_k, max(1, size), each.format == "markdown")
            for each, size in zip(documents, sizes, strict=True)
        ]
        return await extract_queued(queue, entries, self.config.timeout_seconds)

    def check_ready(self) -> None:
        """Refuse requests while the server is loading.

        Raises:
            ApiError: If the models are not loaded yet.
        """
        if not self.ready:
            raise ApiError("not_ready", "the server is still loading: try again", retry_after=2)

    def _check_sizes(self, sizes: Sequence[int], options: Options) -> None:
        limit = self.config.max_text_chars
        if max(sizes) > limit:
            factor = cost_factor(options)
            why = f", which count {factor} times because these options are costly" if factor > 1 else ""
            raise ApiError(
                "text_too_long",
                f"a text has {max(sizes) // factor:,} characters{why}; the limit is {limit:,}: send a shorter text",
            )
        limit = self.config.max_queue_chars
        if sum(sizes) > limit:
            raise ApiError(
                "batch_too_large", f"the texts have more than {limit:,} characters together: send fewer documents"
            )


def _describe_method(name: str, kind: type[BaseExtractor]) -> dict[str, Any]:
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
        "overlap": kind.default_overlap,
        "masks": name in _MASKING,
    }
