"""Words that were divided at the end of a line: "fore-⏎casting" is one word, "well-⏎known" keeps its hyphen.

The text itself is the best dictionary: a divided word usually stands in it undivided as well.
"""

from __future__ import annotations

import re
from collections import Counter

from mderank.document import Span
from mderank.tagging.layout.lines import FUNCTION_WORDS

SOFT_HYPHEN = "\u00ad"

# Parts of words have at most 40 letters here, so that no mass of letters is looked at twice.
_FIRST_PART = re.compile(r"(?:[^\W_]{1,40}[-‐])*[^\W_]{1,40}\Z")
_SECOND_PART = re.compile(r"[^\W_]{1,40}(?:['’-][^\W_]{1,40}){0,4}")
_WORD = re.compile(r"[^\W\d_]+(?:[-‐][^\W\d_]+)*")

# First parts after which English writes the hyphen. Others ("pre", "multi", "sub", "inter") are written together.
_HYPHENATED_FIRST = frozenset(
    "self well ill ex non all half quasi cross high low long short large small wide broad deep full part single "
    "double triple one two three four five six seven eight nine ten twenty thirty forty fifty sixty "
    "seventy eighty ninety first second third last best better worst hard soft fast slow old new real early late open "
    "closed free fixed good bad great so vice lower upper middle top end e x t u".split()
)
# Second parts before which English writes the hyphen.
_HYPHENATED_SECOND = frozenset(
    "based free scale term level known driven oriented related specific dependent independent dimensional aware "
    "efficient effective friendly making sized shaped style type year years days week "
    "month hour minute mile".split()
)
# First parts that stand before names: "non-European".
_BEFORE_NAMES = frozenset("non anti pre post pro mid trans un ex inter pan neo sub all self quasi half".split())
_SUFFIX = re.compile(
    r"(?:ings?|tions?|sions?|ments?|ers?|ed|ly|ness|able|ible|ally|ling|ity|ities|ism|ists?|ance|ence|ful|less|ive|al|"
    r"ous|ize[ds]?|ized|ised|ization|ral|tic|tical|tally|sis|gy|cy|ry|es|en|s)\Z"
)
_ENDING = re.compile(r"(?:ing|ed|es|s|ly|e)\Z")


class DividedWords:
    """Decides how words that were divided at line ends are written, from the words of their text.

    Args:
        text: the text. Its words divided at line ends are not counted.
    """

    def __init__(self, text: str) -> None:
        self._counts: Counter[str] = Counter()
        for found in _WORD.finditer(text):
            end = found.end()
            # Neither part of a divided word is a word of the text.
            if text[end : end + 1] in ("-", "‐", SOFT_HYPHEN) and text[end + 1 : end + 3].lstrip(" \t")[:1] in "\r\n":
                continue
            word = found.group().lower().replace("‐", "-")
            self._counts[word] += 1
            if "-" in word:
                self._counts.update(word.split("-"))
        self._stems = {_stem(word) for word in self._counts if len(word) > 4}

    def left_out(self, text: str, first_end: int, second_start: int) -> Span | None:
        """Find the span that a joined word leaves out.

        Args:
            text: the text, blanked.
            first_end: offset after the last character of the first line that is not white space.
            second_start: offset of the first such character of the line that continues it.

        Returns:
            The span of the hyphen and the line break; None if the line does not end with a divided word.
        """
        hyphen = first_end - 1
        if text[hyphen : hyphen + 1] not in ("-", "‐", SOFT_HYPHEN):
            return None
        first = _FIRST_PART.search(text[max(0, hyphen - 80) : hyphen])
        second = _SECOND_PART.match(text[second_start : second_start + 80])
        if first is None or second is None or not self._belong_together(first.group(), second.group()):
            return None
        joined = text[hyphen] == SOFT_HYPHEN or self._is_joined(first.group(), second.group())
        return Span(hyphen if joined else first_end, second_start)

    def _belong_together(self, first: str, second: str) -> bool:
        """Whether two parts are one word. The hyphen of "pre- and post-processing" divides nothing."""
        if self._counts[f"{first.lower()}-{second.lower()}"] or "-" in first:
            return True
        if second.lower() in FUNCTION_WORDS:
            return False
        return not (first.islower() and second[0].isupper()) or first in _BEFORE_NAMES

    def _is_joined(self, first: str, second: str) -> bool:
        """Whether the word is written without a hyphen."""
        lower_first, lower_second = first.lower(), second.lower()
        together = self._counts[lower_first + lower_second]
        apart = self._counts[f"{lower_first}-{lower_second}"]
        if together or apart:
            return together >= apart
        in_capitals = first.isupper() and second.isupper() and len(first) > 1
        if not (first + second).isalpha() or not (second[0].islower() or in_capitals):
            return False
        if _stem(lower_first + lower_second) in self._stems:
            return True
        if lower_first in _HYPHENATED_FIRST or lower_second in _HYPHENATED_SECOND:
            return False
        if not self._counts[lower_first] or lower_first in FUNCTION_WORDS or len(lower_first) < 3:
            return True
        # The first part is a word of its own: "energy-efficient", but "model-ling".
        return not self._counts[lower_second] and bool(_SUFFIX.match(lower_second))


def _stem(word: str) -> str:
    """A word without its commonest endings.

    >>> _stem("forecasting"), _stem("forecasts")
    ('forecast', 'forecast')
    """
    return _ENDING.sub("", word) if len(word) > 5 else word
