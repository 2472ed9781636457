"""Fields of a record that its row gets, with values that every reader of JSON takes."""

from __future__ import annotations

import json

import pytest

from mderank.errors import InputError
from mderank.reading import ReadOptions, read_file
from mderank.reading.carried import carry_fields, without_values

RECORD = {"id": 1, "text": "The owl.", "year": 2020, "meta": {"doi": "10.1/x", "n": float("nan")}, "a.b": [1, None]}


def carried(tmp_path, content, name="a.jsonl", **settings):
    (tmp_path / name).write_text(content)
    return list(read_file(tmp_path / name, ReadOptions(**settings)))


def test_named_fields_and_names_of_ones_own():
    found = carry_fields(RECORD, ["year", "meta.doi=doi", "a.b", "none"], ["text"])
    assert found == {"year": 2020, "doi": "10.1/x", "a.b": [1, None], "none": None}


def test_all_fields_are_those_that_are_not_read():
    found = carry_fields(RECORD, ["all"], ["id", "text"])
    assert found == {"year": 2020, "meta": {"doi": "10.1/x", "n": None}, "a.b": [1, None]}
    assert json.dumps(found, allow_nan=False)


def test_all_and_a_field_with_another_name():
    found = carry_fields({"error": "e", "year": 1}, ["all", "error=problem"], [])
    assert found == {"problem": "e", "year": 1}


def test_a_field_that_would_replace_a_column_is_refused():
    with pytest.raises(InputError, match=r"the field 'error' cannot be carried .* name another, --carry error=NAME"):
        carry_fields({"error": "e"}, ["all"], [])


def test_deep_values_are_refused():
    deep = json.loads("[" * 101 + "]" * 101)
    assert carry_fields({"x": deep[0]}, ["x"], [])
    with pytest.raises(InputError, match="the field 'x' is nested more than 100 levels deep"):
        carry_fields({"x": [deep]}, ["x"], [])


def test_documents_without_a_record_have_each_column(tmp_path):
    assert without_values(["all", "year", "meta.doi=doi"]) == {"year": None, "doi": None}
    (source,) = carried(tmp_path, "The owl.", "a.txt", carry=["year"])
    assert (source.text, source.carried) == ("The owl.", {"year": None})
    (source,) = carried(tmp_path, "{oops\n", carry=["year"])
    assert source.error is not None
    assert source.carried == {"year": None}


def test_a_record_that_fails_keeps_what_it_carries(tmp_path):
    found = carried(tmp_path, '{"id": "p", "year": 1}\n{"id": "q", "text": "owl"}\n', carry="year")
    assert [(each.id, each.carried, each.error is None) for each in found] == [
        ("p", {"year": 1}, False),
        ("q", {"year": None}, True),
    ]


def test_without_carry_there_is_nothing(tmp_path):
    (source,) = carried(tmp_path, '{"text": "owl", "year": 1}\n')
    assert source.carried is None


def test_title_and_seeds_are_carried_with_all_but_not_what_the_row_has(tmp_path):
    line = '{"key": "p", "title": "Owls", "body": "The owl.", "about": "mice", "language": "en", "x": 1}\n'
    names = {"id_field": "key", "title_field": "title", "text_field": "body", "seeds_field": "about"}
    (source,) = carried(tmp_path, line, carry="all", **names)
    assert source.carried == {"title": "Owls", "about": "mice", "x": 1}


def test_columns_of_a_table(tmp_path):
    (source,) = carried(tmp_path, "id,text,year,venue\n1,The owl.,2020,ACL\n", "a.csv", carry=["venue", "year=y"])
    assert source.carried == {"venue": "ACL", "y": "2020"}
    (source,) = carried(tmp_path, "id,text,year,venue\n1,The owl.,2020,ACL\n", "a.csv", carry=["all"])
    assert source.carried == {"year": "2020", "venue": "ACL"}
    (source,) = carried(tmp_path, "id,text\n1,The owl.\n", "a.csv", carry=["yaer"])
    assert "the column 'yaer' is missing (columns: id, text); name another: --carry" in str(source.error)
