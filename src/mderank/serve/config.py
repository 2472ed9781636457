"""Limits of the server, which its operator sets."""

from __future__ import annotations

from dataclasses import dataclass, field

from mderank.errors import OptionError

LOOPBACK = ("127.0.0.1", "::1", "localhost")  # addresses and names that only this machine reaches
# Options of an extraction that the operator of the server chooses; clients choose all others.
OPERATOR_OPTIONS = ("model", "device", "dtype", "precision", "threads", "tagger", "tokenizer")


@dataclass(frozen=True)
class ServerConfig:
    """Limits of a server.

    A text with costly options counts as a longer one (see `mderank.serve.extractor_cache`).

    Attributes:
        max_body_bytes: Size of a request body.
        max_file_bytes: Size of a file sent to ``/v1/read``.
        max_text_chars: Length of a document.
        max_request_documents: Documents per request.
        max_queue_documents: Documents that wait in a queue.
        max_queue_chars: Total length of the documents that wait in a queue.
        max_buffered_bytes: Total size of all request bodies in memory.
        max_connections: Open connections.
        timeout_seconds: Time from a complete request to its answer.
        header_timeout_seconds: Time for the headers of a request to arrive.
        body_timeout_seconds: Time for a request body to arrive.
        write_timeout_seconds: Time for a client to read its answer.
        batch_documents: Documents that are encoded together.
        batch_chars: Total length of the documents that are encoded together.
        batch_seconds: Expected time to compute one batch; smaller batches are taken on slow machines.
        batch_wait_seconds: Time that a document waits for others to share its batch.
        long_text_chars: Requests with more characters than this go to the queue for long texts.
        max_file_readers: Files that are read at once, each in its own process.
        reader_memory_bytes: Memory limit of a file-reading process.
        api_key: Key that clients must send; None accepts all clients.
        cors: Origins of other sites' pages that may call the API.
        hosts: Accepted values of the Host header; empty accepts all.

    Raises:
        OptionError: If a limit is not above 0, two limits contradict each other, or the API key is too short.
    """

    max_body_bytes: int = 2_000_000
    max_file_bytes: int = 20_000_000
    max_text_chars: int = 200_000
    max_request_documents: int = 64
    max_queue_documents: int = 256
    max_queue_chars: int = 4_000_000
    max_buffered_bytes: int = 64_000_000
    max_connections: int = 1_000
    timeout_seconds: float = 60.0
    header_timeout_seconds: float = 10.0
    body_timeout_seconds: float = 10.0
    write_timeout_seconds: float = 30.0
    batch_documents: int = 32
    batch_chars: int = 40_000
    batch_seconds: float = 1.0
    batch_wait_seconds: float = 0.002
    long_text_chars: int = 20_000
    max_file_readers: int = 2
    reader_memory_bytes: int = 1 << 30
    api_key: str | None = field(default=None, repr=False)
    cors: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            if isinstance(value, int | float) and name != "batch_wait_seconds" and not value > 0:
                raise OptionError(f"{name} must be above 0, not {value}")
        if self.api_key is not None and len(self.api_key) < 16:
            raise OptionError("an API key has at least 16 characters: make one with 'openssl rand -hex 24'")
        for part, whole in (("max_request_documents", "max_queue_documents"), ("max_text_chars", "max_queue_chars")):
            one, all_ = getattr(self, part), getattr(self, whole)
            if one > all_:
                raise OptionError(f"{part}={one} is more than {whole}={all_}, so no queue could hold it: raise {whole}")
