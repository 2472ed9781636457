"""Decode bytes to text."""

from __future__ import annotations

import codecs
import re

from mderank.errors import InputError, OptionError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(rb"<meta[^>]+charset=[\"']?([\w-]+)", re.IGNORECASE)
_HEAD_BYTES = 8_000


def decode(data: bytes, encoding: str, *, html: bool = False) -> str:
    """Decode ``data``.

    A byte order mark decides the encoding; then, for HTML, the page's ``<meta charset>``; then ``encoding``.

    Args:
        data: the bytes of a file.
        encoding: default encoding, by its Python name.
        html: whether ``data`` is an HTML page.

    Returns:
        The text, without a byte order mark.

    Raises:
        InputError: the bytes are not text in that encoding.
        OptionError: the encoding is unknown.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _decode_as(data[len(mark) :], name)
    if b"\0" in data[:_HEAD_BYTES]:
        raise InputError("this is not a text file (it has NUL bytes); a PDF file must be called *.pdf")
    declared = _META.search(data[:_HEAD_BYTES]) if html else None
    return _decode_as(data, declared.group(1).decode("ascii") if declared else encoding)


def _decode_as(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} is not {encoding}; if the text is in another encoding, name it: --encoding latin-1"
        ) from error
    except LookupError as error:
        raise OptionError(f"the encoding '{encoding}' is unknown; Python's names are known, e.g. latin-1") from error
