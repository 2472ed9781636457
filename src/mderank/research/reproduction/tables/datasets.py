"""Table 2: what is in the sets."""

from __future__ import annotations

from collections.abc import Callable

from mderank.research.datasets import Statistics, statistics
from mderank.research.reproduction.cells import Ask, Block, Grid, Row
from mderank.research.reproduction.config import Setup
from mderank.research.reproduction.paper import NAMES, SETS, printed
from mderank.research.reproduction.results import Compute, Results, Value
from mderank.research.reproduction.tables.base import GridPart

COLUMNS: dict[str, Callable[[Statistics], float]] = {
    "N_KP": lambda counted: counted.phrases,
    "L_KP": lambda counted: counted.phrase_words,
    "L_Doc": lambda counted: counted.document_words,
}


def _ask(setup: Setup) -> list[Grid[Ask]]:
    known: dict[str, Statistics] = {}

    def counted(dataset: str, number: Callable[[Statistics], float]) -> Compute:
        def compute(results: Results) -> Value | None:
            if dataset not in results.datasets:
                return None
            if dataset not in known:
                known[dataset] = statistics(results.datasets[dataset])
            return Value(number(known[dataset]))

        return compute

    rows = (
        Row(
            NAMES[each],
            "",
            tuple(
                Ask(paper, (), counted(each, number))
                for paper, number in zip(printed("datasets", each), COLUMNS.values(), strict=True)
            ),
        )
        for each in SETS
    )
    columns = tuple(COLUMNS)
    return [Grid("The sets", columns, (Block("", tuple(rows)),), "means over documents", uncoloured=columns)]


PART = GridPart(
    "table2",
    "datasets",
    "The sets",
    "Gold phrases a document, words a gold phrase, words a document; counted on whole sets.",
    _ask,
)
