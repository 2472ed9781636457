"""Extract the text of a PDF with pypdf.

pypdf limits every stream, array, page tree and form that it reads. The limits here are on their sum: a small file can
show one large page a hundred thousand times.
"""

from __future__ import annotations

import io
import logging
import re
from itertools import islice
from typing import Any

from mderank.errors import InputError, MissingExtraError
from mderank.reading.base import MAX_DOCUMENT_CHARS
from mderank.reading.limits import too_many_chars

MAX_PAGE_CHARS = 1_000_000  # pypdf's time for a page grows with the square of its text
_OPERATORS_PER_CHAR = 2  # drawing operators per character of the limit; a page of prose has one for five characters
_BYTES_PER_CHAR = 40  # bytes of pages' content per character of the limit
_FORM_OPERATORS = 100  # operators that showing a form or a picture counts as
_SHOWS = re.compile(rb"Tj|TJ|Do|['\"]")  # operators that show text, forms and pictures
_MAX_TITLE_CHARS = 1_000
_CACHED_BYTES = 64_000_000  # decompressed streams that are kept for later pages


def pdf_text_and_title(data: bytes, *, max_chars: int = MAX_DOCUMENT_CHARS) -> tuple[str, str | None]:
    """Return the text of all pages, and the title in the file's metadata.

    Args:
        data: the bytes of the PDF file.
        max_chars: length of the longest text that is returned, in characters. The number of drawing operators is
            limited too, to twice as many, and the size of the pages' content, to 40 bytes per character.

    Returns:
        The pages' texts, one after the other, and the title; None if there is none.

    Raises:
        InputError: the PDF is encrypted, damaged or too long, or has no text.
        MissingExtraError: the extra ``pdf`` is not installed.
    """
    try:
        from pypdf import PdfReader
    except ImportError as error:
        raise MissingExtraError("reading PDF", "pdf") from error
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it logs a page of text for every odd font
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError("this PDF is encrypted: save a copy without password")
        text = _PageReader(reader, max_chars).text()
        pages = len(reader.pages)
        title = _title(reader)
    except (InputError, MemoryError):
        raise
    except Exception as error:  # damaged files make pypdf raise errors of many kinds
        described = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        if "ncrypt" in described or "crypto" in described:  # unknown versions, and those that need another package
            raise InputError(f"this PDF is encrypted ({described}): save a copy without encryption") from error
        remedy = "get it again, or save a copy with a PDF viewer"
        raise InputError(f"this PDF cannot be read ({described}): {remedy}") from error
    if pages and not text.strip():
        raise InputError("this PDF has no text, only pictures: put it through OCR first")
    return text, title


def _title(reader: Any) -> str | None:
    """Return the title of a PDF; None if its metadata are damaged, which harms nothing else."""
    try:
        title = reader.metadata.title if reader.metadata is not None else None
    except MemoryError:
        raise
    except Exception:  # as above, errors of many kinds
        return None
    if not isinstance(title, str) or len(title) > _MAX_TITLE_CHARS:
        return None
    return " ".join(title.replace("\0", " ").split()) or None


class _PageReader:
    """Reads pages while their text and their operators stay within limits."""

    def __init__(self, reader: Any, max_chars: int) -> None:
        self._reader = reader
        self._max_chars = max_chars
        self._operators = self._page_chars = self._bytes = 0
        self._seen_objects = self._cached_bytes = 0

    def text(self) -> str:
        pages: list[str] = []
        length = 0
        for page in self._reader.pages:
            self._page_chars = 0
            # Without a visitor, pypdf does not parse pages that show nothing.
            visitor = self._count if _SHOWS.search(self._content(page)) else None
            pages.append(page.extract_text(visitor_operand_before=visitor))
            length += len(pages[-1]) + 1
            if length - 1 > self._max_chars:
                raise too_many_chars(self._max_chars)
            self._drop_streams()
        return "\n".join(pages)

    def _content(self, page: Any) -> bytes:
        """Return the decompressed content of a page, which pypdf keeps for the extraction."""
        try:
            content = page.get_contents()
        except (AttributeError, KeyError):  # an empty page for pypdf
            return b""
        data: bytes = b"" if content is None else content.get_data()
        self._bytes += len(data)
        if self._bytes > self._max_chars * _BYTES_PER_CHAR:
            raise self._too_much(f"{_BYTES_PER_CHAR} bytes")
        return data

    def _too_much(self, what: str) -> InputError:
        return InputError(
            f"the pages of this PDF have more than {what} per character of --max-document-chars {self._max_chars}: "
            "divide it, or raise the limit"
        )

    def _count(self, operator: bytes, operands: Any, *_: Any) -> None:
        """Count an operator before pypdf processes it, and the text that it shows."""
        self._operators += _FORM_OPERATORS if operator == b"Do" else 1
        if operator in (b"Tj", b"TJ", b"'", b'"') and operands:
            shown = operands[-1]
            parts = shown if isinstance(shown, list) else [shown]
            self._page_chars += sum(len(part) for part in parts if isinstance(part, str | bytes))
        if self._page_chars > MAX_PAGE_CHARS:
            raise InputError(f"a page of this PDF has more than {MAX_PAGE_CHARS:,} characters: divide it")
        if self._operators > self._max_chars * _OPERATORS_PER_CHAR:
            raise self._too_much(f"{_OPERATORS_PER_CHAR} drawing operators")

    def _drop_streams(self) -> None:
        """Empty pypdf's cache of objects when their decompressed streams are large together."""
        objects = self._reader.resolved_objects
        for each in islice(reversed(objects.values()), max(0, len(objects) - self._seen_objects)):
            decoded = getattr(each, "decoded_self", None)
            self._cached_bytes += len(decoded.get_data()) if decoded is not None else 0
        self._seen_objects = len(objects)
        if self._cached_bytes > _CACHED_BYTES:
            objects.clear()
            self._seen_objects = self._cached_bytes = 0
