"""Test claims of the paper's text on measured runs.

A claim is one or more contrasts. A contrast says that a first method has more of a quantity than a second one, or that
the two are alike, or that the first has not remarkably more. It is tested on the documents that both runs have, as a
mean over datasets.

- "more": the paired randomisation test, with Holm's correction over all claims of a form.
- "alike": whether the 95 % interval of the difference lies within a margin.
- "not more": whether the interval ends below that margin.

An interval without width is evidence for neither of the last two: it comes of one document, or of the same predictions
twice. A claim holds if all its contrasts hold, or as many as it needs. It does not hold if so many are significantly
the other way, or beyond the margin, that it cannot hold. Otherwise it is undecided.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from mderank.research.evaluation.measures import Average, Judgement, Measure
from mderank.research.evaluation.protocols import Prediction
from mderank.research.evaluation.runs import DocumentOutcome
from mderank.research.evaluation.significance import Comparison, Pair, compare_average_ranks, compare_mean, holm
from mderank.research.evaluation.spec import RunSpec
from mderank.research.reproduction.cells import PROTOCOL, TOP, Measured, Results
from mderank.text import stem_phrase

Verdict = Literal["holds", "does not hold", "undecided", "not run"]
Relation = Literal["more", "alike", "not more"]
LEVEL = 0.05
MARGIN = 1.0  # percentage points: two methods this close are alike, and a gain of less is not remarkable
NO_WIDTH = 1e-9  # an interval narrower than this has no width; it is a difference of shares from 0 to 1

SAME_RUNS = "the same runs are on both sides"
SAME_PREDICTIONS = "both sides have the same predictions for every document, perhaps by the same encoder and settings"
SAME_DIFFERENCE = "the difference does not vary with the documents, so that its interval has no width"

Judge = Callable[[DocumentOutcome], Judgement | None]


@dataclass(frozen=True)
class Quantity:
    """A quantity that is compared.

    Attributes:
        name: Its name.
        judge: Returns a document's counts.
        measure: Computes the number from counts.
        average: How documents are averaged.
        per_cent: Whether it is reported in per cent.

    """

    name: str
    judge: Judge
    measure: Measure
    average: Average
    per_cent: bool = True


def _ranked(outcome: DocumentOutcome) -> Judgement | None:
    return PROTOCOL.judge(outcome.predictions, outcome.gold) if outcome.gold else None


def _one_word_last(outcome: DocumentOutcome) -> Judgement | None:
    return _ranked(Measured((outcome,), 1).one_word_last().outcomes[0])


def _top(predictions: Sequence[Prediction]) -> list[str]:
    return [each.text for each in predictions[:TOP]]


def _share(part: int, whole: int) -> Judgement | None:
    """Return counts whose recall is ``part`` of ``whole``."""
    return Judgement((True,) * part, whole, whole) if whole else None


def _words(outcome: DocumentOutcome) -> Judgement | None:
    """Count the words of the first phrases."""
    phrases = _top(outcome.predictions)
    return _share(sum(len(phrase.split()) for phrase in phrases), len(phrases))


def _two_or_three_words(outcome: DocumentOutcome) -> Judgement | None:
    """Count phrases of two or three words among the first phrases."""
    phrases = _top(outcome.predictions)
    return _share(sum(len(phrase.split()) in (2, 3) for phrase in phrases), len(phrases))


def _other_lengths(outcome: DocumentOutcome) -> Judgement | None:
    """Count phrases of one word, or of four and more, among the first phrases."""
    phrases = _top(outcome.predictions)
    return _share(sum(len(phrase.split()) not in (2, 3) for phrase in phrases), len(phrases))


def _one_word_recall(outcome: DocumentOutcome) -> Judgement | None:
    """Count gold keyphrases of one word that are among the first phrases."""
    given = list(dict.fromkeys(stem_phrase(each.text) for each in outcome.predictions))[:TOP]
    gold = [phrase for phrase in dict.fromkeys(map(stem_phrase, outcome.gold)) if len(phrase.split()) == 1]
    return _share(sum(phrase in given for phrase in gold), len(gold))


def _distinct(phrases: Sequence[str]) -> Judgement | None:
    """Count the distinct words among all words of phrases."""
    words = [word for phrase in phrases for word in phrase.lower().split()]
    return _share(len(set(words)), len(words))


def _distinct_predicted(outcome: DocumentOutcome) -> Judgement | None:
    return _distinct(_top(outcome.predictions))


def _distinct_gold(outcome: DocumentOutcome) -> Judgement | None:
    return _distinct(outcome.gold[:TOP])


ALL = Measure("R", None)
F1 = Quantity("F1@15", _ranked, Measure("F1", 15), PROTOCOL.average)
F1_ONE_WORD_LAST = Quantity("F1@15", _one_word_last, Measure("F1", 15), PROTOCOL.average)
PLACES = Quantity("places in AvgRank by F1@15", _ranked, Measure("F1", 15), PROTOCOL.average, per_cent=False)
WORDS = Quantity("words per phrase among the first 15", _words, ALL, "micro", per_cent=False)
TWO_OR_THREE_WORDS = Quantity("phrases of two or three words among the first 15", _two_or_three_words, ALL, "micro")
OTHER_LENGTHS = Quantity("phrases of other lengths among the first 15", _other_lengths, ALL, "micro")
ONE_WORD_RECALL = Quantity("recall of gold keyphrases of one word", _one_word_recall, ALL, "micro")
DIVERSITY = Quantity("diversity of the first 15", _distinct_predicted, ALL, "macro")
GOLD_DIVERSITY = Quantity("diversity of the first 15 gold keyphrases", _distinct_gold, ALL, "macro")


@dataclass(frozen=True)
class Contrast:
    """What a claim says of two methods, or of two differences between methods.

    Attributes:
        says: The contrast in words: what is subtracted from what, and where.
        first: The runs of the first method, one for each dataset; none if it cannot be run with what is at hand.
        second: The runs of the second method, on the same datasets.
        quantity: What is compared.
        relation: Whether the claim is that the first has more of the quantity, as much, or not remarkably more.
        of_second: The quantity of the second, where it is another one.
        weights: The factor of each dataset's difference; by default the mean is taken. A negative factor subtracts a
            difference from another one.
        among: For average ranks (``PLACES``), the runs of all methods that are ranked together.

    """

    says: str
    first: tuple[RunSpec, ...]
    second: tuple[RunSpec, ...]
    quantity: Quantity = F1
    relation: Relation = "more"
    of_second: Quantity | None = None
    weights: tuple[float, ...] | None = None
    among: tuple[tuple[RunSpec, ...], ...] = ()


@dataclass(frozen=True)
class Claim:
    """A statement of the paper, and the contrasts that test it.

    Attributes:
        says: The statement.
        part: The table or figure that the paper rests it on.
        contrasts: What has to be tested.
        ours: Whether it is our own statement, not the paper's.
        needed: How many of the contrasts must hold; by default all.

    """

    says: str
    part: str
    contrasts: tuple[Contrast, ...]
    ours: bool = False
    needed: int | None = None


@dataclass(frozen=True)
class Tested:
    """The result of a contrast.

    Attributes:
        contrast: What was tested.
        comparison: The difference and its interval; None if it was not run.
        p: The corrected p-value; None for contrasts that are decided by the interval.
        documents: How many documents it was tested on.
        reason: Why it was not run, or cannot be decided; otherwise empty.

    """

    contrast: Contrast
    comparison: Comparison | None
    p: float | None
    documents: int
    reason: str = ""

    @property
    def verdict(self) -> Verdict:
        """Whether the contrast holds."""
        found, relation = self.comparison, self.contrast.relation
        if found is None:
            return "not run"
        if relation == "more":
            if self.p is None or self.p >= LEVEL or not found.difference:
                return "undecided"
            return "holds" if found.difference > 0 else "does not hold"
        if self.reason:
            return "undecided"
        low, high = 100 * found.low, 100 * found.high
        if high <= MARGIN and (relation == "not more" or low >= -MARGIN):
            return "holds"
        return "does not hold" if low > MARGIN or (relation == "alike" and high < -MARGIN) else "undecided"


@dataclass(frozen=True)
class Finding:
    """A claim and the results of its contrasts."""

    claim: Claim
    tested: tuple[Tested, ...]

    @property
    def verdict(self) -> Verdict:
        """Whether the claim holds."""
        verdicts = [each.verdict for each in self.tested]
        needed = len(verdicts) if self.claim.needed is None else self.claim.needed
        if all(verdict == "not run" for verdict in verdicts):
            return "not run"
        if len(verdicts) - verdicts.count("does not hold") < needed:
            return "does not hold"
        return "holds" if verdicts.count("holds") >= needed else "undecided"


def check_claims(claims: Sequence[Claim], results: Results) -> list[Finding]:
    """Test claims, with one correction for all of them. A contrast of several claims is tested once.

    Args:
        claims: The claims.
        results: The runs.

    Returns:
        The findings, in the order of the claims.

    """
    contrasts = dict.fromkeys(contrast for claim in claims for contrast in claim.contrasts)
    tested = {contrast: _test(contrast, results) for contrast in contrasts if not contrast.among}
    tested |= _test_ranks([contrast for contrast in contrasts if contrast.among], results)
    directed = {
        each.contrast: each.comparison.p
        for each in tested.values()
        if each.comparison and each.contrast.relation == "more"
    }
    for contrast, p in zip(directed, holm(list(directed.values())), strict=True):
        tested[contrast] = replace(tested[contrast], p=p)
    return [Finding(claim, tuple(tested[contrast] for contrast in claim.contrasts)) for claim in claims]


def _not_run(contrast: Contrast) -> Tested:
    return Tested(contrast, None, None, 0, SAME_RUNS if _same_runs(contrast) else "")


def _same_runs(contrast: Contrast) -> bool:
    """Whether runs are compared with themselves: two settings or encoders turn out to be one."""
    return bool(contrast.first) and contrast.first == contrast.second and contrast.of_second is None


def _test(contrast: Contrast, results: Results) -> Tested:
    first, second = results.every(contrast.first), results.every(contrast.second)
    if first is None or second is None or _same_runs(contrast):
        return _not_run(contrast)
    datasets = [spec.dataset for spec in contrast.first]
    pairs, documents = _pairs(contrast, datasets, first, second)
    if not all(pair.first for pair in pairs):
        return _not_run(contrast)
    comparison = compare_mean(pairs, weights=contrast.weights, groups=datasets)
    reason = ""
    if contrast.relation != "more":
        same = contrast.of_second is None and all(map(_same_predictions, first, second))
        reason = _without_width(comparison, dict(zip(datasets, pairs, strict=True)), same)
    return Tested(contrast, comparison, None, documents, reason)


def _without_width(comparison: Comparison, pairs: Mapping[str, Pair], same: bool) -> str:
    """Why the interval has no width, or too little; nothing if it has."""
    if same:
        return SAME_PREDICTIONS
    single = [dataset for dataset, pair in pairs.items() if len(pair.first) == 1]
    if single:
        return f"a single document of {' and '.join(single)} is in both runs, which tells nothing of other documents"
    return SAME_DIFFERENCE if comparison.high - comparison.low <= NO_WIDTH else ""


def _same_predictions(one: Measured, other: Measured) -> bool:
    """Whether the two runs have the same predictions for all documents that both have."""
    known = {outcome.id: outcome.predictions for outcome in one.outcomes}
    return all(known[each.id] == each.predictions for each in other.outcomes if each.id in known)


def _test_ranks(contrasts: Sequence[Contrast], results: Results) -> dict[Contrast, Tested]:
    """Test contrasts of average ranks; those with the same methods are tested on the same draws."""
    tested = {contrast: _not_run(contrast) for contrast in contrasts}
    for among in dict.fromkeys(contrast.among for contrast in contrasts):
        known = {spec: runs for spec in among if (runs := results.every(spec)) is not None}
        to_test = [
            each
            for each in contrasts
            if each.among == among and {each.first, each.second} <= known.keys() and not _same_runs(each)
        ]
        judged = [_on_shared_documents(runs) for runs in zip(*known.values(), strict=True)]
        if not to_test or not all(methods[0] for methods in judged):
            continue
        places = {spec: place for place, spec in enumerate(known)}
        contests = [(places[each.first], places[each.second]) for each in to_test]
        documents = sum(len(methods[0]) for methods in judged)
        found = compare_average_ranks(judged, contests, PLACES.measure, PLACES.average)
        for contrast, comparison in zip(to_test, found, strict=True):
            tested[contrast] = Tested(contrast, comparison, None, documents)
    return tested


def _on_shared_documents(runs: Sequence[Measured]) -> list[list[Judgement]]:
    """Each run's judgements of the documents that all of them have."""
    judged = [_judged(run, PLACES.judge) for run in runs]
    shared = _shared(judged)
    return [[each[document] for document in shared] for each in judged]


def _pairs(
    contrast: Contrast, datasets: Sequence[str], first: Sequence[Measured], second: Sequence[Measured]
) -> tuple[list[Pair], int]:
    """The pairs of a contrast, on the documents that all its runs of a dataset have; and how many documents that is."""
    quantity = contrast.quantity
    firsts = [_judged(run, quantity.judge) for run in first]
    seconds = [_judged(run, (contrast.of_second or quantity).judge) for run in second]
    by_dataset: dict[str, list[Mapping[str, Judgement]]] = {}
    for dataset, one, other in zip(datasets, firsts, seconds, strict=True):
        by_dataset.setdefault(dataset, []).extend((one, other))
    shared = {dataset: _shared(judged) for dataset, judged in by_dataset.items()}
    pairs = [
        Pair(
            [one[document] for document in shared[dataset]],
            [other[document] for document in shared[dataset]],
            quantity.measure,
            quantity.average,
        )
        for dataset, one, other in zip(datasets, firsts, seconds, strict=True)
    ]
    return pairs, sum(map(len, shared.values()))


def _shared(judged: Sequence[Mapping[str, Judgement]]) -> list[str]:
    """The documents that all have, in the order of the first."""
    return [document for document in judged[0] if all(document in each for each in judged)]


def _judged(run: Measured, judge: Judge) -> dict[str, Judgement]:
    if judge is _ranked:
        return run.judged  # the same, computed once for all contrasts
    judged = {outcome.id: judge(outcome) for outcome in run.outcomes}
    return {document: judgement for document, judgement in judged.items() if judgement is not None}
