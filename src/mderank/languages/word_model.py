"""Naive Bayes over the words and letters of the languages of one script.

A word's probability in a language is set by its list: Zipf's law by rank for the most frequent words, one value for
other stop words, one for words of neither. Letters beyond a-z count too, since few languages share them. The large
model knows all stop words, and the trigrams of their letters for words that it does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import numpy as np

from mderank.languages.table import LANGUAGES, stop_words

_WORD = re.compile(r"[^\W\d_]+")
_FIRST, _LISTED, _UNLISTED = 0.05, 3e-4, 2e-5  # probabilities: rank 1 of Zipf's law, stop words, other words
_LETTER = 2e-3  # of a single letter that is no word of a language: names and formulas have them
_ALPHABET_SHARE, _FOREIGN_LETTER = 0.08, 3e-4  # of the letters: all beyond the basic ones; one of another alphabet
_UNKNOWN_TRIGRAM = 0.5  # added to the count of each trigram
_TRIGRAM_WEIGHT = 0.4  # trigrams of a word overlap, so that they say less than independent ones

_ENGLISH_PRIOR = 2.0  # English is the likeliest language of a short text
# Letters that languages have beyond a-z, and for other scripts those that not all of its languages have.
_LETTERS = {
    "en": "", "de": "äöüß", "fr": "éèàêçîôûùïâë", "es": "áéíóúñü", "pt": "ãçáéíõóêâúàô", "it": "èàùòìé", "nl": "ëéï",
    "pl": "ąćęłńóśźż", "cs": "áíéěřýščžůúňďťó", "sk": "áíéýščžúľťňďäôóĺŕ", "da": "æøå", "nb": "åøæé", "sv": "åäö",
    "fi": "äö", "et": "äõüöšž", "hu": "áéíóöőúüű", "hr": "čćđšž", "sl": "čšž", "ro": "ăâîșțşţ", "ca": "àçèéíïòóúü",
    "lt": "ėšųžįąęčū", "lv": "āēīūšžļņčģķ", "tr": "ışğüçöâî", "id": "", "eo": "ĉĝĥĵŝŭ", "eu": "ñ", "ga": "áéíóú",
    "vi": "àáạảãâầấậẩẫăằắặẳẵèéẹẻẽêềếệểễìíịỉĩòóọỏõôồốộổỗơờớợởỡùúụủũưừứựửữỳýỵỷỹđ",
    "ru": "ыэёъщйья", "uk": "іїєґщйья", "bg": "ъщйья", "sr": "јљњћђџ", "mk": "јљњќѓѕџ",
    "ar": "ةىإأؤئي", "fa": "پچژگکی", "ur": "پچژگکیٹڈڑںھہے", "he": "",
    "yi": "\u05f0\u05f1\u05f2\u05b7\u05b8\u05bf", "hi": "", "ne": "",
}  # fmt: skip


@dataclass(frozen=True)
class WordModel:
    """Evidence of words and letters for the languages of a script.

    Attributes:
        codes: Codes of the languages.
        rows: Row of the matrix for each word.
        letters: Row of the matrix for each letter.
        trigrams: Row of the matrix for each trigram; empty in the small model.
        matrix: Log likelihood ratios against an unknown word or letter, one column per language.
        prior: Log prior of each language.
    """

    codes: tuple[str, ...]
    rows: dict[str, int]
    letters: dict[str, int]
    trigrams: dict[str, int]
    matrix: np.ndarray
    prior: np.ndarray

    def score(self, words: Sequence[str], text: str) -> tuple[np.ndarray, np.ndarray]:
        """Add up the evidence of a text.

        Args:
            words: Its words, in lower case.
            text: The text in lower case.

        Returns:
            The log probability of each language, up to a constant: by words and letters, and by trigrams.
        """
        known = self.rows
        found = [known[word] for word in words if word in known]
        if not text.isascii():
            letters = self.letters
            found += [letters[letter] for letter in text if letter in letters]
        parts: list[int] = []
        if self.trigrams:
            trigrams = self.trigrams
            for word in words:
                if word not in known:
                    marked = f" {word} "
                    places = range(len(word))
                    parts += [trigrams[part] for at in places if (part := marked[at : at + 3]) in trigrams]
        return self.prior + self.matrix[found].sum(axis=0), self.matrix[parts].sum(axis=0)


def small_model(script: str) -> WordModel:
    """Return the model of the most frequent words.

    Args:
        script: Unicode name of the script.

    Returns:
        The model.
    """
    return _model(script, False)


def large_model(script: str) -> WordModel:
    """Return the model of all stop words and of their trigrams.

    Args:
        script: Unicode name of the script.

    Returns:
        The model.
    """
    return _model(script, True)


@cache
def _model(script: str, large: bool) -> WordModel:
    codes = _codes(script)
    frequent = _frequent_words()
    probabilities: dict[str, dict[int, float]] = {}
    for column, code in enumerate(codes):
        if large and code in LANGUAGES:
            for word in _parts(stop_words(code)):
                probabilities.setdefault(word, {})[column] = _LISTED
        for rank, word in enumerate(_parts(frequent[code]), 1):
            probabilities.setdefault(word, {})[column] = _FIRST / rank
    rows: dict[str, int] = {}
    matrix: list[np.ndarray] = []
    for word, found in probabilities.items():
        rows[word] = len(matrix)
        matrix.append(_ratios(found, len(codes), _LETTER if len(word) == 1 else _UNLISTED))
    letters: dict[str, int] = {}
    for letter in sorted(set("".join(_LETTERS[code] for code in codes))):
        letters[letter] = len(matrix)
        found = {
            column: _ALPHABET_SHARE / (2 + _LETTERS[code].index(letter))
            for column, code in enumerate(codes)
            if letter in _LETTERS[code]
        }
        matrix.append(_ratios(found, len(codes), _FOREIGN_LETTER))
    trigrams: dict[str, int] = {}
    if large:
        trigrams, weights = _trigram_table(probabilities, len(codes))
        trigrams = {trigram: row + len(matrix) for trigram, row in trigrams.items()}
        matrix.extend(weights)
    prior = np.array([_ENGLISH_PRIOR * (code == "en") for code in codes], dtype=np.float32)
    return WordModel(codes, rows, letters, trigrams, np.array(matrix, dtype=np.float32), prior)


def _ratios(found: dict[int, float], columns: int, floor: float) -> np.ndarray:
    """Return the logarithms of probabilities over the floor, which languages without an entry have."""
    row = np.zeros(columns, dtype=np.float32)
    for column, probability in found.items():
        row[column] = max(0.0, np.log(probability / floor))
    return row


def _trigram_table(words: dict[str, dict[int, float]], columns: int) -> tuple[dict[str, int], np.ndarray]:
    """Count the trigrams of words, and return the weighted log ratios to their mean over the languages."""
    rows: dict[str, int] = {}
    places: list[tuple[int, int]] = []
    for word, found in words.items():
        marked = f" {word} "
        for at in range(len(word)):
            row = rows.setdefault(marked[at : at + 3], len(rows))
            places += [(row, column) for column in found]
    counts = np.full((len(rows), columns), _UNKNOWN_TRIGRAM, dtype=np.float64)
    np.add.at(counts, tuple(np.array(places).T), 1.0)
    logs = np.log(counts / counts.sum(axis=0))
    return rows, _TRIGRAM_WEIGHT * (logs - logs.mean(axis=1, keepdims=True))


def _codes(script: str) -> tuple[str, ...]:
    """Return the codes of the languages of a script that there are frequent words for."""
    known = _frequent_words()
    return tuple(code for code, row in LANGUAGES.items() if row.script == script and code in known)


@cache
def _frequent_words() -> dict[str, list[str]]:
    """Read the most frequent words of each language, the most frequent first."""
    lines = (resources.files("mderank") / "languages" / "frequent_words.txt").read_text(encoding="utf-8").splitlines()
    return {code: words for code, *words in map(str.split, lines)}


def _parts(words: Iterable[str]) -> list[str]:
    """Split words at apostrophes and hyphens, as the words of a text are."""
    return list(dict.fromkeys(part for word in words for part in _WORD.findall(word)))
