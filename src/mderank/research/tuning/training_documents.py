"""Labelled documents with the features of their candidates. Each document is encoded once."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import islice

import numpy as np

from mderank.keyphrase import Keyphrases
from mderank.methods.failures import input_error, isolate_failures
from mderank.methods.fusionrank import FEATURES, FusionRank
from mderank.methods.scores import CandidateScores, ScoringInput
from mderank.methods.style_features import KNOWN_LABEL, known_labels, stems
from mderank.research.evaluation.evaluate import CHUNK, Progress
from mderank.research.evaluation.runs import LabelledText
from mderank.style import Style
from mderank.text import stem_phrase
from mderank.util.arrays import Reals

_LABEL = FEATURES.index(KNOWN_LABEL)


@dataclass(frozen=True)
class TrainingDocument:
    """A labelled document with the features of its m candidates.

    Attributes:
        task: The document and its labels.
        reading: The document and its candidates, as the extractor read them.
        scores: What ranking needs of the candidates beside their scores.
        features: Values ``(m, p)`` of `FEATURES`. That of known labels depends on the training documents and is 0.
        default: Scores ``(m,)`` without a style.
        stems: Stems of each candidate.
        labels: The labels as stems.
    """

    task: LabelledText
    reading: ScoringInput
    scores: CandidateScores
    features: Reals
    default: Reals
    stems: tuple[str, ...]
    labels: frozenset[str]

    def features_with(self, labels: Mapping[str, int], *, in_training: bool) -> Reals:
        """Return the features, with how often each candidate was a label of other documents.

        Args:
            labels: Labels as stems, with the number of training documents that have them.
            in_training: Whether this document is one of them; then its own labels do not count.

        Returns:
            Values ``(m, p)``.
        """
        own = self.labels if in_training else frozenset[str]()
        others = {each: max(0, labels.get(each, 0) - (each in own)) for each in self.stems}
        filled = self.features.copy()
        filled[:, _LABEL] = known_labels(self.stems, others)
        return filled

    @property
    def language(self) -> str:
        """Code of the language that it was read in."""
        return self.reading.document.language

    @property
    def chosen(self) -> Reals:
        """Whether each candidate ``(m,)`` is a label."""
        return np.asarray([each in self.labels for each in self.stems], dtype=np.float64)


@dataclass(frozen=True)
class TrainingSet:
    """Labelled documents, and the extractor that read them.

    Attributes:
        extractor: The extractor, without a style.
        documents: The documents.
        notes: A sentence for each document that was left out.
    """

    extractor: FusionRank
    documents: tuple[TrainingDocument, ...]
    notes: tuple[str, ...] = ()

    def rank(self, document: TrainingDocument, scores: Reals, overlap: str | None, top_k: int | None) -> Keyphrases:
        """Rank the candidates of a document as the extractor would.

        Args:
            document: One of the documents.
            scores: Scores ``(m,)`` of its candidates.
            overlap: How much keyphrases may overlap; None for the extractor's own.
            top_k: Number of keyphrases; None returns all.

        Returns:
            The keyphrases.
        """
        ranker = copy.copy(self.extractor)
        ranker.style, ranker.min_score, ranker.min_confidence = None, None, 0.0
        if overlap is not None:
            ranker.overlap = overlap  # type: ignore[assignment]
        return ranker.rank(document.reading, replace(document.scores, scores=scores), top_k)


def count_labels(documents: Iterable[TrainingDocument]) -> dict[str, int]:
    """Count in how many documents each label occurs.

    Args:
        documents: The training documents.

    Returns:
        The number of documents by label, as stems.
    """
    return dict(Counter(label for document in documents for label in document.labels))


def read_training_documents(
    extractor: FusionRank,
    tasks: Iterable[LabelledText],
    progress: Progress = lambda stage, done, total: None,
) -> TrainingSet:
    """Compute the features of labelled documents, one encoder pass each.

    Args:
        extractor: The extractor that a style is learned for. Its own style is not used.
        tasks: The documents. Those without labels, and those that fail, are left out.
        progress: Called with a stage, the number of documents that are done, and the number of all.

    Returns:
        The documents with their features.

    Raises:
        MDERankError: The model or the tagger cannot be used.
    """
    tasks = list(tasks)
    plain, measuring = copy.copy(extractor), copy.copy(extractor)
    plain.style = None
    measuring.style = Style("", dict.fromkeys(FEATURES, 1.0))
    documents: list[TrainingDocument] = []
    notes: list[str] = []
    remaining = iter(tasks)
    done = 0
    while chunk := list(islice(remaining, CHUNK)):
        labelled = [task for task in chunk if task.gold]
        notes += [f"the document '{task.id}' has no labels and is left out" for task in chunk if not task.gold]
        found = isolate_failures(measuring.score, [task.text for task in labelled])
        for task, each in zip(labelled, found, strict=True):
            if isinstance(each, Exception):
                notes.append(f"the document '{task.id}' is left out: {input_error(each)}")
            else:
                documents.append(_training_document(task, *each, plain))
        done += len(chunk)
        progress("reading", done, len(tasks))
    return TrainingSet(plain, tuple(documents), tuple(notes))


def _training_document(
    task: LabelledText, reading: ScoringInput, scores: CandidateScores, plain: FusionRank
) -> TrainingDocument:
    features = np.stack([scores.contributions[name] for name in FEATURES], axis=1).astype(np.float64)
    weights = asdict(plain.weights)
    default = features[:, : len(weights)] @ np.asarray(list(weights.values()))
    return TrainingDocument(
        task,
        replace(reading, tokenized=None),
        CandidateScores(default, scores.raw_scores, None if plain.diversity is None else scores.vectors),
        features,
        default,
        tuple(stems(reading)),
        frozenset(stem_phrase(label, reading.document.language) for label in task.gold),
    )
