"""F1 of methods on datasets in other languages, as the Markdown tables of ``results/languages.md``.

``python benchmarks/languages.py runs/base runs/spacy``: one table per folder of runs, with a row per method and a
column per dataset. `mderank evaluate` makes the runs. A cell is micro F1@5 / F1@10 / F1@15 in per cent, by stems of
the language.
"""

from __future__ import annotations

import sys
from pathlib import Path

from mderank.research.evaluation.measures import PAPER_MEASURES
from mderank.research.evaluation.protocols import get_protocol
from mderank.research.evaluation.runs import SUMMARY_FILE, Run, load_run

PROTOCOL = get_protocol("micro-stem")


def cell(run: Run | None) -> str:
    """Return F1 of a run; a dash if there is none, or if it is not finished."""
    if run is None or run.summary is None:
        return "–"
    return " / ".join(f"{run.value(measure, PROTOCOL):.1f}" for measure in PAPER_MEASURES)


def table(folder: Path) -> str:
    """Return the table of a folder of runs, methods in the order in which they ran."""
    files = sorted(folder.glob(f"*/*/{SUMMARY_FILE}"), key=lambda file: file.stat().st_mtime)
    runs = [load_run(file.parent) for file in files]
    datasets = sorted({run.dataset for run in runs})
    cells = {(run.name, run.dataset): run for run in runs}
    rows = [
        ["", *datasets],
        ["---"] * (1 + len(datasets)),
        *(
            [name, *(cell(cells.get((name, each))) for each in datasets)]
            for name in dict.fromkeys(run.name for run in runs)
        ),
    ]
    taggers = dict.fromkeys(f"{run.settings['language']}: {run.settings['tagger_version']}" for run in runs)
    return "\n".join([f"{folder.name} ({'; '.join(taggers)})", "", *(f"| {' | '.join(row)} |" for row in rows), ""])


if __name__ == "__main__":
    print("\n".join(table(Path(folder)) for folder in sys.argv[1:]))
