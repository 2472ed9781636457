"""The user's own phrases: a tag list, product names. Phrases with synonyms and ids are a `Vocabulary`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mderank.candidates.base import ListedSource, MissingPhrases
from mderank.candidates.label_index import LabelIndex, Match
from mderank.document import Document
from mderank.errors import OptionError
from mderank.keyphrase import Candidate, Occurrence
from mderank.text import collapse_whitespace


@dataclass(frozen=True)
class PhraseList(ListedSource):
    """Phrases that the user lists, found as whole words, over line breaks too.

    By default a phrase is found in all its inflections and spellings, in any case. The rules are those of ``dedupe``:
    the plural in English, the stem in other languages. An acronym of up to five letters, such as "IT", "US" or "WHO",
    is found in capitals only, and in its plural ("GPUs"). In Chinese, Japanese, Korean and Thai, a phrase is one or
    several words of the tagger, with or without spaces.

    >>> from mderank import Document
    >>> document = Document.from_tagged([("Tide", "NN"), ("gauges", "NNS"), ("tell", "VBP"), ("us", "PRP")])
    >>> phrases = PhraseList(["tide gauge", "US", "Solar panel"])
    >>> found = phrases.find(document)
    >>> [(candidate.key, len(candidate.occurrences)) for candidate in found], list(phrases.missing(found))
    ([('tide gauge', 1)], ['US', 'Solar panel'])

    Args:
        phrases: The phrases.
        match: What counts as an occurrence: "variant" as above, "case" for the same words in any case, "exact" for the
            same words as they are written.

    Attributes:
        phrases: The distinct phrases, with single spaces.
        match: See above.

    Raises:
        OptionError: If there is no phrase, one string instead of several, or an unknown ``match``.
    """

    phrases: tuple[str, ...]
    match: Match = "variant"
    _indexes: dict[str, LabelIndex] = field(default_factory=dict, init=False, repr=False, compare=False, hash=False)

    def __init__(self, phrases: Iterable[str], match: Match = "variant") -> None:
        if isinstance(phrases, str):
            raise OptionError("PhraseList takes several phrases, not one string: PhraseList(['one phrase'])")
        check_match(match)
        phrases = tuple(phrases)
        wrong = next((each for each in phrases if not isinstance(each, str)), None)
        if wrong is not None:
            raise OptionError(f"PhraseList takes phrases that are texts, not {wrong!r}")
        cleaned = map(collapse_whitespace, phrases)
        object.__setattr__(self, "phrases", tuple(dict.fromkeys(phrase for phrase in cleaned if phrase)))
        object.__setattr__(self, "match", match)
        object.__setattr__(self, "_indexes", {})
        if not self.phrases:
            raise OptionError("the list of phrases is empty: give at least one phrase")

    def __getstate__(self) -> dict[str, object]:
        return {"phrases": self.phrases, "match": self.match, "_indexes": {}}

    def _index(self, language: str) -> LabelIndex:
        if language not in self._indexes:
            self._indexes[language] = LabelIndex(self.phrases, language, self.match)
        return self._indexes[language]

    def find(self, document: Document) -> list[Candidate]:
        """Find the listed phrases in a document.

        Args:
            document: The tagged text.

        Returns:
            The phrases that occur, by first occurrence. Of phrases that are forms of each other, the first is found.
        """
        places: dict[int, list[Occurrence]] = {}
        for each in self._index(document.language).find(document):
            own = places.setdefault(each.label, [])
            if not own or own[-1].span.end <= each.occurrence.span.start:
                own.append(each.occurrence)
        alike = self._index(document.language).alike
        found = [
            Candidate(self.phrases[number].lower(), tuple(own), len(own), listed=alike(number))
            for number, own in places.items()
        ]
        return sorted(found, key=lambda each: each.first)

    def missing(self, found: Sequence[Candidate]) -> Sequence[str]:
        """Return the phrases that do not occur.

        Args:
            found: The candidates that `find` returned.

        Returns:
            The phrases as they were listed, in their order. A phrase that is a form of one that occurs is not missing.
        """
        return MissingPhrases.of(self.phrases, (number for each in found for number in each.listed))


def check_match(match: object) -> None:
    """Check how labels are to be matched.

    Args:
        match: The user's choice.

    Raises:
        OptionError: If it is unknown.
    """
    if match not in ("variant", "case", "exact"):
        raise OptionError(f"match={match!r} is unknown: it is one of variant, case, exact")
