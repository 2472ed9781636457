"""Parquet with values that Python or JSON does not have, with hostile sizes, and damaged."""

from __future__ import annotations

import gzip
import io
from datetime import datetime
from decimal import Decimal

import pytest

from mderank.reading import ReadOptions, find_records, read_file, read_stream

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


def write(file, columns, **settings):
    pq.write_table(pa.table(columns), file, **settings)
    return file


def read(file, **settings):
    return list(read_file(file, ReadOptions(**settings)))


def not_utf8(*values: bytes):
    """A column that says that it is text, and is not."""
    binary = pa.array(values, pa.binary())
    return pa.Array.from_buffers(pa.string(), len(values), binary.buffers())


def test_nanosecond_timestamps_are_ids(tmp_path):
    ids = pa.array([1, 1_700_000_000_123_456_789, None], pa.timestamp("ns"))
    sources = read(write(tmp_path / "a.parquet", {"id": ids, "text": ["a", "b", "c"]}))
    assert [source.error for source in sources] == [None] * 3
    assert [source.id for source in sources[:2]] == ["1970-01-01 00:00:00.000000001", "2023-11-14 22:13:20.123456789"]
    assert sources[2].id == f"{tmp_path / 'a.parquet'}:3"


@pytest.mark.parametrize(
    ("column", "identity"),
    [
        (pa.array([datetime(2024, 5, 1, 12)], pa.timestamp("us")), "2024-05-01 12:00:00"),
        (pa.array([Decimal("1.50")]), "1.50"),
        (pa.array([b"key"]), "key"),
        (pa.array([2**62]), 2**62),
        (pa.array([1], pa.duration("ns")), "1"),
        (pa.array(["x"]).dictionary_encode(), "x"),
    ],
)
def test_ids_of_other_types(tmp_path, column, identity):
    (source,) = read(write(tmp_path / "a.parquet", {"id": column, "text": ["a"]}))
    assert (source.id, source.text, source.error) == (identity, "a", None)


def test_a_value_that_python_does_not_have_is_an_error_of_its_row(tmp_path):
    days = pa.array([1, 2**30, 2], pa.int32()).cast(pa.date32())
    file = write(tmp_path / "a.parquet", {"id": days, "text": ["a", "b", "c"]})
    first, bad, last = read(file)
    assert (first.text, last.text) == ("a", "c")
    assert str(bad.error).startswith(f"{file}:2: a value of this row cannot be read")


def test_text_that_is_not_utf_8_is_an_error_of_its_row(tmp_path):
    file = write(tmp_path / "a.parquet", {"text": not_utf8(b"owl", b"caf\xe9", b"mouse")})
    first, bad, last = read(file)
    assert (first.text, last.text) == ("owl", "mouse")
    assert str(bad.error).startswith(f"{file}:2: byte 3 is not utf-8")


def test_a_column_of_bytes_is_text_in_the_encoding(tmp_path):
    file = write(tmp_path / "a.parquet", {"text": [b"caf\xe9"]})
    assert read(file, encoding="latin-1")[0].text == "café"
    assert "byte 3 is not utf-8" in str(read(file)[0].error)


def test_an_encoding_of_two_bytes_does_not_concern_text_columns(tmp_path):
    file = write(tmp_path / "a.parquet", {"text": ["café", "😀 \x00"]})
    for encoding in ("utf-16", "utf-7", "cp037", "shift_jis"):
        assert [source.text for source in read(file, encoding=encoding)] == ["café", "😀 \x00"]


def test_columns_of_the_wrong_type(tmp_path):
    file = write(tmp_path / "a.parquet", {"text": [1.5], "tokens": [[["Owl", "NN"]]]})
    assert "the field 'text' is a number, not a string" in str(read(file)[0].error)
    file = write(tmp_path / "a.parquet", {"tokens": [[["Owl", "NN"]]]})
    assert read(file, tokens_field="tokens")[0].text == "Owl"


def test_a_column_that_occurs_twice(tmp_path):
    table = pa.Table.from_arrays([pa.array(["a"]), pa.array(["b"])], names=["text", "text"])
    pq.write_table(table, tmp_path / "a.parquet")
    (source,) = read(tmp_path / "a.parquet")
    assert str(source.error).endswith("the column 'text' occurs 2 times: rename all but one")


def test_a_cell_that_is_too_long_is_an_error_of_its_row(tmp_path):
    texts = ["owl", "x" * 101, "é" * 300, "mouse"]
    file = write(tmp_path / "a.parquet", {"text": texts})
    first, long, large, last = read(file, max_document_chars=100)
    assert (first.text, last.text) == ("owl", "mouse")
    assert str(long.error).startswith(f"{file}:2: this document has 101 characters")
    assert str(large.error).startswith(f"{file}:3: this row has more than 400 bytes")


def test_a_row_group_whose_rows_must_be_too_long_is_not_decompressed(tmp_path):
    file = write(tmp_path / "a.parquet", {"text": ["owl", "x" * 5_000, "mouse"]}, row_group_size=1)
    options = ReadOptions(max_document_chars=100)
    records = list(find_records(file, options))
    assert [record.failure is None for record in records] == [True, False, True]
    assert "this row, or another of its row group of 1, has more than 400 bytes" in str(records[1].failure)
    for number, record in enumerate(records):
        assert list(find_records(file, options, record.position)) == records[number:]


def test_a_row_group_that_decompresses_to_much_more_than_the_file(tmp_path):
    file = write(tmp_path / "a.parquet", {"text": ["owl"] * 3000 + ["x" * 1_000_000]}, compression="zstd")
    (source,) = read(file, max_document_chars=1000)
    assert str(source.error).startswith(f"{file}: a row group decompresses to 1,0")
    assert str(source.error).endswith("200 times the file's size: divide it")


def test_one_value_in_many_rows_is_held_once(tmp_path):
    """Decoded at once, the rows of one batch would take 256 times the memory of the value."""
    file = write(tmp_path / "a.parquet", {"text": ["x" * 100_000] * 256}, compression="zstd")
    before = pa.total_allocated_bytes()
    records = find_records(file, ReadOptions())
    assert len(next(records).data) > 100_000
    assert pa.total_allocated_bytes() - before < 2_000_000
    assert sum(1 for _ in records) == 255


def test_parquet_in_gzip_and_on_standard_input(tmp_path):
    file = write(tmp_path / "a.parquet", {"text": ["owl"]})
    packed = tmp_path / "b.parquet.gz"
    packed.write_bytes(gzip.compress(file.read_bytes()))
    assert read(packed)[0].text == "owl"
    pipe = io.BufferedReader(Pipe(file.read_bytes()))
    (source,) = read_stream(pipe, "<stdin>", ReadOptions(format="parquet"))
    assert source.text == "owl"
    packed.write_bytes(gzip.compress(bytes(5000)))
    assert "is read from uncompressed files only" in str(read(packed, max_document_chars=100)[0].error)


class Pipe(io.RawIOBase):
    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, target) -> int:
        return self._data.readinto(target)


@pytest.mark.parametrize("data", [b"", b"PAR1", b"PAR1PAR1", b"PAR1" + b"\xff" * 8 + b"PAR1", b"x" * 100])
def test_what_is_not_parquet(tmp_path, data):
    file = tmp_path / "a.parquet"
    file.write_bytes(data)
    (source,) = read(file)
    assert str(source.error).startswith(f"{file}: this is not a whole Parquet file: ")


# --- columns that have fields -----------------------------------------------------------------------------------------

NESTED = {
    "key": ["a", "b", "c"],
    "document": [
        {"body": {"text": "An owl.", "n": 1}, "lang": "en"},
        {"body": {"text": "An owl.", "n": 2}, "lang": None},
        {"body": None, "lang": "de"},
    ],
    "items": [[{"text": "first"}, {"text": "second"}], [], None],
}


@pytest.fixture
def nested(tmp_path):
    labels = pa.array([[("title", "Owls")], [], None], pa.map_(pa.string(), pa.string()))
    return write(tmp_path / "a.parquet", {**NESTED, "labels": labels})


def test_fields_of_structs_lists_and_maps(nested):
    found = read(nested, text_field="document.body.text", id_field="key", language_field="document.lang")
    assert [(each.id, each.text, each.language) for each in found] == [
        ("a", "An owl.", "en"),
        ("b", "An owl.", None),
        ("c", "", None),
    ]
    assert "the field 'document.body.text' is missing (document.body is not an object)" in str(found[2].error)
    found = read(nested, text_field=("items.1.text", "document.body.text"), title_field="labels.title")
    assert [each.text for each in found[:2]] == ["Owls\n\nsecond\n\nAn owl.", "An owl."]


@pytest.mark.parametrize("name", ["document.bdy.text", "document.body.text.x", "items.x.text", "items.text", "labels2"])
def test_a_field_that_no_row_can_have_is_one_error(nested, name):
    (source,) = read(nested, text_field=name)
    known = "columns: key, document.body.text, document.body.n, document.lang, items, labels"
    assert str(source.error) == f"{nested}: the column '{name}' is missing ({known}); name another: --text-field"


def test_a_column_with_a_dot_comes_first(tmp_path):
    file = write(tmp_path / "a.parquet", {"a.b": ["dotted"], "a": [{"b": "nested"}]})
    assert [each.text for each in read(file, text_field="a.b")] == ["dotted"]


def test_carried_columns_of_all_types(tmp_path):
    columns = {
        "text": ["owl"],
        "when": [datetime(2024, 5, 1, 12)],
        "price": pa.array([Decimal("1.50")]),
        "tags": [["a", "b"]],
        "meta": [{"n": 1, "x": float("nan")}],
        "map": pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int64())),
        "none": pa.array([None], pa.string()),
    }
    (source,) = read(write(tmp_path / "a.parquet", columns), carry="all")
    assert source.carried == {
        "when": "2024-05-01 12:00:00",
        "price": "1.50",
        "tags": ["a", "b"],
        "meta": {"n": 1, "x": None},
        "map": {"k": 1},
        "none": None,
    }


def test_copies_of_one_text_in_a_row_count(tmp_path):
    word = "owl " * 50
    file = write(tmp_path / "a.parquet", {"text": ["owl", "owl"], "tags": [[word] * 3, [word] * 1]})
    options = {"max_document_chars": 100, "carry": "tags"}  # 400 bytes
    first, second = read(file, **options)
    assert "this row has more than 400 bytes" in str(first.error)
    assert second.carried == {"tags": [word]}


def test_nested_rows_are_found_again_from_any_place(nested):
    options = ReadOptions(text_field="document.body.text", carry=("items", "labels"))
    records = list(find_records(nested, options))
    for number, record in enumerate(records):
        assert list(find_records(nested, options, record.position)) == records[number:]
