"""Functions on strings: stems, white space, first words, lone surrogates."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from itertools import islice
from typing import Any

from mderank.languages.table import find_language

_WORD = re.compile(r"\S+")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")

# Languages whose words are found by a segmenter, since spaces do not, or not always, separate them.
SEGMENTED = frozenset(("ja", "ko", "th", "zh"))
# Their letters, as a class of a regular expression: Han, kana, Bopomofo, Hangul, Thai.
SEGMENTED_LETTERS = (
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    "\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\u3105-\u312f"
    "\u1100-\u11ff\u3131-\u318e\ua960-\ua97f\uac00-\ud7ff\u0e01-\u0e3a\u0e40-\u0e4e"
)
# Of these, languages in which a line may end inside a word.
_UNBROKEN = frozenset(("ja", "zh"))
_WIDE = "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f\U00020000-\U0003ffff"
_LINE_BREAK = re.compile(rf"(?<=[{_WIDE}])[^\S\n\r]*[\n\r]\s*(?=[{_WIDE}])")


def replace_surrogates(text: str) -> str:
    """Replace lone surrogates, which no encoder can read, one for one, so that offsets hold.

    Args:
        text: Any text.

    Returns:
        The text, with U+FFFD in place of lone surrogates.
    """
    return _LONE_SURROGATE.sub("\ufffd", text)


def collapse_whitespace(text: str) -> str:
    r"""Replace runs of white space by single spaces, and remove them at both ends.

    >>> collapse_whitespace(" support\n vector ")
    'support vector'

    Args:
        text: Any text.

    Returns:
        The text with single spaces.
    """
    return " ".join(text.split())


def join_lines(text: str, language: str) -> str:
    r"""Remove line breaks between two Chinese or Japanese characters. Other languages keep theirs.

    >>> join_lines("機\n械学習", "ja")
    '機械学習'

    Args:
        text: Any text.
        language: Language code.

    Returns:
        The text without these line breaks.
    """
    return _LINE_BREAK.sub("", text) if language in _UNBROKEN else text


def comparable(phrase: str, language: str) -> str:
    """Remove what does not tell two phrases of a language apart: white space, where words need none between them.

    >>> comparable("기계 학습", "ko"), comparable("machine learning", "en")
    ('기계학습', 'machine learning')

    Args:
        phrase: The phrase.
        language: Language code.

    Returns:
        The phrase.
    """
    return "".join(phrase.split()) if language in SEGMENTED else phrase


def end_of_words(text: str, count: int | None) -> int:
    """Find the offset after the first words of a text.

    >>> end_of_words("three short words", 2)
    11

    Args:
        text: Any text.
        count: Number of words, separated by white space; None for all of the text.

    Returns:
        The character offset; the length of a text that has fewer words.
    """
    if count is None:
        return len(text)
    last = next(islice(_WORD.finditer(text), count - 1, None), None)
    return last.end() if last else len(text)


def stem_phrase(phrase: str, language: str = "en") -> str:
    """Stem the words of a phrase: Porter's algorithm for English, lower case where there is no stemmer.

    >>> stem_phrase("Neural Networks")
    'neural network'

    Args:
        phrase: Words separated by white space.
        language: Code or English name of a language.

    Returns:
        The stems, with single spaces between them.
    """
    return " ".join(_stem(word, language) for word in phrase.lower().split())


@lru_cache(maxsize=65_536)
def _stem(word: str, language: str) -> str:
    stemmer = _stemmer(language)
    return str(stemmer.stemWord(word)) if stemmer else word


@cache
def _stemmer(code: str) -> Any:
    language = find_language(code)
    if language is None or language.stemmer is None:
        return None
    import snowballstemmer  # slow to import: it has the stemmers of all languages

    return snowballstemmer.stemmer(language.stemmer)
