"""Types of the reading room: documents, read options and records.

A record is one document that was located in a file but not yet parsed. Records are cheap to create, to compare and to
send to another process. Parsing, which may mean a PDF, is a separate step, so that many processes can share it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

from mderank.document import Document
from mderank.errors import InputError, MDERankError, OptionError
from mderank.reading.decoding import check_encoding

InputFormat = Literal[
    "text", "markdown", "rst", "tex", "html", "pdf", "docx", "epub", "eml", "mbox", "ipynb", "jsonl", "json", "csv",
    "parquet",
]  # fmt: skip
FORMATS: tuple[InputFormat, ...] = get_args(InputFormat)
# Of files with one document: where it begins need not be looked for.
WHOLE_FILE_FORMATS: tuple[InputFormat, ...] = (
    "text", "markdown", "rst", "tex", "html", "pdf", "docx", "epub", "eml", "ipynb",
)  # fmt: skip
OBJECT_FORMATS: tuple[InputFormat, ...] = ("jsonl", "json")  # of records that are JSON objects
OLD_OFFICE_MARK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # of Office files before 2007, and of those with a password
MAX_DOCUMENT_CHARS = 10_000_000  # several times a long novel
_BYTES_PER_CHAR = 4  # the most that UTF-8, UTF-16 and UTF-32 need
_PICTURE_BYTES_PER_CHAR = 40  # most of these files is pictures, fonts and attachments
_WITH_PICTURES: tuple[InputFormat, ...] = ("pdf", "docx", "epub", "eml", "mbox")


@dataclass(frozen=True)
class SourceDocument:
    """A document to extract from, or the reason why it could not be read.

    Attributes:
        id: the id field of a JSON line or a table row; otherwise the file name, with the line number if needed.
        text: the document's text. Character offsets refer to it.
        prose: the text with its markup replaced by spaces, of the same length; None if it has no markup.
        extracted: True if ``text`` was taken out of another format, such as HTML, PDF or a mail.
        tagged: the tagged document, if the input came with words and part-of-speech tags.
        error: why the document could not be read; None if it could.
        language: the document's language, if its record names one.
        seeds: phrases that pull the document's ranking towards a topic, if its record names any.
    """

    id: str | int
    text: str = ""
    prose: str | None = None
    extracted: bool = False
    tagged: Document | None = None
    error: MDERankError | None = None
    language: str | None = None
    seeds: tuple[str, ...] | None = None

    @classmethod
    def failed(cls, name: str, reason: str) -> SourceDocument:
        """Return a document that could not be read.

        Args:
            name: name of the file, with the line number if the file holds several documents.
            reason: what is wrong; the error text begins with ``name``.

        Returns:
            A document without text that carries an ``InputError``.
        """
        return cls(name, error=InputError(f"{name}: {reason}"))


@dataclass(frozen=True)
class ReadOptions:
    """How to read files.

    Attributes:
        format: format of all files; None decides by each file's name, and by its first bytes if the name does not tell.
        encoding: text encoding, by its Python name. A byte order mark takes precedence.
        text_field: field or column of the text, in JSON lines and tables.
        id_field: field or column of the document's id.
        language_field: field or column of the document's language.
        seeds_field: field or column of the document's seeds: a list of phrases, or a text with commas between them.
            None if the documents have none.
        tokens_field: field with a list of [word, tag] pairs; None if the documents are not tagged.
        max_document_chars: length of the longest document that is read, in characters. A longer one is an error.

    Raises:
        OptionError: the encoding is unknown or not an encoding of text, or the length is less than 1.
    """

    format: InputFormat | None = None
    encoding: str = "utf-8"
    text_field: str = "text"
    id_field: str = "id"
    language_field: str = "language"
    tokens_field: str | None = None
    max_document_chars: int = MAX_DOCUMENT_CHARS
    seeds_field: str | None = None

    def __post_init__(self) -> None:
        check_encoding(self.encoding)
        if self.max_document_chars < 1:
            raise OptionError(f"max_document_chars must be at least 1, not {self.max_document_chars}")

    def max_bytes(self, kind: InputFormat) -> int:
        """Return the size of the largest record that is read into memory, after decompression.

        Args:
            kind: format of the file.

        Returns:
            Bytes of a file with one document, of a line, or of a table's row: 4 per character of
            ``max_document_chars``; 40 of a PDF, Word or EPUB file or a mail.
        """
        return self.max_document_chars * (_PICTURE_BYTES_PER_CHAR if kind in _WITH_PICTURES else _BYTES_PER_CHAR)


class RecordPosition(NamedTuple):
    """Where a record begins in its file.

    Attributes:
        offset: number of bytes before the record, after decompression.
        number: number of lines, rows or records of a JSON file before the record.
    """

    offset: int = 0
    number: int = 0


START = RecordPosition()


@dataclass(frozen=True, slots=True)
class Record:
    """One document in a file, not yet parsed.

    Attributes:
        name: the file name, with the number of the line, row or record if the file holds several documents.
        data: the whole file, if it holds one document; otherwise a JSON object. Table rows are converted to JSON.
        format: format of ``data``.
        position: where the record begins; None if ``failure`` ends the file.
        failure: why there is no document here; None if there is one.
    """

    name: str
    data: bytes = b""
    format: InputFormat = "text"
    position: RecordPosition | None = START
    failure: str | None = None
