"""Extract the text of a PDF with pypdf."""

from __future__ import annotations

import io
import logging

from mderank.errors import InputError, MissingExtraError


def pdf_text(data: bytes) -> str:
    """Return the text of all pages.

    Args:
        data: the bytes of the PDF file.

    Returns:
        The pages' texts, one after the other.

    Raises:
        InputError: the PDF is encrypted, damaged, or has no text.
        MissingExtraError: the extra ``pdf`` is not installed.
    """
    try:
        from pypdf import PdfReader
        from pypdf.errors import PyPdfError
    except ImportError as error:
        raise MissingExtraError("reading PDF", "pdf") from error
    logging.getLogger("pypdf").setLevel(logging.ERROR)
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            raise InputError("this PDF is encrypted: save a copy without password")
        text = "\n".join(page.extract_text() for page in reader.pages)
    except InputError:
        raise
    except (PyPdfError, ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as error:
        raise InputError(f"this PDF cannot be read ({type(error).__name__}: {error})") from error
    if reader.pages and not text.strip():
        raise InputError("this PDF has no text, only pictures: put it through OCR first")
    return text
