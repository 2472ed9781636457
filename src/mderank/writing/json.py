"""JSON: an array of documents, or one document a line."""

from __future__ import annotations

import json

from mderank.writing.base import Result, Writer


class _JsonWriter(Writer):
    def _dump(self, result: Result, indent: int | None) -> str:
        # Lone surrogates, which JSON can escape but UTF-8 cannot encode, come through escaped.
        text = json.dumps(result.as_dict(explain=self.explain), ensure_ascii=False, indent=indent)
        return text.encode("utf-8", "backslashreplace").decode("utf-8")


class JsonLinesWriter(_JsonWriter):
    """One JSON object a line, for pipes."""

    def write(self, result: Result) -> None:
        self.stream.write(self._dump(result, None) + "\n")
        self.stream.flush()


class JsonWriter(_JsonWriter):
    """One array, indented, for people and for programs that read whole files."""

    _first = True

    def begin(self) -> None:
        self.stream.write("[")

    def write(self, result: Result) -> None:
        self.stream.write(("\n" if self._first else ",\n") + self._dump(result, 2))
        self._first = False

    def end(self) -> None:
        self.stream.write("]\n" if self._first else "\n]\n")
