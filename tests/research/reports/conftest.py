from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from mderank.research.evaluation.protocols import Prediction
from mderank.research.evaluation.runs import DOCUMENTS_FILE, SETTINGS_FILE, SUMMARY_FILE, DocumentOutcome

Document = tuple[Sequence[str], Sequence[str]]  # predictions, gold


def write_run(
    folder: Path,
    method: str,
    dataset: str,
    documents: Mapping[str, Document],
    *,
    failed: Sequence[str] = (),
    finished: bool = True,
    seconds: float = 0.5,
    **settings: Any,
) -> Path:
    """A run as the runner writes it."""
    folder.mkdir(parents=True)
    about = {
        "options": {"method": method},
        "label": method,
        "dataset": dataset,
        "text": "paper",
        "limit": None,
        **settings,
    }
    (folder / SETTINGS_FILE).write_text(json.dumps(about), encoding="utf-8")
    with (folder / DOCUMENTS_FILE).open("w", encoding="utf-8") as stream:
        for name, (predictions, gold) in documents.items():
            outcome = DocumentOutcome(
                name,
                tuple(Prediction(text) for text in predictions),
                tuple(1.0 / rank for rank in range(1, len(predictions) + 1)),
                tuple(gold),
                seconds,
                "it could not be read" if name in failed else None,
            )
            stream.write(json.dumps(outcome.to_dict()) + "\n")
    if finished:
        summary = {"documents": len(documents), "failed": len(failed), "peak_memory_mb": 300}
        (folder / SUMMARY_FILE).write_text(json.dumps(summary), encoding="utf-8")
    return folder


# F1@5 of One: micro 2 * 2 / (3 + 3) = 66.67, macro (0.5 + 1) / 2 = 75; of Two: micro the same, macro (1 + 0) / 2 = 50.
ONE = {"d1": (["deep nets", "stone"], ["deep net", "tides"]), "d2": (["moons"], ["moon"])}
TWO = {"d1": (["tide", "deep nets"], ["deep net", "tides"]), "d2": (["stone"], ["moon"])}


@pytest.fixture
def make(tmp_path) -> Callable[..., Path]:
    """Writes a run into a folder of its own below one folder, which it returns."""

    def written(method: str, dataset: str, documents: Mapping[str, Document], **options: Any) -> Path:
        runs = tmp_path / "runs"
        number = len(list(runs.iterdir())) if runs.is_dir() else 0
        write_run(runs / f"{number:02}", method, dataset, documents, **options)
        return runs

    return written


@pytest.fixture
def two_methods(make) -> Path:
    """Methods One and Two on the sets tiny and small."""
    make("One", "tiny", ONE)
    make("Two", "tiny", TWO)
    make("One", "small", TWO)
    return make("Two", "small", ONE)


@pytest.fixture
def one_documents() -> Mapping[str, Document]:
    return ONE
