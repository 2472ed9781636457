"""What the operator decides: how much is taken from clients, and from whom."""

from __future__ import annotations

from dataclasses import dataclass, field

from mderank.errors import OptionError


@dataclass(frozen=True)
class Settings:
    """Limits of a server. Sizes of texts are in characters, of bodies in bytes, times in seconds.

    A text with options that make it costly counts as a longer one (`mderank.serve.extractor_cache.weight`).
    """

    max_body: int = 2_000_000  # of a request
    max_file: int = 20_000_000  # that is sent to be read
    max_text: int = 200_000  # of a document
    max_batch: int = 64  # documents of a request
    max_queue: int = 256  # documents that wait
    max_queued_text: int = 4_000_000  # of all documents that wait
    max_held: int = 64_000_000  # of all bodies that are held at once
    max_connections: int = 1_000
    timeout: float = 60.0  # from a request's body to its answer
    body_timeout: float = 10.0  # for a request's body to arrive
    batch_documents: int = 32  # that are encoded together
    batch_text: int = 40_000
    batch_seconds: float = 1.0  # that computing them may be expected to take
    linger: float = 0.002  # that a document waits for company
    long_text: int = 20_000  # beyond it a document waits, and is computed, apart from short ones
    readers: int = 2  # files that are read at once, each in a process of its own
    reader_memory: int = 1 << 30  # of such a process
    api_key: str | None = field(default=None, repr=False)
    cors: tuple[str, ...] = ()  # origins of pages elsewhere that may use the API
    hosts: tuple[str, ...] = ()  # names that clients may call the server by; empty: any

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, int | float) and name != "linger" and not value > 0:
                raise OptionError(f"{name} must be above 0, not {value}")
        if self.api_key is not None and len(self.api_key) < 16:
            raise OptionError("an API key has at least 16 characters: make one with 'openssl rand -hex 24'")
        if self.max_batch > self.max_queue:
            raise OptionError(f"a request of max_batch={self.max_batch} documents would never find room in a queue of "
                              f"max_queue={self.max_queue}: make the queue longer")  # fmt: skip
        if self.max_text > self.max_queued_text:
            raise OptionError(f"a text of max_text={self.max_text} characters would never find room in a queue of "
                              f"max_queued_text={self.max_queued_text}: make the queue longer")  # fmt: skip
