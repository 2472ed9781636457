"""JSON: an array of documents, or one document per line."""

from __future__ import annotations

from mderank.util.format import json_text
from mderank.writing.base import DocumentResult, Writer


class _JsonWriter(Writer):
    def _dump(self, result: DocumentResult, indent: int | None) -> str:
        return json_text(result.as_dict(explain=self.explain), indent)


class JsonLinesWriter(_JsonWriter):
    """Writes one JSON object per line, for pipes."""

    def write(self, result: DocumentResult) -> None:
        self.stream.write(self._dump(result, None) + "\n")
        self.stream.flush()


class JsonWriter(_JsonWriter):
    """Writes one indented array, for people and for programs that read whole files."""

    _first = True

    def begin(self) -> None:
        self.stream.write("[")

    def write(self, result: DocumentResult) -> None:
        self.stream.write(("\n" if self._first else ",\n") + self._dump(result, 2))
        self._first = False

    def end(self) -> None:
        self.stream.write("]\n" if self._first else "\n]\n")
