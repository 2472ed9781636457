"""Records can be found again from any place in their file."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mderank.errors import MissingExtraError
from mderank.reading import ReadOptions, SourceDocument, find_records, read_file, walk_files

TEXTS = [
    "An owl.",
    'A "quoted" owl,\nover two lines;\r\nor three',
    "",
    "Grüße, Eule\t| \u2028 😀",
    " blank ",
    "the end",
]


def write(folder: Path, kind: str, texts: list[str]) -> Path:
    """A file of that kind with these texts, and ids from 10 on."""
    file = folder / f"texts.{kind}"
    plain = kind.removesuffix(".gz")
    if plain == "parquet":
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        ids = [str(number) for number in range(10, 10 + len(texts))]
        pq.write_table(pa.table({"id": ids, "other": [1.5] * len(texts), "text": texts}), file, row_group_size=2)
        return file
    out = io.StringIO()
    if plain == "jsonl":
        out.write("\n")  # blank lines count, and are no documents
        for number, text in enumerate(texts, start=10):
            out.write(json.dumps({"id": str(number), "text": text}) + "\n")
    else:
        rows = csv.writer(out, delimiter="\t" if plain == "tsv" else ",", quoting=csv.QUOTE_ALL)
        rows.writerow(["id", "other", "text"])
        rows.writerows([number, "1.5", text] for number, text in enumerate(texts, start=10))
    data = out.getvalue().encode()
    file.write_bytes(gzip.compress(data) if kind.endswith(".gz") else data)
    return file


KINDS = ["jsonl", "jsonl.gz", "csv", "csv.gz", "tsv", "parquet"]


@pytest.mark.parametrize("kind", KINDS)
def test_every_row_is_a_document(tmp_path, kind):
    sources = list(read_file(write(tmp_path, kind, TEXTS), ReadOptions()))
    assert [source.error for source in sources] == [None] * len(TEXTS)
    assert [source.text for source in sources] == TEXTS
    assert [source.id for source in sources] == [str(number) for number in range(10, 10 + len(TEXTS))]


@pytest.mark.parametrize("kind", KINDS)
def test_reading_can_begin_at_any_record(tmp_path, kind):
    file = write(tmp_path, kind, TEXTS)
    whole = list(find_records(file, ReadOptions()))
    assert len(whole) == len(TEXTS)
    for number, record in enumerate(whole):
        assert list(find_records(file, ReadOptions(), record.position)) == whole[number:]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.text(alphabet='a,;"\n\r\té\u2028 ', max_size=8), min_size=1, max_size=6))
def test_csv_written_by_python_is_read_back_from_any_row(tmp_path, texts):
    file = write(tmp_path, "csv", texts)
    whole = list(find_records(file, ReadOptions()))
    assert [json.loads(record.data)["text"] for record in whole] == texts
    for number, record in enumerate(whole):
        assert list(find_records(file, ReadOptions(), record.position)) == whole[number:]


def test_delimiters_are_found_in_the_header(tmp_path):
    for delimiter in ",;\t|":
        file = tmp_path / "a.csv"
        file.write_text(f'id{delimiter}text\n1{delimiter}"a{delimiter}b"\n')
        (source,) = read_file(file, ReadOptions())
        assert source.text == f"a{delimiter}b"


def errors(file: Path, options: ReadOptions | None = None) -> list[str | None]:
    return [source.error and str(source.error) for source in read_file(file, options or ReadOptions())]


def test_a_table_without_the_column_says_which_there_are(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text("key,body\n1,owl\n")
    (error,) = errors(file)
    assert error == f"{file}: the column 'text' is missing (columns: key, body); name another: --text-field"
    assert errors(file, ReadOptions(text_field="body", id_field="key")) == [None]


def test_a_bad_row_is_one_error_and_the_rest_goes_on(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(b"id,text\n1,a\n2\n3,c\xff\n\n4,a\rb\n5,e\n")
    first, short, bytes_, return_, last = errors(file)
    assert first is last is None
    assert f"{file}:6: this row is not CSV" in str(return_)
    assert short == f"{file}:3: this row has 1 fields, and the header 2"
    assert bytes_ is not None
    assert f"{file}:4: this row is not utf-8" in bytes_
    assert errors(file, ReadOptions(encoding="latin-1"))[2] is None


def test_csv_with_a_byte_order_mark_and_in_utf_16(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes("id,text\n1,Eule\n".encode("utf-8-sig"))
    assert [(source.id, source.text) for source in read_file(file, ReadOptions())] == [("1", "Eule")]
    file.write_bytes("id,text\n1,Eule\n".encode("utf-16"))
    (error,) = errors(file)
    assert "save the file as UTF-8" in str(error)


def test_a_long_field_is_read(tmp_path):
    file = tmp_path / "a.csv"
    file.write_text('id,text\n1,"' + "owl " * 100_000 + '"\n')
    (source,) = read_file(file, ReadOptions())
    assert len(source.text) == 400_000


def test_an_empty_csv_has_no_documents(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(b"")
    assert errors(file) == []
    file.write_bytes(b"id,text\n")
    assert errors(file) == []


def test_numbers_are_ids_and_no_texts(tmp_path):
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"id": [7, 8], "text": ["owl", None]}), file)
    first, second = read_file(file, ReadOptions())
    assert first.id == 7
    assert "the field 'text' is null, not a string" in str(second.error)


def test_a_broken_parquet_file(tmp_path):
    pytest.importorskip("pyarrow")
    file = write(tmp_path, "parquet", TEXTS)
    file.write_bytes(file.read_bytes()[:-20])
    (error,) = errors(file)
    assert f"{file}: this is not a whole Parquet file" in str(error)


def test_parquet_without_its_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    file = tmp_path / "a.parquet"
    file.write_bytes(b"PAR1")
    with pytest.raises(MissingExtraError, match=r"pip install 'mderank\[parquet\]'"):
        list(read_file(file, ReadOptions()))


@pytest.mark.parametrize("kind", ["jsonl.gz", "csv.gz"])
def test_a_truncated_gzip_gives_what_is_there_and_an_error_without_a_place(tmp_path, kind):
    file = write(tmp_path, kind, [f"text {number}" for number in range(2000)])
    file.write_bytes(file.read_bytes()[:-3000])
    *good, last = find_records(file, ReadOptions())
    assert len(good) > 100
    assert all(record.failure is None for record in good)
    assert last.position is None
    assert "is not a whole gzip file" in str(last.failure)
    assert list(find_records(file, ReadOptions(), good[50].position)) == [*good[50:], last]


def test_folders_give_parquet_but_csv_only_if_it_is_named(tmp_path):
    for name in ("a.txt", "b.csv", "c.parquet", "d.bin", "sub/e.md", "out/part-0.jsonl"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    skipped: list[Path] = []
    found = list(walk_files([str(tmp_path)], skip=skipped.append, without=tmp_path.resolve() / "out"))
    assert found == [tmp_path / "a.txt", tmp_path / "c.parquet", tmp_path / "sub" / "e.md"]
    assert skipped == [tmp_path / "b.csv", tmp_path / "d.bin"]
    assert list(walk_files([str(tmp_path / "*.csv")])) == [tmp_path / "b.csv"]
    (only,) = walk_files([str(tmp_path / "none" / "*")])
    assert isinstance(only, SourceDocument)


def notebook(*texts: str) -> str:
    return json.dumps({"cells": [{"cell_type": "markdown", "source": text} for text in texts]})


@pytest.mark.parametrize(
    ("name", "content", "title"),
    [
        ("a.html", "<title>On\n &amp; of owls</title><svg><title>no</title></svg><h1>H</h1>", "On & of owls"),
        ("a.html", "<title>One</title><body><title>Two</title>text", "One"),
        ("a.html", "<svg><title>no</title></svg><p>text", None),
        ("a.html", "<title> </title><p>text", None),
        ("a.md", "---\ntags: x\n---\n\n# On *owls* ##\n\n# Another", "On owls"),
        ("a.md", "```sh\n# a comment\n```\n\n# Owls", "Owls"),
        ("a.md", "## A part\n\n# Owls", None),
        ("a.md", "text #1\n\n#hashtag", None),
        ("a.txt", "# Owls", None),
        (
            "a.tex",
            r"\documentclass{a}\title[A]{On \emph{owls}\thanks{Us} of~$k$}\begin{document}Text",
            "On owls of k",
        ),
        ("a.tex", r"\section{A part}\title{Owls}\title{No}", "Owls"),
        ("a.tex", r"\section{A part} text", None),
        ("a.rst", ".. _a:\n\n:author: Lee\n\n====\n Of *owls*\n=========\n\nText", "Of owls"),
        ("a.rst", "Owls\n====", "Owls"),
        ("a.rst", "A sentence.\n\nOwls\n====", None),
        ("a.rst", "Owls\n===", None),
        ("a.rst", ".. a comment", None),
        ("a.ipynb", notebook("Text", "# On *owls* of $k$\n\nText", "# Another"), "On owls of $k$"),
        ("a.ipynb", notebook("Text"), None),
    ],
)
def test_titles_of_files(tmp_path, name, content, title):
    (tmp_path / name).write_text(content)
    (source,) = read_file(tmp_path / name, ReadOptions())
    assert source.error is None
    assert source.title == title
