"""Features of a word's spelling for its tag: capitals, digits, hyphens, the beginning of a sentence.

Encoders without capital letters do not see this. Headlines and capitals are read as if they were in lower case.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from mderank.tagging.headlines import lower_headlines
from mderank.tagging.tokenizer import WordKind
from mderank.util.arrays import Floats

FEATURES = (
    "word",
    "number",
    "mark",
    "address",
    "capital letter first",
    "capital letters only",
    "capital letter inside",
    "digit",
    "hyphen or slash",
    "full stop last",
    "apostrophe",
    "one character",
    "begins a sentence",
    "capital letter first, begins a sentence",
)
_KINDS: dict[WordKind, int] = {"word": 1, "number": 2, "mark": 4, "address": 8}
_CAPITAL, _START, _CAPITAL_AT_START = 1 << 4, 1 << 12, 1 << 13
_BITS = np.arange(len(FEATURES))
_ENDS = frozenset((".", "?", "!", "…", ":"))  # of a sentence or clause


def spelling_features(forms: Sequence[str], kinds: Sequence[WordKind]) -> Floats:
    """Compute the features of the words of a paragraph.

    Args:
        forms: The words as they are written.
        kinds: Their kinds.

    Returns:
        Zeros and ones ``(words, features)``, in the order of `FEATURES`.
    """
    codes = []
    starts = True
    for form, kind in zip(lower_headlines(forms), kinds, strict=True):
        code = _code(form, kind)
        if starts:
            code |= _START | (_CAPITAL_AT_START if code & _CAPITAL else 0)
        codes.append(code)
        starts = form in _ENDS or (starts and kind == "mark")
    features: Floats = (np.asarray(codes, dtype=np.int64)[:, None] >> _BITS & 1).astype(np.float32)
    return features


@lru_cache(maxsize=50_000)
def _code(form: str, kind: WordKind) -> int:
    """The features of a word that do not depend on its place, as a binary number."""
    if kind != "word":
        return _KINDS[kind]
    capitals = form.isupper() and len(form) > 1
    facts = (
        True,
        False,
        False,
        False,
        form[0].isupper(),
        capitals,
        not capitals and any(letter.isupper() for letter in form[1:]),
        any(letter.isdigit() for letter in form),
        any(mark in form for mark in "-/–"),
        form[-1] == ".",
        "'" in form or "’" in form,
        len(form) == 1,
    )
    return sum(1 << bit for bit, fact in enumerate(facts) if fact)
