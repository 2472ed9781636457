"""The report of a reproduction: measured tables, tested claims, plots, and their wording."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from mderank.research.reproduction.cells import Cell, CellGrid, Listing, Results
from mderank.research.reproduction.claim_tests import LEVEL, MARGIN, Claim, Finding, Tested, check_claims
from mderank.research.reproduction.claims import claims
from mderank.research.reproduction.config import SAMPLINGS, TEACHERS, EncoderInfo, Mode, ReproductionConfig
from mderank.research.reproduction.paper import slips
from mderank.research.reproduction.plots import Plot
from mderank.research.reproduction.tables import Part

LEGEND = "The paper's number → ours (difference). What was not run is empty. * not all documents of the dataset."


@dataclass(frozen=True)
class Section:
    """A table or figure of the paper in a report.

    Attributes:
        name: Its number: ``table3``.
        alias: Its alias.
        title: Its title.
        about: How it was measured, and how to read it.
        tables: The measured tables.
        plots: The plots.
        slips: Known errors of the printed table.

    """

    name: str
    alias: str
    title: str
    about: str
    tables: tuple[CellGrid[Cell] | Listing, ...]
    plots: tuple[Plot, ...]
    slips: tuple[str, ...]

    @property
    def heading(self) -> str:
        """Its heading: ``Table 3: Main results``."""
        kind = "Table" if self.name.startswith("table") else "Figure"
        return f"{kind} {self.name.removeprefix(kind.lower())}: {self.title}"


@dataclass(frozen=True)
class RunRecord:
    """A run that the report is based on.

    Attributes:
        command: The command that makes it.
        documents: Number of documents that were used.
        of: Number of documents of the dataset.
        seconds: Seconds per document.

    """

    command: str
    documents: int
    of: int
    seconds: float


@dataclass(frozen=True)
class Report:
    """A report.

    Attributes:
        substitutions: What the paper used, and what was used in its place.
        sections: The tables and figures.
        findings: The tested claims by mode of MDERank.
        runs: The runs.
        notes: What is missing, and what failed.

    """

    substitutions: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    findings: Mapping[Mode, tuple[Finding, ...]]
    runs: tuple[RunRecord, ...]
    notes: tuple[str, ...]

    @property
    def modes(self) -> tuple[Mode, ...]:
        """The modes of MDERank in which claims were tested."""
        return tuple(self.findings)


def build_report(
    config: ReproductionConfig,
    parts: Sequence[Part],
    results: Results,
    runs: Sequence[RunRecord] = (),
    notes: Sequence[str] = (),
    advance: Callable[[], object] = lambda: None,
) -> Report:
    """Build a report.

    Args:
        config: The configuration.
        parts: The tables and figures.
        results: The runs and datasets.
        runs: Records of the runs.
        notes: What is missing, and what failed.
        advance: Called after each table, and after the claims of each mode.

    Returns:
        The report.

    """
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
    return Report(describe_substitutions(config), tuple(sections), findings, tuple(runs), tuple(notes))


def describe_substitutions(config: ReproductionConfig) -> tuple[tuple[str, str], ...]:
    """Describe what was used in place of the paper's encoders and datasets.

    Args:
        config: The configuration.

    Returns:
        Pairs of what the paper used and what was used here.

    """
    modes = " and ".join(config.modes_of(config.encoder))
    rows = [("BERT", f"{_describe_encoder(config.encoder)}; MDERank in mode: {modes}")]
    for sampling in SAMPLINGS:
        model = config.kpe.get(sampling)
        rows.append((f"KPEBERT {sampling}", _describe_encoder(model) if model else "nothing"))
    for teacher in TEACHERS:
        model = config.kpe_by(teacher)
        rows.append((f"KPEBERT with θ = {teacher}", _describe_encoder(model) if model else "nothing"))
    rows.append(("BigBird", _describe_encoder(config.long_encoder) if config.long_encoder else "nothing"))
    rows.append(("ELMo (SIFRank)", "ELMo" if config.elmo else config.encoder.title))
    rows.append(("Sent2Vec (EmbedRank)", "Sent2Vec" if config.sent2vec else "nothing"))
    exact = f"; in exact mode {config.exact_limit}" if str(config.exact_limit) else ""
    rows.append(("the six datasets", (str(config.limit) or "all documents") + exact))
    return tuple(rows)


def _describe_encoder(model: EncoderInfo) -> str:
    one_pass = "" if model.one_pass else ", cannot do one pass"
    return f"{model.title} ({model.layers} layers, {model.pooling} pooling{one_pass})"


# --- wording ----------------------------------------------------------------------------------------------------------

TITLE = "The paper's tables, measured here"
VERDICTS = ("holds", "does not hold", "undecided", "not run")
HOW_CLAIMS = (
    f"Each contrast is tested on the documents that both runs have, as a mean over the datasets. The 95 % intervals "
    f"are from the paired bootstrap over documents within their dataset. The p-values are from the paired "
    f"randomisation test, for average ranks from the bootstrap, with Holm's correction over all claims of a mode. A "
    f"contrast holds if p < {LEVEL} in the direction that the claim says; it does not hold if p < {LEVEL} in the other "
    f"direction; otherwise it is undecided. Two methods are alike, comparable or stable if the interval lies within "
    f"{MARGIN:g} point of 0; an improvement is not remarkable if the interval ends below {MARGIN:g} point. An interval "
    f"without width, from one document or from the same predictions twice, decides neither. A claim holds if all its "
    f"contrasts hold, or as many as the claim says; it does not hold if that is ruled out."
)


def format_source(claim: Claim) -> str:
    """Return where the paper makes a claim."""
    return "ours" if claim.ours else claim.part.replace("table", "Table ").replace("figure", "Figure ")


def format_numbers(cell: Cell) -> tuple[str, str, str]:
    """Format the numbers of a cell.

    Args:
        cell: The cell.

    Returns:
        The paper's number, ours, and the difference; empty where there is none. A star marks that not all documents
        were run.

    """
    paper = "" if cell.paper is None else _format_number(cell.paper)
    ours = "" if cell.ours is None else _format_number(cell.ours.number) + "*" * cell.ours.partial
    difference = cell.difference
    return paper, ours, "" if difference is None else format_signed(difference)


def _format_number(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def format_signed(number: float) -> str:
    """Format a number with its sign.

    >>> format_signed(0.5), format_signed(-1.25), format_signed(-0.001)
    ('+0.50', '−1.25', '+0.00')
    """
    rounded = round(number, 2)
    return f"{'−' if rounded < 0 else '+'}{abs(rounded):.2f}"


def format_cell(cell: Cell) -> str:
    """Format the three numbers of a cell in one line.

    >>> from mderank.research.reproduction.cells import Value
    >>> (
    ...     format_cell(Cell(26.17, Value(26.58, 500, 500))),
    ...     format_cell(Cell(26.17, None)),
    ...     format_cell(Cell(None, Value(1.0, 5, 9))),
    ... )
    ('26.17 → 26.58 (+0.41)', '26.17 →', '→ 1.00*')
    """
    paper, ours, difference = format_numbers(cell)
    if not paper and not ours:
        return ""
    return f"{paper} → {ours}".strip() + (f" ({difference})" if difference else "")


def format_tested(tested: Tested) -> str:
    """Format a contrast and its result."""
    contrast, found = tested.contrast, tested.comparison
    reason = f" ({tested.reason})" if tested.reason else ""
    if found is None:
        return f"{contrast.says}: not run{reason}"
    scale = 100 if contrast.quantity.per_cent else 1
    limits = f"{format_signed(scale * found.low)} to {format_signed(scale * found.high)}"
    p = "" if tested.p is None else f", p = {tested.p:.4f}"
    return (
        f"{contrast.says}: {contrast.quantity.name} {format_signed(scale * found.difference)} ({limits}{p}; "
        f"{tested.documents} documents): {tested.verdict}{reason}"
    )


def summarise_findings(findings: tuple[Finding, ...]) -> str:
    """Count the verdicts in words."""
    counts = {verdict: sum(each.verdict == verdict for each in findings) for verdict in VERDICTS}
    return ", ".join(f"{count} {_format_verdict(verdict, count)}" for verdict, count in counts.items() if count)


def _format_verdict(verdict: str, count: int) -> str:
    many = {"holds": "hold", "does not hold": "do not hold"}
    return verdict if count == 1 else many.get(verdict, verdict)
