"""The texts that runs read, where the data folder has their sets."""

from __future__ import annotations

from pathlib import Path

from mderank.research.evaluation.runs import Run
from mderank.research.reports.run_grid import Grid, setting
from mderank.research.reports.summary import Texts


def read_texts(grid: Grid, data_dir: Path | None) -> tuple[Texts, tuple[str, ...]]:
    """The texts of the sets in ``data_dir`` and in the package, and notes on sets that have other texts now.

    Without a folder, only the package's own sets are read.
    """
    from mderank.research.datasets import DATASETS, available

    texts: dict[str, dict[str, str]] = {}
    notes = []
    packaged = tuple(info.name for info in DATASETS.values() if info.packaged)
    present = packaged if data_dir is None else available(data_dir)
    for dataset in grid.datasets:
        # A run's file may name any path; only what is in the folder is read.
        if dataset not in present:
            if data_dir is not None:
                notes.append(f"{dataset}: its texts are not in {data_dir}.")
            continue
        run = next(iter(grid.on(dataset).values()))
        found = _texts_of(run, data_dir)
        if found is None:
            place = "mderank" if dataset in packaged else data_dir
            notes.append(f"{dataset}: the file in {place} is not the one that was run, its texts are left out.")
        else:
            texts[dataset] = found
    return texts, tuple(notes)


def _texts_of(run: Run, data_dir: Path | None) -> dict[str, str] | None:
    """The texts by document, as the run read them; None if the set has changed since."""
    from mderank.research.datasets import full_text, load_dataset, paper_text

    dataset = load_dataset(run.dataset, data_dir, verify=False)
    sha256 = setting(run, "dataset_sha256")
    if sha256 is not None and sha256 != dataset.sha256:
        return None
    if setting(run, "input") == "whole":
        return {document.id: full_text(document) for document in dataset.documents}
    return {document.id: paper_text(dataset.info, document) for document in dataset.documents}
