"""Labels in texts: a prefix tree over normalised words, so that time depends on the text and not on the labels.

A text and a label are cut into parts: words, and punctuation marks one by one. Parts are compared by what the forms of
a word have in common (`mderank.variants`), so "tide gauges" is found for "tide gauge".
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import Literal, NamedTuple

from mderank.candidates.stopwords import stop_words_of
from mderank.document import Document, Span
from mderank.keyphrase import Occurrence
from mderank.text import SEGMENTED, SEGMENTED_LETTERS, stem_phrase
from mderank.variants import singular

Match = Literal["variant", "case", "exact"]

_LONGEST_ACRONYM = 5  # letters; a longer word in capitals is a word
_INVISIBLE = "\u00ad\u200b-\u200d\u2060\ufeff"
_REMOVED = re.compile(f"[{_INVISIBLE}]")
_POSSESSIVE = r"(?<=\w)['’]s?(?!\w)"
_JOINT = r"(?<=\w)[-‐‑‒–−](?=\w)"  # a dash with spaces around it, and an em dash, separate
_PRONOUNS = frozenset(("PRP", "WP", "PRON"))  # of the Penn Treebank, and Universal Dependencies
_HEADING = 100  # characters before and after a word that are looked at: a text may be one line
_ADDRESS = re.compile(r"://|^www\.|\w@\w")
_PLURAL_ACRONYM = re.compile(r"[A-Z]{2,}s")
_UNKNOWN = -1


class LabelMatch(NamedTuple):
    """An occurrence of a label.

    Attributes:
        label: Index of the label.
        occurrence: Where it is.
        parts: The indices of the text's parts that it covers, to tell which occurrence lies in which.
    """

    label: int
    occurrence: Occurrence
    parts: range


class _Part(NamedTuple):
    """A word or mark of a text, with offsets."""

    text: str
    start: int
    end: int


class _Reading(NamedTuple):
    """The parts of a document: their numbers in the index, their tokens, and the paragraph of each."""

    parts: list[_Part]
    words: list[int]
    tokens: list[int]
    paragraphs: list[int]


class LabelIndex:
    """Finds labels in texts of one language.

    Short acronyms in capitals are found in capitals only, unless ``match`` is "case". So "IT", "US" and "WHO" are not
    found in "it", "us" and "who", nor in headings such as "CONTACT US" and "WHO WE ARE".

    >>> from mderank import Document
    >>> document = Document.from_tagged([("Tide", "NN"), ("gauges", "NNS"), ("tell", "VBP"), ("us", "PRP")])
    >>> [each.occurrence.span for each in LabelIndex(["tide gauge", "US"], "en").find(document)]
    [Span(start=0, end=11)]

    Args:
        labels: The labels. Of labels that read the same, the first is found.
        language: Language code of the texts.
        match: What counts as the same: "variant" for inflections and spellings in any case, "case" for the same words
            in any case, "exact" for the same words as they are written.
    """

    def __init__(self, labels: Sequence[str], language: str, match: Match = "variant") -> None:
        self._labels, self._language, self._match = labels, language, match
        self._pattern = _pattern(language in SEGMENTED, match)
        self._numbers: dict[str, int] = {}  # of words
        self._branches: dict[int, int] = {}  # from a node and a word, as one number, to a node
        self._ends: dict[int, list[int]] = {}  # the labels that end at a node
        self._capitals: dict[int, tuple[tuple[int, str], ...]] = {}  # the words of a label that need their capitals
        self._groups: dict[int, tuple[int, ...]] | None = None
        self._nodes = 1
        self._width = 1 << 32
        shouts = match == "variant" and _is_in_capitals(labels)
        for number, label in enumerate(labels):
            parts = [part.text for part in self._cut(label)]
            if parts:
                self._add(number, parts, shouts)

    def _add(self, number: int, parts: list[str], shouts: bool) -> None:
        node = 0
        for part in parts:
            key = _normalise(part, self._language, self._match)
            word = self._numbers.setdefault(key, len(self._numbers))
            branch = node * self._width + word
            following = self._branches.get(branch)
            if following is None:
                following = self._branches[branch] = self._nodes
                self._nodes += 1
            node = following
        self._ends.setdefault(node, []).append(number)
        if self._match == "variant":
            capitals = _words_in_capitals(parts, stop_words_of(self._language), shouts)
            if capitals:
                self._capitals[number] = capitals

    def _cut(self, text: str) -> Iterator[_Part]:
        """The parts of a text, without possessive endings and the hyphens between two words, unless these count."""
        for match in self._pattern.finditer(text):
            if match.lastgroup != "skipped":
                yield _Part(match.group(), match.start(), match.end())

    def find(self, document: Document) -> Iterator[LabelMatch]:
        """Find all labels in a document, those inside longer ones too.

        Args:
            document: The tagged text.

        Yields:
            The matches by their beginning, the shorter first.
        """
        reading = self._read(document)
        count = len(reading.parts)
        for start in range(count):
            node = 0
            for stop in range(start + 1, count + 1):
                last = stop - 1
                word = reading.words[last]
                if word == _UNKNOWN or reading.paragraphs[last] != reading.paragraphs[start]:
                    break
                following = self._branches.get(node * self._width + word)
                if following is None:
                    break
                node = following
                labels = self._ends.get(node)
                if labels is None or not self._is_whole(document, reading, start, stop):
                    continue
                found = self._choose(labels, [part.text for part in reading.parts[start:stop]])
                if found is not None and not self._is_pronoun(found, document, reading, start, stop):
                    span = Span(reading.parts[start].start, reading.parts[last].end)
                    words = range(reading.tokens[start], reading.tokens[last] + 1)
                    yield LabelMatch(found, Occurrence(span, words), range(start, stop))

    def find_whole(self, phrase: str) -> int | None:
        """Find the label that a whole phrase is a form of.

        Args:
            phrase: The phrase.

        Returns:
            The index of the label; None if there is none.
        """
        node, parts = 0, [part.text for part in self._cut(phrase)]
        for part in parts:
            word = self._numbers.get(_normalise(part, self._language, self._match))
            following = None if word is None else self._branches.get(node * self._width + word)
            if following is None:
                return None
            node = following
        return self._choose(self._ends.get(node, []), parts)

    def collisions(self) -> Iterator[tuple[int, ...]]:
        """Yield the labels that read the same.

        Yields:
            The indices of two or more labels, of which the first is found. Those that differ in capitals which count
            are told apart, and not among them.
        """
        for labels in self._ends.values():
            alike: dict[object, list[int]] = {}
            for label in labels if len(labels) > 1 else ():
                alike.setdefault(self._capitals.get(label), []).append(label)
            yield from (tuple(some) for some in alike.values() if len(some) > 1)

    def alike(self, label: int) -> tuple[int, ...]:
        """Return the labels that read the same as a label.

        Args:
            label: The index of the first of them.

        Returns:
            The indices, the label's own first.
        """
        if self._groups is None:
            self._groups = {group[0]: group for group in self.collisions()}
        return self._groups.get(label, (label,))

    def _choose(self, labels: Sequence[int], parts: list[str]) -> int | None:
        """The label that words are an occurrence of: one whose capitals they have, before one in any case."""
        best = None
        for label in labels:
            capitals = self._capitals.get(label)
            if capitals is None:
                best = label if best is None else best
            elif all(parts[position] in (word, f"{word}s") for position, word in capitals):
                return label
        return best

    def _is_pronoun(self, label: int, document: Document, reading: _Reading, start: int, stop: int) -> bool:
        """Whether an acronym is a pronoun of a line in capitals, such as a heading, and not of a list of acronyms.

        In other lines capitals tell better than tags: taggers take "the WHO" for a pronoun too.
        """
        if stop - start > 1 or label not in self._capitals:
            return False
        if document.tokens[reading.tokens[start]].tag not in _PRONOUNS:
            return False
        part, text = reading.parts[start], document.text
        before = text[max(0, part.start - _HEADING) : part.start].rpartition("\n")[2]
        line = before + text[part.start : part.end + _HEADING].partition("\n")[0]
        stop_words = stop_words_of(self._language)
        others = (word for word in line.split() if word != part.text)
        return line.isupper() and any(len(word) > _LONGEST_ACRONYM or word.lower() in stop_words for word in others)

    def _is_whole(self, document: Document, reading: _Reading, start: int, stop: int) -> bool:
        """Whether parts are whole words where spaces do not tell."""
        if self._language not in SEGMENTED:
            return True
        first, last = document.tokens[reading.tokens[start]], document.tokens[reading.tokens[stop - 1]]
        return first.start == reading.parts[start].start and last.end == reading.parts[stop - 1].end

    def _read(self, document: Document) -> _Reading:
        """Cut a document into parts. A part that is in no token, or in an address, is a word of no label."""
        tokens = document.tokens
        reading = _Reading([], [], [], [])
        index = paragraph = 0
        for part in self._join_divided(document):
            while index < len(tokens) and tokens[index].end <= part.start:
                index += 1
                paragraph += index in document.paragraph_starts
            inside = index < len(tokens) and tokens[index].start < part.end
            if inside and _ADDRESS.search(tokens[index].text):
                inside = False
            word = self._numbers.get(_normalise(part.text, self._language, self._match), _UNKNOWN)
            reading.parts.append(part)
            reading.words.append(word if inside else _UNKNOWN)
            reading.tokens.append(index)
            reading.paragraphs.append(paragraph)
        return reading

    def _join_divided(self, document: Document) -> Iterator[_Part]:
        """The parts of a document's text; a word divided at the end of a line is one part."""
        end = document.tokens[-1].end if document.tokens else 0
        parts = self._cut(document.text[:end])
        gaps = dict(document.divided)
        held: _Part | None = None
        for each in parts:
            part = each
            if held is not None:
                if part.start < gaps[held.end]:
                    continue  # the hyphen
                part = _Part(held.text + part.text, held.start, part.end)
                held = None
            if part.end in gaps:
                held = part
            else:
                yield part
        if held is not None:
            yield held


@cache
def _pattern(segmented: bool, match: Match) -> re.Pattern[str]:
    """The pattern of a part. Marks that belong to a letter (accents, vowel signs) are part of its word."""
    letter = f"[{SEGMENTED_LETTERS}]"
    more = rf"[\w{_combining_marks()}{_INVISIBLE}]*"
    word = rf"{letter}|(?:(?!{letter})\w)(?:(?!{letter}){more[:-1]})*" if segmented else rf"\w{more}"
    skipped = f"|(?P<skipped>{_POSSESSIVE}|{_JOINT})" if match == "variant" else ""
    return re.compile(rf"{word}{skipped}|[^\w\s]")


@cache
def _combining_marks() -> str:
    """The marks of all scripts, as ranges of a regular expression."""
    codes = [
        code for code in (*range(0x300, 0x3100), *range(0xA600, 0xAC00)) if unicodedata.category(chr(code))[0] == "M"
    ]
    ranges: list[list[int]] = []
    for code in codes:
        if ranges and ranges[-1][1] == code - 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@lru_cache(maxsize=131_072)
def _normalise(word: str, language: str, match: Match) -> str:
    """The normal form of a word, which its forms share."""
    word = unicodedata.normalize("NFC" if match == "exact" else "NFKC", _REMOVED.sub("", word))
    if match == "exact":
        return word
    if match == "case":
        return word.casefold()
    if _PLURAL_ACRONYM.fullmatch(word):
        word = word[:-1]
    word = word.casefold()
    if language == "en":
        return singular(word)
    return word if language in SEGMENTED else stem_phrase(word, language)


def _is_in_capitals(labels: Iterable[str]) -> bool:
    """Whether all labels are in capitals, long words too: then capitals do not tell acronyms."""
    long = False
    for label in labels:
        if label != label.upper():
            return False
        long = long or any(len(word) > _LONGEST_ACRONYM and word.isupper() for word in label.split())
    return long


def _words_in_capitals(parts: list[str], stop_words: frozenset[str], shouts: bool) -> tuple[tuple[int, str], ...]:
    """The words of a label that are found in capitals only, with their positions.

    These are a short acronym that is the whole label, and in longer labels words that are stop words in lower case.
    """
    acronyms = [
        (position, part)
        for position, part in enumerate(parts)
        if part.isupper() and part.isalpha() and 2 <= len(part) <= _LONGEST_ACRONYM
    ]
    if not acronyms:
        return ()
    if len(parts) == 1 and not shouts:
        return tuple(acronyms)
    if len(parts) > 1 and all(part.upper() == part for part in parts):
        return ()  # written in capitals throughout
    return tuple((position, part) for position, part in acronyms if part.lower() in stop_words)
