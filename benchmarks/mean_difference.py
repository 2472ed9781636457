"""Average F1 of runs over their datasets, and its difference to a baseline.

``python benchmarks/mean_difference.py RUNS``: RUNS are folders of `mderank evaluate`. Protocol ``mderank``. Differences
are on the documents that both have, with 95 % intervals by the paired bootstrap within each dataset; a star where
p < 0.05 after Holm's correction over the table.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mderank.research.evaluation.measures import PAPER_MEASURES
from mderank.research.evaluation.protocols import get_protocol
from mderank.research.evaluation.significance import Pair, compare_mean, holm
from mderank.research.reports.run_grid import arrange, find_runs
from mderank.research.reports.summary import judge


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+", type=Path)
    parser.add_argument("--baseline", default="mderank", help="label of the run that others are compared with")
    arguments = parser.parse_args()
    protocol = get_protocol("mderank")
    grid = arrange(find_runs(arguments.runs), arguments.baseline)
    judged = {key: judge(run, protocol) for key, run in grid.runs.items()}
    found = {}
    for method in (each for each in grid.methods if each != grid.baseline):
        for measure in PAPER_MEASURES:
            pairs = []
            for dataset in grid.datasets:
                ours, theirs = judged[method, dataset], judged[grid.baseline, dataset]
                both = [document for document in ours if document in theirs]
                pairs.append(
                    Pair([ours[each] for each in both], [theirs[each] for each in both], measure, protocol.average)
                )
            found[method, measure] = compare_mean(pairs)
    corrected = dict(zip(found, holm([each.p for each in found.values()]), strict=True))
    print("| F1@5 / 10 / 15 | " + " | ".join(grid.datasets) + " | AVG | difference |")
    print("|---" * (len(grid.datasets) + 3) + "|")
    for method in grid.methods:
        cells = [
            [grid.runs[method, each].value(measure, protocol) for measure in PAPER_MEASURES] for each in grid.datasets
        ]
        means = [sum(values) / len(values) for values in zip(*cells, strict=True)]
        rows = [" / ".join(f"{value:.2f}" for value in values) for values in (*cells, means)]
        told = [
            f"{100 * each.difference:+.2f}{'*' if corrected[key] < 0.05 else ''}"
            f" ({100 * each.low:.2f} to {100 * each.high:.2f})"
            for key, each in found.items()
            if key[0] == method
        ]
        print(f"| {method} | {' | '.join(rows)} | {' / '.join(told)} |")


if __name__ == "__main__":
    main()
