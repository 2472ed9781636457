"""Bytes to text, or one clear reason why not."""

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
_LOOKED_AT = 8_000  # bytes


def decode(data: bytes, encoding: str, *, html: bool = False) -> str:
    """The text in ``data``: a byte order mark decides, then an HTML page's own word, then ``encoding``."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _decoded(data[len(mark) :], name)
    if b"\0" in data[:_LOOKED_AT]:
        raise InputError("this is not a text file (it has NUL bytes); PDF files are read by their name, *.pdf")
    declared = _META.search(data[:_LOOKED_AT]) if html else None
    return _decoded(data, declared.group(1).decode("ascii") if declared else encoding)


def _decoded(data: bytes, encoding: str) -> str:
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"byte {error.start} is not {encoding}; if the text is in another encoding, name it: --encoding latin-1"
        ) from error
    except LookupError as error:
        raise OptionError(f"the encoding '{encoding}' is unknown; Python's names are known, e.g. latin-1") from error
