"""CSV that is not as it should be: an error per row, with its line."""

from __future__ import annotations

import csv

import pytest

from mderank.reading import ReadOptions, read_file


def outcomes(tmp_path, data: bytes, **settings) -> list[str]:
    file = tmp_path / "a.csv"
    file.write_bytes(data)
    sources = read_file(file, ReadOptions(**settings))
    return [str(source.error).removeprefix(str(file)) if source.error else source.text for source in sources]


def test_a_bare_carriage_return_is_an_error_of_its_row(tmp_path):
    first, bad, last = outcomes(tmp_path, b"id,text\n1,a\n2,b\rc\n3,d\n")
    assert (first, last) == ("a", "d")
    assert bad.startswith(":3: this row is not CSV: it has a carriage return without a line feed")


def test_a_file_with_carriage_returns_for_line_ends(tmp_path):
    (error,) = outcomes(tmp_path, b"id,text\r1,a\r2,b\r")
    assert error.startswith(
        ": the header is not CSV: it has a carriage return without a line feed; quote the field, or"
    )


def test_a_quoted_carriage_return_is_text(tmp_path):
    assert outcomes(tmp_path, b'id,text\r\n1,"a\rb"\r\n') == ["a\rb"]


def test_nul_bytes(tmp_path):
    assert outcomes(tmp_path, b"id,text\n1,a\0b\n2,c\n") == ["a\0b", "c"]
    (error,) = outcomes(tmp_path, b"id,te\0xt\n1,a\n")
    assert "it has NUL bytes" in error


def test_a_field_longer_than_pythons_limit_is_read_whoever_lowered_it(tmp_path):
    before = csv.field_size_limit(10)
    try:
        assert outcomes(tmp_path, b"id,text\n1," + b"a" * 200_000 + b"\n") == ["a" * 200_000]
    finally:
        csv.field_size_limit(before)


def test_a_quotation_mark_that_is_not_closed(tmp_path):
    first, bad = outcomes(tmp_path, b'id,text\n1,a\n2,"b\n3,c\n4,d\n')
    assert first == "a"
    assert bad == ":3: a quotation mark in this row is not closed, so that the rest of the file is one field"
    assert outcomes(tmp_path, b'id,text\n1,"a"')[0] == "a"


def test_blank_lines_before_the_header_are_skipped(tmp_path):
    assert outcomes(tmp_path, b"\n\r\nid,text\n1,a\n") == ["a"]
    assert outcomes(tmp_path, b"\n\n") == []


def test_a_column_that_occurs_twice(tmp_path):
    (error,) = outcomes(tmp_path, b"id,text,text\n1,a,b\n")
    assert error == ": the column 'text' occurs 2 times: rename all but one"
    assert outcomes(tmp_path, b"id,text,x,x\n1,a,b,c\n") == ["a"]


@pytest.mark.parametrize("encoding", ["shift_jis", "gb18030", "iso2022_jp", "latin-1", "cp1252"])
def test_rows_in_other_encodings(tmp_path, encoding):
    text = "Café" if encoding in ("latin-1", "cp1252") else "海岸の高潮"
    assert outcomes(tmp_path, f"id,text\n1,{text}\n".encode(encoding), encoding=encoding) == [text]


def test_a_row_that_is_not_in_an_encoding_of_seven_bits(tmp_path):
    first, bad, last = outcomes(tmp_path, b'id,text\n1,a\n2,"b\n+ "\n3,c\n', encoding="utf-7")
    assert (first, last) == ("a", "c")
    assert bad.startswith(":3: this row is not utf-7")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32-le", "cp037"])
def test_encodings_whose_lines_are_not_bytes(tmp_path, encoding):
    (error,) = outcomes(tmp_path, "id,text\n1,a\n".encode(encoding), encoding=encoding)
    assert "save the file as UTF-8" in error


def test_seeds_of_a_row(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text('id,text,about\n1,The owl.,"night birds, owls"\n2,The owl.,\n')
    found = list(read_file(file, ReadOptions(seeds_field="about")))
    assert [each.seeds for each in found] == [("night birds", "owls"), None]


def test_names_of_columns_may_have_dots(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("doc.id,doc.text,title\n1,An owl.,Owls\n")
    options = ReadOptions(text_field="doc.text", id_field="doc.id", title_field="title")
    (source,) = read_file(file, options)
    assert (source.id, source.text, source.title) == ("1", "Owls\n\nAn owl.", "Owls")


def test_every_text_and_the_title_must_be_a_column(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("id,text,title\n1,An owl.,Owls\n")
    (source,) = read_file(file, ReadOptions(text_field=("text", "abstract")))
    known = "(columns: id, text, title); name another:"
    assert str(source.error) == f"{file}: the column 'abstract' is missing {known} --text-field"
    (source,) = read_file(file, ReadOptions(title_field="name"))
    assert str(source.error) == f"{file}: the column 'name' is missing {known} --title-field"
    (source,) = read_file(file, ReadOptions(text_field="text.body"))
    assert str(source.error) == f"{file}: the column 'text.body' is missing {known} --text-field"
