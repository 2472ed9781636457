"""`mderank extract --explain`: why each phrase has its score."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from tests.helpers import HtmlPage

from mderank import FusionRank, FusionWeights, MDERank, NounPhrases, Span
from mderank.testing import FakeEncoder, FakeTagger
from mderank.writing import DocumentResult, make_writer
from mderank.writing.explanation import Explainer

PARTS = ["similarity", "mask_effect", "norm", "frequency", "position", "length", "unithood"]
TEXT = "The barn owl is near the sea.\n\nThe barn owl is old. A barn owl has a nest."


def written(form, extractor, text=TEXT, **options):
    stream = io.StringIO()
    writer = make_writer(form, stream, explain=True, **options)
    writer.begin()
    writer.write(DocumentResult("it", text, extractor.extract(text, top_k=None)))
    writer.end()
    return stream.getvalue()


def fusion(**options):
    return FusionRank(FakeEncoder({"owl": 3.0}), tagger=FakeTagger(), **options)


def test_json_has_parts_facts_and_places(run, example):
    result = run("extract", example, "--method", "fusion", "--explain", "-f", "jsonl", "-k", 3)
    assert result.exit_code == 0, result.stderr
    text = example.read_text()
    for phrase in json.loads(result.stdout)["keyphrases"]:
        assert list(phrase["contributions"]) == PARTS
        assert sum(phrase["contributions"].values()) == pytest.approx(phrase["score"], abs=1e-4)
        assert phrase["features"]["frequency"] == len(phrase["spans"])
        assert phrase["masked_similarity"] == pytest.approx(1 - phrase["features"]["mask_effect"], abs=1e-5)
        for place, span in zip(phrase["occurrences"], phrase["spans"], strict=True):
            assert [place["start"], place["end"]] == span
            line = text.split("\n")[place["line"] - 1]
            assert line[place["column"] - 1 :].startswith(text[span[0] : span[1]].split("\n")[0])


@pytest.mark.parametrize("form", ["table", "json", "jsonl", "csv", "html", "markdown"])
def test_unless_asked_nothing_is_explained(run, example, form):
    output = run("extract", example, "--method", "fusion", "-f", form, "-k", 2).stdout
    for word in ("similarity", "occurrences in the text", "Occurrences", "masked", "<summary>why", "</table", "###"):
        assert word not in output


@pytest.mark.slow
@pytest.mark.parametrize("method", ["mderank", "embedrank", "yake", "tfidf", "random", "topicrank"])
def test_every_method_can_be_explained(run, example, method):
    table = run("extract", example, "--method", method, "--explain", "-k", 1)
    assert table.exit_code == 0, table.stderr
    assert re.search(r"^ +raw score +\S+ +number that the score was computed from$", table.stdout, re.MULTILINE)
    assert re.search(r"^ +\d+:\d+ .*\[.+\]", table.stdout, re.MULTILINE)
    assert ("without it" in table.stdout) == (method == "mderank")
    (phrase,) = json.loads(run("extract", example, "--method", method, "--explain", "-k", 1, "-f", "jsonl").stdout)[
        "keyphrases"
    ]
    assert phrase["contributions"] == {}
    assert (phrase["masked_similarity"] is not None) == (method == "mderank")
    assert len(phrase["occurrences"]) == len(phrase["spans"])


def test_table_has_a_row_a_part_and_a_line_a_place():
    lines = written("table", fusion(overlap="any")).splitlines()
    start = next(number for number, line in enumerate(lines) if line.endswith("×  barn owl"))
    names = [line.split()[0] for line in lines[start + 1 : start + 8]]
    assert names == PARTS
    assert lines[start + 4].split(maxsplit=4)[2:] == ["from", "3", "occurrences in the text"]
    assert lines[start + 8].split()[:2] == ["without", "it"]
    assert lines[start + 9].strip() == "1:5         The [barn owl] is near the sea. The barn owl is old. …"
    assert (
        lines[start + 10].strip()
        == "3:5         The barn owl is near the sea. The [barn owl] is old. A barn owl has a nest."
    )


RELATED = "The barn owl is old. " + "".join(f"The {word} barn owl is near. " for word in ("red", "big", "small"))


def first_of(form, text=RELATED, **options):
    return written(form, fusion(overlap="none", candidates=NounPhrases(), **options), text)


def test_phrases_that_were_left_out_for_their_overlap_are_named():
    stream = io.StringIO(first_of("csv"))
    (row, *_) = csv.DictReader(stream)
    (phrase, *_) = json.loads(first_of("json"))[0]["keyphrases"]
    assert phrase["related"]
    assert row["related"] == "; ".join(phrase["related"])
    assert f"      related     {', '.join(phrase['related'])}\n" in first_of("table")
    listed = ", ".join(f"<bdi>{each}</bdi>" for each in phrase["related"])
    assert f'<td colspan="2" class="related">{listed}</td>' in first_of("html")
    for form in ("table", "html", "jsonl"):
        assert "related</th>" not in written(form, fusion(overlap="any"), RELATED)
        assert '"related"' not in written(form, fusion(overlap="any"), RELATED)


def test_a_table_names_some_of_many_related_phrases():
    adjectives = ("red", "big", "small", "new", "deep", "fast", "slow")
    text = "The owl is here. " * 9 + "".join(f"The {word} owl is near. " for word in adjectives)
    page = first_of("html", text, weights=FusionWeights(frequency=9.0))
    assert all(f"{word} owl" in page for word in adjectives)
    assert ", and 2 more: -f html or -f json has all" in first_of("table", text, weights=FusionWeights(frequency=9.0))


def test_a_table_shows_some_places_and_says_how_many_more_there_are():
    text = "The owl is old. " * 9
    assert "and 4 more occurrences" in written("table", fusion(), text)
    assert written("html", fusion(), text).count("<b>owl</b>") == 9


def test_csv_has_cells_for_it(run, example, tmp_path):
    result = run("extract", example, tmp_path / "missing.txt", "--method", "fusion", "--explain", "-f", "csv", "-k", 1)
    first, failed = csv.DictReader(io.StringIO(result.stdout))
    assert [cell.split("=")[0] for cell in first["contributions"].split()] == PARTS
    assert [cell.split("=")[0] for cell in first["features"].split()] == PARTS
    assert len(first["lines"].split()) == int(first["count"])
    assert 0 < float(first["masked_similarity"]) < 1
    assert "No such file" in failed["error"]
    assert failed["lines"] == ""


def test_html_unfolds_and_links_to_the_places():
    page = HtmlPage(written("html", fusion()))
    assert page.tags.count("details") == page.tags.count("summary") > 2
    assert len(page.ids) == len(set(page.ids)) == page.tags.count("mark") + 1
    assert {link.removeprefix("#") for link in page.links} >= set(page.ids) - {"d1"}
    assert "how often it occurs (3×)" in page.text
    # "owl" stands in "barn owl" only, which is the better one: its places are shown, but lead nowhere.
    places = {link.removeprefix("#") for link in page.links if "p" in link}
    assert places <= set(page.ids)


def test_html_stays_safe_against_markup_and_without_script():
    text = "The storm <script>alert(1)</script> surge <img src=x onerror=alert(2)> & \"storm\" 'surge' \x07 </details>"
    output = written("html", fusion(), text)
    page = HtmlPage(output)
    assert set(page.tags) <= set(
        "html head meta title style body header section h1 h2 div ol ul li a span mark p details summary table tr th "
        "td b bdi".split()
    )
    assert "default-src 'none'; style-src 'unsafe-inline'" in output
    assert "<script" not in output
    assert "<img" not in output


def test_a_snippet_cannot_move_the_cursor_of_a_terminal():
    output = written("table", fusion(), "The owl \x1b[2J\x9b31m\x07 and the sea \ud800 here.", color=False)
    assert "\x1b" not in output
    assert "\x9b" not in output
    assert output.encode("utf-8")


def test_places_have_lines_columns_and_whole_words_around_them():
    text = "one\r\ntwo\rthree\nfour " + "long " * 20 + "needle " + "word " * 20
    start = text.index("needle")
    place = Explainer(text).find_context(Span(start, start + len("needle")))
    assert (place.line, place.column) == (4, len("four ") + 20 * len("long ") + 1)
    assert set(place.before.split()) == {"…", "long"}
    assert set(place.after.split()) == {"word", "…"}
    assert place.phrase == "needle"


def test_what_a_mask_changed_shows_in_a_long_text_too():
    text = "The owl is here. " + "The sea is near the old harbour of the town. " * 400
    output = written("table", MDERank(FakeEncoder(), tagger=FakeTagger()), text)
    assert re.search(r"without it +1 − \d(\.\d+)?e-\d+", output)
