"""Fit `FusionRank`'s confidence to labelled documents, and draw how far it can be trusted in short and in long texts.

``python benchmarks/confidence.py results/confidence.svg EVIDENCE.jsonl …``: the evidence is what ``ablation.py tuning
--keep`` and ``ablation.py tuning --whole --keep`` wrote, never of the test sets. Confidence is the chance that people
who label such documents call a phrase key: c · σ(a · score − b · ln(words / 100) − d), with 1,000 words at most.
It has a ceiling c, since people agree with each other only so far. Every set has the same weight.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from mderank import FusionRank
from mderank.evaluation.report.svg import Line, line_plot, page
from mderank.fusion import Confidence
from mderank.ranking.dedupe import stemmed

GROUPS = (("under 200 words", 0, 200), ("200 to 600 words", 200, 600), ("over 600 words", 600, 10**9))
BINS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 1.0)
FEWEST = 30  # phrases of a bin that a point is drawn for


def read(files: list[Path]) -> np.ndarray:
    """Rows of set, words, score, whether it is key; one for each distinct phrase of a document."""
    weights = FusionRank().weights
    rows = []
    for number, file in enumerate(files):
        for line in file.read_text(encoding="utf-8").splitlines():
            each = json.loads(line)
            if not each["texts"]:
                continue
            gold = set(map(stemmed, each["gold"]))
            scores = sum(weight * np.asarray(each["parts"][name]) for name, weight in weights.items())
            best: dict[str, float] = {}
            for text, score in zip(each["texts"], scores, strict=True):
                best[stemmed(text)] = max(score, best.get(stemmed(text), -np.inf))
            rows += [(f"{number}{each['set']}", each["words"], score, stem in gold) for stem, score in best.items()]
    return np.array(rows, dtype=[("set", "U40"), ("words", float), ("score", float), ("key", float)])


def fit(rows: np.ndarray) -> Confidence:
    counts = {name: (rows["set"] == name).sum() for name in set(rows["set"])}
    shares = np.array([1 / counts[name] for name in rows["set"]])

    def loss(values: np.ndarray) -> float:
        chance = np.clip(Confidence(*values).of(rows["score"], rows["words"]), 1e-9, 1 - 1e-9)
        return -float((shares * (rows["key"] * np.log(chance) + (1 - rows["key"]) * np.log1p(-chance))).sum())

    found = minimize(loss, np.array([4.0, 0.9, 5.0, 0.6]), method="Nelder-Mead", options={"maxiter": 4000})
    return Confidence(*(round(float(value), 2) for value in found.x))


def main() -> None:
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    picture, *files = map(Path, sys.argv[1:])
    rows = read(files)
    fitted = fit(rows)
    print(fitted)
    chance = fitted.of(rows["score"], rows["words"])
    lines = [Line("as it should be", [(0.0, 0.0), (60.0, 60.0)], 0)]
    for number, (label, low, high) in enumerate(GROUPS, start=1):
        points = []
        for start, end in pairwise(BINS):
            some = (rows["words"] >= low) & (rows["words"] < high) & (chance >= start) & (chance < end)
            if some.sum() >= FEWEST:
                points.append((100 * float(chance[some].mean()), 100 * float(rows["key"][some].mean())))
        print(label, *(f"{x:.0f} % said, {y:.0f} % are;" for x, y in points))
        if points:
            lines.append(Line(label, points, number))
    told = "; ".join(f"{line.label}: " + ", ".join(f"{x:.0f} to {y:.0f}" for x, y in line.points) for line in lines)
    picture.write_text(
        page([line_plot("confidence", "Confidence, and how many phrases are key", told, lines,
                        ("confidence, %", "share that people call key, %"))]), encoding="utf-8"
    )  # fmt: skip


if __name__ == "__main__":
    main()
