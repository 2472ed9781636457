"""Naive Bayes over the words and letters of the languages of one script.

A word's probability in a language is set by its list: Zipf's law by rank for the most frequent words, one value for
other stop words, one for words of neither. Letters beyond a-z count too, since few languages share them. The large
model knows all stop words, and the trigrams of their letters for words that it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from mderank.languages.table import LANGUAGES, stop_words

_LETTERS_ONLY = re.compile(r"[^\W\d_]+")
# Vowel signs are part of words, and so is the joiner of Persian; a class of letters alone is faster.
_WITH_MARKS = re.compile(r"(?:[^\W\d_]|[\u0591-\u05bd\u05bf\u064b-\u0655\u0900-\u0903\u093a-\u094f\u200c])+")
_MARKED_SCRIPTS = ("Arabic", "Hebrew", "Devanagari")
# Probabilities: rank 1 of Zipf's law, other stop words, words typical of many texts, and all other words.
_FIRST, _LISTED, _TYPICAL, _UNLISTED = 0.05, 3e-4, 1e-4, 2e-5
_LETTER = 2e-3  # of a single letter that is no word of a language: names and formulas have them
_ALPHABET_SHARE, _FOREIGN_LETTER = 0.08, 3e-4  # of the letters: all beyond the basic ones; one of another alphabet
_UNKNOWN_TRIGRAM = 0.5  # added to the count of each trigram
_LONGEST_WORD = 30  # letters
_TRIGRAM_WEIGHT = 0.4  # trigrams of a word overlap, so that they say less than independent ones

_PRIOR = {"en": 2.0, "ru": 1.0, "ar": 1.0, "he": 1.0, "hi": 1.0}  # log prior: the likeliest languages of short texts
# Letters that languages have beyond a-z, and for other scripts those that not all of its languages have.
_LETTERS = {
    "en": "", "de": "äöüß", "fr": "éèàêçîôûùïâë", "es": "áéíóúñü", "pt": "ãçáéíõóêâúàô", "it": "èàùòìé", "nl": "ëéï",
    "pl": "ąćęłńóśźż", "cs": "áíéěřýščžůúňďťó", "sk": "áíéýščžúľťňďäôóĺŕ", "da": "æøå", "nb": "åøæé", "sv": "åäö",
    "fi": "äö", "et": "äõüöšž", "hu": "áéíóöőúüű", "hr": "čćđšž", "sl": "čšž", "ro": "ăâîșțşţ", "ca": "àçèéíïòóúü",
    "lt": "ėšųžįąęčū", "lv": "āēīūšžļņčģķ", "tr": "ışğüçöâî", "id": "", "eo": "ĉĝĥĵŝŭ", "eu": "ñ", "ga": "áéíóú",
    "vi": "àáạảãâầấậẩẫăằắặẳẵèéẹẻẽêềếệểễìíịỉĩòóọỏõôồốộổỗơờớợởỡùúụủũưừứựửữỳýỵỷỹđ",
    "ru": "яьыйщэёъ", "uk": "іяьйщїєґ", "bg": "яъйщь", "sr": "јњљћђџ", "mk": "јњќљѓѕџ",
    "ar": "ةىإأؤئي", "fa": "پچژگکی", "ur": "پچژگکیٹڈڑںھہے", "he": "",
    "yi": "\u05f0\u05f1\u05f2\u05b7\u05b8\u05bf", "hi": "", "ne": "",
}  # fmt: skip


@dataclass(frozen=True)
class WordModel:
    """Evidence of words and letters for the languages of a script.

    Attributes:
        codes: Codes of the languages.
        words: Row of the matrix for each word.
        letters: Row of the matrix for each letter.
        matrix: Log likelihood ratios against an unknown word or letter, one column per language.
        prior: Log prior of each language.
    """

    codes: tuple[str, ...]
    words: dict[str, int]
    letters: dict[str, int]
    matrix: np.ndarray
    prior: np.ndarray

    def score(self, words: Iterable[str], text: str) -> np.ndarray:
        """Add up the evidence of a text.

        Args:
            words: Its words, in lower case.
            text: The text in lower case.

        Returns:
            The log probability of each language, up to a constant.
        """
        rows = self.words
        found = [rows[word] for word in words if word in rows]
        if not text.isascii():
            letters = self.letters
            found += [letters[letter] for letter in text if letter in letters]
        return np.asarray(self.prior + self.matrix[np.array(found, dtype=np.intp)].sum(axis=0))


@dataclass(frozen=True)
class TrigramModel:
    """Evidence of the trigrams of letters, for words that the large model does not have.

    Attributes:
        known: The words that are not read.
        trigrams: Row of the matrix for each trigram.
        matrix: Log likelihood ratios against the mean of the languages, one column per language.
    """

    known: Mapping[str, int]
    trigrams: dict[str, int]
    matrix: np.ndarray

    def score(self, words: Iterable[str]) -> np.ndarray:
        """Add up the evidence of words.

        Args:
            words: Words in lower case. The first 30 letters of each are read.

        Returns:
            The log likelihood of each language, up to a constant.
        """
        found: list[int] = []
        rows = self.trigrams
        for word in words:
            if word not in self.known:
                marked = f" {word[:_LONGEST_WORD]} "
                parts = (marked[at : at + 3] for at in range(len(marked) - 2))
                found += [rows[part] for part in parts if part in rows]
        return np.asarray(self.matrix[np.array(found, dtype=np.intp)].sum(axis=0))


@cache
def small_model(script: str) -> WordModel:
    """Return the model of the most frequent words.

    Args:
        script: Unicode name of the script.

    Returns:
        The model.
    """
    return _model(script, _small_table(script))


@cache
def large_model(script: str) -> WordModel:
    """Return the model of all stop words, and of typical words.

    Args:
        script: Unicode name of the script.

    Returns:
        The model.
    """
    return _model(script, _large_table(script))


@cache
def trigram_model(script: str) -> TrigramModel:
    """Return the model of the trigrams of the large model's words.

    Args:
        script: Unicode name of the script.

    Returns:
        The model.
    """
    table = _large_table(script)
    rows: dict[str, int] = {}
    parts_of = []
    for word in table.rows:
        marked = f" {word} "
        parts_of.append([rows.setdefault(marked[at : at + 3], len(rows)) for at in range(len(word))])
    places = [part * table.columns + column for row, column in table.entries for part in parts_of[row]]
    counts = np.bincount(places, minlength=len(rows) * table.columns).reshape(-1, table.columns) + _UNKNOWN_TRIGRAM
    logs = np.log(counts / counts.sum(axis=0))
    matrix = _TRIGRAM_WEIGHT * (logs - logs.mean(axis=1, keepdims=True))
    return TrigramModel(table.rows, rows, matrix.astype(np.float32))


def _model(script: str, table: _Table) -> WordModel:
    codes = _codes(script)
    letters = _Table(len(codes))
    for column, code in enumerate(codes):
        for rank, letter in enumerate(_LETTERS[code], 2):
            letters.add((letter,), column, _ALPHABET_SHARE / rank)
    floors = np.array([_LETTER if len(word) == 1 else _UNLISTED for word in table.rows])
    matrix = np.vstack([table.ratios(floors), letters.ratios(np.full(len(letters.rows), _FOREIGN_LETTER))])
    return WordModel(
        codes=codes,
        words=table.rows,
        letters={letter: row + len(table.rows) for letter, row in letters.rows.items()},
        matrix=matrix.astype(np.float32),
        prior=np.array([_PRIOR.get(code, 0.0) for code in codes], dtype=np.float32),
    )


@cache
def _small_table(script: str) -> _Table:
    codes = _codes(script)
    table = _Table(len(codes))
    _add_frequent_words(table, codes, script)
    return table


@cache
def _large_table(script: str) -> _Table:
    codes, typical = _codes(script), _word_lists("typical_words")
    table = _Table(len(codes))
    for column, code in enumerate(codes):
        table.add(_parts(typical[code], script), column, _TYPICAL)
        table.add(_parts(sorted(stop_words(code)), script), column, _LISTED)
    _add_frequent_words(table, codes, script)
    return table


def _add_frequent_words(table: _Table, codes: tuple[str, ...], script: str) -> None:
    frequent = _word_lists("frequent_words")
    for column, code in enumerate(codes):
        for rank, word in enumerate(_parts(frequent[code], script), 1):
            table.add((word,), column, _FIRST / rank)


class _Table:
    """Probabilities of items in languages, most of which are not given."""

    def __init__(self, columns: int) -> None:
        self.columns = columns
        self.rows: dict[str, int] = {}
        self.entries: dict[tuple[int, int], float] = {}

    def add(self, items: Iterable[str], column: int, probability: float) -> None:
        """Set the probability of items in a language; a later one replaces an earlier one."""
        rows, entries = self.rows, self.entries
        for item in items:
            entries[rows.setdefault(item, len(rows)), column] = probability

    def ratios(self, floors: np.ndarray) -> np.ndarray:
        """Return the logarithms of the probabilities over the floor of each item, which is the one of all others."""
        matrix = np.repeat(floors[:, None], self.columns, axis=1)
        rows, columns = np.array(list(self.entries), dtype=np.intp).reshape(-1, 2).T
        matrix[rows, columns] = np.maximum(list(self.entries.values()), floors[rows])
        return np.asarray(np.log(matrix / floors[:, None]))


def _codes(script: str) -> tuple[str, ...]:
    """Return the codes of the languages of a script that there are frequent words for."""
    known = _word_lists("frequent_words")
    return tuple(code for code, row in LANGUAGES.items() if row.script == script and code in known)


@cache
def _word_lists(name: str) -> dict[str, list[str]]:
    """Read the words of each language; the most frequent words begin with the most frequent one."""
    lines = (resources.files("mderank") / "languages" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return {code: words for code, *words in map(str.split, lines)}


def split_words(text: str, script: str) -> list[str]:
    """Split a text into words of letters, at apostrophes and hyphens too.

    Args:
        text: A text in lower case.
        script: Unicode name of its script.

    Returns:
        The words in text order.
    """
    return (_WITH_MARKS if script in _MARKED_SCRIPTS else _LETTERS_ONLY).findall(text)


def _parts(words: Iterable[str], script: str) -> list[str]:
    """Split listed words as those of a text are."""
    return list(dict.fromkeys(part for word in words for part in split_words(word, script)))
