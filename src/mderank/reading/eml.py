"""Extract the text of a mail: who writes to whom about what, the names of attachments, and what is written.

Python's ``email`` reads headers and parameters. Its parser of whole mails looks at each line once per level of nesting,
and makes an object of each, so the parts are found here, by their boundaries.
"""

from __future__ import annotations

import base64
import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesHeaderParser
from email.policy import compat32
from typing import NamedTuple

from mderank.errors import InputError, OptionError
from mderank.reading.base import ReadOptions
from mderank.reading.decoding import check_encoding
from mderank.reading.html import html_text
from mderank.reading.limits import check_length, too_many_chars
from mderank.reading.mail_quotes import blank_quotes

_SHOWN = ("Subject", "From", "To", "Cc", "Date")  # as tagging/layout/mail_lines.py knows them
_DEEPEST = 10  # parts in parts
_MOST_PARTS = 2_000
_MOST_HEADER_BYTES = 1 << 18  # of one part
_MOST_FIELD_CHARS = 10_000  # of one field that is shown; those that name a part's type have fewer
_MOST_PARAMETER_CHARS = 2_000
_BYTES_PER_CHAR = 12  # quoted-printable takes three bytes for one
_FORWARDED = "---------- Forwarded message ----------"
_FEW_WORDS = 10  # a plain text with so many times fewer words than the page beside it only points to the page
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_ENCODED_WORD = re.compile(r"=\?([^?\s]{1,40})\?([qQbB])\?([^?\n]{0,500})\?=")
_BETWEEN_ENCODED = re.compile(r"(?<=\?=)\s{1,10}(?==\?)")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]+")


@dataclass(frozen=True)
class _Part:
    """A part of a mail: its header fields of MIME, all its header fields, and where its content is."""

    mime: Message
    fields: dict[str, str]
    start: int
    end: int


@dataclass
class _Body:
    """The texts of a part and of the parts in it.

    Attributes:
        texts: the texts, in order.
        attachments: names of the attachments.
        forwarded: the mails that are attached.
    """

    texts: list[str] = field(default_factory=list)
    attachments: list[str] = field(default_factory=list)
    forwarded: list[_Part] = field(default_factory=list)

    def add(self, other: _Body) -> None:
        self.texts += other.texts
        self.attachments += other.attachments
        self.forwarded += other.forwarded


class MailText(NamedTuple):
    """The text of a mail.

    Attributes:
        text: the header, the text, and mails that are attached.
        prose: the same with quotes of earlier mails replaced by spaces; None if there are none.
        subject: the subject on one line; None if there is none.
    """

    text: str
    prose: str | None
    subject: str | None


def mail_text(data: bytes, options: ReadOptions) -> MailText:
    """Return a mail as its reader sees it: a header, the text, and mails that are attached.

    The header has the subject, who writes and receives, the date, and the names of attachments, which are not read. Of
    a text that is there as plain text and as HTML, the plain text is returned, unless it only points to the other.

    Args:
        data: the bytes of the mail.
        options: the encoding of parts that name none, and the limit.

    Returns:
        The text, its prose, and the subject.

    Raises:
        InputError: this is no mail, its parts are too many or nested too deep, or it is too long.
    """
    mail = _MailReader(data, options).read()
    if not mail.text.strip():
        raise InputError("this mail has neither a header nor a text")
    check_length(mail.text, options)
    return mail


class _MailReader:
    """Reads one mail and those that are attached to it."""

    def __init__(self, data: bytes, options: ReadOptions) -> None:
        self._data = data
        self._options = options
        self._parts = self._chars = 0

    def read(self) -> MailText:
        blank = re.match(rb"\s*", self._data)
        start = blank.end() if blank else 0
        if self._data.startswith(b"From ", start):  # the line before a mail in a mailbox
            start = self._data.find(b"\n", start) + 1 or len(self._data)
        part = self._part(start, len(self._data))
        if not part.fields:
            raise InputError("this is not a mail: it does not begin with header fields; if it is plain text, use .txt")
        subject = " ".join(_decode_field(part.fields["subject"]).split()) if "subject" in part.fields else ""
        text, prose = self._message(part, 0)
        return MailText(text, None if prose == text else prose, subject or None)

    def _message(self, part: _Part, depth: int) -> tuple[str, str]:
        """Return a mail's text, and the same without quotes."""
        body = self._body(part, depth)
        fields = {name: _decode_field(part.fields[name.lower()]) for name in _SHOWN if name.lower() in part.fields}
        fields["Attachments"] = ", ".join(body.attachments)
        fields = {name: value for name, value in fields.items() if value}
        if len(fields) > 1:
            header = "\n".join(f"{name}: {value}" for name, value in fields.items())
        else:  # alone, it does not read as a header
            header = next(iter(fields.values()), "")
        texts = [text for each in body.texts if (text := each.strip("\r\n"))]
        blocks = [(header, header)] if header else []
        blocks += zip(texts, blank_quotes(texts, fields.get("Subject", "")), strict=True)
        for each in body.forwarded:
            inner = self._message(self._part(each.start, each.end), depth + 1)
            blocks += [(_FORWARDED, _FORWARDED), *([inner] if inner[0] else [])]
        return "\n\n".join(text for text, _ in blocks), "\n\n".join(prose for _, prose in blocks)

    def _body(self, part: _Part, depth: int) -> _Body:
        if depth > _DEEPEST:
            raise InputError(f"this mail has more than {_DEEPEST} parts in each other: save the inner ones alone")
        kind = part.mime.get_content_type()
        boundary = _parameter(part, "boundary")
        name = _file_name(part)
        if kind.startswith("multipart/") and boundary:
            parts = [self._part(start, end) for start, end in self._sections(part, boundary)]
            if kind == "multipart/alternative":
                return self._best(parts, depth + 1)
            body = _Body()
            for each in parts:
                body.add(self._body(each, depth + 1))
            return body
        if kind == "message/rfc822" and not _transfer_encoding(part):
            return _Body(forwarded=[part])
        if kind.startswith("multipart/"):  # without boundary
            kind = "text/plain"
        is_attached = part.mime.get_content_disposition() == "attachment"
        if kind in ("text/plain", "text/html") and not is_attached:
            return _Body(texts=[self._text(part, is_page=kind == "text/html")])
        if kind in _SIGNATURES or (kind.startswith("image/") and not is_attached and "content-id" in part.fields):
            return _Body()
        return _Body(attachments=[name or kind])

    def _best(self, parts: list[_Part], depth: int) -> _Body:
        """Return the one of several forms of a text that reads best."""
        bodies = [self._body(part, depth) for part in parts if part.mime.get_content_type() != "text/calendar"]
        with_text = [body for body in bodies if any(text.strip() for text in body.texts)]
        if not with_text:
            return bodies[0] if bodies else _Body()
        counts = [sum(len(text.split()) for text in body.texts) for body in with_text]
        best = next(index for index, count in enumerate(counts) if count * _FEW_WORDS > max(counts))
        merged = with_text[best]
        for body in bodies:
            if body is not merged:
                merged.attachments += [each for each in body.attachments if each not in merged.attachments]
                merged.forwarded = merged.forwarded or body.forwarded
        return merged

    def _sections(self, part: _Part, boundary: str) -> Iterator[tuple[int, int]]:
        """Yield where the parts between boundaries are. The last one may lack its end."""
        mark = b"--" + boundary.encode("utf-8", "surrogateescape")
        begin = None
        for at in self._boundary_lines(mark, part):
            if begin is not None:
                yield begin, at
            begin = self._after_line(at)
            if self._data.startswith(b"--", at + len(mark)):
                return
        if begin is not None and begin < part.end:
            yield begin, part.end

    def _boundary_lines(self, mark: bytes, part: _Part) -> Iterator[int]:
        at = part.start
        while (at := self._data.find(mark, at, part.end)) >= 0:
            end = self._data[at + len(mark) : at + len(mark) + 4].rstrip(b" \t")
            if self._data[at - 1 : at] in (b"\n", b"") and (not end or end[:1] in b"\r\n" or end[:2] == b"--"):
                yield at
            at += len(mark)

    def _after_line(self, at: int) -> int:
        return self._data.find(b"\n", at) + 1 or len(self._data)

    def _part(self, start: int, end: int) -> _Part:
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise InputError(f"this mail has more than {_MOST_PARTS:,} parts: divide it")
        fields: dict[str, str] = {}
        stop = start
        if self._data[start : start + 2] != b"\r\n" and self._data[start : start + 1] != b"\n":
            ends = [at for mark in (b"\n\n", b"\n\r\n") if (at := self._data.find(mark, start, end)) >= 0]
            stop = min(ends) + 1 if ends else end
            header = self._data[start : min(stop, start + _MOST_HEADER_BYTES)]
            for name, value in BytesHeaderParser(policy=compat32).parsebytes(header).raw_items():
                fields.setdefault(name.lower(), " ".join(str(value)[:_MOST_FIELD_CHARS].split()))
        mime = Message()
        for name in ("content-type", "content-disposition", "content-transfer-encoding"):
            if name in fields:
                mime[name] = fields[name][:_MOST_PARAMETER_CHARS]
        has_header = fields or stop == start
        return _Part(mime, fields, min(self._after_line(stop), end) if has_header else start, end)

    def _text(self, part: _Part, *, is_page: bool) -> str:
        if part.end - part.start > self._options.max_document_chars * _BYTES_PER_CHAR:
            raise too_many_chars(self._options.max_document_chars)
        body = _decode_transfer(self._data[part.start : part.end], _transfer_encoding(part))
        text = _decode_text(body, _parameter(part, "charset") or self._options.encoding)
        text = html_text(text, title=False) if is_page else text.replace("\r\n", "\n")
        self._chars += len(text)
        if self._chars > 2 * self._options.max_document_chars:  # plain text and page of the same
            raise too_many_chars(self._options.max_document_chars)
        return text


def _parameter(part: _Part, name: str) -> str:
    """Return a parameter of a part's type, or no text if it cannot be read."""
    try:
        value = part.mime.get_param(name, "")
        return str(value[2] if isinstance(value, tuple) else value).strip()
    except (ValueError, LookupError, TypeError):
        return ""


def _file_name(part: _Part) -> str:
    try:
        return _decode_field(part.mime.get_filename("") or "")
    except (ValueError, LookupError, TypeError):
        return ""


def _transfer_encoding(part: _Part) -> str:
    """Return how a part's bytes are written, or nothing if they are written as they are."""
    named = str(part.mime.get("content-transfer-encoding", "")).strip().lower()
    return named if named in ("quoted-printable", "base64") else ""


def _decode_transfer(data: bytes, encoding: str) -> bytes:
    if encoding == "quoted-printable":
        return quopri.decodestring(data)
    return _decode_base64(data) if encoding == "base64" else data


def _decode_base64(data: bytes) -> bytes:
    kept = _NOT_BASE64.sub(b"", data)
    kept = kept[: len(kept) - (len(kept) % 4 == 1)]
    return base64.b64decode(kept + b"=" * (-len(kept) % 4))


def _decode_text(data: bytes, encoding: str) -> str:
    """Decode text. Mail programs name wrong encodings, and a wrong character is better than no text."""
    try:
        check_encoding(encoding)
    except OptionError:
        encoding = "utf-8"
    for name in (encoding, "utf-8", "cp1252"):
        try:
            return data.decode(name)
        except UnicodeError:
            continue
    return data.decode("latin-1")


def _decode_field(value: str) -> str:
    """Return a header field's value with encoded words (RFC 2047) and bytes decoded."""
    if any("\udc80" <= character <= "\udcff" for character in value):
        value = _decode_text(value.encode("utf-8", "surrogateescape"), "utf-8")
    decoded = []
    position = 0
    pending, charset = b"", ""  # a character may be divided between two encoded words
    value = _BETWEEN_ENCODED.sub("", value)
    for word in _ENCODED_WORD.finditer(value):
        named, kind, content = word.groups()
        named = named.partition("*")[0].lower()
        if pending and (named != charset or word.start() > position):
            decoded.append(_decode_text(pending, charset))
            pending = b""
        decoded.append(value[position : word.start()])
        raw = content.encode("utf-8", "replace")
        pending += _decode_base64(raw) if kind in "bB" else quopri.decodestring(raw, header=True)
        charset, position = named, word.end()
    if pending:
        decoded.append(_decode_text(pending, charset))
    return " ".join("".join([*decoded, value[position:]]).split())
