"""`mderank compare`: from runs to tables and a page."""

from __future__ import annotations

import csv
import io
import json

import pytest

from mderank.research.evaluation.protocols import Prediction
from mderank.research.evaluation.runs import DocumentOutcome

# F1@5 of One: micro 2 * 2 / (3 + 3) = 66.67, macro (0.5 + 1) / 2 = 75; of Two: micro the same, macro (1 + 0) / 2 = 50.
ONE = {"d1": (["deep nets", "stone"], ["deep net", "tides"]), "d2": (["moons"], ["moon"])}
TWO = {"d1": (["tide", "deep nets"], ["deep net", "tides"]), "d2": (["stone"], ["moon"])}


def write_run(folder, label, dataset, documents, **settings):
    folder.mkdir(parents=True)
    about = {"options": {"method": "m"}, "label": label, "dataset": dataset, "text": "paper", **settings}
    (folder / "run.json").write_text(json.dumps(about))
    outcomes = [
        DocumentOutcome(name, tuple(map(Prediction, found)), (0.5,) * len(found), tuple(gold), 0.5, None)
        for name, (found, gold) in documents.items()
    ]
    (folder / "documents.jsonl").write_text("".join(json.dumps(each.to_dict()) + "\n" for each in outcomes))
    (folder / "summary.json").write_text(json.dumps({"peak_memory_mb": 300}))


@pytest.fixture
def runs(tmp_path, monkeypatch):
    monkeypatch.delenv("MDERANK_DATA_DIR", raising=False)
    write_run(tmp_path / "runs" / "tiny" / "one", "One", "tiny", ONE)
    write_run(tmp_path / "runs" / "tiny" / "two", "Two", "tiny", TWO)
    return tmp_path / "runs"


@pytest.fixture
def data_dir(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    lines = [
        {"id": "d1", "title": "", "text": "A deep net.", "keyphrases": ["deep net", "tides"]},
        {"id": "d2", "title": "", "text": "The moon.", "keyphrases": ["moon"]},
    ]
    (folder / "tiny.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_both_protocols_are_printed(run, runs):
    result = run("compare", runs)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "Protocol mderank (the paper's code to the letter: micro average), in per cent"
    assert "\x1b" not in result.stdout
    start = next(number for number, line in enumerate(lines) if line.startswith("Protocol macro-stem"))
    assert lines[start + 2 : start + 7] == [
        "Method   tiny    AVG       AvgRank",
        "──────────────────────────────────",
        "F1@5",
        "One     75.00  75.00  1.00 (±0.00)",
        "Two     50.00  50.00  2.00 (±0.00)",
    ]
    assert "Against One, protocol macro-stem" in lines
    assert any(line.split() == "Two tiny -25.00 -100.00 +50.00 1.0000 1.0000 1 0 1".split() for line in lines)
    assert not [line for line in lines if line.startswith("Note:")]


def test_csv_is_in_long_form(run, runs):
    result = run("compare", runs, "-f", "csv", "--measure", "F1@5", "--baseline", "Two")
    assert result.stdout.startswith("protocol,dataset,method,measure,value,low,high,difference,p,p_holm,")
    rows = {
        (row["protocol"], row["dataset"], row["method"], row["measure"]): row
        for row in csv.DictReader(io.StringIO(result.stdout))
    }
    one, two = (rows["macro-stem", "tiny", method, "F1@5"] for method in ("One", "Two"))
    assert (one["value"], one["low"], one["high"], one["difference"]) == ("75.00", "50.00", "100.00", "25.00")
    assert (one["p"], one["p_holm"], one["won"], one["documents"]) == ("1.0000", "1.0000", "1", "2")
    assert (two["value"], two["difference"], two["p"]) == ("50.00", "", "")
    assert rows["macro-stem", "AVG", "One", "AvgRank F1@5"]["value"] == "1.00"
    assert rows["macro-stem", "tiny", "One", "MAP"]["value"] == "75.00"
    assert rows["", "tiny", "One", "R@15 words 1"]["value"] == "50.00"
    assert rows["", "tiny", "One", "documents per second"]["value"] == "2.00"
    assert rows["", "tiny", "gold", "diversity@15"]["value"] == "100.00"


@pytest.mark.parametrize(
    ("form", "line"),
    [("markdown", "| One | **75.00** | **75.00** | **1.00 (±0.00)** |"),
     ("latex", r"One & \textbf{75.00} & \textbf{75.00} & \textbf{1.00 ($\pm$0.00)} \\")],
)  # fmt: skip
def test_for_papers_and_pages(run, runs, tmp_path, form, line):
    result = run("compare", runs / "tiny" / "one", runs / "tiny" / "two", "-f", form, "-o", tmp_path / "out")
    assert result.stdout == ""
    assert line in (tmp_path / "out").read_text(encoding="utf-8").splitlines()
    assert not list(tmp_path.glob(".out*"))


def test_redundancy_stands_beside_diversity(run, runs, tmp_path):
    # Of Three's phrases "Nets" and "nets" are one by case and "net" another; "deep nets" contains them.
    three = {"d1": (["deep nets", "Nets", "nets", "net"], ["deep net"]), "d2": (["moons"], ["moon"])}
    write_run(runs / "three", "Three", "tiny", three)
    result = run("compare", runs, "-f", "csv", "--html", tmp_path / "page.html", "--measure", "redundancy@2")
    rows = {
        (row["protocol"], row["dataset"], row["method"], row["measure"]): row
        for row in csv.DictReader(io.StringIO(result.stdout))
    }
    assert rows["mderank", "tiny", "Three", "redundancy@10"]["value"] == "1.50"
    assert rows["macro-stem", "tiny", "Three", "redundancy@10"]["value"] == "1.00"
    assert rows["macro-stem", "tiny", "One", "redundancy@10"]["value"] == "0.00"
    asked = rows["macro-stem", "tiny", "Three", "redundancy@2"]
    # "Three" comes before "One", and is the baseline.
    assert (asked["value"], asked["low"], asked["high"]) == ("1.00", "0.00", "2.00")
    one = rows["macro-stem", "tiny", "One", "redundancy@2"]
    assert (one["value"], one["difference"], one["won"], one["tied"]) == ("0.00", "-1.00", "1", "1")
    assert rows["macro-stem", "AVG", "One", "AvgRank redundancy@2"]["value"] == "1.50"
    lines = run("compare", runs).stdout.splitlines()
    blocks = [line for line in lines if line.startswith(("Diversity", "redundancy", "Duplicates"))]
    assert blocks[:3] == [
        "Diversity of the first 15",
        "redundancy@10, protocol mderank",
        "redundancy@10, protocol macro-stem",
    ]
    assert "redundancy@10, protocol macro-stem" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_notes_say_what_is_unequal(run, runs):
    write_run(runs / "three", "Three", "tiny", {"d1": ONE["d1"]}, limit=1)
    told = "Note: tiny: the runs did not read the same, 'limit' differs: None for One, Two; 1 for Three."
    assert told in run("compare", runs / "tiny", runs / "three").stdout.splitlines()
    result = run("compare", runs / "tiny", runs / "three", "-f", "csv")
    assert told.replace("Note:", "mderank: note:") in result.stderr.splitlines()


def test_the_page(run, runs, data_dir, tmp_path):
    first, second = tmp_path / "1.html", tmp_path / "2.html"
    assert run("compare", runs, "--html", first, "--data-dir", data_dir).exit_code == 0
    assert run("compare", runs, "--html", second, "--data-dir", data_dir).exit_code == 0
    assert first.read_bytes() == second.read_bytes()
    assert '<mark class="gold m0 m1">deep net</mark>' in first.read_text(encoding="utf-8")


def test_the_page_without_texts(run, runs, tmp_path):
    assert run("compare", runs, "--html", tmp_path / "page.html", "--documents", 1).exit_code == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The texts are not shown" in page
    assert page.count('<details class="document">') == 1


def test_a_protocol_that_looks_into_texts(run, runs, data_dir, tmp_path):
    result = run("compare", runs, "--protocol", "macro-stem-present", "--data-dir", data_dir, "-f", "csv")
    rows = [row for row in csv.DictReader(io.StringIO(result.stdout)) if row["protocol"] == "macro-stem-present"]
    # In d1 one gold keyphrase is in the text, and one of One's two predictions is right: 2 / 3; in d2 all is: 1.
    assert (rows[0]["method"], rows[0]["measure"], rows[0]["value"]) == ("One", "F1@5", "83.33")
    result = run("compare", runs, "--protocol", "macro-stem-present")
    assert result.exit_code == 2
    assert "name their folder (--data-dir)" in result.stderr
    (tmp_path / "other").mkdir()
    result = run("compare", runs, "--protocol", "macro-stem-present", "--data-dir", tmp_path / "other")
    assert "those of tiny are not in" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--baseline", "Nobody"], "there is no such method among the runs, only One, Two"),
        (["--protocol", "guess"], "unknown protocol 'guess'"),
        (["--measure", "F2@5"], "unknown measure 'F2@5'"),
        (["-o", "/nowhere/at/all"], "/nowhere/at/all: cannot be written"),
        (["--html", "/nowhere/at/all"], "/nowhere/at/all: cannot be written"),
        (["nowhere"], "nowhere is not a folder"),
    ],
)
def test_one_line_names_the_cause(run, runs, arguments, complaint):
    result = run("compare", runs, *arguments)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_no_runs_named(run):
    assert run("compare").exit_code == 2
