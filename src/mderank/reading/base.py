"""Types of the reading room: documents, read options and records.

A record is one document that was located in a file but not yet parsed. Records are cheap to create, to compare and to
send to another process. Parsing, which may mean a PDF, is a separate step, so that many processes can share it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, get_args

from mderank.document import Document
from mderank.errors import InputError, MDERankError, OptionError
from mderank.reading.decoding import check_encoding
from mderank.row_columns import parse_carry

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
        extracted: True if ``text`` was taken out of another format, such as HTML, PDF or a mail, or put together from
            several fields. Output then includes the text.
        tagged: the tagged document, if the input came with words and part-of-speech tags.
        error: why the document could not be read; None if it could.
        language: the document's language, if its record names one.
        seeds: phrases that pull the document's ranking towards a topic, if its record names any.
        title: the document's title: of a record the field that `ReadOptions.title_field` names, of a file what its
            format has for it, such as ``<title>`` or a first heading; None if there is none. It is also part of
            ``text``, except in PDF.
        carried: values that `ReadOptions.carry` takes from the record into the row of the result.
    """

    id: str | int
    text: str = ""
    prose: str | None = None
    extracted: bool = False
    tagged: Document | None = None
    error: MDERankError | None = None
    language: str | None = None
    seeds: tuple[str, ...] | None = None
    title: str | None = None
    carried: Mapping[str, Any] | None = None

    @classmethod
    def failed(cls, name: str, reason: str, identity: str | int | None = None) -> SourceDocument:
        """Return a document that could not be read.

        Args:
            name: name of the file, with the line number if the file holds several documents.
            reason: what is wrong; the error text begins with ``name``.
            identity: the document's id, if its record could be read so far; None takes ``name``.

        Returns:
            A document without text that carries an ``InputError``.
        """
        return cls(name if identity is None else identity, error=InputError(f"{name}: {reason}"))


@dataclass(frozen=True)
class ReadOptions:
    """Options of reading files.

    Attributes:
        format: format of all files; None decides by each file's name, and by its first bytes if the name does not tell.
        encoding: text encoding, by its Python name. A byte order mark takes precedence.
        text_field: field or column of the text, in JSON lines and tables. Of several, the texts are put together in
            this order, as paragraphs; one that is missing or blank is left out.
        id_field: field or column of the document's id.
        language_field: field or column of the document's language.
        seeds_field: field or column of the document's seeds: a list of phrases, or a text with commas between them.
            None if the documents have none.
        tokens_field: field with a list of [word, tag] pairs; None if the documents are not tagged.
        max_document_chars: length of the longest document that is read, in characters. A longer one is an error.
        title_field: field or column of the title, which precedes the text as a paragraph; None if there is none. A
            title that is the text's first line or sentence is not read twice.
        carry: fields or columns that `SourceDocument.carried` and the rows of results get. ``FIELD=NAME`` renames one;
            ``all`` stands for all that are not read as text, id, language or tokens.

    The name of a field may lead into objects and lists: ``document.body.text``, ``items.0.text``. A key or a column
    that has the dot itself comes first.

    Raises:
        OptionError: the encoding is unknown or not an encoding of text, the length is less than 1, a field has no name
            or its name in the row is taken, or tokens are read together with a title or several texts.
    """

    format: InputFormat | None = None
    encoding: str = "utf-8"
    text_field: str | Sequence[str] = "text"
    id_field: str = "id"
    language_field: str = "language"
    tokens_field: str | None = None
    max_document_chars: int = MAX_DOCUMENT_CHARS
    seeds_field: str | None = None
    title_field: str | None = None
    carry: Sequence[str] = ()

    def __post_init__(self) -> None:
        check_encoding(self.encoding)
        if self.max_document_chars < 1:
            raise OptionError(f"max_document_chars must be at least 1, not {self.max_document_chars}")
        texts = (self.text_field,) if isinstance(self.text_field, str) else tuple(dict.fromkeys(self.text_field))
        if not texts or not all(isinstance(each, str) and each.strip() for each in (*texts, self.title_field or "-")):
            raise OptionError(f"the field of the text must have a name, not {self.text_field!r}")
        object.__setattr__(self, "text_field", texts[0] if len(texts) == 1 else texts)  # equal settings are equal
        object.__setattr__(self, "carry", (self.carry,) if isinstance(self.carry, str) else tuple(self.carry))
        parse_carry(self.carry)
        if self.tokens_field is not None and self.is_composed:
            raise OptionError("tokens_field gives the whole document: leave out title_field and further text fields")

    @property
    def text_fields(self) -> tuple[str, ...]:
        """The fields that a document's text is put together from, the title first."""
        texts = (self.text_field,) if isinstance(self.text_field, str) else tuple(self.text_field)
        return tuple(dict.fromkeys((self.title_field, *texts) if self.title_field else texts))

    @property
    def is_composed(self) -> bool:
        """Whether the text of a record may come from several fields."""
        return len(self.text_fields) > 1

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
    """The beginning of a record in its file.

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
