"""The candidates of each document and their features, each computed once, in one thread."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace

import numpy as np

from mderank.errors import InputError
from mderank.keyphrase import Keyphrase
from mderank.labelling.label_file import DocumentLabels
from mderank.methods.fusionrank import FEATURES, FusionRank
from mderank.research.evaluation.runs import LabelledText
from mderank.research.tuning.training_documents import TrainingDocument, TrainingSet, read_training_documents
from mderank.style import Style
from mderank.text import stem_phrase

_ANY_LABEL = ("label",)  # documents without labels would be left out; the right ones are set later


class FeatureCache:
    """Features of documents, by text. One thread computes them, because taggers are not shared between threads.

    Args:
        extractor: The extractor that proposes phrases, and that a style is learned for.
    """

    def __init__(self, extractor: FusionRank) -> None:
        self._extractor = extractor
        self._thread = ThreadPoolExecutor(1, "mderank-features")
        self._found: dict[str, Future[TrainingSet]] = {}
        self._mutex = threading.Lock()

    def close(self) -> None:
        """End the thread."""
        self._thread.shutdown(cancel_futures=True)

    def request(self, text: str) -> Future[TrainingSet]:
        """Begin to compute the features of a document.

        Args:
            text: The text.

        Returns:
            What will be a set of one document, or of none if the text has no candidates. It raises `InputError` if the
            text cannot be read.
        """
        with self._mutex:
            found = self._found.get(text)
            if found is None:
                found = self._found[text] = self._thread.submit(self._compute, text)
            return found

    def _compute(self, text: str) -> TrainingSet:
        if not text.strip():
            return TrainingSet(self._extractor, ())
        read = read_training_documents(self._extractor, [LabelledText("document", text, _ANY_LABEL)])
        if not read.documents:
            raise InputError(read.notes[0])
        (document,) = read.documents
        return read if len(document.stems) else TrainingSet(read.extractor, ())

    def training_set(self, labels: Iterable[DocumentLabels]) -> TrainingSet | None:
        """Return labelled documents with their features. Documents are computed one after the other.

        Between two of them the thread is free for the document that the user looks at.

        Args:
            labels: The labels of the documents. Documents that cannot be read are left out.

        Returns:
            The documents; None if there are none.
        """
        documents: list[TrainingDocument] = []
        extractor = None
        for each in labels:
            try:
                found = self.request(each.text).result()
            except InputError:
                continue
            for document in found.documents:
                documents.append(_with_labels(document, each))
                extractor = found.extractor
        return None if extractor is None else TrainingSet(extractor, tuple(documents))


def _with_labels(document: TrainingDocument, labels: DocumentLabels) -> TrainingDocument:
    language = document.reading.document.language
    return replace(
        document,
        task=replace(document.task, id=labels.id, gold=labels.keyphrases),
        labels=frozenset(stem_phrase(label, language) for label in labels.keyphrases),
    )


def rank_default(found: TrainingSet, top_k: int) -> list[Keyphrase]:
    """Return the keyphrases of a document without a style.

    Args:
        found: A set of one document or none.
        top_k: Number of keyphrases.

    Returns:
        The keyphrases, best first.
    """
    return [phrase for each in found.documents for phrase in found.rank(each, each.default, None, top_k)]


def rank_with_style(
    found: TrainingSet, style: Style, top_k: int, learned_from: DocumentLabels | None
) -> list[Keyphrase]:
    """Return the keyphrases of a document with a style, from its features.

    Args:
        found: A set of one document or none.
        style: The style.
        top_k: Number of keyphrases at most; the style may give fewer.
        learned_from: The document's labels, if the style was learned from them. They do not count as known.

    Returns:
        The keyphrases, best first.
    """
    phrases: list[Keyphrase] = []
    weights = np.asarray([style.weights.get(name, 0.0) for name in FEATURES])
    for document in found.documents:
        labelled = document if learned_from is None else _with_labels(document, learned_from)
        features = labelled.features_with(style.labels, in_training=learned_from is not None)
        ranked = found.rank(document, features @ weights, style.overlap, top_k)
        least = -np.inf if style.min_score is None else style.min_score
        phrases += [each for rank, each in enumerate(ranked) if rank == 0 or each.score >= least]
    return phrases
