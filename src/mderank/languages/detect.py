"""The language of a text, from its scripts, its function words, its letters, and the endings of its words.

The text is read in three places. Scripts decide first: kana are Japanese, Hangul is Korean. Languages that share a
script are told apart by naive Bayes over words (:mod:`mderank.languages.word_model`). A small table of the most
frequent words decides plain cases, so that an English text never loads the lists of stop words. The large table has the
stop words of all languages, and the trigrams of their letters.

A text without evidence, such as a list of names or code, is called English with a low certainty.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from math import exp

import numpy as np

from mderank.languages.word_model import WordModel, large_model, small_model, split_words, trigram_model

_PLACES = 3
_PLACE = 700  # characters; three of them are the whole of most abstracts
_COMPATIBLE = re.compile(r"[^\W\d_]")
_OTHER_SCRIPT = re.compile(r"[^\W\d_\x00-\u02ff\u1e00-\u1eff\u2c60-\u2c7f\ua720-\ua7ff\uff21-\uff5a]")
_SCRIPTS = {
    "kana": re.compile(r"[\u3040-\u30ff\uff66-\uff9d]"),
    "Han": re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    "Hangul": re.compile(r"[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"),
    "Cyrillic": re.compile(r"[\u0400-\u052f]"),
    "Arabic": re.compile(r"[\u0620-\u064a\u066e-\u06d3\u06fa-\u06fc\ufb50-\ufdff\ufe70-\ufefc]"),
    "Greek": re.compile(r"[\u0370-\u03ff\u1f00-\u1fff]"),
    "Hebrew": re.compile(r"[\u05d0-\u05f4\ufb1d-\ufb4f]"),
    "Devanagari": re.compile(r"[\u0900-\u097f]"),
    "Thai": re.compile(r"[\u0e01-\u0e4e]"),
    "Armenian": re.compile(r"[\u0531-\u0587]"),
    "Tamil": re.compile(r"[\u0b80-\u0bff]"),
}
_ONE_LANGUAGE = {"Hangul": "ko", "Greek": "el", "Thai": "th", "Armenian": "hy", "Tamil": "ta"}
_MODELS = ("Cyrillic", "Arabic", "Hebrew", "Devanagari")
# A sign of a script without spaces, or with short words, stands for more of the text than a Latin letter does.
_DENSITY = {"Han": 3, "kana": 2, "Hangul": 2}
_FEWEST_KANA = 0.04  # of the Japanese letters; Chinese texts quote a kana now and then
_IN_DOUBT = 0.3
_PLAIN, _PLAIN_PER_WORD = 15.0, 0.1  # lead in nats from which the small table decides
# Lead in nats, of words and letters alone, that shows a language: over English, or of English over its prior.
_ENOUGH = 5.0
_INTERCEPT, _SLOPE = 0.22, 0.63


@dataclass(frozen=True)
class DetectedLanguage:
    """The language of a text.

    Attributes:
        code: Code of a language of the table.
        certainty: Estimated chance that the code is right, between 0 and 1.
    """

    code: str
    certainty: float


def detect_language(text: str) -> DetectedLanguage:
    """Detect the language of a text.

    >>> detect_language("Die Bedeutung eines Dokuments ist nicht die Summe der Wörter.").code
    'de'
    >>> detect_language("kubernetes docker helm").code
    'en'

    Args:
        text: Any text. At most 2,100 characters of it are read.

    Returns:
        The language. English, with a low certainty, for a text that shows no language.
    """
    places = _places(text)
    sample = " ".join(places)
    if not sample.isascii():
        script = _other_script(sample)
        if script is not None:
            return _of_script(script, sample, places)
    return _of_words(places, "Latin")


def _places(text: str) -> tuple[str, ...]:
    """Take the beginning, the middle and the end of a long text."""
    if len(text) <= _PLACES * _PLACE:
        return (text,)
    middle = (len(text) - _PLACE) // 2
    return text[:_PLACE], text[middle : middle + _PLACE], text[-_PLACE:]


def _other_script(sample: str) -> str | None:
    """Return the script that most of the sample is in, or None for Latin."""
    others = "".join(_OTHER_SCRIPT.findall(sample))
    if not others:
        return None
    counts = {name: len(pattern.findall(others)) * _DENSITY.get(name, 1) for name, pattern in _SCRIPTS.items()}
    script, most = max(counts.items(), key=lambda item: item[1])
    if counts["kana"] > _FEWEST_KANA * (counts["Han"] + counts["kana"]) and script == "Han":
        script, most = "kana", counts["kana"] + counts["Han"]
    latin = len(_COMPATIBLE.findall(sample)) - len(others)
    return script if most > latin else None


def _of_script(script: str, sample: str, places: tuple[str, ...]) -> DetectedLanguage:
    if script in _MODELS:
        return _of_words(places, script)
    count = len(_SCRIPTS[script].findall(sample))
    certainty = count / (count + 1)
    if script == "Greek" and count < 12:  # formulas have Greek letters
        return DetectedLanguage("en", _IN_DOUBT)
    return DetectedLanguage(_ONE_LANGUAGE.get(script, "ja" if script == "kana" else "zh"), certainty)


def _of_words(places: tuple[str, ...], script: str) -> DetectedLanguage:
    lowered = [_normalized(place) for place in places]
    # Once per place: repeated words say little more. Sorted, so that sums do not depend on the process.
    words = [word for place in lowered for word in sorted(set(split_words(place, script)))]
    text = " ".join(lowered)
    for model in (small_model, large_model):
        evidence = model(script)
        scores = evidence.score(words, text)
        best, lead = _best(scores)
        if lead >= max(_PLAIN, _PLAIN_PER_WORD * len(words)) and _is_shown(evidence, best, words):
            return DetectedLanguage(evidence.codes[best], _certainty(lead))
    best, lead = _best(scores + trigram_model(script).score(words))
    if script == "Latin" and not _is_shown(evidence, best, words):
        return DetectedLanguage("en", _IN_DOUBT)
    return DetectedLanguage(evidence.codes[best], _certainty(lead))


def _is_shown(evidence: WordModel, best: int, words: list[str]) -> bool:
    """Whether distinct words and their letters speak enough for a language, so that it is no mere guess."""
    if "en" not in evidence.codes:
        return True
    distinct = sorted(set(words))
    scores = evidence.score(distinct, " ".join(distinct))
    english = evidence.codes.index("en")
    weakest = evidence.prior if best == english else scores
    return bool(scores[best] - weakest[english] >= _ENOUGH)


def _normalized(text: str) -> str:
    lowered = text.lower()
    return lowered if lowered.isascii() else unicodedata.normalize("NFC", lowered)


def _best(scores: np.ndarray) -> tuple[int, float]:
    """Return the column of the highest score, and its lead over the second."""
    first, second = np.argsort(-scores, kind="stable")[:2]
    return int(first), float(scores[first] - scores[second])


def _certainty(lead: float) -> float:
    """Turn a lead in nats into a chance, by a logistic curve.

    The words of a text depend on each other, so the lead itself is too sure. The curve was fitted to samples of 5 to 50
    words in 27 languages. From a certainty of 0.8 on it is within 0.04 of the share of right answers, and within 0.1
    below (``benchmarks/language_detection.py --certainty``).
    """
    return 1 / (1 + exp(-(_INTERCEPT + _SLOPE * lead)))
