"""From results to all that is reported: tables filled, claims tested, plots drawn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mderank.research.reproduction.cells import Cell, CellGrid, Listing, Results
from mderank.research.reproduction.claim_tests import Finding, check_claims
from mderank.research.reproduction.claims import claims
from mderank.research.reproduction.config import SAMPLINGS, TEACHERS, EncoderInfo, Mode, ReproductionConfig
from mderank.research.reproduction.paper import slips
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.tables import Part

LEGEND = "The paper's number → ours (difference). What was not run is empty. * not all documents of the set."


@dataclass(frozen=True)
class Section:
    """A table or figure of the paper: its number and title, how it was measured, tables, plots, the paper's slips."""

    name: str
    alias: str
    title: str
    about: str
    tables: tuple[CellGrid[Cell] | Listing, ...]
    plots: tuple[Plot, ...]
    slips: tuple[str, ...]

    @property
    def heading(self) -> str:
        """``Table 3: Main results``."""
        kind = "Table" if self.name.startswith("table") else "Figure"
        return f"{kind} {self.name.removeprefix(kind.lower())}: {self.title}"


@dataclass(frozen=True)
class RunRecord:
    """A run that the report rests on: its command, its documents, and the seconds that each took."""

    command: str
    documents: int
    of: int
    seconds: float


@dataclass(frozen=True)
class Report:
    """Everything. ``substitutions`` says what stands here for what the paper has."""

    substitutions: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    findings: Mapping[Mode, tuple[Finding, ...]]
    runs: tuple[RunRecord, ...]
    notes: tuple[str, ...]

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The forms of MDERank that claims were tested in."""
        return tuple(self.findings)


def build(
    config: ReproductionConfig,
    parts: Sequence[Part],
    results: Results,
    runs: Sequence[RunRecord] = (),
    notes: Sequence[str] = (),
    advance: Callable[[], object] = lambda: None,
) -> Report:
    """The report; ``advance`` is called after each part, and after each form's claims."""
    sections = []
    for part in parts:
        tables = part.measure(config, results)
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
    findings: dict[Mode, tuple[Finding, ...]] = {}
    chosen = {part.name for part in parts}
    for mode in config.modes_of(config.encoder):
        asked = [claim for claim in claims(config, mode) if claim.part in chosen]
        findings[mode] = tuple(check_claims(asked, results))
        advance()
    return Report(substitutions(config), tuple(sections), findings, tuple(runs), tuple(notes))


def substitutions(config: ReproductionConfig) -> tuple[tuple[str, str], ...]:
    """What the paper has, and what is in its place."""
    modes = " and ".join(config.modes_of(config.encoder))
    rows = [("BERT", f"{_model(config.encoder)}; MDERank in the form: {modes}")]
    for sampling in SAMPLINGS:
        model = config.kpe.get(sampling)
        rows.append((f"KPEBERT {sampling}", _model(model) if model else "nothing"))
    for teacher in TEACHERS:
        model = config.kpe_by(teacher)
        rows.append((f"KPEBERT with θ = {teacher}", _model(model) if model else "nothing"))
    rows.append(("BigBird", _model(config.long_encoder) if config.long_encoder else "nothing"))
    rows.append(("ELMo (SIFRank)", "ELMo" if config.elmo else config.encoder.title))
    rows.append(("Sent2Vec (EmbedRank)", "Sent2Vec" if config.sent2vec else "nothing"))
    exact = f"; in the exact form {config.exact_limit}" if str(config.exact_limit) else ""
    rows.append(("the six sets", (str(config.limit) or "all documents") + exact))
    return tuple(rows)


def _model(model: EncoderInfo) -> str:
    one_pass = "" if model.one_pass else ", cannot do one pass"
    return f"{model.title} ({model.layers} layers, {model.pooling} pooling{one_pass})"
