"""Extract the text of an EPUB book, chapter by chapter."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote

from mderank.errors import InputError
from mderank.reading.base import ReadOptions
from mderank.reading.decoding import decode
from mderank.reading.html import html_text
from mderank.reading.limits import check_length, too_many_chars
from mderank.reading.xml_events import read_xml
from mderank.reading.zip_archive import ZipArchive

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_PAGES = ("application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document")
_LONGEST_TITLE = 1_000


@dataclass
class _Package:
    """The contents of a book's package file.

    Attributes:
        title: the book's title.
        items: path, media type and properties of each file, by its id.
        spine: ids of the files that are the book, in reading order.
    """

    title: str = ""
    items: dict[str, tuple[str, str, str]] = field(default_factory=dict)
    spine: list[str] = field(default_factory=list)


def epub_text_and_title(data: bytes, options: ReadOptions) -> tuple[str, str | None]:
    """Return the text of a book (its title, then the chapters in reading order), and the title.

    The table of contents, pictures and the titles of the chapters' files are left out. A chapter that the reading order
    names twice is read once.

    Args:
        data: the bytes of the file.
        options: the limit.

    Returns:
        The text, with a blank line between blocks, and the title on one line; None if there is none.

    Raises:
        InputError: the book is encrypted, damaged or too long, or has no text.
    """
    archive = ZipArchive(data, options.max_bytes("epub"), options.max_document_chars)
    if _CONTAINER not in archive:
        raise InputError(f"this zip archive is not an EPUB book: its part {_CONTAINER} is missing")
    package = _read_package(archive, _package_path(archive))
    encrypted = _encrypted_paths(archive)
    texts: list[str] = []
    length = 0
    for path in _chapters(package):
        if path in encrypted:
            raise InputError("this book is encrypted (DRM): read a copy without copy protection")
        page = archive.read(path, options.max_bytes("html"))
        if page is None:
            raise too_many_chars(options.max_document_chars)
        texts.append(html_text(decode(page, options.encoding, html=True), title=False))
        length += len(texts[-1])
        if length > options.max_document_chars:
            raise too_many_chars(options.max_document_chars)
    text = "\n\n".join(filter(None, texts))
    if not text:
        raise InputError("this book has no text, only pictures: put it through OCR first")
    begins_with_title = " ".join(text[:_LONGEST_TITLE].split()).casefold().startswith(package.title.casefold())
    text = check_length(text if begins_with_title else f"{package.title}\n\n{text}", options)
    return text, " ".join(package.title.split()) or None


def _chapters(package: _Package) -> Iterable[str]:
    """Return the paths of the pages, in reading order."""
    found: dict[str, None] = {}
    for name in package.spine:
        path, kind, properties = package.items.get(name, ("", "", ""))
        if kind in _PAGES and "nav" not in properties.split():
            found[path] = None
    return found


def _package_path(archive: ZipArchive) -> str:
    paths: list[str] = []

    def start(element: str, attributes: Mapping[str, str]) -> None:
        if element == "rootfile":
            paths.append(attributes.get("full-path", ""))

    read_xml(archive.pieces(_CONTAINER), start=start)
    if not paths:
        raise InputError(f"its part {_CONTAINER} names no book: the file is damaged")
    return paths[0]


def _read_package(archive: ZipArchive, path: str) -> _Package:
    package = _Package()
    folder = posixpath.dirname(path)
    title: list[str] = []
    in_title = False

    def start(element: str, attributes: Mapping[str, str]) -> None:
        nonlocal in_title
        if element == "item":
            described = (attributes.get("media-type", ""), attributes.get("properties", ""))
            target = posixpath.normpath(posixpath.join("/", folder, unquote(attributes.get("href", "")))).lstrip("/")
            package.items[attributes.get("id", "")] = (target, *described)
        elif element == "itemref":
            package.spine.append(attributes.get("idref", ""))
        in_title = element == "title" and not package.title

    def end(element: str) -> None:
        nonlocal in_title
        if in_title:
            package.title = " ".join("".join(title).split())
        in_title = False

    def text(part: str) -> None:
        if in_title and sum(map(len, title)) < _LONGEST_TITLE:
            title.append(part[:_LONGEST_TITLE])

    read_xml(archive.pieces(path), start=start, end=end, text=text)
    return package


def _encrypted_paths(archive: ZipArchive) -> set[str]:
    """Return the paths of the encrypted files. Fonts may be among them in a book that can be read."""
    paths: set[str] = set()

    def start(element: str, attributes: Mapping[str, str]) -> None:
        if element == "CipherReference":
            paths.add(unquote(attributes.get("URI", "")).lstrip("/"))

    if _ENCRYPTION in archive:
        read_xml(archive.pieces(_ENCRYPTION), start=start)
    return paths
