"""Prometheus metrics of the server."""

from __future__ import annotations

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST as CONTENT_TYPE

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)

__all__ = ["CONTENT_TYPE", "Metrics"]


class Metrics:
    """Metrics of one application. Each has its own registry, so that several applications can share a process."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self.requests = Counter(
            "mderank_requests", "Requests answered.", ("path", "method", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "mderank_request_seconds", "Time from the first byte of a request to the last of its answer.", ("path",),
            buckets=_SECONDS, registry=self.registry,
        )  # fmt: skip
        self.active = Gauge("mderank_requests_active", "Requests in progress.", registry=self.registry)
        self.waiting = Gauge("mderank_documents_waiting", "Documents in the queue.", registry=self.registry)
        self.documents = Counter("mderank_documents", "Documents computed.", registry=self.registry)
        self.characters = Counter("mderank_characters", "Characters of the documents computed.", registry=self.registry)
        self.refused = Counter("mderank_refused", "Requests refused because the queue was full.",
                               registry=self.registry)  # fmt: skip
        self.dropped = Counter(
            "mderank_documents_dropped", "Documents whose client disconnected or timed out.", registry=self.registry
        )
        self.batches = Histogram(
            "mderank_batch_documents", "Documents per batch.", ("queue",),
            buckets=(1, 2, 4, 8, 16, 32, 64, 128), registry=self.registry,
        )  # fmt: skip
        self.computing = Histogram(
            "mderank_batch_seconds", "Time to compute a batch.", ("queue",),
            buckets=_SECONDS, registry=self.registry,
        )  # fmt: skip

    def watch(self, waiting: Callable[[], float]) -> None:
        """Set the function that returns the number of waiting documents."""
        self.waiting.set_function(waiting)

    def text(self) -> bytes:
        """Return all metrics in the text format of Prometheus."""
        return generate_latest(self.registry)
