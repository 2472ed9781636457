"""PDF files that are hostile, encrypted or damaged."""

from __future__ import annotations

import io
import logging

import pytest
from tests.fuzz_inputs import pdf_file

from mderank.errors import InputError
from mderank.reading import ReadOptions, read_file, read_stream
from mderank.reading import pdf as module
from mderank.reading.pdf import pdf_text_and_title

pytest.importorskip("pypdf", reason="the extra 'pdf' is not installed")

LINE = b"(The storm surge model) Tj 0 -14 Td "
START = b"BT /F1 12 Tf 50 700 Td "


def page(lines: int) -> bytes:
    return START + LINE * lines + b"ET"


def pdf_text(data: bytes, **limits: int) -> str:
    return pdf_text_and_title(data, **limits)[0]


def test_an_ordinary_file():
    for compress in (False, True):
        assert pdf_text(pdf_file([page(1), page(2)], compress=compress)).split() == "The storm surge model".split() * 3


@pytest.mark.parametrize(
    "dictionary", [b"<< /V 9 >>", b"<< /Filter /Standard /V 9 /R 9 >>", b"<< /Filter /Other >>", b"3"]
)
def test_encryption_that_is_not_known(dictionary):
    with pytest.raises(InputError, match=r"this PDF is encrypted|this PDF cannot be read") as raised:
        pdf_text(pdf_file([page(1)], trailer=b"/Encrypt " + dictionary + b" /ID [(a) (b)] "))
    assert "\n" not in str(raised.value)


def test_an_unknown_version_of_encryption_says_what_to_do():
    with pytest.raises(InputError, match="save a copy without encryption"):
        pdf_text(
            pdf_file([page(1)], trailer=b"/Encrypt << /Filter /Standard /V 9 /R 9 /O () /U () /P 0 >> /ID [() ()] ")
        )


def test_a_text_that_is_longer_than_the_limit_stops_the_reading(monkeypatch):
    import pypdf

    read: list[int] = []
    extract = pypdf.PageObject.extract_text

    def count(self, *args, **kwargs):
        read.append(1)
        return extract(self, *args, **kwargs)

    monkeypatch.setattr(pypdf.PageObject, "extract_text", count)
    with pytest.raises(InputError, match="this document has more characters than --max-document-chars 100"):
        pdf_text(pdf_file([page(1)] * 50), max_chars=100)
    assert len(read) == 5  # 23 characters per page


def test_a_page_that_is_shown_again_and_again():
    data = pdf_file([page(10)])
    (kids,) = [line for line in data.split(b"\n") if b"/Kids" in line]
    reference = kids.partition(b"[")[2].partition(b"]")[0]
    many = data.replace(kids, kids.replace(reference, b" ".join([reference] * 500)))
    with pytest.raises(InputError, match="--max-document-chars 1000"):
        pdf_text(many, max_chars=1000)


def test_a_page_with_more_text_than_a_page_can_have(monkeypatch):
    monkeypatch.setattr(module, "MAX_PAGE_CHARS", 1000)
    assert len(pdf_text(pdf_file([page(20)]))) < 1000
    with pytest.raises(InputError, match="a page of this PDF has more than 1,000 characters: divide it"):
        pdf_text(pdf_file([page(100)]))
    for shown in (b"[(The storm) -20 (surge)] TJ ", b"(storm surge) ' ", b'1 1 (storm surge) " '):
        with pytest.raises(InputError, match="a page of this PDF"):
            pdf_text(pdf_file([START + shown * 200 + b"ET"]))


def test_drawing_operators_are_limited():
    drawing = page(1) + b"0 0 m 9 9 l S " * 100
    assert pdf_text(pdf_file([drawing]), max_chars=1000)
    with pytest.raises(InputError, match="more than 2 drawing operators per character of --max-document-chars 100:"):
        pdf_text(pdf_file([drawing]), max_chars=100)


def test_forms_that_show_forms_are_limited():
    form = START + LINE + b"ET"
    with pytest.raises(InputError, match="--max-document-chars 200"):
        pdf_text(pdf_file([b"/X1 Do " * 100], forms=form), max_chars=200)
    assert "storm surge" in pdf_text(pdf_file([b"/X1 Do"], forms=form + b" /X1 Do"))


@pytest.mark.slow
def test_streams_that_decompress_without_end():
    """One is beyond pypdf's limit per stream, the others are so together."""
    with pytest.raises(InputError, match="LimitReachedError"):
        pdf_text(pdf_file([b" " * 76_000_000], compress=True))
    with pytest.raises(InputError, match="more than 40 bytes per character of --max-document-chars 100000:"):
        pdf_text(pdf_file([b" " * 1_500_000] * 3, compress=True), max_chars=100_000)


def test_decompressed_pages_are_not_kept(monkeypatch):
    """With 200 KB per page and a cache of 100 KB, pypdf's cache is emptied after each page."""
    monkeypatch.setattr(module, "_CACHED_BYTES", 100_000)
    cleared: list[int] = []

    class Cache(dict):
        def clear(self) -> None:
            cleared.append(1)
            super().clear()

    import pypdf

    start = pypdf.PdfReader.__init__

    def init(self, *args, **kwargs) -> None:
        start(self, *args, **kwargs)
        self.resolved_objects = Cache(self.resolved_objects)

    monkeypatch.setattr(pypdf.PdfReader, "__init__", init)
    content = page(1) + b" " * 200_000
    assert pdf_text(pdf_file([content] * 4, compress=True)).split() == "The storm surge model".split() * 4
    assert len(cleared) == 4


@pytest.mark.parametrize(
    ("what", "by"),
    [
        (b"/Kids [5 0 R]", b"/Kids [2 0 R]"),
        (b"/Parent 2 0 R", b"/Parent 5 0 R"),
        (b"/Pages 2 0 R", b"/Pages 99 0 R"),
        (b"/Root 1 0 R", b"/Root 6 0 R"),
        (b"/Contents 6 0 R", b"/Contents [" + b"6 0 R " * 20_000 + b"]"),
        (b"/Kids [5 0 R]", b"/Kids " + b"[" * 5000),
        (b"/Count 1", b"/Count 9999999999"),
    ],
)
def test_loops_and_nesting(what, by):
    data = pdf_file([page(1)])
    assert what in data
    (source,) = read_stream(io.BytesIO(data.replace(what, by)), "a.pdf", ReadOptions())
    if source.error is None:
        assert "storm surge" in source.text
    else:
        assert str(source.error).startswith("a.pdf: this PDF ")
        assert len(str(source.error)) < 400


def test_pypdf_does_not_write_to_the_terminal(tmp_path, caplog):
    file = tmp_path / "a.pdf"
    file.write_bytes(pdf_file([page(1)]).replace(b"/BaseFont /Helvetica", b"/Encoding /Identity-Hx /BaseFont /X"))
    with caplog.at_level(logging.ERROR, "root"):
        list(read_file(file, ReadOptions()))
    assert caplog.records == []


@pytest.mark.parametrize(
    ("metadata", "title"),
    [
        ({"/Title": "On\n  owls"}, "On owls"),
        ({"/Title": " "}, None),
        ({"/Title": "x" * 5000}, None),
        ({"/Author": "A"}, None),
    ],
)
def test_the_title_is_that_of_the_metadata(metadata, title):
    import pypdf

    writer = pypdf.PdfWriter(clone_from=io.BytesIO(pdf_file([page(3)])))
    writer.metadata = None
    writer.add_metadata(metadata)
    out = io.BytesIO()
    writer.write(out)
    text, found = pdf_text_and_title(out.getvalue())
    assert text.split() == "The storm surge model".split() * 3
    assert found == title
