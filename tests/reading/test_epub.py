"""EPUB books: chapters in reading order, as a reader sees them."""

from __future__ import annotations

import pytest
from tests.helpers import epub, zip_file

from mderank.errors import InputError
from mderank.reading import ReadOptions
from mderank.reading.epub import epub_text_and_title

PAGE = (
    "<html><head><title>Book title in every file</title></head><body><h1>{0}</h1><p>The <i>{0}</i>.</p></body></html>"
)


def read(data: bytes, **options) -> str:
    return epub_text_and_title(data, ReadOptions(**options))[0]


def test_the_title():
    assert (
        epub_text_and_title(epub({"a": "<p>reef"}, title="Tides &amp;\n storms"), ReadOptions())[1] == "Tides & storms"
    )
    assert epub_text_and_title(epub({"a": "<p>reef"}, title=""), ReadOptions())[1] is None


def test_chapters_are_in_reading_order():
    pages = {"a": PAGE.format("reef"), "b": PAGE.format("whale")}
    assert read(epub(pages, spine=["b", "a"], title="Tides &amp; storms")) == (
        "Tides & storms\n\nwhale\n\nThe whale.\n\nreef\n\nThe reef."
    )


def test_a_title_with_which_the_book_begins_is_not_repeated():
    assert read(epub({"a": "<p>THE  REEF<p>by Ann"}, title="The reef")) == "THE REEF\n\nby Ann"
    assert read(epub({"a": "<p>by Ann"}, title="")) == "by Ann"


def test_a_chapter_is_read_once_however_often_it_is_named():
    assert read(epub({"a": "<p>reef"}, spine=["a"] * 5_000)) == "Tides\n\nreef"


def test_pictures_contents_and_unknown_items_are_left_out():
    item = (
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>'
        '<item id="cover" href="c.jpg" media-type="image/jpeg"/>'
    )
    assert read(epub({"a": "<p>reef"}, spine=["cover", "nav", "a", "lost"], item=item)) == "Tides\n\nreef"


def test_names_with_escapes():
    item = '<item id="x" href="a%62c%20d.xhtml#top" media-type="text/html"/>'.replace("#top", "")
    assert read(epub({"abc d": "<p>reef"}, spine=["x"], item=item)) == "Tides\n\nreef"


def test_encodings():
    assert "Kärnten" in read(epub({"a": "<meta charset=latin-1><p>Kärnten".encode("latin-1")}))
    assert "Kärnten" in read(epub({"a": "<p>Kärnten".encode("utf-16")}))
    assert "Kärnten" in read(epub({"a": "<p>Kärnten".encode("latin-1")}), encoding="latin-1")
    with pytest.raises(InputError, match="--encoding latin-1"):
        read(epub({"a": "<p>Kärnten".encode("latin-1")}))


OUTSIDE = '<item id="x" href="{}" media-type="text/html"/>'


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"Storm surges", "damaged, or of another format"),
        (zip_file({"mimetype": "application/epub+zip"}), "is not an EPUB book"),
        (zip_file({"META-INF/container.xml": "<c/>"}), "names no book"),
        (zip_file({"META-INF/container.xml": "<c><rootfile full-path='x'/></c>"}), "its part x is missing"),
        (epub({}), "has no text"),
        (epub({"a": "<p>reef"}, spine=["x"], item=OUTSIDE.format("b.xhtml")), "OEBPS/b.xhtml is missing"),
        (epub({}, spine=["x"], item=OUTSIDE.format("../../../etc/passwd")), "its part etc/passwd is missing"),
        (epub({}, spine=["x"], item=OUTSIDE.format("http://127.0.0.1/x")), "is missing"),
        (epub({"a": "<p>reef"}, title="&t;"), "its XML is damaged"),
    ],
)
def test_books_that_cannot_be_read(data, told):
    with pytest.raises(InputError, match=told):
        read(data)


def test_an_encrypted_chapter_is_named_as_such_and_encrypted_fonts_do_not_matter():
    encryption = '<e><CipherReference URI="OEBPS/{}"/></e>'
    with pytest.raises(InputError, match="encrypted \\(DRM\\)"):
        read(epub({"a": b"\x07\x08"}, encryption=encryption.format("a.xhtml")))
    assert read(epub({"a": "<p>reef"}, encryption=encryption.format("font.otf"))) == "Tides\n\nreef"


def test_limits():
    pages = {str(number): "<p>" + "x" * 30 for number in range(3)}
    assert len(read(epub(pages, title=""), max_document_chars=100)) == 94
    with pytest.raises(InputError, match="--max-document-chars 80"):
        read(epub(pages, title=""), max_document_chars=80)
    with pytest.raises(InputError, match="--max-document-chars 1000"):
        read(epub({"a": "<p>" + " " * 5_000}), max_document_chars=1_000)
    with pytest.raises(InputError, match="40 per character of --max-document-chars 1000"):
        read(epub({str(number): " " * 3_900 for number in range(11)}), max_document_chars=1_000)
