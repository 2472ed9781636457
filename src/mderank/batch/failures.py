"""Count why documents fail, so that a run can say it without reading its rows again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

MOST_KINDS = 20  # reasons that a shard keeps, and a run shows a part of
_MOST_COUNTED = 1_000  # reasons that are counted: a frequent one may come late
_LONGEST_REASON = 300  # characters
_LONGEST_ID = 80
_PLACE = re.compile(r"\A[^\n]{1,400}?:\d+: ")  # of a record in its file
_DETAILS = re.compile(r"\(.*\)|near ['\"].*|\d[\d.,]*")  # what differs between documents with the same trouble


class FailureKind(NamedTuple):
    """Documents that failed for the same reason.

    Attributes:
        reason: the error of the first of them, without its id and place.
        documents: number of documents.
        example: id of the first of them.
    """

    reason: str
    documents: int
    example: str


class FailureCounts:
    """Counts failed documents by their reasons, without numbers, brackets and what is near a mistake.

    >>> counts = FailureCounts()
    >>> for number, error in ((1, "1: has 20 words"), (2, None), (3, "a.jsonl:3: has 35 words")):
    ...     counts.add_row({"id": number, "error": error})
    >>> counts.total, counts.most_common()
    (2, (FailureKind(reason='has 20 words', documents=2, example='1'),))

    Attributes:
        total: number of failed documents.
    """

    def __init__(self) -> None:
        self.total = 0
        self._kinds: dict[str, FailureKind] = {}

    def add_row(self, row: Mapping[str, Any]) -> None:
        """Count a row, if its document failed.

        Args:
            row: the row of a document.
        """
        if row["error"] is None:
            return
        identity = str(row["id"])
        error = str(row["error"])
        reason = error.removeprefix(f"{identity}: ")
        if reason == error:
            reason = _PLACE.sub("", error, count=1)
        self.total += 1
        self._add(FailureKind(_shorten(reason, _LONGEST_REASON), 1, _shorten_beginning(identity, _LONGEST_ID)))

    def add(self, failed: int, kinds: Iterable[FailureKind]) -> None:
        """Add the counts of a shard.

        Args:
            failed: number of its failed documents.
            kinds: the most frequent reasons.
        """
        self.total += failed
        for each in kinds:
            self._add(each)

    def _add(self, kind: FailureKind) -> None:
        key = _DETAILS.sub("#", kind.reason)
        known = self._kinds.get(key)
        if known is not None:
            self._kinds[key] = known._replace(documents=known.documents + kind.documents)
        elif len(self._kinds) < _MOST_COUNTED:
            self._kinds[key] = kind

    def most_common(self) -> tuple[FailureKind, ...]:
        """Return the most frequent reasons, in this order."""
        return tuple(sorted(self._kinds.values(), key=lambda kind: -kind.documents)[:MOST_KINDS])


def _shorten(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _shorten_beginning(text: str, most: int) -> str:
    """Keep the end, where a path has the file and its line."""
    return text if len(text) <= most else f"…{text[1 - most :]}"
