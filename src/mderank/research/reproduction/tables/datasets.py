"""Table 1, an example document, and table 2, the datasets."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mderank.research.datasets import Statistics, statistics
from mderank.research.evaluation.protocols import PROTOCOLS
from mderank.research.evaluation.spec import RunSpec
from mderank.research.reproduction.cells import (
    Block,
    Cell,
    CellGrid,
    CellSpec,
    Compute,
    Listing,
    Ranking,
    Results,
    Row,
    Value,
)
from mderank.research.reproduction.config import ReproductionConfig
from mderank.research.reproduction.paper import NAMES, SETS, data, printed
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.tables.base import GridPart

EXAMPLE_DATASET = "nus"
EXAMPLE_PHRASES = 5


class ExamplePart:
    """The example of the paper's introduction, document 117 of NUS."""

    name, alias = "table1", "case"
    title = "An example: the first five phrases of a document"
    about = (
        "Document 117 of NUS, its first 512 words for all methods; phrases that match a gold keyphrase are marked. The "
        "paper's SIFRank seems to have read the whole document."
    )

    def needs(self, config: ReproductionConfig) -> list[RunSpec]:
        """Return the runs of SIFRank and MDERank on this document."""
        return [spec for _, _, spec in _example_rows(config)]

    def missing(self, config: ReproductionConfig) -> list[tuple[str, str]]:
        """Return no rows: SIFRank uses the encoder where there is no ELMo."""
        return []

    def measure(self, config: ReproductionConfig, results: Results) -> list[CellGrid[Cell] | Listing]:
        """Return the rankings, the paper's and ours."""
        paper = data()["case"]
        gold = set(paper["gold"])
        rankings = [
            Ranking(
                name,
                measured_with,
                tuple((phrase, phrase in gold) for phrase in paper["rows"][name]),
                _first_phrases(results, spec),
            )
            for name, measured_with, spec in _example_rows(config)
        ]
        return [Listing(f"Document {paper['document']} of NUS, the first {EXAMPLE_PHRASES}", tuple(rankings))]

    def draw(self, tables: Sequence[CellGrid[Cell] | Listing]) -> list[Plot]:
        """Return no plots."""
        return []


def _example_rows(config: ReproductionConfig) -> list[tuple[str, str, RunSpec]]:
    document, encoder = str(data()["case"]["document"]), config.encoder
    sifrank = "ELMo" if config.elmo else f"{encoder.title} in place of ELMo"
    rows = [("SIFRank(ELMo)", sifrank, config.sifrank(EXAMPLE_DATASET, document))]
    for mode in config.modes_of(encoder):
        spec = config.mderank(EXAMPLE_DATASET, mode, document=document)
        rows.append(("MDERank(BERT)", f"{encoder.title}, {mode}", spec))
    return rows


def _first_phrases(results: Results, spec: RunSpec) -> tuple[tuple[str, bool], ...]:
    run = results.get(spec)
    if run is None or not run.outcomes:
        return ()
    outcome = run.outcomes[0]
    judgement = PROTOCOLS["mderank"].judge(outcome.predictions, outcome.gold)
    hits = judgement.hits if judgement else ()
    phrases = list(dict.fromkeys(each.text.lower() for each in outcome.predictions))
    return tuple(zip(phrases, hits, strict=True))[:EXAMPLE_PHRASES]


EXAMPLE = ExamplePart()

COLUMNS: dict[str, Callable[[Statistics], float]] = {
    "N_KP": lambda counted: counted.phrases,
    "L_KP": lambda counted: counted.phrase_words,
    "L_Doc": lambda counted: counted.document_words,
}


def _specify_datasets(config: ReproductionConfig) -> list[CellGrid[CellSpec]]:
    known: dict[str, Statistics] = {}

    def count(dataset: str, number: Callable[[Statistics], float]) -> Compute:
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
                CellSpec(paper, (), count(each, number))
                for paper, number in zip(printed("datasets", each), COLUMNS.values(), strict=True)
            ),
        )
        for each in SETS
    )
    columns = tuple(COLUMNS)
    return [CellGrid("The datasets", columns, (Block("", tuple(rows)),), "means over documents", uncoloured=columns)]


DATASETS = GridPart(
    "table2",
    "datasets",
    "The datasets",
    "Gold keyphrases per document, words per gold keyphrase, words per document; counted on whole datasets.",
    _specify_datasets,
)
