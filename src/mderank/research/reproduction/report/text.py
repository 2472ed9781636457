"""Cells and findings in words, for all that writes text."""

from __future__ import annotations

from mderank.research.reproduction.cells import Cell
from mderank.research.reproduction.claim_tests import LEVEL, MARGIN, Claim, Finding, Tested

TITLE = "The paper's tables, measured here"
VERDICTS = ("holds", "does not hold", "undecided", "not run")
HOW_CLAIMS = (
    f"Each contrast is tested on the documents that both runs have, as a mean over the datasets. The 95 % intervals "
    f"are from the paired bootstrap over documents within their dataset. The p-values are from the paired "
    f"randomisation test, for average ranks from the bootstrap, with Holm's correction over all claims of a form. A "
    f"contrast holds if p < {LEVEL} in the direction that the claim says; it does not hold if p < {LEVEL} in the other "
    f"direction; otherwise it is undecided. Two methods are alike, comparable or stable if the interval lies within "
    f"{MARGIN:g} point of 0; an improvement is not remarkable if the interval ends below {MARGIN:g} point. An interval "
    f"without width, from one document or from the same predictions twice, decides neither. A claim holds if all its "
    f"contrasts hold, or as many as the claim says; it does not hold if that is ruled out."
)


def source(claim: Claim) -> str:
    """Where the paper says it."""
    return "ours" if claim.ours else claim.part.replace("table", "Table ").replace("figure", "Figure ")


def numbers(cell: Cell) -> tuple[str, str, str]:
    """The paper's number, ours, and the difference; what is not there is empty. A star: not all documents."""
    paper = "" if cell.paper is None else _two(cell.paper)
    ours = "" if cell.ours is None else _two(cell.ours.number) + "*" * cell.ours.partial
    difference = cell.difference
    return paper, ours, "" if difference is None else signed(difference)


def _two(number: float) -> str:
    return f"{number:.2f}".replace("-", "−")


def signed(number: float) -> str:
    """A number with its sign.

    >>> signed(0.5), signed(-1.25), signed(-0.001)
    ('+0.50', '−1.25', '+0.00')
    """
    rounded = round(number, 2)
    return f"{'−' if rounded < 0 else '+'}{abs(rounded):.2f}"


def three(cell: Cell) -> str:
    """The three in one line.

    >>> from mderank.research.reproduction.cells import Value
    >>> three(Cell(26.17, Value(26.58, 500, 500))), three(Cell(26.17, None)), three(Cell(None, Value(1.0, 5, 9)))
    ('26.17 → 26.58 (+0.41)', '26.17 →', '→ 1.00*')
    """
    paper, ours, difference = numbers(cell)
    if not paper and not ours:
        return ""
    return f"{paper} → {ours}".strip() + (f" ({difference})" if difference else "")


def told(tested: Tested) -> str:
    """A contrast and what came of it."""
    contrast, found = tested.contrast, tested.comparison
    reason = f" ({tested.reason})" if tested.reason else ""
    if found is None:
        return f"{contrast.says}: not run{reason}"
    scale = 100 if contrast.quantity.per_cent else 1
    limits = f"{signed(scale * found.low)} to {signed(scale * found.high)}"
    p = "" if tested.p is None else f", p = {tested.p:.4f}"
    return (
        f"{contrast.says}: {contrast.quantity.name} {signed(scale * found.difference)} ({limits}{p}; "
        f"{tested.documents} documents): {tested.verdict}{reason}"
    )


def summary(findings: tuple[Finding, ...]) -> str:
    """How many claims hold, and so on."""
    counts = {verdict: sum(each.verdict == verdict for each in findings) for verdict in VERDICTS}
    return ", ".join(f"{count} {_plural(verdict, count)}" for verdict, count in counts.items() if count)


def _plural(verdict: str, count: int) -> str:
    many = {"holds": "hold", "does not hold": "do not hold"}
    return verdict if count == 1 else many.get(verdict, verdict)
