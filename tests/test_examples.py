"""The examples run."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.mark.slow
def test_pandas_and_scikit_learn(capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("sklearn")
    from sklearn.base import clone

    made = runpy.run_path(str(EXAMPLES / "pandas_and_sklearn.py"))
    frame, rows = made["frame"], made["rows"]
    assert all(0 < len(phrases) <= 3 for phrases in frame["keyphrases"])
    assert len(rows) == sum(map(len, frame["keyphrases"]))
    for row in rows.itertuples():
        text = frame["text"][row.document]
        assert " ".join(text[row.first :].split()).lower().startswith(row.keyphrase.lower()[:4])
    assert made["predicted"].tolist() == ["sea", "court"]
    step = clone(made["model"].steps[0][1]).set_params(top_k=1, method="yake")
    assert [len(each) for each in step.fit_transform(frame["text"])] == [1] * len(frame)
    assert "coral reefs" in capsys.readouterr().out
