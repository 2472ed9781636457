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
    for (document, _), row in rows.iterrows():
        assert row["topic"] == frame["topic"][document]
        start = row["spans"][0].start
        assert frame["text"][document][start:].lower().startswith(row["text"].lower()[:4])
    assert made["counts"]["sea", "coral reef"] == 2
    assert made["predicted"].tolist() == ["sea", "court"]
    step = clone(made["model"].steps[0][1]).set_params(top_k=1, method="yake")
    assert (step.fit_transform(frame["text"]) > 0).sum(axis=1).tolist() == [[1]] * len(frame)
    assert "coral reef" in capsys.readouterr().out
