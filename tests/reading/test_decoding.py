"""Encodings that are no encodings of files are refused, and a page's wrong declaration is ignored."""

from __future__ import annotations

import pytest

from mderank.errors import InputError, OptionError
from mderank.reading import ReadOptions
from mderank.reading.decoding import check_encoding, decode

NOT_TEXT = ["punycode", "undefined", "idna", "base64", "rot13", "hex", "zlib", "bz2", "unicode_escape", "uu"]
UNKNOWN = ["klingon", "", "a\0b", "é", "x" * 100_000, "aliases", "../utf-8", "os.path"]


@pytest.mark.parametrize("encoding", [*NOT_TEXT, *UNKNOWN])
def test_other_encodings_are_refused_before_anything_is_read(encoding):
    with pytest.raises(OptionError, match="encoding") as raised:
        ReadOptions(encoding=encoding)
    assert len(str(raised.value)) < 200


@pytest.mark.parametrize(
    "encoding", ["utf-8", "latin-1", "UTF_16", "cp1252", "shift_jis", "gb18030", "koi8-r", "ascii"]
)
def test_encodings_of_files_are_known(encoding):
    check_encoding(encoding)


@pytest.mark.parametrize("declared", [*NOT_TEXT, "klingon", "utf-16", "utf-32-le", "cp037"])
def test_a_page_with_a_wrong_declaration_is_read_as_the_default(declared):
    page = f"<meta charset='{declared}'><p>Café</p>"
    assert decode(page.encode(), "utf-8", html=True) == page


def test_a_page_with_a_right_declaration_is_read_by_it():
    page = "<meta charset='koi8-r'><p>Ночь</p>"
    assert decode(page.encode("koi8-r"), "utf-8", html=True) == page


@pytest.mark.parametrize("encoding", ["utf-7", "shift_jis", "hz", "utf-16"])
def test_bytes_that_are_not_in_the_encoding(encoding):
    with pytest.raises(InputError, match="--encoding latin-1"):
        decode(b"a~{\xff+\xfe-", encoding)
