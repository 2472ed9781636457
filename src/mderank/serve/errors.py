"""What a client is told when it gets no answer: one form for all of it.

    {"error": {"code": "text_too_long", "message": "…", "details": [{"where": "body.text", "problem": "…"}]}}

``code`` is for programs and does not change; ``message`` is for people.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

# Every code with its status and what it means; the documentation is made from it.
CODES: dict[str, tuple[int, str]] = {
    "invalid_json": (400, "the body is not JSON, or nested too deep"),
    "invalid_http": (400, "the request is not valid HTTP"),
    "unauthorized": (401, "the API key is missing or wrong"),
    "unknown_host": (403, "the Host header names a server that this one is not"),
    "not_found": (404, "there is no such address"),
    "method_not_allowed": (405, "the address is there, but not for this method"),
    "slow_body": (408, "the body did not arrive in time"),
    "body_too_large": (413, "the body is larger than the server takes"),
    "text_too_long": (413, "a text is longer than the server takes, or too long for such costly options"),
    "batch_too_large": (413, "there are more documents in a request than the server takes"),
    "unsupported_media_type": (415, "the Content-Type is not one that the address takes"),
    "invalid_request": (422, "a field is missing, unknown, of the wrong type or out of range"),
    "invalid_options": (422, "options that exclude each other, or that the method has no use for"),
    "unreadable": (422, "a text or file that cannot be read"),
    "internal": (500, "a fault of the server, which its log explains"),
    "busy": (503, "the queue is full: try again after Retry-After seconds"),
    "stopping": (503, "the server is about to stop: try again after Retry-After seconds"),
    "not_ready": (503, "the server is not ready yet, or no more"),
    "timeout": (504, "the answer was not ready in time"),
}


class ApiError(Exception):
    """Why a request gets no answer."""

    def __init__(
        self,
        code: str,
        message: str,
        *,
        details: Sequence[dict[str, str]] = (),
        retry_after: float | None = None,
        headers: dict[str, str] | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = CODES[code][0]
        self.message = message
        self.details = list(details)
        self.headers = dict(headers or {})
        if retry_after is not None:
            self.headers["Retry-After"] = str(max(1, math.ceil(retry_after)))
        if self.status == 401:
            self.headers["WWW-Authenticate"] = "Bearer"

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        return {"error": {**error, "details": self.details}}

    def body(self) -> bytes:
        """The answer's body. A lone surrogate, which UTF-8 cannot have, is written as JSON's escape."""
        return json.dumps(self.as_dict()).encode("ascii")
