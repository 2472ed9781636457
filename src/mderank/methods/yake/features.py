"""The words of a document as YAKE sees them, the features of each, and the score S(t) that these make."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from mderank.candidates.base import is_word
from mderank.candidates.stopwords import is_function_word, stop_words_of
from mderank.candidates.word_lists import load_word_list
from mderank.document import Document, Token
from mderank.util.arrays import Bools, Ints, Reals

# What a feature is where it is left out.
NEUTRAL = {"casing": 0.0, "position": 1.0, "frequency": 0.0, "relatedness": 1.0, "sentences": 0.0}
FEATURES = tuple(NEUTRAL)

_APOSTROPHES = ("'", "’")
_MARK = re.compile(r"[!-/:-@\[-`{-~\u2010-\u2027]")  # hyphens, points, slashes, apostrophes and the like
_FIRST_IDEOGRAPH = "\u2e80"  # from here on, scripts in which a whole word may have one or two characters


@dataclass(frozen=True)
class Words:
    """The words of a document as YAKE reads them, in arrays over its n tokens or m terms.

    A term is the common form of words that differ only in case, or by an s at the end.

    Attributes:
        terms: The terms ``(m,)``, in text order.
        stop: Whether each term ``(m,)`` is a stop word, or has one or two letters only.
        term: Number of the term of each token ``(n,)``; -1 for punctuation, a possessive 's and other tokens that are
            not words.
        block: Number of the block of each token ``(n,)``: words without punctuation or a break between them.
        sentence: Number of the sentence of each token ``(n,)``, from 0; sentences without a word do not count.
        parsable: Whether each token ``(n,)`` is made of letters with at most one mark: not a number, formula or
            address.
        capital: Whether each token ``(n,)`` begins with a capital letter and does not begin a sentence.
        acronym: Whether each token ``(n,)`` has capital letters only.
    """

    terms: tuple[str, ...]
    stop: Bools
    term: Ints
    block: Ints
    sentence: Ints
    parsable: Bools
    capital: Bools
    acronym: Bools

    def count(self, chosen: Bools | None = None) -> Ints:
        """Count the occurrences of each term.

        Args:
            chosen: Which tokens ``(n,)`` count; None for all.

        Returns:
            Counts ``(m,)``.
        """
        found = self.term >= 0 if chosen is None else (self.term >= 0) & chosen
        return np.bincount(self.term[found], minlength=len(self.terms))

    def pairs(self, distance: int) -> Ints:
        """Find the pairs of parsable words at a distance.

        Args:
            distance: Distance in words; 1 for neighbours.

        Returns:
            The pairs ``(p,)`` as m · left term + right term.
        """
        left, right = slice(None, -distance), slice(distance, None)
        near = (self.block[left] == self.block[right]) & self.parsable[left] & self.parsable[right]
        pairs: Ints = self.term[left][near] * len(self.terms) + self.term[right][near]
        return pairs


def read_words(document: Document, stop_words: Iterable[str] = ()) -> Words:
    """Read the words of a document.

    Args:
        document: The tagged text.
        stop_words: Stop words beside those of the language.

    Returns:
        The words.
    """
    language = document.language
    by_tag = {token.text.lower() for token in document.tokens if is_function_word(token, language)}
    lexicon = _Lexicon(stop_words_of(language).union(light_words_of(language), stop_words, by_tag))
    ends = [*document.sentence_ends(), len(document.text) + 1]
    ended = block = 0
    sentence = -1
    first = True  # in its sentence
    rows: list[_Row] = []
    for index, token in enumerate(document.tokens):
        while ends[ended] <= token.start:
            ended += 1
            first = True
        shape = _shape(token.text)
        if shape is None or index in document.paragraph_starts:
            block += 1
        if shape is None:
            rows.append(_NO_WORD)
            continue
        sentence += first
        capital = shape.capital and not first
        rows.append((lexicon.number(shape), block, sentence, shape.parsable, capital, shape.acronym))
        first = False
    term_, block_, sentence_, *flags = np.asarray(rows, np.int64).reshape(-1, 6).T
    parsable_, capital_, acronym_ = (flag.astype(np.bool_) for flag in flags)
    stop = np.asarray(lexicon.stop, np.bool_)
    return Words(lexicon.terms(), stop, term_, block_, sentence_, parsable_, capital_, acronym_)


_Row = tuple[int, int, int, bool, bool, bool]
_NO_WORD: _Row = (-1, -1, -1, False, False, False)


class _Lexicon:
    """The terms so far, and which of them are stop words."""

    def __init__(self, stop_words: frozenset[str]) -> None:
        self._stop_words = stop_words
        self._numbers: dict[str, int] = {}
        self.stop: list[bool] = []

    def terms(self) -> tuple[str, ...]:
        return tuple(self._numbers)

    def number(self, shape: _Shape) -> int:
        """The number of a word's term. A term of which one form is a stop word is one in all its forms."""
        number = self._numbers.setdefault(shape.term, len(self._numbers))
        if number == len(self.stop):
            self.stop.append(shape.short or shape.term in self._stop_words)
        if not self.stop[number]:
            self.stop[number] = shape.lower in self._stop_words
        return number


class _Shape(NamedTuple):
    """What can be said of a word by itself."""

    lower: str
    term: str
    short: bool
    parsable: bool
    capital: bool
    acronym: bool


@lru_cache(maxsize=65_536)
def _shape(form: str) -> _Shape | None:
    """The shape of a word; None of punctuation, a possessive 's, and what else is none."""
    if not is_word(Token(form, "", 0, len(form))) or (len(form) > 1 and form.startswith(_APOSTROPHES)):
        return None
    lower = form.lower()
    short = sum(map(str.isalnum, form)) < 3 and max(form) < _FIRST_IDEOGRAPH
    digits = any(map(str.isdigit, form))
    parsable = not digits and any(map(str.isalpha, form)) and len(_MARK.findall(form)) <= 1
    term = lower[:-1] if lower.endswith("s") and len(lower) > 3 else lower
    return _Shape(lower, term, short, parsable, form[0].isupper(), form.isupper())


def score_terms(words: Words, window: int = 1, features: Collection[str] = FEATURES) -> Terms:
    """Compute S(t) = TRel · TPosition / (TCase + TFNorm / TRel + TSentence / TRel) of every term.

    Args:
        words: The words of a document.
        window: Number of words on each side that are neighbours of a word.
        features: Names of the features to use; the others are neutral.

    Returns:
        The terms with their scores.
    """
    counts = words.count()
    if not len(counts):
        return Terms(np.zeros(0), counts, {})
    computed = term_features(words, window)
    use = {name: computed[name] if name in features else NEUTRAL[name] for name in FEATURES}
    related = use["relatedness"]
    score = related * use["position"] / (use["casing"] + (use["frequency"] + use["sentences"]) / related)
    pairs, number = np.unique(words.pairs(1), return_counts=True)
    bigrams = {divmod(pair, len(counts)): count for pair, count in zip(pairs.tolist(), number.tolist(), strict=True)}
    return Terms(np.broadcast_to(score, counts.shape), counts, bigrams)


@dataclass(frozen=True)
class Terms:
    """Scores and counts of the terms of a document.

    Attributes:
        scores: Scores S(t) ``(m,)``; smaller is better.
        counts: Numbers of occurrences ``(m,)``.
        bigrams: Number of times that the second term directly follows the first.
    """

    scores: Reals
    counts: Ints
    bigrams: dict[tuple[int, int], int]


def term_features(words: Words, window: int = 1) -> dict[str, Reals]:
    """Compute the five features of every term.

    Args:
        words: The words of a document.
        window: Number of words on each side that are neighbours of a word.

    Returns:
        The values ``(m,)`` of each feature, by name.
    """
    counts = words.count()
    sentences, median = _sentences(words)
    content = counts[~words.stop] if not words.stop.all() else counts
    capitals = np.maximum(words.count(words.capital & ~words.acronym), words.count(words.acronym))
    return {
        # max(TF(U(t)), TF(A(t))) / (1 + ln TF(t)); the paper has no 1, without which a word that occurs once has none
        "casing": capitals / (1 + np.log(counts)),
        # ln(ln(3 + Median(Sen_t)))
        "position": np.log(np.log(3 + median)),
        # TF(t) / (mean + 1 standard deviation of TF), over terms that are no stop words
        "frequency": counts / (content.mean() + content.std()),
        # 1 + (DL + DR) · TF(t) / MaxTF
        "relatedness": 1 + _diversity(words, window) * counts / counts.max(),
        # SF(t) / sentences
        "sentences": sentences / (words.sentence.max() + 1),
    }


def _sentences(words: Words) -> tuple[Ints, Reals]:
    """In how many sentences each term is ``(m,)``, and the median of their numbers ``(m,)``."""
    size = words.sentence.max() + 1
    places = np.unique(words.term[words.term >= 0] * size + words.sentence[words.term >= 0])
    terms, sentences = np.divmod(places, size)  # by term, then by sentence
    counts = np.bincount(terms)
    begin = np.cumsum(counts) - counts
    median = (sentences[begin + (counts - 1) // 2] + sentences[begin + counts // 2]) / 2
    return counts, median


def _diversity(words: Words, window: int) -> Reals:
    """DL + DR ``(m,)``: different words within ``window`` words of a term, over all words there, on either side."""
    size = len(words.terms)
    beside = np.concatenate([words.pairs(distance) for distance in range(1, window + 1)])
    different, number = np.unique(beside, return_counts=True)
    result = np.zeros(size)
    for side in np.divmod(different, size):
        result += np.bincount(side, minlength=size) / np.maximum(1, np.bincount(side, number, minlength=size))
    return result


@cache
def light_words_of(language: str) -> frozenset[str]:
    """Return words of a language that say little of a text's subject, beside its stop words.

    A tagger would not take most of them for a noun; YAKE has no tags and would find them remarkable. spaCy's stop words
    of other languages have them already.

    Args:
        language: Language code.

    Returns:
        The words, in lower case; none for other languages than English.
    """
    return load_word_list("light_words", __package__) if language == "en" else frozenset()
