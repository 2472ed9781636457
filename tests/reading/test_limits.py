"""No file takes more memory than the longest document may have, and the error names file, line and option."""

from __future__ import annotations

import gzip
import io
import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from mderank.errors import OptionError
from mderank.reading import MAX_DOCUMENT_CHARS, ReadOptions, find_records, read_file, read_stream
from mderank.reading.limits import list_names, read_at_most

SMALL = ReadOptions(max_document_chars=100)  # 400 bytes per line, row or file
GOOD = b'{"id": "good", "text": "The owl eats a mouse."}\n'


def outcomes(file: Path, options: ReadOptions = SMALL) -> list[str]:
    """The error of each document, or its text."""
    return [str(source.error) if source.error else source.text for source in read_file(file, options)]


def test_the_default_is_ten_million_characters():
    assert ReadOptions().max_document_chars == MAX_DOCUMENT_CHARS == 10_000_000
    assert ReadOptions().max_bytes("jsonl") == 40_000_000
    assert ReadOptions().max_bytes("ipynb") == 40_000_000
    for kind in ("pdf", "docx", "epub", "eml", "mbox"):
        assert ReadOptions().max_bytes(kind) == 400_000_000


def test_a_limit_below_one_is_refused():
    with pytest.raises(OptionError, match="max_document_chars must be at least 1"):
        ReadOptions(max_document_chars=0)


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_a_long_line_is_an_error_and_the_lines_after_it_are_read(tmp_path, suffix):
    file = tmp_path / f"a.jsonl{suffix}"
    data = GOOD + b"x" * 5_000_000 + b"\n" + GOOD
    file.write_bytes(gzip.compress(data) if suffix else data)
    first, long, last = outcomes(file)
    assert first == last == "The owl eats a mouse."
    assert long.startswith(f"{file}:2: this line has more than 400 bytes")
    assert "--max-document-chars 100" in long


def test_a_line_may_be_as_long_as_the_limit(tmp_path):
    file = tmp_path / "a.jsonl"
    row = {"id": "x" * 250, "text": "y" * 100}
    line = json.dumps(row).encode()
    line += b" " * (400 - len(line))
    file.write_bytes(line + b"\n" + line + b" \n" + line)
    whole, long, unended = outcomes(file)
    assert whole == unended == "y" * 100
    assert ":2: this line has more than 400 bytes" in long


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv"])
def test_reading_can_begin_after_a_record_that_is_too_long(tmp_path, name):
    file = tmp_path / name
    row = {"a.jsonl": GOOD, "a.csv": b"good,The owl\n"}[name]
    head = b"" if name == "a.jsonl" else b"id,text\n"
    file.write_bytes(head + row + b'"' + b'x""\n' * 1000 + b'"' + b",1\n" + row + row)
    if name == "a.jsonl":
        file.write_bytes(row + b"x" * 1000 + b"\n" + row + row)
    records = list(find_records(file, SMALL))
    assert [record.failure is None for record in records] == [True, False, True, True]
    for number, record in enumerate(records):
        assert list(find_records(file, SMALL, record.position)) == records[number:]


def test_a_csv_row_that_is_too_long_is_skipped_to_its_end(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(b'id,text\n1,a\n2,"' + b'one ""line""\n' * 100 + b'"\n3,c\n')
    first, long, last = outcomes(file)
    assert (first, last) == ("a", "c")
    assert long.startswith(f"{file}:3: this row has more than 400 bytes")
    assert long.endswith("; reading resumed at line 104")


def test_a_csv_header_that_is_too_long(tmp_path):
    file = tmp_path / "a.csv"
    file.write_bytes(b"id,text," + b"x" * 1000)
    (error,) = outcomes(file)
    assert error.startswith(f"{file}: this header has more than 400 bytes")
    file.write_bytes(b'id,"text\n' + b"x\n" * 1000)
    (error,) = outcomes(file)
    assert "this header has more than 400 bytes" in error


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.html", "a.txt.gz", "a.md.gz", "a.html.gz"])
def test_a_file_that_is_too_large_or_too_long(tmp_path, name):
    file = tmp_path / name
    pack: Callable[[bytes], bytes] = gzip.compress if name.endswith(".gz") else bytes
    file.write_bytes(pack(b"a" * 401))
    (error,) = outcomes(file)
    assert error.startswith(f"{file}: this file has more than 400 bytes, that is 4 per character of --max-document-")
    file.write_bytes(pack(b"a" * 101))
    (error,) = outcomes(file)
    assert error == (
        f"{file}: this document has 101 characters, more than --max-document-chars 100: divide it, or raise the limit"
    )
    file.write_bytes(pack("é".encode() * 100))
    assert outcomes(file) == ["é" * 100]


def test_a_text_in_a_json_line_that_is_too_long(tmp_path):
    file = tmp_path / "a.jsonl"
    file.write_text(json.dumps({"text": "a" * 101}) + "\n" + json.dumps({"tokens": [["a" * 101, "NN"]]}) + "\n")
    first, _ = outcomes(file)
    assert first.startswith(f"{file}:1: this document has 101 characters")
    tagged = ReadOptions(max_document_chars=100, tokens_field="tokens")
    assert outcomes(file, tagged)[1].startswith(f"{file}:2: this document has 101 characters")


def test_standard_input_has_the_same_limit():
    (source,) = read_stream(io.BytesIO(b"a" * 401), "<stdin>", SMALL)
    assert str(source.error).startswith("<stdin>: this file has more than 400 bytes")
    first, second = read_stream(io.BytesIO(b"{" + b" " * 500 + b"}\n" + GOOD), "<stdin>", SMALL)
    assert str(first.error).startswith("<stdin>:1: this line has more than 400 bytes")
    assert second.id == "good"


def test_a_stream_that_fails_keeps_what_was_read_before():
    class Failing(io.RawIOBase):
        lines = [GOOD, GOOD]  # noqa: RUF012

        def readable(self) -> bool:
            return True

        def readinto(self, target) -> int:
            if not self.lines:
                raise OSError(5, "Input/output error")
            line = self.lines.pop()
            target[: len(line)] = line
            return len(line)

    first, second, last = read_stream(Failing(), "<stdin>", ReadOptions())
    assert first.id == second.id == "good"
    assert str(last.error) == "<stdin>: cannot be read: Input/output error"


@pytest.mark.parametrize("damage", ["cut", "changed", "checksum"])
@pytest.mark.parametrize("name", ["a.jsonl.gz", "a.csv.gz"])
def test_a_damaged_gzip_file_keeps_what_was_read_before(tmp_path, name, damage):
    rows = [json.dumps({"id": n, "text": f"owl {n}"}) if "json" in name else f"{n},owl {n}" for n in range(5000)]
    data = bytearray(gzip.compress("\n".join(["" if "json" in name else "id,text", *rows, ""]).encode(), mtime=0))
    if damage == "cut":
        del data[-1000:]
    else:
        data[-6 if damage == "checksum" else -1000] ^= 255
    (tmp_path / name).write_bytes(data)
    (tmp_path / "b.txt").write_text("mouse")
    *good, last = outcomes(tmp_path / name, ReadOptions())
    assert len(good) > 2000
    assert good[:100] == [f"owl {n}" for n in range(100)]
    assert last.startswith(f"{tmp_path / name}: is not a whole gzip file: ")


@pytest.mark.slow
@pytest.mark.parametrize("suffix", ["txt", "jsonl", "csv", "md", "html", "pdf", "docx", "epub", "eml", "ipynb", "tex"])
def test_zeros_that_decompress_without_end_take_little_memory(tmp_path, suffix):
    name = f"a.{suffix}.gz"
    file = tmp_path / name
    with gzip.open(file, "wb", compresslevel=1) as stream:
        stream.write(b'id,text\n1,"' if ".csv" in name else b"")
        for _ in range(64):
            stream.write(bytes(1 << 20))
    options = ReadOptions(max_document_chars=20_000)
    tracemalloc.start()
    try:
        (error,) = outcomes(file, options)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "--max-document-chars 20000" in error
    assert peak < 12_000_000  # a piece of 1 MB at a time; csv needs 4 bytes per character


def test_a_stream_is_read_up_to_the_limit_only():
    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, target) -> int:
            self.given += len(target)
            return len(target)

    stream = Endless()
    assert read_at_most(stream, 10_000_000) is None
    assert stream.given < 12_000_000


def test_errors_list_the_first_names_only():
    listed = list_names(["a\nb", "x" * 100, *map(str, range(100))])
    assert listed.startswith("a b, " + "x" * 39 + "…, 0, 1, ")
    assert listed.endswith(", …")
    assert len(listed) < 200


@pytest.mark.parametrize("name", ["a.csv", "a.jsonl"])
def test_a_record_with_many_fields_has_a_short_error(tmp_path, name):
    file = tmp_path / name
    fields = [f"column{number}" for number in range(5000)]
    file.write_text(",".join(fields) if name == "a.csv" else json.dumps(dict.fromkeys(fields, 1)))
    (error,) = outcomes(file, ReadOptions())
    assert "column19, …" in error
    assert len(error) < 500
