"""From results to all that is reported: tables filled, claims tested, plots drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mderank.research.reproduction.cells import Cell, Grid, Listing
from mderank.research.reproduction.claim_tests import Finding, examine
from mderank.research.reproduction.claims import claims
from mderank.research.reproduction.config import SAMPLINGS, TEACHERS, Form, Model, Setup
from mderank.research.reproduction.paper import slips
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.results import Results
from mderank.research.reproduction.tables import Part

LEGEND = "The paper's number → ours (difference). What was not run is empty. * not all documents of the set."


@dataclass(frozen=True)
class Section:
    """A table or figure of the paper: its number and title, how it was measured, tables, plots, the paper's slips."""

    name: str
    alias: str
    title: str
    about: str
    tables: tuple[Grid[Cell] | Listing, ...]
    plots: tuple[Plot, ...]
    slips: tuple[str, ...]

    @property
    def heading(self) -> str:
        """``Table 3: Main results``."""
        kind = "Table" if self.name.startswith("table") else "Figure"
        return f"{kind} {self.name.removeprefix(kind.lower())}: {self.title}"


@dataclass(frozen=True)
class Done:
    """A run that the report rests on: its command, its documents, and the seconds that each took."""

    command: str
    documents: int
    of: int
    seconds: float


@dataclass(frozen=True)
class Report:
    """Everything. ``stands_for`` says what stands here for what the paper has."""

    stands_for: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    findings: Mapping[Form, tuple[Finding, ...]]
    runs: tuple[Done, ...]
    notes: tuple[str, ...]

    @property
    def forms(self) -> tuple[Form, ...]:
        """The forms of MDERank that claims were tested in."""
        return tuple(self.findings)


def build(
    setup: Setup,
    parts: Sequence[Part],
    results: Results,
    runs: Sequence[Done] = (),
    notes: Sequence[str] = (),
    advance: Callable[[], object] = lambda: None,
) -> Report:
    """The report; ``advance`` is called after each part, and after each form's claims."""
    sections = []
    for part in parts:
        tables = part.measure(setup, results)
        sections.append(
            Section(
                part.name,
                part.alias,
                part.title,
                part.about,
                tuple(tables),
                tuple(part.draw(tables)),
                slips(part.alias.replace("-", "_")),
            )
        )
        advance()
    findings: dict[Form, tuple[Finding, ...]] = {}
    chosen = {part.name for part in parts}
    for form in setup.forms_of(setup.encoder):
        asked = [claim for claim in claims(setup, form) if claim.part in chosen]
        findings[form] = tuple(examine(asked, results))
        advance()
    return Report(stands_for(setup), tuple(sections), findings, tuple(runs), tuple(notes))


def stands_for(setup: Setup) -> tuple[tuple[str, str], ...]:
    """What the paper has, and what is in its place."""
    forms = " and ".join(setup.forms_of(setup.encoder))
    rows = [("BERT", f"{_model(setup.encoder)}; MDERank in the form: {forms}")]
    for sampling in SAMPLINGS:
        model = setup.kpe.get(sampling)
        rows.append((f"KPEBERT {sampling}", _model(model) if model else "nothing"))
    for teacher in TEACHERS:
        model = setup.kpe_by(teacher)
        rows.append((f"KPEBERT with θ = {teacher}", _model(model) if model else "nothing"))
    rows.append(("BigBird", _model(setup.long_encoder) if setup.long_encoder else "nothing"))
    rows.append(("ELMo (SIFRank)", "ELMo" if setup.elmo else setup.encoder.title))
    rows.append(("Sent2Vec (EmbedRank)", "Sent2Vec" if setup.sent2vec else "nothing"))
    exact = f"; in the exact form {setup.exact_limit}" if str(setup.exact_limit) else ""
    rows.append(("the six sets", (str(setup.limit) or "all documents") + exact))
    return tuple(rows)


def _model(model: Model) -> str:
    one_pass = "" if model.one_pass else ", cannot do one pass"
    return f"{model.title} ({model.layers} layers, {model.pooling} pooling{one_pass})"
