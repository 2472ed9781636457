"""What the paper says in words, tested on what was measured.

A claim is one or more contrasts: this has more of something than that, or the two are alike. A contrast is tested on
the documents that both runs have, as a mean over sets: the paired randomisation test for "more", with Holm's correction
over all claims of a form; for "alike", whether the 95 % interval of the difference lies within a margin. A claim holds
if all its contrasts hold; it does not hold if one of them is significantly the other way, or beyond the margin;
otherwise it is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mderank.evaluation.measures import Average, Judgement, Measure
from mderank.evaluation.protocols import Prediction
from mderank.evaluation.runner import Outcome
from mderank.evaluation.significance import Comparison, Pair, compare_mean, holm
from mderank.ranking.dedupe import stemmed
from mderank.reproduction.results import PROTOCOL, TOP, Measured, Results
from mderank.reproduction.wanted import Wanted

Verdict = Literal["holds", "does not hold", "undecided", "not run"]
LEVEL = 0.05
MARGIN = 1.0  # percentage points within which two are alike

Judge = Callable[[Outcome], Judgement | None]


@dataclass(frozen=True)
class Quantity:
    """What is compared: a document's counts, and how they become one number."""

    name: str
    judge: Judge
    measure: Measure
    average: Average
    per_cent: bool = True


def _ranked(outcome: Outcome) -> Judgement | None:
    return PROTOCOL.judge(outcome.predictions, outcome.gold) if outcome.gold else None


def _one_word_last(outcome: Outcome) -> Judgement | None:
    return _ranked(Measured((outcome,), 1).one_word_last().outcomes[0])


def _top(predictions: Sequence[Prediction]) -> list[str]:
    return [each.text.lower() for each in predictions[:TOP]]


def _share(part: int, whole: int) -> Judgement | None:
    """Counts whose recall is ``part`` of ``whole``."""
    return Judgement((True,) * part, whole, whole) if whole else None


def _words(outcome: Outcome) -> Judgement | None:
    """Words of the first phrases, for each phrase."""
    phrases = _top(outcome.predictions)
    return _share(sum(len(phrase.split()) for phrase in phrases), len(phrases))


def _one_word_recall(outcome: Outcome) -> Judgement | None:
    """Gold phrases of one word that are among the first."""
    given = list(dict.fromkeys(stemmed(each.text) for each in outcome.predictions))[:TOP]
    gold = [phrase for phrase in dict.fromkeys(map(stemmed, outcome.gold)) if len(phrase.split()) == 1]
    return _share(sum(phrase in given for phrase in gold), len(gold))


def _distinct(outcome: Outcome) -> Judgement | None:
    """Distinct words among all words of the first phrases."""
    words = [word for phrase in _top(outcome.predictions) for word in phrase.split()]
    return _share(len(set(words)), len(words))


ALL = Measure("R", None)
F1 = Quantity("F1@15", _ranked, Measure("F1", 15), PROTOCOL.average)
F1_ONE_WORD_LAST = Quantity("F1@15", _one_word_last, Measure("F1", 15), PROTOCOL.average)
WORDS = Quantity("words a phrase among the first 15", _words, ALL, "micro", per_cent=False)
ONE_WORD_RECALL = Quantity("recall of gold phrases of one word", _one_word_recall, ALL, "micro")
DIVERSITY = Quantity("diversity of the first 15", _distinct, ALL, "macro")


@dataclass(frozen=True)
class Contrast:
    """``first`` has more of the quantity than ``second``, or as much; both have a run for each of the sets."""

    says: str
    first: tuple[Wanted, ...]
    second: tuple[Wanted, ...]
    quantity: Quantity = F1
    alike: bool = False
    of_second: Quantity | None = None  # where it is not the same


@dataclass(frozen=True)
class Claim:
    """What the paper says, where, and the contrasts that it comes to. ``ours`` marks what we say ourselves."""

    says: str
    part: str
    contrasts: tuple[Contrast, ...]
    ours: bool = False


@dataclass(frozen=True)
class Tested:
    """A contrast and what came of it; None where runs are missing. ``p`` is corrected."""

    contrast: Contrast
    comparison: Comparison | None
    p: float | None
    documents: int

    @property
    def verdict(self) -> Verdict:
        """Whether it holds."""
        found = self.comparison
        if found is None:
            return "not run"
        if self.contrast.alike:
            low, high = 100 * found.low, 100 * found.high
            if low >= -MARGIN and high <= MARGIN:
                return "holds"
            return "does not hold" if low > MARGIN or high < -MARGIN else "undecided"
        if self.p is None or self.p >= LEVEL or not found.difference:
            return "undecided"
        return "holds" if found.difference > 0 else "does not hold"


@dataclass(frozen=True)
class Finding:
    """A claim and what came of its contrasts."""

    claim: Claim
    tested: tuple[Tested, ...]

    @property
    def verdict(self) -> Verdict:
        """Whether the claim holds."""
        verdicts = {each.verdict for each in self.tested}
        if verdicts == {"not run"} or not verdicts:
            return "not run"
        if "does not hold" in verdicts:
            return "does not hold"
        return "holds" if verdicts == {"holds"} else "undecided"


def examine(claims: Sequence[Claim], results: Results) -> list[Finding]:
    """Test the claims, with one correction for all of them. What several claims rest on is tested once."""
    contrasts = dict.fromkeys(contrast for claim in claims for contrast in claim.contrasts)
    tested = {contrast: _test(contrast, results) for contrast in contrasts}
    directed = {
        each.contrast: each.comparison.p for each in tested.values() if each.comparison and not each.contrast.alike
    }
    for contrast, p in zip(directed, holm(list(directed.values())), strict=True):
        tested[contrast] = replace(tested[contrast], p=p)
    return [Finding(claim, tuple(tested[contrast] for contrast in claim.contrasts)) for claim in claims]


def _test(contrast: Contrast, results: Results) -> Tested:
    first, second = results.every(contrast.first), results.every(contrast.second)
    if first is None or second is None:
        return Tested(contrast, None, None, 0)
    pairs = [_pair(contrast, one, other) for one, other in zip(first, second, strict=True)]
    if not all(pair.first for pair in pairs):
        return Tested(contrast, None, None, 0)
    return Tested(contrast, compare_mean(pairs), None, sum(len(pair.first) for pair in pairs))


def _pair(contrast: Contrast, one: Measured, other: Measured) -> Pair:
    """The documents that both have, in the same order."""
    quantity = contrast.quantity
    firsts = _judged(one, quantity.judge)
    seconds = _judged(other, (contrast.of_second or quantity).judge)
    shared = [document for document in firsts if document in seconds]
    return Pair(
        [firsts[each] for each in shared], [seconds[each] for each in shared], quantity.measure, quantity.average
    )


def _judged(run: Measured, judge: Judge) -> dict[str, Judgement]:
    judged = {outcome.id: judge(outcome) for outcome in run.outcomes}
    return {document: judgement for document, judgement in judged.items() if judgement is not None}
