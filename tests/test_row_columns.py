"""Names of columns: no carried field takes the place of a column that every row has."""

from __future__ import annotations

import pytest

from mderank import Keyphrases
from mderank.errors import OptionError
from mderank.row_columns import (
    OWN_COLUMNS,
    CarriedField,
    carried_cells,
    carried_columns,
    carried_values,
    parse_carry,
)
from mderank.writing import DocumentResult


def test_own_columns_are_those_of_a_row():
    row = DocumentResult("a", "text", Keyphrases(), extracted=True).as_dict()
    assert tuple(row) == OWN_COLUMNS


def test_own_columns_are_those_of_parquet():
    pytest.importorskip("pyarrow")
    from mderank.batch.row_files import schema

    assert tuple(schema().names) == OWN_COLUMNS
    assert schema(("year", "carried")).names[-2:] == ["year", "carried"]


def test_names_with_an_equals_sign():
    assert parse_carry(["a=b=c"]) == (CarriedField("a=b", "c"),)


@pytest.mark.parametrize(
    ("carry", "reason"),
    [
        (["error"], r"'error' is the name of a column of every row: give another, error=NAME"),
        (["x=id"], "'id' is the name of a column of every row: give another, x=NAME"),
        (["carried"], "'carried' is the name of a column"),
        (["year", "meta.year=year"], "'year' is the name of two carried fields: give another, meta.year=NAME"),
        ([""], "the name of the field is missing"),
        (["year="], "the name of the field is missing; write FIELD, or FIELD=NAME"),
        (["=year"], "the name of the field is missing"),
    ],
)
def test_names_that_cannot_be(carry, reason):
    with pytest.raises(OptionError, match=reason):
        parse_carry(carry)


def test_cells_are_texts_whatever_the_records_have():
    columns = carried_columns(["all", "year", "tags"])
    assert columns == ("year", "tags", "carried")
    cells = carried_cells({"year": 2020, "tags": ["a"], "carried": True, "x": None}, columns)
    assert cells == ["2020", '["a"]', '{"carried": true, "x": null}']
    assert carried_cells({"year": "2020"}, columns) == ["2020", None, "{}"]


def test_values_of_a_row():
    assert carried_values({"id": 1, "error": None, "year": 5}) == {"year": 5}
