"""Learn the styles that are part of mderank, from the tuning datasets.

``python -m mderank.research.tuning.ready_made [NAME …]`` writes them into the package. It needs the datasets
(``MDERANK_DATA_DIR``). The labels themselves are not kept: they have other owners, and a style is for other documents.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mderank.encoding import load_encoder
from mderank.methods.fusionrank import FusionRank
from mderank.research.datasets import Dataset, load_dataset
from mderank.research.tuning.learn import StyleReport, learn_style
from mderank.research.tuning.learner import OVERLAPS, Overlap

FOLDER = Path(__file__).parents[2] / "styles"


@dataclass(frozen=True)
class ReadyMade:
    """The training data of a style that is part of mderank.

    Attributes:
        description: Who chose the labels.
        datasets: Names of the datasets, with the number of documents that are read of each.
        overlaps: Among which ways to treat phrases that are part of each other is chosen.
    """

    description: str
    datasets: tuple[tuple[str, int], ...]
    overlaps: tuple[Overlap, ...] = OVERLAPS


READY_MADE = {
    "terms": ReadyMade("terms that indexers choose: many, whole, of several words", (("tuning/inspec_train", 500),)),
    "author": ReadyMade(
        "keywords that authors give their papers: few and general",
        (("tuning/www", 500),),  # semeval2010_train mixes authors' labels with readers'; together nothing is learned
        ("little", "none"),  # "any" has a higher F1, by five parts of one name in a list of ten
    ),
    "tags": ReadyMade("tags that readers give papers: short, often one word", (("tuning/citeulike180", 60),)),
}


def learn_ready_made(name: str, data_dir: str | None = None) -> StyleReport:
    """Learn a style that is part of mderank.

    Args:
        name: Its name, a key of `READY_MADE`.
        data_dir: Folder of the datasets; None for ``MDERANK_DATA_DIR``.

    Returns:
        The report, whose style says what it was learned from.
    """
    made = READY_MADE[name]
    documents = []
    for dataset, limit in made.datasets:
        for each in load_dataset(dataset, data_dir, limit=limit).documents:
            documents.append(replace(each, id=f"{dataset}/{each.id}"))
    whole = Dataset(name, None, tuple(documents), "")
    extractor = FusionRank(load_encoder(precision="int16"))  # as the committed files
    report = learn_style(whole, extractor, name=name, curve=False, remember_labels=False, overlaps=made.overlaps)
    sources = ", ".join(f"{dataset.removeprefix('tuning/')} (first {limit})" for dataset, limit in made.datasets)
    learned_from = {"description": made.description, "datasets": sources, **report.style.learned_from}
    return replace(report, style=replace(report.style, learned_from=learned_from))


def main(names: Sequence[str]) -> None:
    """Learn styles and write them.

    Args:
        names: Names of the styles; none for all.
    """
    from mderank.research.tuning.report import format_report

    for name in names or READY_MADE:
        report = learn_ready_made(name)
        FOLDER.mkdir(exist_ok=True)
        (FOLDER / f"{name}.json").write_text(report.style.to_json(), encoding="utf-8")
        print("\n".join(format_report(report)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
