"""Kinds of words in English: which tokens can begin, continue, link or end a term, by their tags and their context."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mderank.candidates.base import is_word
from mderank.candidates.stopwords import stop_words_of
from mderank.candidates.word_lists import light_words
from mderank.document import Document, Token

# Kinds of words, one letter each, so that a stretch of words is a string.
NOUN, ADJECTIVE, AFTER_NOUN, PARTICIPLE, GERUND, NUMBER, OF, AND, POSSESSIVE, OTHER = "NJFPGCOAS-"
LINKS = frozenset(OF + AND + POSSESSIVE)
STARTS = frozenset(NOUN + ADJECTIVE + PARTICIPLE)
ENDS = frozenset(NOUN + AFTER_NOUN + GERUND + NUMBER)


def word_kinds(document: Document, extra_stop_words: frozenset[str]) -> str:
    """Find the kind of every token.

    Args:
        document: The tagged text.
        extra_stop_words: Words that no phrase has inside it, beside those of the language.

    Returns:
        A string with one letter per token.
    """
    stop_words = stop_words_of(document.language) | extra_stop_words
    kinds = [_plain_kind(token, stop_words) for token in document.tokens]
    _read_context(document, kinds)
    for index, kind in enumerate(kinds):
        if kind in (PARTICIPLE, GERUND):
            kinds[index] = _verb_kind(document, kinds, index)
    for index in range(len(kinds)):
        if (kinds[index] in LINKS and not _links(document, kinds, index)) or (
            kinds[index] == NUMBER and not _in_name(document, kinds, index)
        ):
            kinds[index] = OTHER
    return "".join(kinds)


# What programs put before the subject of a mail: "Re: Fwd: bonfires".
_REPLY = frozenset("re fw fwd aw wg".split())
# What stands before a noun "mine".
_BEFORE_MINE = frozenset((NOUN, ADJECTIVE, PARTICIPLE))
# Latin phrases that are one adjective: "in vivo Raman spectroscopy".
_LATIN = frozenset("vivo vitro situ silico utero absentia".split())


def _read_context(document: Document, kinds: list[str]) -> None:
    """Mend the kinds that depend on the word before: units behind a number, days and months, "in vivo"."""
    light = light_words()
    for index, token in enumerate(document.tokens):
        lower = token.text.lower().strip(".")
        before = document.tokens[index - 1] if index and index not in document.paragraph_starts else None
        is_unit = lower in light.units and (before is None or before.tag in ("CD", "NUM") or before.text[-1].isdigit())
        if lower in _REPLY and _is_reply_mark(document, index):
            kinds[index] = OTHER
        elif lower in ("mine", "mines") and before is not None and kinds[index - 1] in _BEFORE_MINE:
            kinds[index] = NOUN
        elif is_unit or (lower in light.times and not _is_named_day(token, before, kinds[index - 1] if before else "")):
            kinds[index] = OTHER
        elif before is not None and lower in _LATIN and before.text.lower() == "in":
            kinds[index - 1] = kinds[index] = ADJECTIVE
        elif token.tag == "VBZ" and before is not None and kinds[index - 1] == NOUN and _is_plural(document, index):
            kinds[index] = NOUN


def _is_reply_mark(document: Document, index: int) -> bool:
    """Whether a colon follows, or the word begins a paragraph that continues with a capital letter."""
    after = document.tokens[index + 1].text if index + 1 < len(document.tokens) else ""
    begins = index == 0 or index in document.paragraph_starts
    return after == ":" or (begins and document.tokens[index].text.isupper() and after[:1].isupper())


def _is_plural(document: Document, index: int) -> bool:
    """Whether a word that is tagged as a verb is a noun in the plural: a verb follows, or there is no other verb.

    "Storm surges hit the coast", "Coral reefs".
    """
    after = _tag(document, index + 1, index + 1)
    if after in ("VBD", "VBZ", "VBP", "MD"):
        return True
    return not after and not _tag(document, index - 2, index - 1)


def _is_named_day(token: Token, before: Token | None, kind_before: str) -> bool:
    """Whether a day or month is the end of a name: "Black Friday", but not "surgery Monday"."""
    return before is not None and kind_before in (NOUN, ADJECTIVE) and before.text.istitle() and token.text.istitle()


# Numbers of tickets, times ("x3 farms"), "w/o".
_NO_TERM = re.compile(r"[A-Za-z]{1,5}\d{5,}\Z|[xX×]\d+\Z|w/o?\Z")
_PENN = {"NN": NOUN, "NNS": NOUN, "NNP": NOUN, "NNPS": NOUN, "FW": NOUN, "JJ": ADJECTIVE, "AFX": ADJECTIVE,
         "VBN": PARTICIPLE, "VBD": PARTICIPLE, "VBG": GERUND, "CD": NUMBER}  # fmt: skip
_UNIVERSAL = {"NOUN": NOUN, "PROPN": NOUN, "ADJ": ADJECTIVE, "NUM": NUMBER}


def _plain_kind(token: Token, stop_words: frozenset[str]) -> str:
    if token.text in ("&", "and"):
        return AND
    if token.tag == "POS":
        return POSSESSIVE
    lower = token.text.lower()
    if lower == "of":
        return OF
    if not is_word(token) or lower in stop_words or _NO_TERM.match(token.text):
        return OTHER
    return _PENN.get(token.tag) or _UNIVERSAL.get(token.tag) or OTHER


_DESCRIBES_AFTER = frozenset(("DT", "PRP$", "JJ", "POS", "IN", "CC", ",", "``", "-LRB-", "VBG", "VB", "VBP", "VBZ", ""))
_NO_VERB_AFTER = frozenset(("DT", "PRP$", "IN", "POS"))
_GERUND_DESCRIBES_AFTER = frozenset(("DT", "PRP$", "JJ", "POS", "VB", "VBP", "VBZ"))
# Verbs behind which a participle or gerund is a verb itself.
_AUXILIARIES = frozenset(
    """
    be is are was were been being 's 're 'm am have has had 've get gets got getting keep keeps start starts stop
    stops begin begins like likes love loves hate hates avoid avoids enjoy enjoys consider considers try tries go
    goes come comes help helps see sees hear hears finish finishes continue continues require requires involve
    involves become becomes seem seems remain remains
    """.split()
)
_ENDS_AFTER_GERUND = frozenset(("", ".", ",", ":", "CC", "IN", "MD", "VBZ", "VBP", "VBD", "-RRB-", "''", "TO", "WDT"))


def _verb_kind(document: Document, kinds: list[str], index: int) -> str:
    """What a participle or gerund is: part of a phrase, or a verb."""
    token = document.tokens[index]
    before = _tag(document, index - 1, index)
    if before.startswith("VB") and document.tokens[index - 1].text.lower() in _AUXILIARIES:
        return OTHER
    after = kinds[index + 1] if _tag(document, index + 1, index + 1) else ""
    follows = after in (NOUN, ADJECTIVE)
    light = token.text.lower() in light_words().adjectives
    if token.tag != "VBG":
        # Taggers take a participle for a verb in the past: "parallel and distributed computing".
        describes = token.tag == "VBN" or before in _NO_VERB_AFTER or (before == "CC" and kinds[index - 2] == ADJECTIVE)
        return PARTICIPLE if follows and not light and before in _DESCRIBES_AFTER and describes else OTHER
    if follows:
        describes = before in _GERUND_DESCRIBES_AFTER or (not before and _is_heading(document, kinds, index))
        return PARTICIPLE if not light and describes else OTHER
    if after in (PARTICIPLE, GERUND, NUMBER) or _tag(document, index + 1, index + 1) not in _ENDS_AFTER_GERUND or light:
        return OTHER
    return GERUND


def _is_heading(document: Document, kinds: list[str], index: int) -> bool:
    """Whether only a few nouns and adjectives follow up to the end of the paragraph: "Sliding mode control"."""
    if index and index not in document.paragraph_starts:
        return False
    for end in range(index + 1, min(len(kinds), index + 6)):
        if end in document.paragraph_starts:
            return True
        if kinds[end] not in (NOUN, ADJECTIVE):
            return False
    return index + 6 > len(kinds)


def _tag(document: Document, index: int, later: int) -> str:
    """The tag at ``index``; empty at the other side of a paragraph's or sentence's end.

    ``later`` is the later of the two words between which the border would be.
    """
    if not 0 <= index < len(document.tokens) or later in document.paragraph_starts:
        return ""
    tag = document.tokens[index].tag
    return "" if tag in (".", ":") else tag


def _links(document: Document, kinds: list[str], index: int) -> bool:
    """Whether an "of" or "&" can stand inside a phrase: between two nouns, "&" between two names."""
    if not 0 < index < len(kinds) - 1 or index in document.paragraph_starts or index + 1 in document.paragraph_starts:
        return False
    if kinds[index - 1] != NOUN or kinds[index + 1] not in (NOUN, ADJECTIVE):
        return False
    before, after = document.tokens[index - 1].text, document.tokens[index + 1].text
    if kinds[index] == AND:
        capitals = before[:1].isupper() and after[:1].isupper()
        return capitals and (document.tokens[index].text == "&" or _ends_in_office(document, kinds, index + 1))
    if kinds[index] == POSSESSIVE:
        return before[:1].isupper() and document.tokens[index - 1].tag.startswith("NNP")
    return before.lower() not in light_words().nouns


# What a name with "and" ends in: "Landlord and Tenant Act", "Department of Health and Human Services".
_OFFICES = frozenset(
    """
    act acts bill regulations order code convention treaty protocol department ministry office committee commission
    council agency association society institute institution centre center fund trust authority board bureau union
    service services sciences affairs federation foundation programme program scheme administration corps
    """.split()
)
_LONGEST_OFFICE = 4  # words behind "and"


def _ends_in_office(document: Document, kinds: Sequence[str], start: int) -> bool:
    """Whether capitalised words from ``start`` on end in the name of a law or an office."""
    for index in range(start, min(len(kinds), start + _LONGEST_OFFICE)):
        text = document.tokens[index].text
        if index in document.paragraph_starts or kinds[index] not in (NOUN, ADJECTIVE) or not text[:1].isupper():
            return False
        if text.lower() in _OFFICES:
            return True
    return False


def _in_name(document: Document, kinds: list[str], index: int) -> bool:
    """Whether a number belongs to the noun before it: "Apollo 11", "type 2 diabetes", "Web 2.0"."""
    if index == 0 or index in document.paragraph_starts or kinds[index - 1] != NOUN:
        return False
    token, before = document.tokens[index], document.tokens[index - 1]
    if len(token.text) > 4 or not token.text[0].isdigit() or before.text.lower().strip(".") in light_words().labels:
        return False
    follows = index + 1 < len(kinds) and index + 1 not in document.paragraph_starts and kinds[index + 1] == NOUN
    return before.text[:1].isupper() or follows
