"""JSON: an array of documents, or one document a line."""

from __future__ import annotations

import json
from typing import Any

from mderank.writing.base import DocumentResult, Writer


def json_text(data: Any, indent: int | None = None) -> str:
    """``data`` as JSON; lone surrogates, which JSON can escape but UTF-8 cannot encode, come through escaped."""
    text = json.dumps(data, ensure_ascii=False, indent=indent)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


class _JsonWriter(Writer):
    def _dump(self, result: DocumentResult, indent: int | None) -> str:
        return json_text(result.as_dict(explain=self.explain), indent)


class JsonLinesWriter(_JsonWriter):
    """One JSON object a line, for pipes."""

    def write(self, result: DocumentResult) -> None:
        self.stream.write(self._dump(result, None) + "\n")
        self.stream.flush()


class JsonWriter(_JsonWriter):
    """One array, indented, for people and for programs that read whole files."""

    _first = True

    def begin(self) -> None:
        self.stream.write("[")

    def write(self, result: DocumentResult) -> None:
        self.stream.write(("\n" if self._first else ",\n") + self._dump(result, 2))
        self._first = False

    def end(self) -> None:
        self.stream.write("]\n" if self._first else "\n]\n")
