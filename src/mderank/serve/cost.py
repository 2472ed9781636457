"""The cost of computing a text, counted before it is accepted.

A tagger and an encoder take time for each word and each mark, not for each character. 150,000 brackets cost as much as
150,000 words of prose, which would be five times as long.
"""

from __future__ import annotations

import re

CHARS_PER_UNIT = 5  # characters of English prose for each word or mark, white space included
# A word is as many units as the parts of 12 characters that it has: an encoder divides long words.
_UNITS = re.compile(r"\w{1,12}|[^\w\s]")


def text_cost(text: str) -> int:
    """Estimate what a text costs to tag and to encode.

    Args:
        text: The text.

    Returns:
        The number of characters of ordinary prose that cost as much. It is about the length of ordinary prose.

    >>> text_cost("Coral reefs protect the coast from storms."), text_cost("([{" * 14), text_cost(" " * 42)
    (40, 210, 0)
    """
    return CHARS_PER_UNIT * len(_UNITS.findall(text))
