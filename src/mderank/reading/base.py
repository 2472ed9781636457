"""What reading gives, and how it is told what to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from mderank.document import Document
from mderank.errors import MDERankError

InputFormat = Literal["text", "markdown", "html", "pdf", "jsonl", "csv", "parquet"]
FORMATS: tuple[InputFormat, ...] = ("text", "markdown", "html", "pdf", "jsonl", "csv", "parquet")


@dataclass(frozen=True)
class Source:
    """One document to extract from, or why it could not be read.

    ``id`` is what a JSON line or a row calls itself, else the file's name, with the line's number. Offsets refer to
    ``text``. It is the file's own text, except where ``extracted`` says that it was taken out of something else
    (HTML, PDF). ``prose`` is of the same length, with markup blanked. ``tagged`` is there if the words came with
    their tags.
    """

    id: str | int
    text: str = ""
    prose: str | None = None
    extracted: bool = False
    tagged: Document | None = None
    error: MDERankError | None = None


@dataclass(frozen=True)
class ReadOptions:
    """How to read. Without ``format`` a file's name and its first characters decide."""

    format: InputFormat | None = None
    encoding: str = "utf-8"
    text_field: str = "text"
    id_field: str = "id"
    tokens_field: str | None = None
