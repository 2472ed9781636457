"""A tiny corpus with planted keyphrases, and what a quick run needs."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")
pytest.importorskip("accelerate")

from mderank.document import Span
from mderank.research.training.pseudo_labels import LabelledPhrase, PseudoLabelledDocument
from mderank.research.training.recipe import Recipe

PLANTED = ("salt", "winter", "coral", "committee")
OTHERS = ("reefs", "coast", "storms", "water", "fish", "marine", "reserves", "fishing", "harbours", "bleached")


def document(seed: int, *, shuffled: bool = False, words: int = 24) -> PseudoLabelledDocument:
    """Words in no order; the labels are the planted ones, or as many others drawn anew for each document."""
    rng = random.Random(seed)
    text = [rng.choice(PLANTED if rng.random() < 0.3 else OTHERS) for _ in range(words)]
    places: dict[str, list[Span]] = {}
    start = 0
    for word in text:
        places.setdefault(word, []).append(Span(start, start + len(word)))
        start += len(word) + 1
    labels = [word for word in PLANTED if word in places]
    if shuffled:
        labels = rng.sample(sorted(places), len(labels))
    phrases = [
        LabelledPhrase(tuple(spans), labels.index(word) if word in labels else None) for word, spans in places.items()
    ]
    return PseudoLabelledDocument(str(seed), " ".join(text), tuple(phrases))


@pytest.fixture
def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """A function that makes runs take a file of such documents for their labelled corpus."""

    def write(count: int = 80, *, shuffled: bool = False) -> Path:
        file = tmp_path / f"planted-{shuffled}.jsonl"
        lines = [document(seed, shuffled=shuffled).as_line() for seed in range(count)]
        file.write_text("".join(lines), encoding="utf-8")
        monkeypatch.setattr("mderank.research.training.pseudo_labels.label_corpus", lambda *_, **__: file)
        return file

    return write


@pytest.fixture
def recipe(tiny_model: Callable[[str], Path]) -> Callable[..., Recipe]:
    """A recipe for a tiny encoder, with some settings of the test's own."""

    def make(kind: str = "bert", **changes: dict[str, Any]) -> Recipe:
        settings: dict[str, dict[str, Any]] = {
            "model": {"name": str(tiny_model(kind)), "pooling": "mean"},
            "corpus": {"files": ["corpus.txt"]},
            "training": {"batch": 4, "steps": 6, "learning_rate": 1e-3, "device": "cpu"},
            "validation": {"every": 0, "held_out": 8, "select": "last"},
            "output": {"log_every": 1, "checkpoint_every": 2, "tensorboard": False},
        }
        for section, some in changes.items():
            settings[section] = {**settings.get(section, {}), **some}
        return Recipe.parse(settings)

    return make
