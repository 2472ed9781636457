"""Table 1: one document, a phrase-document method against MDERank."""

from __future__ import annotations

from collections.abc import Sequence

from mderank.research.evaluation.protocols import PROTOCOLS
from mderank.research.reproduction.cells import Cell, Grid, Listing, Ranking
from mderank.research.reproduction.config import Setup
from mderank.research.reproduction.paper import data
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.results import Results
from mderank.research.reproduction.wanted import Wanted

SET = "nus"
TOP = 5


class Case:
    """The example of the introduction, document 117 of NUS."""

    name, alias = "table1", "case"
    title = "An example: the first five phrases of a document"
    about = (
        "Document 117 of NUS, its first 512 words for all methods; phrases that match a gold phrase are marked. The "
        "paper's SIFRank seems to have read the whole document."
    )

    def needs(self, setup: Setup) -> list[Wanted]:
        """SIFRank and MDERank on that document only."""
        return [wanted for _, _, wanted in _rows(setup)]

    def missing(self, setup: Setup) -> list[tuple[str, str]]:
        """Nothing: SIFRank has the encoder where there is no ELMo."""
        return []

    def measure(self, setup: Setup, results: Results) -> list[Grid[Cell] | Listing]:
        """The rankings, the paper's and ours."""
        paper = data()["case"]
        gold = set(paper["gold"])
        rankings = [
            Ranking(
                name,
                here,
                tuple((phrase, phrase in gold) for phrase in paper["rows"][name]),
                _first(results, wanted),
            )
            for name, here, wanted in _rows(setup)
        ]
        return [Listing(f"Document {paper['document']} of NUS, the first {TOP}", tuple(rankings))]

    def draw(self, tables: Sequence[Grid[Cell] | Listing]) -> list[Plot]:
        """Nothing to draw."""
        return []


def _rows(setup: Setup) -> list[tuple[str, str, Wanted]]:
    document = str(data()["case"]["document"])
    sifrank = "ELMo" if setup.elmo else f"{setup.encoder.title} in place of ELMo"
    rows = [("SIFRank(ELMo)", sifrank, setup.sifrank(SET, document))]
    for form in setup.forms_of(setup.encoder):
        rows.append(("MDERank(BERT)", f"{setup.encoder.title}, {form}", setup.mderank(SET, form, document=document)))
    return rows


def _first(results: Results, wanted: Wanted) -> tuple[tuple[str, bool], ...]:
    run = results.get(wanted)
    if run is None or not run.outcomes:
        return ()
    outcome = run.outcomes[0]
    judgement = PROTOCOLS["mderank"].judge(outcome.predictions, outcome.gold)
    hits = judgement.hits if judgement else ()
    phrases = list(dict.fromkeys(each.text.lower() for each in outcome.predictions))
    return tuple(zip(phrases, hits, strict=True))[:TOP]


PART = Case()
