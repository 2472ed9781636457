"""Noun phrases by a pattern over part-of-speech tags: the paper's candidates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from mderank.candidates.base import is_content, locate, runs
from mderank.document import Document, Tagset
from mderank.errors import InputError, OptionError
from mderank.keyphrase import Candidate
from mderank.languages import find_language

# Section 3 of the paper: any number of nouns and adjectives, then a noun. And the same in universal tags, and for words
# without tags.
PATTERNS: dict[Tagset, str] = {
    "penn": "<NN.*|JJ>*<NN.*>",
    "universal": "<NOUN|PROPN|ADJ>*<NOUN|PROPN>",
    "words": "<WORD|LOWER>*<WORD>",
}
# Of languages that put adjectives behind the noun: "intelligence artificielle".
_ADJECTIVES_AFTER = "<ADJ>*<NOUN|PROPN><NOUN|PROPN|ADJ>*"

# Tags of function words, in both tagsets: a pattern that names one asks for stop words.
_FUNCTION_TAGS = frozenset(
    "CC DT EX IN MD PDT POS PRP PRP$ RP TO WDT WP WP$ WRB ADP AUX CCONJ CONJ DET PART PRON SCONJ".split()
)
_NO_TAG = "\0"

_ELEMENT = re.compile(r"<([^<>]*)>")
_BETWEEN = re.compile(r"[\s*+?|(){},\d]*")
# A regular expression that fails late on a long run would be tried at each of its words: bound the run.
_LONGEST_RUN = 256


@dataclass(frozen=True)
class NounPhrases:
    """The longest runs of words whose tags match a pattern, without a stop word in them.

    - A hyphenated word is one word; the possessive 's ends a phrase (add ``POS`` to the pattern to change that).
    - A line break inside a wrapped paragraph does not end a phrase, the end of a paragraph does.
    - A phrase without a letter, and a single Latin letter, are not candidates.

    >>> from mderank import Document
    >>> document = Document.from_tagged([("fast", "JJ"), ("graph", "NN"), ("algorithms", "NNS"), ("win", "VBP")])
    >>> [candidate.key for candidate in NounPhrases().find(document)]
    ['fast graph algorithms']

    Attributes:
        pattern: Regular expression over tags in angle brackets; None for the paper's ``<NN.*|JJ>*<NN.*>``, or the same
            in universal tags. A pattern that names a tag of function words takes stop words of that tag too:
            ``<NN.*>+<IN><NN.*>+`` finds "quality of service".
        max_phrase_words: Maximum number of words; longer phrases are tables and lists. None for no limit, as in the
            paper.
        stop_words: Stop words beside those of the language; they end every phrase.
        nested: Also find parts of at least two words that match the pattern and occur in two different longer phrases:
            "language model" in "masked language model" and "language model training". A part that recurs in different
            surroundings is a unit of its own (Frantzi et al. (2000), "Automatic recognition of multi-word terms: the
            C-value/NC-value method").

    Raises:
        OptionError: If the pattern or the number of words is not valid.
    """

    pattern: str | None = None
    max_phrase_words: int | None = 8
    stop_words: frozenset[str] = field(default=frozenset())
    nested: bool = False

    def __post_init__(self) -> None:
        if self.max_phrase_words is not None and self.max_phrase_words < 1:
            raise OptionError(f"max_phrase_words must be at least 1, not {self.max_phrase_words}")
        object.__setattr__(self, "stop_words", frozenset(word.lower() for word in self.stop_words))
        if self.pattern is not None:
            _compile(self.pattern, ("NN",))

    def find(self, document: Document) -> list[Candidate]:
        """Find the noun phrases of a document.

        Args:
            document: The tagged text.

        Returns:
            The noun phrases with all their occurrences, by first occurrence.
        """
        phrases = list(self._phrases(document))
        return locate(document, [*phrases, *self._parts(document, phrases)] if self.nested else phrases)

    def _phrases(self, document: Document) -> Iterator[range]:
        if document.tagset == "words" and "WORD" not in (self.pattern or "WORD"):
            raise InputError(
                f"the words of this text have no tags for the pattern {self.pattern!r}: install a spaCy pipeline of "
                f"its language ('{document.language}'), or leave the pattern out"
            )
        regex, letter = self._letters(document)
        for run in runs(document, self.stop_words, _named_function_tags(self.pattern)):
            for start in range(run.start, run.stop, _LONGEST_RUN):
                words = document.tokens[start : min(run.stop, start + _LONGEST_RUN)]
                for match in regex.finditer("".join(letter[word.tag] for word in words)):
                    phrase = words[match.start() : match.end()]
                    too_long = self.max_phrase_words is not None and len(phrase) > self.max_phrase_words
                    if phrase and not too_long and is_content(phrase):
                        yield range(start + match.start(), start + match.end())

    def _parts(self, document: Document, phrases: Sequence[range]) -> Iterator[range]:
        """Parts of phrases that stand in two different ones, and by themselves in none: one occurrence of each."""
        regex, letter = self._letters(document)
        words = [token.text.lower() for token in document.tokens]
        tags = "".join(letter[token.tag] for token in document.tokens)
        whole = {tuple(words[each.start : each.stop]): each for each in phrases}
        holders: dict[tuple[str, ...], tuple[range, int]] = {}
        for phrase in whole.values():
            inside = {
                tuple(words[start:stop]): range(start, stop)
                for start in phrase
                for stop in range(start + 2, phrase.stop + 1)
                if stop - start < len(phrase) and regex.fullmatch(tags, start, stop)
            }
            for part, place in inside.items():
                first, count = holders.get(part, (place, 0))
                holders[part] = (first, count + 1)
        yield from (
            place
            for part, (place, count) in holders.items()
            if count >= 2 and part not in whole and is_content(document.tokens[place.start : place.stop])
        )

    def _letters(self, document: Document) -> tuple[re.Pattern[str], dict[str, str]]:
        """The pattern over the letters of the document's tags."""
        tags = tuple(sorted({token.tag for token in document.tokens}))
        letter = {tag: chr(_FIRST_LETTER + index) for index, tag in enumerate(tags)}
        return _compile(self.pattern or default_pattern(document), tags), letter


def default_pattern(document: Document) -> str:
    """Return the pattern of noun phrases for the tags and the language of a document.

    Args:
        document: The tagged text.

    Returns:
        The pattern.
    """
    language = find_language(document.language)
    if document.tagset == "universal" and language is not None and language.adjectives != "before":
        return _ADJECTIVES_AFTER
    return PATTERNS[document.tagset]


@lru_cache(maxsize=256)
def _named_function_tags(pattern: str | None) -> frozenset[str]:
    """The tags of function words that a user's pattern names; an element that takes any tag names none."""
    elements = [re.compile(element) for element in _ELEMENT.findall(pattern or "")]
    naming = [element for element in elements if not element.fullmatch(_NO_TAG)]
    return frozenset(tag for tag in _FUNCTION_TAGS if any(element.fullmatch(tag) for element in naming))


# Each tag of a document is one private letter, so that a match's positions are the words' positions.
_FIRST_LETTER = 0xE000


def _compile(pattern: str, tags: tuple[str, ...]) -> re.Pattern[str]:
    """The regular expression over letters that ``pattern`` over ``tags`` stands for."""
    pieces: list[str] = []
    position = 0
    try:
        for element in _ELEMENT.finditer(pattern):
            pieces.append(_between(pattern, position, element.start()))
            tag = re.compile(element.group(1))
            letters = "".join(chr(_FIRST_LETTER + index) for index, name in enumerate(tags) if tag.fullmatch(name))
            pieces.append(f"[{letters}]" if letters else "(?!)")
            position = element.end()
        pieces.append(_between(pattern, position, len(pattern)))
        if position == 0:
            raise OptionError(f"the pattern {pattern!r} has no tag in angle brackets, as in '<JJ>*<NN.*>'")
        return re.compile("".join(pieces))
    except (re.error, OverflowError, RecursionError) as error:
        raise OptionError(f"the pattern {pattern!r} is not a regular expression over tags: {error}") from error


def _between(pattern: str, start: int, end: int) -> str:
    text = pattern[start:end]
    if not _BETWEEN.fullmatch(text):
        raise OptionError(
            f"the pattern {pattern!r} has {text.strip()!r} outside angle brackets; write tags as '<JJ>*<NN.*>'"
        )
    return re.sub(r"\s", "", text)
