"""Runs by method and dataset, notes on them, and the texts that they read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from mderank.errors import InputError, OptionError
from mderank.research.datasets import DATASETS, available, full_text, load_dataset, paper_text
from mderank.research.evaluation.naming import endings, in_label, tell_apart
from mderank.research.evaluation.runs import SETTINGS_FILE, Run, encoder_key, load_run

# Settings that say what was read, whatever the method: they must agree for a comparison to be fair.
INPUT_SETTINGS = ("text", "dataset_sha256", "limit", "max_words")


@dataclass(frozen=True)
class RunGrid:
    """Runs by method and dataset; some may be missing.

    Attributes:
        methods: The labels of the runs, in order.
        datasets: The names of the datasets, in order.
        runs: The runs by method and dataset.
        baseline: The method that others are tested against.

    """

    methods: tuple[str, ...]
    datasets: tuple[str, ...]
    runs: dict[tuple[str, str], Run]
    baseline: str

    @cached_property
    def common(self) -> tuple[str, ...]:
        """The datasets that all methods have."""
        return tuple(each for each in self.datasets if all((method, each) in self.runs for method in self.methods))

    def split(self) -> tuple[RunGrid | None, RunGrid | None]:
        """Return the runs on datasets with gold keyphrases, and those on judged datasets; None where there are none."""
        of_judged = [each for each in self.datasets if all(run.judged for run in self.on(each).values())]
        return self._only([each for each in self.datasets if each not in of_judged]), self._only(of_judged)

    def _only(self, datasets: Sequence[str]) -> RunGrid | None:
        runs = {key: run for key, run in self.runs.items() if key[1] in datasets}
        methods = tuple(method for method in self.methods if any(key[0] == method for key in runs))
        if not runs:
            return None
        return RunGrid(methods, tuple(datasets), runs, self.baseline if self.baseline in methods else methods[0])

    def on(self, dataset: str) -> dict[str, Run]:
        """Return the methods' runs on a dataset."""
        return {method: self.runs[method, dataset] for method in self.methods if (method, dataset) in self.runs}


def find_runs(places: Iterable[Path]) -> list[Run]:
    """Find and read runs.

    Args:
        places: Folders of runs, or folders that have runs somewhere below.

    Returns:
        The runs, each once.

    Raises:
        InputError: If a folder does not exist, or holds no run.

    """
    folders: dict[Path, Path] = {}
    for place in places:
        found = [place] if (place / SETTINGS_FILE).is_file() else _below(place)
        for folder in found:
            folders.setdefault(folder.resolve(), folder)
    return [load_run(folder) for folder in folders.values()]


def _below(place: Path) -> list[Path]:
    if not place.is_dir():
        raise InputError(f"{place} is not a folder: name a run's folder, or a folder with runs in it")
    found = sorted(file.parent for file in place.rglob(SETTINGS_FILE))
    if not found:
        raise InputError(f"there is no run in {place} ({SETTINGS_FILE}): 'mderank evaluate' writes runs")
    return found


def arrange(runs: Sequence[Run], baseline: str | None = None, order: Sequence[str] = ()) -> RunGrid:
    """Arrange runs by method and dataset.

    Args:
        runs: The runs. Methods keep their order.
        baseline: The method that others are tested against. Default: the first.
        order: The order of known datasets; others come after them.

    Returns:
        The grid.

    Raises:
        InputError: If there are no runs, or two runs of one method on a dataset.
        OptionError: If the baseline is not among the methods.

    """
    grid: dict[tuple[str, str], Run] = {}
    for run in _tell_apart(runs):
        if "dataset" not in run.settings:
            raise InputError(f"{run.folder / SETTINGS_FILE} has no 'dataset': it does not say which dataset was run")
        other = grid.setdefault((run.name, run.dataset), run)
        if other is not run:
            raise InputError(
                f"{other.folder} and {run.folder} are both runs of '{run.name}' on {run.dataset}: "
                "name one of them only, or run one again under another --label"
            )
    if not grid:
        raise InputError("there are no runs to compare: name their folders")
    methods = tuple(dict.fromkeys(method for method, _ in grid))
    if baseline is not None and baseline not in methods:
        raise OptionError(f"--baseline {baseline}: there is no such method among the runs, only {', '.join(methods)}")
    seen = dict.fromkeys(dataset for _, dataset in grid)
    datasets = (*(each for each in order if each in seen), *(each for each in seen if each not in order))
    return RunGrid(methods, datasets, grid, baseline or methods[0])


def _tell_apart(runs: Sequence[Run]) -> list[Run]:
    """Return the runs. Where runs of one label have different encoders, their labels name these."""
    models: dict[str, dict[str, str]] = {}  # by label and encoder
    for run in runs:
        encoder, model = encoder_key(run.settings), setting(run, "model")
        if encoder and model:
            models.setdefault(run.name, {}).setdefault(encoder, str(model))
    names = {
        (label, encoder): name
        for label, by_encoder in models.items()
        if len(set(by_encoder.values())) > 1
        for encoder, name in zip(by_encoder, tell_apart(list(by_encoder.values())), strict=True)
    }
    return [_renamed(run, names.get((run.name, encoder_key(run.settings) or ""))) for run in runs]


def _renamed(run: Run, encoder: str | None) -> Run:
    """Return the run with another name of its encoder in its label."""
    if encoder is None:
        return run
    there = [in_label(each) for each in endings(str(setting(run, "model"))) if in_label(each) in run.name]
    label = run.name.replace(there[-1], in_label(encoder)) if there else f"{run.name} ({encoder})"
    return replace(run, settings={**run.settings, "label": label})


def notes(grid: RunGrid) -> tuple[str, ...]:
    """Return notes on unfinished runs, failed documents and different inputs."""
    found = [note for (method, dataset), run in grid.runs.items() for note in _check_run(f"{method} on {dataset}", run)]
    for dataset in grid.datasets:
        runs = grid.on(dataset)
        found += [*_missing(grid, dataset), *_documents(dataset, runs), *_gold(dataset, runs), *_inputs(dataset, runs)]
    return tuple(found)


def _check_run(name: str, run: Run) -> Iterator[str]:
    failed = [outcome.id for outcome in run.outcomes if outcome.error is not None]
    if run.summary is None:
        yield f"{name} is unfinished: {len(run.outcomes)} documents so far."
    if failed:
        yield (
            f"{name}: {len(failed)} of {len(run.outcomes)} documents failed and count as documents in which nothing "
            f"was found ({_format_ids(failed)})."
        )


def _missing(grid: RunGrid, dataset: str) -> Iterator[str]:
    missing = [method for method in grid.methods if (method, dataset) not in grid.runs]
    if missing:
        yield f"{dataset}: no run of {', '.join(missing)}."


def _documents(dataset: str, runs: dict[str, Run]) -> Iterator[str]:
    ids_by_method = {method: {outcome.id for outcome in run.outcomes} for method, run in runs.items()}
    if len({frozenset(ids) for ids in ids_by_method.values()}) > 1:
        counts = ", ".join(f"{method} {len(ids)}" for method, ids in ids_by_method.items())
        yield (
            f"{dataset}: the methods have different documents ({counts}). Values are over each method's own; "
            "differences and tests over those that it shares with the baseline."
        )


def _gold(dataset: str, runs: dict[str, Run]) -> Iterator[str]:
    golds: dict[str, set[tuple[str, ...]]] = {}
    for run in runs.values():
        for outcome in run.outcomes:
            golds.setdefault(outcome.id, set()).add(outcome.gold)
    differing = [document for document, gold in golds.items() if len(gold) > 1]
    if differing:
        ids = _format_ids(differing)
        yield f"{dataset}: the runs have different gold keyphrases for {len(differing)} documents ({ids})."


def _inputs(dataset: str, runs: dict[str, Run]) -> Iterator[str]:
    for key in INPUT_SETTINGS:
        by_value: dict[str, list[str]] = {}
        for method, run in runs.items():
            by_value.setdefault(repr(setting(run, key)), []).append(method)
        if len(by_value) > 1:
            described = "; ".join(f"{value} for {', '.join(methods)}" for value, methods in by_value.items())
            yield f"{dataset}: the runs did not read the same, '{key}' differs: {described}."


def setting(run: Run, key: str) -> Any:
    """Return a setting of a run, or one of its options."""
    if key in run.settings:
        return run.settings[key]
    groups = (group for group in run.settings.values() if isinstance(group, dict) and key in group)
    return next((group[key] for group in groups), None)


def _format_ids(ids: Sequence[str], limit: int = 5) -> str:
    return ", ".join(ids[:limit]) + (", …" if len(ids) > limit else "")


def read_texts(grid: RunGrid, data_dir: Path | None) -> tuple[dict[str, dict[str, str]], tuple[str, ...]]:
    """Read the texts of runs.

    Args:
        grid: The runs.
        data_dir: The data folder. Without one, only the datasets that are part of mderank are read.

    Returns:
        The texts by dataset and document, and notes on datasets whose texts are missing or have changed.

    """
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
        found = _load_texts(run, data_dir)
        if found is None:
            place = "mderank" if dataset in packaged else data_dir
            notes.append(f"{dataset}: the file in {place} is not the one that was run, its texts are left out.")
        else:
            texts[dataset] = found
    return texts, tuple(notes)


def _load_texts(run: Run, data_dir: Path | None) -> dict[str, str] | None:
    """Return the texts by document, as the run read them. Return None if the dataset has changed since."""
    dataset = load_dataset(run.dataset, data_dir, verify=False)
    sha256 = setting(run, "dataset_sha256")
    if sha256 is not None and sha256 != dataset.sha256:
        return None
    if setting(run, "text") == "full":
        return {document.id: full_text(document) for document in dataset.documents}
    return {document.id: paper_text(dataset.info, document) for document in dataset.documents}
