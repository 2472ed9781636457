"""Learning a style in the background, while the user goes on labelling."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from mderank.errors import MDERankError
from mderank.labelling.label_file import DocumentLabels
from mderank.research.tuning import StyleReport, learn_from_documents
from mderank.research.tuning.training_documents import TrainingSet

NEEDED = 10  # labelled documents from which on a style is learned
Status = Literal["waiting", "learning", "learned", "failed"]
_AT_TEN = 1  # index of "10 phrases" in the figures of a report

_log = logging.getLogger("mderank.labelling")


@dataclass(frozen=True)
class Learned:
    """The result that was learned last.

    Attributes:
        report: The style and its worth.
        ids: Documents that it was learned from.
        version: How many styles were learned before it.
    """

    report: StyleReport
    ids: frozenset[str]
    version: int


class StyleLearner:
    """A thread that learns a style whenever labels have changed.

    Args:
        read: From labels to the documents with their features.
        name: Name of the style.
        needed: Number of labelled documents from which on a style is learned.
    """

    def __init__(
        self, read: Callable[[Sequence[DocumentLabels]], TrainingSet | None], name: str, needed: int = NEEDED
    ) -> None:
        self.needed = needed
        self._read, self._name = read, name
        self._changed = threading.Condition()
        self._waiting: tuple[DocumentLabels, ...] | None = None
        self._busy = False
        self._stopping = False
        self._learned: Learned | None = None
        self._count = 0
        self._failure: str | None = None
        self._thread = threading.Thread(target=self._run, name="mderank-learner", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Learn nothing more. What is being learned is given up when the process ends."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()

    def update(self, labels: Sequence[DocumentLabels]) -> None:
        """Learn from these labels as soon as the thread is free. Older labels that wait are dropped.

        Args:
            labels: The labels of all labelled documents. Those without keyphrases say nothing and are left out.
        """
        known = tuple(each for each in labels if each.keyphrases)
        with self._changed:
            self._count = len(known)
            self._waiting = known if len(known) >= self.needed else None
            if len(known) < self.needed:
                self._learned, self._failure = None, None
            self._changed.notify_all()

    @property
    def learned(self) -> Learned | None:
        """The style that was learned last; None before the first."""
        return self._learned

    @property
    def count(self) -> int:
        """Number of documents that can be learned from."""
        return self._count

    @property
    def failure(self) -> str | None:
        """Why learning failed the last time; None if it did not."""
        return self._failure

    @property
    def status(self) -> Status:
        """The learner's state: it waits for labels, learns, has learned, or has failed."""
        with self._changed:
            if self._busy or self._waiting is not None:
                return "learning"
            if self._failure is not None:
                return "failed"
            return "waiting" if self._learned is None else "learned"

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._stopping or self._waiting is not None)
                if self._stopping:
                    return
                labels, self._waiting, self._busy = self._waiting or (), None, True
            self._learn(labels)

    def _learn(self, labels: Sequence[DocumentLabels]) -> None:
        report, failure = None, None
        try:
            training = self._read(labels)
            if training is not None:
                report = learn_from_documents(training, name=self._name, curve=False)
        except MDERankError as error:
            failure = str(error)
        except Exception:
            if self._stopping:  # the features are no longer there
                return
            _log.exception("learning failed")
            failure = "learning failed; the log of mderank label has the reason"
        with self._changed:
            self._busy = False
            if self._count < self.needed:  # meanwhile labels were taken back
                return
            self._failure = failure
            if report is not None:
                version = 0 if self._learned is None else self._learned.version + 1
                self._learned = Learned(report, frozenset(each.id for each in labels), version)


def describe_gain(report: StyleReport) -> str:
    """Say how much better a style is, and how sure that is.

    Args:
        report: The style and its worth on held-out documents.

    Returns:
        A sentence such as "With 12 documents: about +2.1 of 100 at ten phrases (−0.5 to +4.8): not certain yet."
    """
    if report.choice.is_default:
        return f"With {report.documents} documents: nothing is certainly better than the default yet."
    at_ten = report.comparisons[_AT_TEN]
    gain, low, high = (f"{100 * each:+.1f}".replace("-", "−") for each in (at_ten.difference, at_ten.low, at_ten.high))
    if at_ten.high < 0:
        verdict = "it is worse than the default"
    elif at_ten.low > 0:
        verdict = "it is better, by more than chance"
    elif at_ten.difference > 0:
        verdict = "not certain yet"
    else:
        verdict = "no gain yet"
    return f"With {report.documents} documents: about {gain} of 100 at ten phrases ({low} to {high}): {verdict}."
