"""HTML that Python's parser stops at is read as browsers read it."""

from __future__ import annotations

import pytest

from mderank.reading import ReadOptions, read_file
from mderank.reading.html import html_text


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<p>storm<![C x", "storm"),
        ("<p>storm<![C x>surge", "stormsurge"),
        ("<p>storm<![if IE]>surge<![endif]></p>", "stormsurge"),
        ("<p>storm<![CDATA[ x ]]>surge", "stormsurge"),
        ("<p>storm<![ surge", "storm"),
        ("<p>storm<!x>surge", "stormsurge"),
    ],
)
def test_marked_sections_are_skipped(page, text):
    assert html_text(page).startswith("storm")
    if ">" in page[3:]:
        assert html_text(page) == text


@pytest.mark.parametrize(
    ("reference", "character"),
    [
        ("&#" + "1" * 6000 + ";", "\ufffd"),
        ("&#" + "0" * 6000 + "65;", "A"),
        ("&#" + "0" * 6000 + ";", "\ufffd"),
        ("&#x" + "f" * 6000 + ";", "\ufffd"),
        ("&#9999999999", "\ufffd"),
        ("&#00000065;", "A"),
        ("&#1114112;", "\ufffd"),
        ("&#55296;", "\ufffd"),
    ],
)
def test_character_references_of_any_length(reference, character):
    assert html_text(f"<p title='{reference}'>a{reference}b</p>") == f"a{character}b"


@pytest.mark.parametrize("declared", ["punycode", "undefined", "idna", "base64", "rot13", "zlib"])
def test_a_page_that_declares_no_encoding_of_text_is_read(tmp_path, declared):
    file = tmp_path / "a.html"
    file.write_text(f"<meta charset={declared}><p>Storm surges – über Nacht</p>", encoding="utf-8")
    (source,) = read_file(file, ReadOptions())
    assert source.text == "Storm surges – über Nacht"


def test_deep_nesting(tmp_path):
    file = tmp_path / "a.html"
    file.write_text("<div>" * 20_000 + "storm" + "</div>" * 20_000)
    (source,) = read_file(file, ReadOptions())
    assert source.text == "storm"
