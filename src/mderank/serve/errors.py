"""Errors of the API, which all have one form.

    {"error": {"code": "text_too_long", "message": "…", "details": [{"where": "body.text", "problem": "…"}]}}

``code`` is stable, for programs; ``message`` is for people.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

# Every code with its status and meaning, as docs/serve.md lists them.
CODES: dict[str, tuple[int, str]] = {
    "invalid_json": (400, "the body is not JSON, or nested too deep"),
    "invalid_http": (400, "the request is not valid HTTP"),
    "unauthorized": (401, "the API key is missing or wrong"),
    "unknown_host": (403, "the Host header names another server"),
    "not_found": (404, "the path does not exist"),
    "method_not_allowed": (405, "the path exists, but does not accept this HTTP method"),
    "slow_body": (408, "the body did not arrive in time"),
    "body_too_large": (413, "the body is larger than the limit"),
    "text_too_long": (413, "a text is longer than the limit, or too long for options this costly"),
    "batch_too_large": (413, "the request has more documents or characters than the limit"),
    "unsupported_media_type": (415, "the path does not accept this Content-Type"),
    "invalid_request": (422, "a field is missing, unknown, of the wrong type or out of range"),
    "invalid_options": (422, "options exclude each other, or the method does not take one of them"),
    "unreadable": (422, "a text or file cannot be read"),
    "internal": (500, "the server failed; its log has the reason"),
    "busy": (503, "the queue is full: try again after Retry-After seconds"),
    "stopping": (503, "the server is stopping: try again after Retry-After seconds"),
    "not_ready": (503, "the server is loading, stopping or full"),
    "timeout": (504, "the answer was not ready in time"),
}


class ApiError(Exception):
    """An error response.

    Args:
        code: One of `CODES`, which also gives the status.
        message: What is wrong, where, and the fix.
        details: Invalid fields, each with ``where`` and ``problem``.
        retry_after: Seconds after which the client should try again.
        headers: Further response headers.
    """

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
        """Return the error as plain data for JSON."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        return {"error": {**error, "details": self.details}}

    def body(self) -> bytes:
        """Return the response body. ASCII, because UTF-8 cannot encode a lone surrogate and JSON can escape it."""
        return json.dumps(self.as_dict()).encode("ascii")
