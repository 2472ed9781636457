"""The functions of `mderank.research` that a notebook calls."""

from __future__ import annotations

import json

import pytest

from mderank import research
from mderank.research import (
    Limits,
    Options,
    ReproductionConfig,
    ReproductionResources,
    RunSpec,
    RunStore,
    compare,
    evaluate,
    reproduce,
)


def test_all_names_are_there():
    assert all(getattr(research, name) is not None for name in research.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'best'"):
        _ = research.best


def test_runs_can_be_compared(tmp_path, capsys):
    store = RunStore(tmp_path)
    for method in ("firstphrases", "random"):
        evaluate(RunSpec("everyday", Options(method=method), limit=3), store)
    comparison = compare([tmp_path], measures=["junk@5"])
    assert comparison.summary is None
    assert set(comparison.judged.lists) == {("firstphrases", "everyday"), ("random", "everyday")}
    assert comparison.format("markdown").startswith("## Judged lists, as users get them")
    assert "junk@5" in comparison.format("csv")
    assert capsys.readouterr() == ("", "")


def test_a_table_of_the_paper_can_be_measured(tmp_path, capsys):
    document = {"id": "117", "title": "", "text": "Coral reefs protect the coast.", "keyphrases": ["coral reef"]}
    (tmp_path / "nus.jsonl").write_text(json.dumps(document) + "\n")
    resources = ReproductionResources(tmp_path, verify=False)
    config = ReproductionConfig(resources.describe_encoder("minilm-l6"), modes=("one pass",), limit=Limits(1))
    report = reproduce(config, ["table5"], store=RunStore(tmp_path / "runs"), resources=resources)
    (section,) = report.sections
    ours = [cell.ours.number for row in section.tables[0].rows for cell in row.cells]
    assert len(ours) == 18
    assert max(ours) > 0
    assert len(report.runs) == 6
    assert capsys.readouterr() == ("", "")
