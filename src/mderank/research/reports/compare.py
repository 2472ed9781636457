"""Compare runs: values with intervals and tests against a baseline, and the texts that pages show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from mderank.errors import InputError, OptionError
from mderank.research.datasets import DATASETS
from mderank.research.evaluation.evaluate import Progress, count_progress
from mderank.research.evaluation.measures import JUDGED_MEASURES, PAPER_MEASURES, Measure, chosen
from mderank.research.evaluation.protocols import REPORTED, Protocol, get_protocol
from mderank.research.reports.judged import JudgedSummary, summarise_judged
from mderank.research.reports.run_grid import RunGrid, arrange, find_runs, read_texts
from mderank.research.reports.score_tables import CSV_HEADER, long_rows, make_tables
from mderank.research.reports.summary import Summary, Texts, summarise
from mderank.util import tables

TableFormat = Literal["table", "markdown", "csv", "latex"]


@dataclass(frozen=True)
class RunComparison:
    """The comparison of runs.

    Attributes:
        summary: The numbers of datasets with gold keyphrases; None if there are none.
        judged: The numbers of judged datasets; None if there are none.
        texts: The texts by dataset and document, as far as they were read.

    """

    summary: Summary | None
    judged: JudgedSummary | None
    texts: Texts

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the runs that readers of the numbers need."""
        return tuple(note for each in (self.summary, self.judged) if each is not None for note in each.notes)

    def format(self, table_format: TableFormat = "table", bold: Callable[[str], str] = str) -> str:
        """Write all tables.

        Args:
            table_format: ``table`` for a terminal, ``markdown``, ``latex``, or ``csv`` with a row per value.
            bold: Marks the best value of a column in a terminal.

        Returns:
            The text. Notes are in it, except in CSV.

        """
        if table_format == "csv":
            return tables.as_csv(CSV_HEADER, long_rows(self.summary, self.judged))
        render: dict[str, Callable[[tables.Table], str]] = {
            "table": lambda table: tables.as_text(table, bold),
            "markdown": tables.as_markdown,
            "latex": tables.as_latex,
        }
        parts = [render[table_format](table) for table in make_tables(self.summary, self.judged)]
        if self.notes:
            parts.append(tables.NOTES[table_format](self.notes))
        return ("\n\n" if table_format == "table" else "\n").join(parts)


def compare(
    folders: Iterable[str | Path],
    *,
    protocols: Sequence[str] = (),
    measures: Sequence[str] = (),
    baseline: str | None = None,
    data_dir: str | Path | None = None,
    with_texts: bool = False,
    progress: Progress = lambda stage, done, total: None,
) -> RunComparison:
    """Compare runs of `evaluate`.

    Args:
        folders: Folders of runs, or folders that have runs somewhere below.
        protocols: Names of protocols besides those that are always reported.
        measures: Measures such as ``F1@10``. Default: those of the paper, and those of judged datasets.
        baseline: The method that others are tested against. Default: that of the first run.
        data_dir: The data folder, for the texts.
        with_texts: Whether to read the texts. Some protocols need them anyway.
        progress: Called after each dataset, with the number of datasets that are done, and of all.

    Returns:
        The comparison.

    Raises:
        InputError: If a folder holds no run, or two runs have the same label on a dataset.
        OptionError: If a name is unknown, or if a protocol needs texts and there is no data folder.

    """
    asked = [Measure.parse(name) for name in measures]
    scoring = [get_protocol(name) for name in dict.fromkeys((*REPORTED, *protocols))]
    folder = None if data_dir is None else Path(data_dir)
    grid = arrange(find_runs(map(Path, folders)), baseline, tuple(DATASETS))
    texts, notes = _read_texts(grid, folder, scoring, with_texts)
    labelled, judged = grid.split()
    summary, judged_summary = None, None
    count = count_progress(progress, "comparing", len(grid.datasets))

    def advance() -> None:
        count(1)

    if labelled is not None:
        chosen_measures = chosen(asked, PAPER_MEASURES, judged=False)
        summary = summarise(labelled, scoring, chosen_measures, texts, advance, notes)
    if judged is not None:
        chosen_measures = chosen(asked, JUDGED_MEASURES, judged=True)
        judged_summary = summarise_judged(judged, chosen_measures, advance, notes if summary is None else ())
    return RunComparison(summary, judged_summary, texts)


def _read_texts(
    grid: RunGrid, data_dir: Path | None, protocols: Sequence[Protocol], with_texts: bool
) -> tuple[Texts, tuple[str, ...]]:
    """Read the texts if they are needed, and note those that are missing."""
    needing = next((protocol.name for protocol in protocols if protocol.present_only), None)
    if needing and data_dir is None:
        raise OptionError(f"the protocol {needing} looks into the texts: name their folder (--data-dir)")
    if not (needing or with_texts):
        return {}, ()
    texts, notes = read_texts(grid, data_dir)
    labelled, _ = grid.split()
    missing = [dataset for dataset in (labelled.datasets if labelled else ()) if dataset not in texts]
    if needing and missing:
        raise InputError(
            f"the protocol {needing} looks into the texts, and those of {', '.join(missing)} are not in {data_dir} as "
            "they were run: name the folder that has them (--data-dir)"
        )
    return texts, notes
