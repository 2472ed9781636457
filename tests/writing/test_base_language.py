"""Language, tagger, encoder and warnings are in every output."""

from __future__ import annotations

import csv
import io
import json

import pytest

from mderank import Keyphrase, Keyphrases, LanguageInfo, Span
from mderank.writing import DocumentResult
from mderank.writing.csv import CsvWriter
from mderank.writing.html import HtmlWriter
from mderank.writing.json import JsonLinesWriter
from mderank.writing.table import TableWriter

FRENCH = LanguageInfo("fr", 0.98765432, "words of fr", "minilm-l6", ("no tags here", "an encoder of English"))


def written(writer, *languages, explain=False):
    stream = io.StringIO()
    made = writer(stream, explain=explain)
    made.begin()
    for language in languages:
        found = Keyphrases([Keyphrase("récif", 1.0, 1.0, (Span(0, 5),), ("récif",))], language=language)
        made.write(DocumentResult("a", "récif", found))
    made.end()
    return stream.getvalue()


def test_json():
    row = json.loads(written(JsonLinesWriter, FRENCH))
    assert row["language"] == {
        "code": "fr",
        "certainty": 0.987654,
        "tagger": "words of fr",
        "encoder": "minilm-l6",
        "warnings": ["no tags here", "an encoder of English"],
    }
    assert json.loads(written(JsonLinesWriter, None))["language"] is None


def test_csv_has_language_and_warnings_and_with_explain_the_rest():
    (row,) = csv.DictReader(io.StringIO(written(CsvWriter, FRENCH)))
    assert (row["language"], row["warnings"]) == ("fr", "no tags here; an encoder of English")
    (row,) = csv.DictReader(io.StringIO(written(CsvWriter, FRENCH, explain=True)))
    assert (row["language_certainty"], row["tagger"], row["encoder"]) == ("0.987654", "words of fr", "minilm-l6")


def test_the_table_says_a_warning_once():
    text = written(TableWriter, FRENCH, FRENCH)
    assert text.count("fr (0.99), words of fr, minilm-l6") == 2
    assert text.count("note: no tags here") == 1
    assert written(TableWriter, FRENCH, FRENCH, explain=True).count("note: no tags here") == 2


def test_the_page():
    text = written(HtmlWriter, FRENCH)
    assert "Read as: fr (0.99), words of fr, minilm-l6" in text
    assert "Note: an encoder of English" in text
    assert 'dir="auto"' in text


@pytest.mark.parametrize("writer", [TableWriter, HtmlWriter])
def test_english_is_not_told(writer):
    assert "minilm-l6" not in written(writer, LanguageInfo("en", 1.0, "tagger", "minilm-l6"))


def test_csv_has_the_confidence():
    stream = io.StringIO()
    writer = CsvWriter(stream)
    writer.begin()
    sure = Keyphrase("reef", 1.0, 1.0, (Span(0, 4),), ("reef",), confidence=0.75)
    writer.write(DocumentResult("a", "reef", Keyphrases([sure])))
    (row,) = csv.DictReader(io.StringIO(stream.getvalue()))
    assert row["confidence"] == "0.75"
