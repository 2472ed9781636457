"""The user's own phrases: a thesaurus, a tag list, product names."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

from mderank.document import Document, Span
from mderank.errors import OptionError
from mderank.keyphrase import Candidate, Occurrence
from mderank.text import SEGMENTED, SEGMENTED_LETTERS

_PART = re.compile(r"\w+|[^\w\s]")
# Where spaces do not separate words, every letter is a part, and tokens say where words begin and end.
_LETTER = re.compile(rf"[{SEGMENTED_LETTERS}]|(?:(?![{SEGMENTED_LETTERS}])\w)+|[^\w\s]")


@dataclass(frozen=True)
class PhraseList:
    """Phrases that the user lists, found as whole words, in any case, over line breaks too.

    In Chinese, Japanese, Korean and Thai, a phrase is one or several words of the tagger, with or without spaces.
    A phrase that does not occur is returned without occurrences, so that it can be reported.

    >>> from mderank import Document
    >>> document = Document.from_tagged([("Deep", "JJ"), ("learning", "NN"), ("works", "VBZ")])
    >>> [(c.key, len(c.occurrences)) for c in PhraseList(["deep learning", "shallow learning"]).find(document)]
    [('deep learning', 1), ('shallow learning', 0)]

    Args:
        phrases: The phrases.

    Attributes:
        phrases: The distinct phrases, with single spaces.

    Raises:
        OptionError: If there is no phrase, or one string instead of several.
    """

    phrases: tuple[str, ...]

    def __init__(self, phrases: Iterable[str]) -> None:
        if isinstance(phrases, str):
            raise OptionError("PhraseList takes several phrases, not one string: PhraseList(['one phrase'])")
        cleaned = (" ".join(phrase.split()) for phrase in phrases)
        object.__setattr__(self, "phrases", tuple(dict.fromkeys(phrase for phrase in cleaned if phrase)))
        if not self.phrases:
            raise OptionError("the list of phrases is empty: give at least one phrase")

    def find(self, document: Document) -> list[Candidate]:
        """Find the listed phrases in a document.

        Args:
            document: The tagged text.

        Returns:
            The phrases that occur, by first occurrence, then those that do not, without occurrences.
        """
        places = self._places(document)
        candidates: dict[str, Candidate] = {}
        for phrase in self.phrases:
            found = places[_split(phrase, document.language)]
            candidates.setdefault(phrase.lower(), Candidate(phrase.lower(), tuple(found), len(found)))
        return sorted(candidates.values(), key=lambda c: (not c.occurrences, c.first if c.occurrences else 0))

    def _places(self, document: Document) -> dict[tuple[str, ...], list[Occurrence]]:
        """For each phrase, in parts, where it stands."""
        segmented = document.language in SEGMENTED
        pattern = _LETTER if segmented else _PART
        end = document.tokens[-1].end if document.tokens else 0
        parts = [
            (match.group().lower(), match.start(), match.end()) for match in pattern.finditer(document.text, 0, end)
        ]
        starts = [token.start for token in document.tokens]
        ends = [token.end for token in document.tokens]
        breaks = sorted(document.paragraph_starts - {0})
        wanted: dict[tuple[str, ...], list[Occurrence]] = {
            _split(phrase, document.language): [] for phrase in self.phrases
        }
        for length in sorted({len(key) for key in wanted}):
            for start in range(len(parts) - length + 1):
                stretch = parts[start : start + length]
                places = wanted.get(tuple(part[0] for part in stretch))
                if places is None or (places and places[-1].span.end > stretch[0][1]):
                    continue
                span = Span(stretch[0][1], stretch[-1][2])
                words = range(bisect_right(ends, span.start), bisect_left(starts, span.end))
                broken = bisect_right(breaks, words.start) < bisect_left(breaks, words.stop)
                whole = not segmented or (
                    words and starts[words.start] == span.start and ends[words.stop - 1] == span.end
                )
                if words and whole and not broken:
                    places.append(Occurrence(span, words))
        return wanted


def _split(phrase: str, language: str) -> tuple[str, ...]:
    pattern = _LETTER if language in SEGMENTED else _PART
    return tuple(part.lower() for part in pattern.findall(phrase))
