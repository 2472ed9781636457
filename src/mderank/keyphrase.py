"""Candidate phrases, and the keyphrases chosen among them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from mderank.document import Span
from mderank.errors import MDERankError


class Occurrence(NamedTuple):
    """One place of a candidate: its characters, and the indices of the tokens it touches."""

    span: Span
    words: range


@dataclass(frozen=True, slots=True)
class Candidate:
    """One phrase with every place it stands at, also inside longer phrases, in the order of the text.

    ``key`` is the phrase in lower case with single spaces. ``found`` counts how often the source itself came upon
    it, which is less than ``len(occurrences)`` where the phrase also stands inside longer ones. ``unithood`` says how
    much of a unit the phrase is, for sources that can tell: 0 for one that stands by itself, less for a fragment. A
    phrase of the user's own list that is not in the text has no occurrences.
    """

    key: str
    occurrences: tuple[Occurrence, ...]
    found: int = 1
    unithood: float = 0.0

    @property
    def first(self) -> int:
        """The offset of its first character."""
        return self.occurrences[0].span.start


@dataclass(frozen=True, slots=True)
class Keyphrase:
    """A phrase of the text and how much it matters.

    ``text`` is its commonest form in the text, with single spaces; ``score`` says how much it matters, more is
    better; ``similarity`` is the raw similarity that the score was made from; ``spans`` are all its places, in
    order; ``forms`` are the distinct forms found at these places, commonest first. ``found`` is how often the source
    of candidates came upon it by itself; it also stands where it is part of a longer phrase. ``parts`` are what the
    score is the sum of, by name, for methods that add up; ``facts`` are what was counted or measured, unscaled: each
    part's under its name (``{"frequency": 3, "position": 12}``), and ``change``, 1 − cos of the document and the same
    without the phrase, for methods that mask. Of variants that are one entry both are those of the best.
    ``confidence`` is the chance that a reader accepts the phrase, which means the same in a short and in a long text,
    for methods that can tell. ``related`` are phrases of the text that contain this one or are part of it, and were
    left out for that reason.
    """

    text: str
    score: float
    similarity: float
    spans: tuple[Span, ...]
    forms: tuple[str, ...]
    found: int = 1
    parts: Mapping[str, float] = field(default_factory=dict, hash=False)
    facts: Mapping[str, float] = field(default_factory=dict, hash=False)
    confidence: float | None = None
    related: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Plain data for JSON."""
        return {
            "text": self.text,
            "score": self.score,
            "similarity": self.similarity,
            **({} if self.confidence is None else {"confidence": self.confidence}),
            "spans": [list(span) for span in self.spans],
            "forms": list(self.forms),
            **({"related": list(self.related)} if self.related else {}),
        }


class Keyphrases(list[Keyphrase]):
    """A list of keyphrases, best first, that also says what could not be done.

    ``unseen`` is the part at the end of the text that was not read, because the user set a limit; ``missing`` are
    the phrases of the user's own list that do not occur; ``error`` is why a document of a batch gave no result.
    """

    def __init__(
        self,
        keyphrases: Iterable[Keyphrase] = (),
        *,
        unseen: Span | None = None,
        missing: tuple[str, ...] = (),
        error: MDERankError | None = None,
    ) -> None:
        super().__init__(keyphrases)
        self.unseen = unseen
        self.missing = missing
        self.error = error
