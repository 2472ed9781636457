"""Helpers that several test files share."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Sequence
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from mderank import Document, Extractor, Keyphrase
from mderank.encoding import EncoderInputs
from mderank.encoding.base import Floats
from mderank.testing import FakeEncoder


def texts(keyphrases: Iterable[Keyphrase]) -> list[str]:
    """The phrases themselves, in their order."""
    return [each.text for each in keyphrases]


def scores(keyphrases: Iterable[Keyphrase]) -> dict[str, float]:
    """Each phrase's score."""
    return {each.text: each.score for each in keyphrases}


def ranking(extractor: Extractor, text: str) -> list[tuple[str, Any]]:
    """All phrases of a text with their scores, to compare with scores worked out by hand."""
    return [(each.text, pytest.approx(each.score)) for each in extractor.extract(text, top_k=None)]


def words(document: Document) -> list[str]:
    """The words of a document as its tagger read them."""
    return [token.text for token in document.tokens]


def solve_pagerank(weights: Sequence[Sequence[float]], damping: float = 0.85) -> Any:
    """PageRank of a dense weight matrix, solved as a linear system instead of iterated."""
    moves = np.asarray(weights) / np.sum(weights, axis=1, keepdims=True)
    count = len(moves)
    return np.linalg.solve(np.eye(count) - damping * moves.T, np.full(count, (1 - damping) / count))


class CountingEncoder(FakeEncoder):
    """Counts the sequences that it is given."""

    sequences = 0

    def hidden_states(self, inputs: EncoderInputs, layer: int) -> Floats:
        self.sequences += len(inputs.input_ids)
        return super().hidden_states(inputs, layer)


def zip_file(members: dict[str, str | bytes], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip archive; its first member is not compressed, as in EPUB books."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in members.items():
            kind = zipfile.ZIP_STORED if name == "mimetype" else compression
            archive.writestr(zipfile.ZipInfo(name), data, kind)
    return out.getvalue()


WORD = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def docx(body: str, **parts: str) -> bytes:
    """A Word document with this XML in its body, as small as they come. ``parts`` are files such as footnotes."""
    members = {f"word/{name}.xml": f"<w:{name} {WORD}>{xml}</w:{name}>" for name, xml in parts.items()}
    return zip_file({"word/document.xml": f"<w:document {WORD}><w:body>{body}</w:body></w:document>", **members})


def epub(
    pages: dict[str, str | bytes], *, spine: Sequence[str] | None = None, title: str = "Tides", **more: str
) -> bytes:
    """An EPUB book with these pages, in this order or that of ``spine``. ``more`` goes into the package: item="…"."""
    kind = 'media-type="application/xhtml+xml"'
    items = "".join(f'<item id="{name}" href="{name}.xhtml" {kind}/>' for name in pages) + more.get("item", "")
    order = "".join(f'<itemref idref="{name}"/>' for name in (pages if spine is None else spine))
    package = (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata><dc:title>{title}</dc:title></metadata><manifest>{items}</manifest><spine>{order}</spine></package>"
    )
    container = '<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
    return zip_file(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": container,
            "OEBPS/book.opf": package,
            **{f"OEBPS/{name}.xhtml": page for name, page in pages.items()},
            **({"META-INF/encryption.xml": more["encryption"]} if "encryption" in more else {}),
        }
    )


def pdf(text: str) -> bytes:
    """A one-page PDF that shows ``text``, as small as they come."""
    stream = f"BT /F1 12 Tf 50 700 Td ({text}) Tj ET".encode()
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    out = io.BytesIO(b"%PDF-1.4\n")
    out.seek(0, io.SEEK_END)
    places = []
    for number, body in enumerate(objects, start=1):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % place for place in places))
    out.write(b"trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start)
    return out.getvalue()


class HtmlPage(HTMLParser):
    """A page as a browser reads it. Fails where a tag does not close what was opened, and at scripts in attributes.

    ``text`` is what is visible, ``marked`` what stands in ``mark`` elements, ``links`` and ``fetched`` the addresses.
    """

    EMPTY = frozenset({"meta", "input", "br", "line", "rect", "circle"})

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text = ""
        self.tags: list[str] = []
        self.ids: list[str | None] = []
        self.links: list[str] = []
        self.fetched: list[str | None] = []
        self.marked: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_startendtag(tag, attrs)
        if tag not in self.EMPTY:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id"]
        self.links += [value or "" for name, value in attrs if name == "href"]
        self.fetched += [value for name, value in attrs if name in ("src", "srcset", "data", "action")]
        assert not [name for name, _ in attrs if name.startswith("on")]

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.text += data
        if self._open and self._open[-1] == "mark":
            self.marked.append(data)
