"""Learning a style from labelled documents, and measuring its worth on held-out ones.

1. Encode each document once, and compute the features of its candidates.
2. Divide the documents into folds. For each fold learn a style on the others, and judge the documents of the fold with
   it. Penalty and overlap are chosen within these others, by cross-validation again, so that no held-out document
   has an influence on what it is judged with. If the best choice is not ahead of the default by more than chance, the
   default is kept.
3. Compare with the extractor without a style: the differences at 5, 10 and 15 phrases, with 95 % intervals.
4. Learn the style on all documents.
5. From the held-out lists find the score from which on a phrase is given, and the chance that a phrase is a label.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from mderank.errors import InputError, OptionError
from mderank.methods.fusionrank import FEATURES, FusionRank
from mderank.research.datasets import Dataset, full_text
from mderank.research.evaluation.evaluate import Progress
from mderank.research.evaluation.measures import Judgement, Measure
from mderank.research.evaluation.protocols import Protocol, get_protocol
from mderank.research.evaluation.runs import LabelledText
from mderank.research.evaluation.significance import Comparison, compare
from mderank.research.tuning.fit import FittedWeights
from mderank.research.tuning.learner import KS, OVERLAPS, Choice, CurvePoint, HeldOut, Learner, Overlap
from mderank.research.tuning.preferences import describe_preferences
from mderank.research.tuning.threshold import ScoredList, choose_threshold, count_hits, fit_confidence
from mderank.research.tuning.training_documents import TrainingSet, read_training_documents
from mderank.style import Style
from mderank.util.environment import encoder_sha256

FEW = 20  # documents; with fewer, what is learned is mostly chance


@dataclass(frozen=True)
class Example:
    """The list of a held-out document before and after.

    Attributes:
        id: The document's id.
        labels: Its labels.
        before: Phrases without a style.
        after: Phrases with a style that was learned from other documents.
    """

    id: str
    labels: tuple[str, ...]
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True)
class StyleReport:
    """A learned style and its worth. Figures are F1 in per cent at 5, 10 and 15 phrases, on held-out documents.

    Attributes:
        style: The style, learned from all documents.
        choice: What was chosen by cross-validation.
        documents: Number of documents.
        protocol: How phrases were matched and documents averaged.
        before: Figures without a style.
        after: Figures with a style that was learned from the other documents.
        comparisons: Differences with their intervals, as shares of 1.
        learned_number: F1 of the learned number of phrases, and the mean number itself.
        curve: The learning curve.
        examples: Lists of some documents before and after.
        absent: Labels that do not occur in their texts, with the id of the document.
        labels: Number of labels.
        notes: A sentence for each document that was left out.
    """

    style: Style
    choice: Choice
    documents: int
    protocol: Protocol
    before: tuple[float, ...]
    after: tuple[float, ...]
    comparisons: tuple[Comparison, ...]
    learned_number: tuple[float, float]
    curve: tuple[CurvePoint, ...]
    examples: tuple[Example, ...]
    absent: tuple[tuple[str, str], ...]
    labels: int
    notes: tuple[str, ...]

    @property
    def gain(self) -> tuple[float, ...]:
        """Differences at 5, 10 and 15 phrases, in per cent."""
        return tuple(100 * each.difference for each in self.comparisons)

    @property
    def helps(self) -> bool:
        """Whether the style differs from the default, and is better on held-out documents.

        The mean of the gains at 5, 10 and 15 phrases counts.
        """
        return not self.choice.is_default and sum(self.gain) > 0

    @property
    def is_certain(self) -> bool:
        """Whether the gain is more than chance at one of the three numbers of phrases, and no loss at the others."""
        return any(each.low > 0 for each in self.comparisons) and all(each.high >= 0 for each in self.comparisons)


def learn_style(
    dataset: Dataset,
    extractor: FusionRank | None = None,
    *,
    name: str | None = None,
    folds: int = 5,
    protocol: str | Protocol = "micro-stem",
    seed: int = 0,
    curve: bool = True,
    remember_labels: bool = True,
    overlaps: Sequence[Overlap] = OVERLAPS,
    progress: Progress = lambda stage, done, total: None,
) -> StyleReport:
    """Learn a style from a labelled dataset, and measure its worth on held-out documents.

    Args:
        dataset: A labelled dataset, from `load_dataset` or `load_labelled`. Title and full text are read.
        extractor: The extractor to learn for; by default ``FusionRank()``.
        name: Name of the style; by default that of the dataset.
        folds: Number of folds of the cross-validation.
        protocol: How phrases are matched and documents averaged, by name.
        seed: Random seed for the folds, the draws of the curve and the intervals.
        curve: Whether to measure the learning curve.
        remember_labels: Whether the style holds the labels themselves, and knows them again in other documents.
        overlaps: Among which ways to treat phrases that are part of each other is chosen.
        progress: Called with a stage, the work that is done and all its work. Nothing is printed.

    Returns:
        The style and its worth. Use it as ``FusionRank(style=report.style)``.

    Raises:
        InputError: Fewer than four documents have labels.
        OptionError: ``folds`` or ``protocol`` is not valid, or the dataset has judged phrases.
    """
    if dataset.judged:
        raise OptionError(f"{dataset.name} has judged phrases, and F1 needs labels: name a labelled dataset")
    tasks = [LabelledText(each.id, full_text(each), each.keyphrases) for each in dataset.documents]
    read = read_training_documents(extractor or FusionRank(), tasks, progress)
    return learn_from_documents(
        read,
        name=name or dataset.name,
        folds=folds,
        protocol=protocol,
        seed=seed,
        curve=curve,
        remember_labels=remember_labels,
        overlaps=overlaps,
        progress=progress,
    )


def learn_from_documents(
    training: TrainingSet,
    *,
    name: str,
    folds: int = 5,
    protocol: str | Protocol = "micro-stem",
    seed: int = 0,
    curve: bool = True,
    remember_labels: bool = True,
    overlaps: Sequence[Overlap] = OVERLAPS,
    progress: Progress = lambda stage, done, total: None,
) -> StyleReport:
    """Learn a style from documents whose features are known; see `learn_style`.

    Args:
        training: The documents.
        name: Name of the style.
        folds: Number of folds of the cross-validation.
        protocol: How phrases are matched and documents averaged.
        seed: Random seed for the folds, the draws of the curve and the intervals.
        curve: Whether to measure the learning curve.
        remember_labels: Whether the style holds the labels themselves, and knows them again in other documents.
        overlaps: Among which ways to treat phrases that are part of each other is chosen.
        progress: Called with a stage, the work that is done and all its work.

    Returns:
        The style and its worth.

    Raises:
        InputError: Fewer than four documents have labels.
        OptionError: ``folds`` or ``protocol`` is not valid.
    """
    if folds < 2:
        raise OptionError(f"folds must be at least 2, not {folds}")
    scoring = get_protocol(protocol) if isinstance(protocol, str) else protocol
    learner = Learner(training, scoring, remember_labels=remember_labels, overlaps=overlaps)
    documents = learner.documents
    if len(documents) < 4:
        raise InputError(
            f"a style cannot be learned from {len(documents)} labelled document(s): label at least four, better fifty"
        )
    order = np.random.default_rng(seed).permutation(len(documents)).tolist()
    parts = [order[start :: min(folds, len(documents))] for start in range(min(folds, len(documents)))]
    stages = len(parts) + 2
    before = [learner.judge(each, each.default, None)[1] for each in documents]
    held_out: list[HeldOut | None] = [None] * len(documents)
    for number, part in enumerate(parts, start=1):
        others = [documents[index] for index in order if index not in set(part)]
        choice = learner.choose(others)
        fitted = learner.fit(others, choice.penalty)
        for index in part:
            held_out[index] = learner.hold_out(documents[index], fitted, choice)
        progress("learning", number, stages)
    choice = learner.choose([documents[index] for index in order])
    fitted = learner.fit(documents, choice.penalty)
    progress("learning", len(parts) + 1, stages)
    points = learner.curve(choice, seed, before) if curve else ()
    progress("learning", stages, stages)
    done = [each for each in held_out if each is not None]
    return _make_report(learner, name, choice, fitted, before, done, parts, points, seed)


def _make_report(
    learner: Learner,
    name: str,
    choice: Choice,
    fitted: FittedWeights,
    before: Sequence[Judgement],
    held_out: Sequence[HeldOut],
    parts: Sequence[Sequence[int]],
    points: tuple[CurvePoint, ...],
    seed: int,
) -> StyleReport:
    """Put together the style and its worth."""
    lists = [each.scored for each in held_out]
    after = [each.judgement for each in held_out]
    average = learner.protocol.average
    comparisons = tuple(compare(after, before, Measure("F1", k), average, seed=seed) for k in KS)
    number = _learned_number(lists, parts)
    labels = sum(len(each.labels) for each in learner.documents)
    extractor = learner.training.extractor
    weights = fitted.weights.copy()
    own = list(vars(extractor.weights).values())
    weights[: len(own)] += fitted.default * np.asarray(own)
    style = Style(
        name=name,
        weights={each: _plain(weight) for each, weight in zip(FEATURES, weights.tolist(), strict=True)},
        overlap=choice.overlap,
        min_score=_plain(choose_threshold(lists)),
        labels=dict(sorted(fitted.labels.items())),
        confidence=fit_confidence(lists),
        preferences=tuple(describe_preferences(dict(zip(FEATURES, fitted.importance.tolist(), strict=True)))),
        encoder=extractor.encoder.spec.name,
        encoder_sha256=encoder_sha256(extractor.encoder),
        learned_from={"documents": len(learner.documents), "labels": labels, "protocol": learner.protocol.name},
        figures={
            "before": _rounded(learner.figures(before)),
            "after": _rounded(learner.figures(after)),
            "low": _rounded(100 * each.low for each in comparisons),
            "high": _rounded(100 * each.high for each in comparisons),
            "learned_number": _rounded(number),
        },
    )
    return StyleReport(
        style=style,
        choice=choice,
        documents=len(learner.documents),
        protocol=learner.protocol,
        before=learner.figures(before),
        after=learner.figures(after),
        comparisons=comparisons,
        learned_number=number,
        curve=points,
        examples=_examples(learner, before, held_out),
        absent=tuple(_absent(learner)),
        labels=labels,
        notes=learner.training.notes,
    )


def _learned_number(lists: Sequence[ScoredList], parts: Sequence[Sequence[int]]) -> tuple[float, float]:
    """F1 where each fold has the lowest score that is best on the others, and the number of phrases."""
    hits = given = gold = 0
    for part in parts:
        chosen = set(part)
        least = choose_threshold([each for index, each in enumerate(lists) if index not in chosen])
        for index in part:
            found, shown = count_hits(lists[index], least)
            hits, given, gold = hits + found, given + shown, gold + lists[index].gold
    return 200 * hits / max(1, given + gold), given / max(1, len(lists))


def _examples(
    learner: Learner, before: Sequence[Judgement], held_out: Sequence[HeldOut], count: int = 3
) -> tuple[Example, ...]:
    """The first documents of which the list changed, before and after."""
    examples = []
    for document, was, now in zip(learner.documents, before, held_out, strict=True):
        shown = was.phrases[:10], now.judgement.phrases[:10]
        if shown[0] != shown[1]:
            examples.append(Example(document.task.id, document.task.gold, *shown))
    return tuple(examples[:count])


def _absent(learner: Learner) -> Iterable[tuple[str, str]]:
    present = replace(get_protocol("micro-stem"), present_only=True)
    for document in learner.documents:
        for label in document.task.gold:
            if present.judge((), (label,), document.task.text, language=document.language) is None:
                yield document.task.id, label


def _plain(value: float) -> float:
    """A number with as many digits as mean anything."""
    return float(f"{value:.6g}")


def _rounded(values: Iterable[float]) -> list[float]:
    return [round(float(each), 2) for each in values]
