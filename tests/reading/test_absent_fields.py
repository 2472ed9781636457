"""Fields that no record has are a slip of the pen, and are told."""

from __future__ import annotations

import json

from mderank.reading import ReadOptions
from mderank.reading.absent_fields import absent_fields


def write(tmp_path, *records, name="a.jsonl"):
    file = tmp_path / name
    file.write_text("".join(json.dumps(record) + "\n" for record in records))
    return file


def test_a_field_of_one_record_is_enough(tmp_path):
    first = {"id": 1, "text": "a", "meta": {"doi": None}}
    file = write(tmp_path, first, {"id": 2, "text": "b", "year": 5})
    options = ReadOptions(title_field="titel", carry=["yaer=y", "year", "meta.doi", "all"], seeds_field="about")
    assert absent_fields([file], options) == (["titel", "about", "yaer"], first)
    assert absent_fields([file], ReadOptions(text_field=("text", "abstract"))) == (["abstract"], first)


def test_nothing_is_read_if_nothing_is_named(tmp_path):
    assert absent_fields([tmp_path / "none.jsonl"], ReadOptions()) == ([], {})


def test_files_without_records_say_nothing(tmp_path):
    texts = tmp_path / "a.txt"
    texts.write_text("The owl.")
    damaged = tmp_path / "b.jsonl"
    damaged.write_text("{oops\n")
    options = ReadOptions(carry=["year"])
    assert absent_fields([texts, damaged, tmp_path / "none.jsonl"], options) == ([], {})


def test_only_the_first_records_are_looked_at(tmp_path):
    records = [{"n": number} for number in range(100)]
    file = write(tmp_path, *records, {"year": 1})
    assert absent_fields([file], ReadOptions(carry=["year"]))[0] == ["year"]
    other = write(tmp_path, {"year": 1}, name="b.jsonl")
    assert absent_fields([write(tmp_path, *records[:99]), other], ReadOptions(carry=["year"]))[0] == []
