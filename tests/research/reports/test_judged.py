from __future__ import annotations

import json

import pytest

from mderank.research.evaluation.measures import JUDGED_MEASURES
from mderank.research.evaluation.protocols import PROTOCOLS, Prediction
from mderank.research.evaluation.runs import DocumentOutcome
from mderank.research.reports.judged import judged_tables, summarise_judged
from mderank.research.reports.page import comparison_page
from mderank.research.reports.run_grid import arrange, find_runs
from mderank.research.reports.score_tables import long_rows, make_tables
from mderank.research.reports.summary import summarise
from mderank.util.tables import as_text

ACCEPTABLE, JUNK, REDUNDANCY = JUDGED_MEASURES

# Of each document: kind, predictions of One, predictions of Two, acceptable, junk.
DOCUMENTS = {
    **{
        f"mail{number}": (
            "email",
            ["boilers", "thanks", "hall"],
            ["thanks", "hall", "hall key"],
            ["boiler"],
            ["thanks"],
        )
        for number in range(8)
    },
    "slip": ("receipt", [], ["total"], [], ["total"]),
}


def write(folder, method, column, **settings):
    folder.mkdir(parents=True)
    about = {
        "options": {"method": method},
        "label": method,
        "dataset": "mine",
        "text": "full",
        "judged": True,
        **settings,
    }
    (folder / "run.json").write_text(json.dumps(about))
    lines = []
    for name, document in DOCUMENTS.items():
        kind, *predicted, acceptable, junk = document
        found = tuple(Prediction(text) for text in predicted[column])
        outcome = DocumentOutcome(name, found, (1.0,) * len(found), tuple(acceptable), 0.5, None, tuple(junk), kind)
        lines.append(json.dumps(outcome.to_dict()) + "\n")
        assert DocumentOutcome.from_dict(json.loads(lines[-1])) == outcome
    (folder / "documents.jsonl").write_text("".join(lines))
    (folder / "summary.json").write_text("{}")
    return folder


@pytest.fixture
def runs(tmp_path):
    write(tmp_path / "runs" / "one", "One", 0)
    write(tmp_path / "runs" / "two", "Two", 1)
    return tmp_path / "runs"


def test_values_worked_out_by_hand(runs):
    labelled, judged = arrange(find_runs([runs])).split()
    assert labelled is None
    summary = summarise_judged(judged)
    one, two = summary.lists["One", "mine"], summary.lists["Two", "mine"]
    # One: a third of 24 phrases each. Two: none of 25, nine are junk; two of three are nested in eight documents.
    assert one.values == {ACCEPTABLE: pytest.approx(100 / 3), JUNK: pytest.approx(100 / 3), REDUNDANCY: 0}
    assert two.values == {ACCEPTABLE: 0, JUNK: pytest.approx(36), REDUNDANCY: pytest.approx(16 / 9)}
    assert (one.documents, one.phrases, one.empty_documents, one.on_empty) == (9, pytest.approx(24 / 9), 1, 0)
    assert (two.on_empty, two.seconds) == (1, 0.5)
    assert summary.kinds["Two", "mine", "receipt"].values == {ACCEPTABLE: 0, JUNK: 100, REDUNDANCY: 0}
    assert summary.kinds["Two", "mine", "email"].values[REDUNDANCY] == 2
    assert [key[2] for key in summary.kinds] == ["email", "receipt"] * 2


def test_lower_is_better_for_redundancy_and_junk(runs):
    summary = summarise_judged(arrange(find_runs([runs])).split()[1])
    against = {measure: summary.scores.cells["Two", "mine", measure].against for measure in JUDGED_MEASURES}
    assert against[ACCEPTABLE].verdict == -1
    assert against[REDUNDANCY].verdict == -1  # more of it is worse
    assert against[REDUNDANCY].comparison.difference == pytest.approx(16 / 9)  # phrases, not per cent
    assert against[JUNK].verdict == 0
    # Two has more junk in the receipt only.
    assert [getattr(against[JUNK].comparison, name) for name in ("wins", "ties", "losses")] == [0, 8, 1]
    assert [getattr(against[REDUNDANCY].comparison, name) for name in ("wins", "ties", "losses")] == [0, 1, 8]
    assert summary.scores.comparisons == 3


def test_tables(runs):
    summary = summarise_judged(arrange(find_runs([runs])).split()[1])
    first, second, third = make_tables(None, summary)
    lines = as_text(first).splitlines()
    assert [" ".join(line.split()) for line in lines[4:7]] == [
        "mine, 9 documents",
        "One 33.33 33.33 0.00 2.7 0 in 1 0.500",
        "Two 0.00‡ 36.00 1.78‡ 2.8 1 in 1 0.500",
    ]
    assert [block.name for block in second.blocks] == ["mine, email, 8 documents", "mine, receipt, 1 document"]
    assert second.blocks[0].rows[0].cells[-1].text == "–"
    assert [cell.place for cell in first.blocks[0].rows[0].cells] == [1, 1, 1, 0, 1, 0]
    assert third.title == "Against One, protocol judged"


def test_without_tests_and_with_one_kind(runs, monkeypatch):
    monkeypatch.delitem(DOCUMENTS, "slip")
    write(runs / "three", "Three", 0)
    summary = summarise_judged(arrange(find_runs([runs / "three"])).split()[1], tested=False)
    assert summary.scores is None
    assert len(judged_tables(summary)) == 1
    assert [row[3] for row in long_rows(None, summary)][:2] == ["phrases per document", "documents per second"]


def test_beside_labelled_sets(runs, make, one_documents):
    make("One", "tiny", one_documents)
    folder = make("Other", "tiny", one_documents)
    labelled, judged = arrange(find_runs([folder, runs]), baseline="Two").split()
    assert (labelled.methods, labelled.datasets, labelled.baseline) == (("One", "Other"), ("tiny",), "One")
    assert (judged.methods, judged.datasets, judged.baseline) == (("One", "Two"), ("mine",), "Two")
    summary = summarise(labelled, [PROTOCOLS["macro-stem"]])
    both = summarise_judged(judged)
    assert {row[1] for row in long_rows(summary, both) if row[0] == "judged"} == {"mine"}
    shown = comparison_page(summary, {"mine": {"slip": "Total <b>"}}, 20, both)
    assert "3 methods on 2 datasets" in shown
    assert "The texts are not shown" in shown  # those of the labelled set
    assert "Total &lt;b&gt;" in shown
    assert '<i class="chip c2">C</i> Two' in shown
    assert comparison_page(None, None, 0, both).count("<details") == 2
