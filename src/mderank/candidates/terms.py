"""Terms and names as a reader sees them: noun phrases with their participles, numbers and "of", and their parts.

A noun phrase by tag pattern cuts "sliding mode control", "type 2 diabetes" and "Bank of England", and takes the longest
stretch for the unit. Here every part of a stretch is a candidate too, and `Candidate.unithood` says how much of a unit
it is, from the text itself: how often it occurs alone, in how many different longer phrases it occurs, and how often
it is only a part of one.

Frantzi et al. (2000), "Automatic recognition of multi-word terms: the C-value/NC-value method", International Journal
on Digital Libraries; Kageura and Umino (1996), "Methods of automatic term recognition", Terminology, for the word
unithood.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mderank.candidates.base import find_occurrences, is_content
from mderank.candidates.language_kinds import language_kinds
from mderank.candidates.unithood import Stretch, is_unit, keep_promising, measure_unit
from mderank.candidates.word_kinds import ENDS, GERUND, NOUN, NUMBER, OTHER, STARTS, word_kinds
from mderank.candidates.word_lists import LightWords, light_words
from mderank.document import Document, Token
from mderank.errors import OptionError
from mderank.keyphrase import Candidate

_LONGEST_STRETCH = 64  # words: what is longer is a list or a table, and the work must stay linear in the text's length


@dataclass(frozen=True)
class Terms:
    """The noun phrases of a text as a reader sees them, and the parts of these.

    A phrase is nouns and adjectives that end in a noun, and also:

    - participles before a noun where they describe it: "sliding mode control", "distributed computing";
    - gerunds at its end: "question answering";
    - numbers inside a name: "type 2 diabetes", "iPhone 15 Pro";
    - "of" and "&" inside a name, and "of" in a phrase that the text repeats: "Bank of England", "quality of service";
    - the possessive of a name before a noun: "Alzheimer's disease".

    Attributes:
        max_phrase_words: Maximum number of words.
        stop_words: Stop words beside those of the language; no phrase contains one.
        prune: Whether unlikely parts, and words that are late and rare, are left out if there are many candidates.

    Raises:
        OptionError: If ``max_phrase_words`` is less than 1.
    """

    max_phrase_words: int = 7
    stop_words: frozenset[str] = field(default=frozenset())
    prune: bool = True

    def __post_init__(self) -> None:
        if self.max_phrase_words < 1:
            raise OptionError(f"max_phrase_words must be at least 1, not {self.max_phrase_words}")
        object.__setattr__(self, "stop_words", frozenset(word.lower() for word in self.stop_words))

    def find(self, document: Document) -> list[Candidate]:
        """Find the terms of a document.

        Args:
            document: The tagged text.

        Returns:
            The terms with all their occurrences, by first occurrence.
        """
        is_english = document.language == "en" and document.tagset != "words"
        kinds = (word_kinds if is_english else language_kinds)(document, self.stop_words)
        stretches = list(_stretches(document, kinds))
        words = [token.text.lower() for token in document.tokens]
        places: dict[tuple[str, ...], list[range]] = {}
        for stretch in stretches:
            for part in self._parts(document, kinds, stretch):
                places.setdefault(tuple(words[part.start : part.stop]), []).append(part)
        covering = {index: stretch for stretch in stretches for index in range(*stretch)}
        units = {
            key: measure_unit(document, words, key, ranges, covering, kinds)
            for key, ranges in places.items()
            if is_unit(document, ranges, kinds)
        }
        kept = keep_promising(units, document) if self.prune else units
        occurrences = find_occurrences(document, kept)
        candidates = [
            Candidate(" ".join(key), occurrences[key], max(1, unit.alone), unit.unithood) for key, unit in kept.items()
        ]
        return sorted(candidates, key=lambda each: (each.first, -len(each.key)))

    def _parts(self, document: Document, kinds: str, stretch: Stretch) -> Iterator[range]:
        """The parts of a stretch that can be phrases, itself among them."""
        light = light_words(document.language)
        for start in range(*stretch):
            token = document.tokens[start]
            if kinds[start] not in STARTS or (kinds[start] != NOUN and token.text.lower() in light.adjectives):
                continue
            for stop in range(start + 1, min(stretch.stop, start + self.max_phrase_words) + 1):
                if kinds[stop - 1] in ENDS and _balanced(kinds, start, stop):
                    part = range(start, stop)
                    if _is_phrase(document.tokens[start:stop], kinds[start:stop], light):
                        yield part


def _balanced(kinds: str, start: int, stop: int) -> bool:
    """Whether the last word can end a phrase that begins at ``start``: a number needs a noun before it."""
    return kinds[stop - 1] != NUMBER or (stop - start > 1 and kinds[stop - 2] == NOUN)


def _is_phrase(words: Sequence[Token], kinds: str, light: LightWords) -> bool:
    if not is_content(words) or (len(words) > 1 and all(len(word.text) == 1 for word in words)):
        return False
    if len(words) == 1:
        word = words[0].text.lower().strip(".")
        return kinds != NUMBER and word not in light.nouns
    # "lazy way", "confidential nature"
    return not (len(words) == 2 and kinds[0] != NOUN and words[1].text.lower() in _VAGUE)


_VAGUE = frozenset("way ways thing things kind kinds sort sorts lot lots bit nature manner fact stuff".split())


def _stretches(document: Document, kinds: str) -> Iterator[Stretch]:
    """The longest runs of words that can be one phrase, ending in a word that can end one."""
    start = 0
    for index in range(len(kinds) + 1):
        at_end = index == len(kinds)
        ends = at_end or kinds[index] == OTHER or index in document.paragraph_starts
        if ends or index - start == _LONGEST_STRETCH:
            yield from _trimmed(kinds, start, index)
            start = index + (not at_end and kinds[index] == OTHER)


def _trimmed(kinds: str, start: int, stop: int) -> Iterator[Stretch]:
    """The run without words at its ends that no phrase begins or ends with, cut after a gerund and between nouns."""
    while start < stop and kinds[start] not in STARTS and kinds[start] != GERUND:
        start += 1
    while start < stop and kinds[stop - 1] not in ENDS:
        stop -= 1
    cut = next((index + 1 for index in range(start, stop - 1) if kinds[index] == GERUND), None)
    if cut is not None:
        yield from _trimmed(kinds, start, cut)
        yield from _trimmed(kinds, cut, stop)
    elif start < stop:
        yield Stretch(start, stop)
