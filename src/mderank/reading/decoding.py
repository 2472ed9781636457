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
# Codecs of Python that turn bytes into text, but are not encodings of files.
_NOT_FOR_FILES = frozenset({"idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape"})


def check_encoding(encoding: str) -> None:
    """Check that files can have an encoding.

    Args:
        encoding: the encoding's Python name.

    Raises:
        OptionError: the encoding is unknown, or the codec of that name is not one of text files.
    """
    try:
        known = codecs.lookup(encoding)
    except (LookupError, ValueError, OSError) as error:  # also of names with NUL, and of very long ones
        raise OptionError(
            f"the encoding '{encoding[:40]}' is unknown; Python's names are known, e.g. latin-1"
        ) from error
    if known.name.replace("_", "-") in _NOT_FOR_FILES or not _decodes_text(encoding):
        raise OptionError(f"'{encoding}' is not an encoding of text files; name another, e.g. utf-8 or latin-1")


def _decodes_text(encoding: str) -> bool:
    """Return whether a codec turns bytes into text: ``rot13``, ``zlib`` and ``base64`` do not."""
    try:
        b"-".decode(encoding)  # of no bytes, every codec makes an empty text
    except UnicodeError:
        return True
    except LookupError:
        return False
    return True


def check_line_encoding(encoding: str, start: bytes) -> None:
    """Check that lines can be told apart before they are decoded.

    Args:
        encoding: the encoding's Python name.
        start: the first bytes of the file.

    Raises:
        InputError: the file is in UTF-16, UTF-32 or another encoding in which a line break is not the byte 10.
    """
    in_unicode = _has_wide_mark(start)
    if in_unicode or "\n".encode(encoding) != b"\n":
        named = "UTF-16 or UTF-32" if in_unicode else encoding
        raise InputError(f"CSV and JSON lines in {named} are not read: save the file as UTF-8")


def check_bytewise_encoding(encoding: str, start: bytes) -> None:
    """Check that brackets and quotation marks can be told from other bytes before they are decoded.

    Args:
        encoding: the encoding's Python name.
        start: the first bytes of the file.

    Raises:
        InputError: the file is in UTF-16, UTF-32 or another encoding in which such a byte can be part of a character.
    """
    in_unicode = _has_wide_mark(start)
    if in_unicode or not _is_bytewise(encoding):
        named = "UTF-16 or UTF-32" if in_unicode else encoding
        raise InputError(f"JSON in {named} is not read: save the file as UTF-8")


def _has_wide_mark(start: bytes) -> bool:
    return any(start.startswith(mark) for mark, name in _MARKS if name != "utf-8")


def _is_bytewise(encoding: str) -> bool:
    """Return whether ASCII is itself in an encoding, and no byte of ASCII is part of another character."""
    ascii_bytes = bytes(range(128))
    try:
        if codecs.lookup(encoding).name.startswith("iso2022") or ascii_bytes.decode(encoding) != ascii_bytes.decode(
            "ascii"
        ):
            return False
        pairs = (bytes([first, second]) for first in range(128, 256) for second in b'"\\[]{}')
        return all(pair.decode(encoding, "replace").endswith(chr(pair[1])) for pair in pairs)
    except UnicodeError:
        return False


def decode(data: bytes, encoding: str, *, html: bool = False) -> str:
    """Decode ``data``.

    A byte order mark decides the encoding; then, for HTML, the page's ``<meta charset>``; then ``encoding``. As in
    browsers, a page's encoding is ignored if it is unknown, and UTF-16 that is declared in single bytes is UTF-8.

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
            return decode_as(data[len(mark) :], name)
    if b"\0" in data[:_HEAD_BYTES]:
        raise InputError(
            "this is not a text file (it has NUL bytes); PDF and Word files must be called *.pdf and *.docx"
        )
    return decode_as(data, (_declared_encoding(data) if html else None) or encoding)


def _declared_encoding(page: bytes) -> str | None:
    found = _META.search(page[:_HEAD_BYTES])
    if found is None:
        return None
    name = found.group(1).decode("ascii")
    try:
        check_encoding(name)
    except OptionError:
        return None
    return name if "<".encode(name) == b"<" else "utf-8"


def decode_as(data: bytes, encoding: str) -> str:
    """Decode ``data``, whatever its first bytes are.

    Args:
        data: the bytes.
        encoding: the encoding's Python name.

    Returns:
        The text.

    Raises:
        InputError: the bytes are not text in that encoding.
        OptionError: the encoding is unknown.
    """
    check_encoding(encoding)
    try:
        return data.decode(encoding)
    except UnicodeError as error:
        where = f"byte {error.start}" if isinstance(error, UnicodeDecodeError) else "this file"
        raise InputError(
            f"{where} is not {encoding}: save it as UTF-8, or name its encoding: --encoding latin-1"
        ) from error
