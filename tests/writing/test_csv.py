import csv
import io
from dataclasses import replace

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank import ConceptLabel, Keyphrase, Keyphrases, Span
from mderank.errors import InputError, OptionError
from mderank.writing import DocumentResult, make_writer
from mderank.writing.csv import escape_cell, unescape_cell

STARTS = ["=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠"]
FORMULA = "cmd|'/C calc'!A0"


def written(*results, explain=False, carried=()):
    stream = io.StringIO(newline="")
    writer = make_writer("csv", stream, explain=explain, carried=carried)
    writer.begin()
    for result in results:
        writer.write(result)
    writer.end()
    return stream.getvalue()


def result_of(text, name="d", error=None, score=0.5):
    """A document whose one keyphrase is its whole text."""
    phrase = Keyphrase(text, score, score, (Span(0, len(text)),), (text,), related=(text,))
    return DocumentResult(name, text, Keyphrases([] if error else [phrase], error=error))


def cells(content):
    return list(csv.reader(io.StringIO(content, newline="")))


@pytest.mark.parametrize("start", STARTS)
@pytest.mark.parametrize("explain", [False, True])
def test_no_cell_begins_like_a_formula(start, explain):
    text = start + FORMULA
    results = (result_of(text, name=text), result_of(text, name=text, error=InputError(text)))
    for row in cells(written(*results, explain=explain)):
        assert not [cell for cell in row if cell.startswith(tuple(STARTS))]


@pytest.mark.parametrize("start", STARTS)
def test_ids_and_phrases_read_back(start):
    text = start + FORMULA
    _, row = cells(written(result_of(text, name=text)))
    assert (unescape_cell(row[0]), unescape_cell(row[2])) == (text, text)


def test_pandas_reads_it_back():
    names = ["=1+1", "'=1+1", "plain", "-3 degrees", "'tis"]
    table = pandas.read_csv(io.StringIO(written(*(result_of("coral reef", name=name) for name in names))))
    assert [unescape_cell(name) for name in table["document"]] == names


def test_a_negative_score_stays_a_number():
    _, row = cells(written(result_of("coral reef", score=-0.25)))
    assert row[3] == "-0.25"


def test_ordinary_texts_are_written_as_they_are():
    for text in ("coral reef", "'tis", "C++", "a=b", "5G", "", "'"):
        assert escape_cell(text) == text


@given(st.text() | st.text(st.sampled_from("'=+-@\t\r\na")))
def test_every_text_reads_back(text):
    assert unescape_cell(escape_cell(text)) == text
    assert not escape_cell(text).startswith(tuple(STARTS))


@pytest.mark.parametrize("explain", [False, True])
def test_carried_fields_are_the_last_columns(explain):
    carried = {"year": 2020, "=1+1": "=2", "tags": ["a"]}
    found = replace(result_of("owl"), carried=carried)
    failed = replace(result_of("owl", error=InputError("no")), carried={"year": None})
    header, first, second = cells(written(found, failed, explain=explain, carried=("year", "=1+1", "carried")))
    assert header[-3:] == ["year", "'=1+1", "carried"]
    assert first[-3:] == ["2020", "'=2", '{"tags": ["a"]}']
    assert second[-3:] == ["", "", "{}"]
    assert len(header) == len(first) == len(second)


def test_a_carried_field_does_not_replace_a_column():
    with pytest.raises(OptionError, match="carry 'rank': CSV has a column of this name: give another, rank=NAME"):
        written(carried=["rank"])
    with pytest.raises(OptionError, match="features=NAME"):
        written(carried=["features"], explain=True)
    assert written(carried=["features"])


def test_concepts_have_columns_of_their_own():
    concept = ConceptLabel("=t1", "storm surge")
    phrase = Keyphrase("surge", 0.5, 0.5, (Span(0, 5),), ("surge",), concept=concept)
    other = Keyphrase("tide", 0.4, 0.4, (Span(6, 10),), ("tide",))
    content = written(
        DocumentResult("d", "surge tide", Keyphrases([phrase, other])), result_of("x", error=InputError("e"))
    )
    rows = list(csv.DictReader(io.StringIO(content)))
    assert [(row["concept_id"], row["concept_label"]) for row in rows] == [("'=t1", "storm surge"), ("", ""), ("", "")]
    assert rows[2]["error"] == "e"
