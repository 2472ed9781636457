"""Fit `FusionRank`'s confidence to the everyday dataset, and draw how far it can be trusted in short and in long texts.

``python benchmarks/confidence.py results/confidence.svg``: fitted to the development documents, the first 20 phrases of
each, and then drawn for these and for the held-out documents, which have no part in the fit. Confidence is the chance
that a reader accepts the phrase: σ(a · score − b · ln(words / 100) − c · [one word] − d), with 1,000 words at most. A
phrase that nobody judged counts as one that is not accepted.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from mderank import FusionRank
from mderank.methods.fusionrank import Confidence
from mderank.research.datasets import load_dataset
from mderank.research.datasets.judged_phrases import JudgedPhrases
from mderank.research.reports.svg import Line, line_plot, page

PHRASES = 20  # of each document
BINS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
FEWEST = 15  # phrases of a bin that a point is drawn for


def read(name: str) -> np.ndarray:
    """Rows of words in the text, words of the phrase, score before overlap, whether a reader accepts it."""
    ranker = FusionRank(min_confidence=0)
    rows = []
    for document in load_dataset(name).documents:
        accepted = JudgedPhrases(document.keyphrases)
        found = ranker.extract(document.text, top_k=PHRASES)
        words = len(ranker.score([document.text])[0][0].document.tokens)
        rows += [
            (words, each.features["length"], each.score - each.contributions.get("overlap", 0.0), each.text in accepted)
            for each in found
        ]
    return np.array(rows, dtype=[("words", float), ("length", float), ("score", float), ("accepted", float)])


def fit(rows: np.ndarray) -> Confidence:
    def loss(values: np.ndarray) -> float:
        chance = np.clip(Confidence(*values).of(rows["score"], rows["length"], rows["words"]), 1e-9, 1 - 1e-9)
        return -float((rows["accepted"] * np.log(chance) + (1 - rows["accepted"]) * np.log1p(-chance)).mean())

    found = minimize(loss, np.array([4.0, 0.2, 1.0, 2.0]), method="Nelder-Mead", options={"maxiter": 4000})
    return Confidence(*(round(float(value), 2) for value in found.x))


def points(fitted: Confidence, rows: np.ndarray) -> list[tuple[float, float]]:
    chance = fitted.of(rows["score"], rows["length"], rows["words"])
    found = []
    for start, end in pairwise(BINS):
        some = (chance >= start) & (chance < end)
        if some.sum() >= FEWEST:
            found.append((100 * float(chance[some].mean()), 100 * float(rows["accepted"][some].mean())))
    return found


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    development, held_out = read("everyday"), read("everyday_held_out")
    fitted = fit(development)
    print(fitted)
    lines = [
        Line("as it should be", [(0.0, 0.0), (100.0, 100.0)], 0),
        Line("development", points(fitted, development), 1),
        Line("held out", points(fitted, held_out), 2),
    ]
    for line in lines[1:]:
        print(line.label, *(f"{x:.0f} % said, {y:.0f} % are;" for x, y in line.points))
    told = "; ".join(f"{line.label}: " + ", ".join(f"{x:.0f} to {y:.0f}" for x, y in line.points) for line in lines)
    Path(sys.argv[1]).write_text(
        page([line_plot("confidence", "Confidence, and how many phrases are accepted", told, lines,
                        ("confidence, %", "share that a reader accepts, %"))]), encoding="utf-8"
    )  # fmt: skip


if __name__ == "__main__":
    main()
