"""The parts of a word that a tagger is given, and the tag of the word from those of its parts.

Taggers of English were trained on words that are divided at hyphens and slashes: they know "graph" "-" "based", and
guess at "graph-based". So the parts are tagged, and the word's tag is made from theirs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from mderank.document import SENTENCE_ENDS, Tagset
from mderank.tagging.tokenizer import WordKind

# Where spaCy's English pipelines were taught to divide: at a hyphen between letters, at a slash before one.
_DIVISION = re.compile(r"(?<=[^\W\d_])([-‐‑–])(?=[^\W\d_])|(?<=[^\W_])(/)(?=[^\W\d_])")
_QUANTITY = re.compile(r"[\d.,]*\d|[^\d.,]+|[.,]+")
_LONGEST_PART = 100  # characters

_PLAIN_APOSTROPHES = str.maketrans("’‘ʼ", "'''", "\u00ad")

_NOUN_OR_ADJECTIVE = ("NN", "JJ", "NOUN", "PROPN", "ADJ")
_UNIVERSAL = frozenset("ADP ADV AUX CCONJ DET INTJ PART PRON SCONJ SYM VERB X PUNCT".split())
# A word that joins two of these by a slash is one of them: "and/or", "he/she".
_CLOSED = frozenset("CC DT IN MD PRP PRP$ TO WDT WP WP$ WRB CCONJ SCONJ DET PRON ADP AUX".split())
# What a tagger says of a word that it takes for something else than a word.
_NO_WORD = frozenset("ADD HYPH LS NFP SYM XX X . , : `` '' -LRB- -RRB- $ # PUNCT".split())
# What a mark may be. Taggers also call marks that they do not know nouns, adjectives and verbs.
_MARKS = frozenset(". , : `` '' -LRB- -RRB- HYPH NFP SYM $ # CC POS LS PUNCT CCONJ PART".split())

# A name, whatever a tagger makes of it: "5G", "C++", "AT&T", "node.js".
_NAME = re.compile(r"\d|[+#*&]|\w\w\.\w")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th)", re.IGNORECASE)


def parts(word: str, kind: WordKind) -> list[str]:
    """Divide a word into the parts that a tagger is given, in plain letters.

    >>> parts("graph-based", "word"), parts("COVID-19", "word"), parts("$5", "number")
    (['graph', '-', 'based'], ['COVID-19'], ['$', '5'])

    Args:
        word: The word.
        kind: Its kind; see `mderank.tagging.tokenizer.Word`.

    Returns:
        The parts, in order.
    """
    if kind in ("address", "mark"):  # an emoji or letter may have any number of combining characters
        return [word[:_LONGEST_PART]]
    if kind == "number":
        return [word] if word[0].isdigit() and word[-1].isdigit() else _QUANTITY.findall(word)
    if not word.isascii():
        word = unicodedata.normalize("NFKC", word.translate(_PLAIN_APOSTROPHES)).strip() or word
    return [part for part in _DIVISION.split(word) if part]


def whole_tag(word: str, kind: WordKind, tags: Sequence[str], tagset: Tagset) -> str:
    """Find the tag of a word from the tags of its parts. Numbers, marks and addresses are never nouns.

    >>> whole_tag("graph-based", "word", ["NN", "HYPH", "VBN"], "penn"), whole_tag("5G", "word", ["CD"], "penn")
    ('JJ', 'NNP')

    Args:
        word: The word.
        kind: Its kind.
        tags: The tags of its parts.
        tagset: The tagset of the tags.

    Returns:
        The tag.
    """
    universal = tagset == "universal"
    if kind == "number":
        return "NUM" if universal else "CD"
    if kind == "address":
        return "X" if universal else "ADD"
    if kind == "mark":
        end = "PUNCT" if universal else "."
        return end if word in SENTENCE_ENDS else tags[0] if tags[0] in _MARKS else "SYM"
    tag = tags[0]
    if len(tags) > 1:
        closed = "/" in word and tags[0] in _CLOSED and tags[-1] in _CLOSED
        tag = tags[-1] if closed else compound_tag(tags[-1])
    if tag in _NO_WORD or (_NAME.search(word) and not tag.startswith(_NOUN_OR_ADJECTIVE)):
        return _name_tag(word, universal)
    return tag


def _name_tag(word: str, universal: bool) -> str:
    """The tag of a word that a tagger took for something else: "5G" is a proper noun, "mp3" a noun."""
    if _ORDINAL.fullmatch(word):
        return "ADJ" if universal else "JJ"
    if any(letter.isupper() for letter in word):
        return "PROPN" if universal else "NNP"
    return "NOUN" if universal else "NN"


def compound_tag(last: str) -> str:
    """Find the tag of a hyphenated word: "decision-making" is a noun, "graph-based" an adjective.

    Args:
        last: The tag of its last part.

    Returns:
        The tag.
    """
    if last.startswith(("NN", "CD", "JJ")) or last in ("NOUN", "PROPN", "ADJ", "NUM"):
        return last
    if last == "VBG":
        return "NN"
    return "ADJ" if last.isalpha() and last in _UNIVERSAL else "JJ"
