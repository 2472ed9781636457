"""Terms and names as a reader sees them: noun phrases with their participles, numbers and "of", and their parts.

A noun phrase by tag pattern cuts "sliding mode control", "type 2 diabetes" and "Bank of England", and takes the longest
stretch for the unit. Here every part of a stretch is a candidate too, and `Candidate.unithood` says how much of a unit
it is, from the text itself: how often it stands alone, in how many different longer phrases it stands, and how often
it is only a piece of one.

Frantzi et al. (2000), "Automatic recognition of multi-word terms: the C-value/NC-value method", International Journal
on Digital Libraries; Kageura and Umino (1996), "Methods of automatic term recognition", Terminology, for the word
unithood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from math import log, log1p
from typing import NamedTuple

from mderank.candidates.base import find_occurrences, is_content, is_word
from mderank.candidates.stopwords import stop_words_of
from mderank.document import Document, Token
from mderank.errors import OptionError
from mderank.keyphrase import Candidate

# Kinds of words, one letter each, so that a stretch of words is a string.
_NOUN, _ADJECTIVE, _PARTICIPLE, _GERUND, _NUMBER, _OF, _AND, _POSSESSIVE, _OTHER = "NJPGCOAS-"
_LINKS = frozenset(_OF + _AND + _POSSESSIVE)
_STARTS = frozenset(_NOUN + _ADJECTIVE + _PARTICIPLE)
_ENDS = frozenset(_NOUN + _GERUND + _NUMBER)

# What a candidate loses, in the units of FusionRank's score; chosen on the tuning datasets.
_NEVER_ALONE = 0.11  # never stands as a whole phrase
_EXTENDED_LEFT = 0.11  # times the share of occurrences that a longer phrase extends to the left
_EXTENDED_RIGHT = 0.1
_LINKED = 0.07  # an "of" outside of names
_WITH_NUMBER = 0.1
_WITH_PARTICIPLE = 0.02
_ENDS_IN_GERUND = 0.14
_PERSON = 0.2  # a form of address before a name: people who write or speak are seldom what a text is about
# And what it gains with the logarithm of the number of different longer phrases that hold it.
_HELD_WORD, _HELD_PHRASE = 0.02, 0.05

# Candidates that are not promising are left out before an encoder sees them, but never the best of them.
_LEAST_PROMISE = -0.3
_KEPT = 30
_LEAD = 100  # words; see FusionRank
_LONGEST_STRETCH = 64  # words: what is longer is a list or a table, and the work must stay linear in the text's length


class _Stretch(NamedTuple):
    """A longest run of words that can be one phrase, as indices of tokens."""

    start: int
    stop: int


@dataclass(frozen=True)
class Terms:
    """The noun phrases of a text as a reader sees them, and the parts of these.

    A phrase is nouns and adjectives that end in a noun, and also:

    - participles before a noun where they describe it: "sliding mode control", "distributed computing";
    - gerunds at its end: "question answering";
    - numbers inside a name: "type 2 diabetes", "iPhone 15 Pro";
    - "of" and "&" inside a name, and "of" in a phrase that the text repeats: "Bank of England", "quality of service";
    - the possessive of a name before a noun: "Alzheimer's disease".

    Attributes:
        max_phrase_words: the most words of a phrase.
        stop_words: words that no phrase has inside it, beside the language's own.
        prune: leave out parts and late, rare words that are not promising, if there are many candidates.
    """

    max_phrase_words: int = 7
    stop_words: frozenset[str] = field(default=frozenset())
    prune: bool = True

    def __post_init__(self) -> None:
        if self.max_phrase_words < 1:
            raise OptionError(f"max_phrase_words must be at least 1, not {self.max_phrase_words}")
        object.__setattr__(self, "stop_words", frozenset(word.lower() for word in self.stop_words))

    def find(self, document: Document) -> list[Candidate]:
        """The terms of ``document``, by first occurrence."""
        kinds = _kinds(document, self.stop_words)
        stretches = list(_stretches(document, kinds))
        words = [token.text.lower() for token in document.tokens]
        places: dict[tuple[str, ...], list[range]] = {}
        for stretch in stretches:
            for part in self._parts(document, kinds, stretch):
                places.setdefault(tuple(words[part.start : part.stop]), []).append(part)
        covering = {index: stretch for stretch in stretches for index in range(*stretch)}
        units = {
            key: _read_unit(document, words, key, ranges, covering, kinds)
            for key, ranges in places.items()
            if _is_unit(document, ranges, kinds)
        }
        kept = _promising(units) if self.prune else units
        occurrences = find_occurrences(document, kept)
        candidates = [
            Candidate(" ".join(key), occurrences[key], max(1, unit.alone), unit.unithood) for key, unit in kept.items()
        ]
        return sorted(candidates, key=lambda each: (each.first, -len(each.key)))

    def _parts(self, document: Document, kinds: str, stretch: _Stretch) -> Iterator[range]:
        """The parts of a stretch that can be phrases, itself among them."""
        light = _light_words()
        for start in range(*stretch):
            token = document.tokens[start]
            if kinds[start] not in _STARTS or (kinds[start] != _NOUN and token.text.lower() in light.adjectives):
                continue
            for stop in range(start + 1, min(stretch.stop, start + self.max_phrase_words) + 1):
                if kinds[stop - 1] in _ENDS and _balanced(kinds, start, stop):
                    part = range(start, stop)
                    if _is_phrase(document.tokens[start:stop], kinds[start:stop]):
                        yield part


def _balanced(kinds: str, start: int, stop: int) -> bool:
    """Whether the last word can end a phrase that begins at ``start``: a number needs a noun before it."""
    return kinds[stop - 1] != _NUMBER or (stop - start > 1 and kinds[stop - 2] == _NOUN)


def _is_phrase(words: Sequence[Token], kinds: str) -> bool:
    light = _light_words()
    if not is_content(words) or (len(words) > 1 and all(len(word.text) == 1 for word in words)):
        return False
    if len(words) == 1:
        word = words[0].text.lower().strip(".")
        return kinds != _NUMBER and word not in light.nouns
    # "lazy way", "confidential nature"
    return not (len(words) == 2 and kinds[0] != _NOUN and words[1].text.lower() in _VAGUE)


_VAGUE = frozenset("way ways thing things kind kinds sort sorts lot lots bit nature manner fact stuff".split())


def _is_unit(document: Document, ranges: Sequence[range], kinds: str) -> bool:
    """Whether a phrase that may be chance is there often enough, or is a name."""
    first = ranges[0]
    kind = kinds[first.start : first.stop]
    if _OF in kind and len(ranges) == 1:
        return _is_name(document.tokens[first.start : first.stop], kind)
    if kind == _GERUND:
        return len(ranges) > 1
    return True


def _is_name(words: Sequence[Token], kinds: str) -> bool:
    """Whether the content words are capitalised."""
    if _OF in kinds and kinds.index(_OF) < len(kinds) - 1:  # "Internet of Things devices"
        place = kinds.index(_OF)
        words, kinds = words[: place + 2], kinds[: place + 2]
    return all(
        word.text[:1].isupper() or kind in _LINKS or kind == _NUMBER for word, kind in zip(words, kinds, strict=True)
    )


class _Unit(NamedTuple):
    """What the text says of a phrase: how often it stands there and alone, where first, how much of a unit it is."""

    frequency: int
    alone: int
    first: int
    unithood: float


def _read_unit(
    document: Document,
    words: Sequence[str],
    key: tuple[str, ...],
    ranges: Sequence[range],
    covering: dict[int, _Stretch],
    kinds: str,
) -> _Unit:
    """Find out how much of a unit the phrase at ``ranges`` is."""
    light = _light_words()
    alone = left = right = 0
    holders = set()
    for part in ranges:
        start, stop = covering[part.start]
        while start < part.start and kinds[start] == _ADJECTIVE and words[start] in light.adjectives:
            start += 1
        left += start < part.start
        right += part.stop < stop
        if start < part.start or part.stop < stop:
            holders.add(tuple(words[start:stop]))
        else:
            alone += 1
    count = len(ranges)
    first = ranges[0]
    kind = kinds[first.start : first.stop]
    held = (_HELD_WORD if len(key) == 1 else _HELD_PHRASE) * log1p(len(holders))
    unithood = held - _EXTENDED_LEFT * left / count - _EXTENDED_RIGHT * right / count - _NEVER_ALONE * (not alone)
    name = _is_name(document.tokens[first.start : first.stop], kind)
    unithood -= _LINKED * (_OF in kind and not name) + _WITH_NUMBER * (_NUMBER in kind and not name)
    unithood -= _WITH_PARTICIPLE * (_PARTICIPLE in kind) + _ENDS_IN_GERUND * kind.endswith(_GERUND)
    unithood -= _PERSON * (key[0].strip(".") in light.addresses)
    return _Unit(count, alone, first.start, unithood)


def _promising(units: dict[tuple[str, ...], _Unit]) -> dict[tuple[str, ...], _Unit]:
    """The phrases that may be key by what is known without an encoder, and at least the best of them."""
    promise = {key: _promise(len(key), unit) for key, unit in units.items()}
    ranked = sorted(promise.values(), reverse=True)
    bar = min(_LEAST_PROMISE, ranked[_KEPT - 1]) if len(ranked) > _KEPT else float("-inf")
    return {key: unit for key, unit in units.items() if promise[key] >= bar}


def _promise(words: int, unit: _Unit) -> float:
    """What is known of a phrase of so many words without an encoder; weights are those of FusionRank."""
    return (
        unit.unithood
        + (0.075 if words == 1 else 0.15) * log(unit.frequency)
        - 0.2 * log1p(unit.first / _LEAD)
        - 0.1 * (words == 1)
        - 0.1 * max(0, words - 3)
    )


# --- what a word is ---------------------------------------------------------------------------------------------------


def _kinds(document: Document, extra_stop_words: frozenset[str]) -> str:
    """The kind of every token, a letter each."""
    stop_words = stop_words_of(document.language) | extra_stop_words
    kinds = [_plain_kind(token, stop_words) for token in document.tokens]
    _read_context(document, kinds)
    for index, kind in enumerate(kinds):
        if kind in (_PARTICIPLE, _GERUND):
            kinds[index] = _verb_kind(document, kinds, index)
    for index in range(len(kinds)):
        if (kinds[index] in _LINKS and not _links(document, kinds, index)) or (
            kinds[index] == _NUMBER and not _in_name(document, kinds, index)
        ):
            kinds[index] = _OTHER
    return "".join(kinds)


# What programs put before the subject of a mail: "Re: Fwd: bonfires".
_REPLY = frozenset("re fw fwd aw wg".split())
# What stands before a noun "mine".
_BEFORE_MINE = frozenset((_NOUN, _ADJECTIVE, _PARTICIPLE))
# Latin phrases that are one adjective: "in vivo Raman spectroscopy".
_LATIN = frozenset("vivo vitro situ silico utero absentia".split())


def _read_context(document: Document, kinds: list[str]) -> None:
    """Mend the kinds that depend on the word before: units behind a number, days and months, "in vivo"."""
    light = _light_words()
    for index, token in enumerate(document.tokens):
        lower = token.text.lower().strip(".")
        before = document.tokens[index - 1] if index and index not in document.paragraph_starts else None
        is_unit = lower in light.units and (before is None or before.tag in ("CD", "NUM") or before.text[-1].isdigit())
        if lower in _REPLY and _is_reply_mark(document, index):
            kinds[index] = _OTHER
        elif lower in ("mine", "mines") and before is not None and kinds[index - 1] in _BEFORE_MINE:
            kinds[index] = _NOUN
        elif is_unit or (lower in light.times and not _is_named_day(token, before, kinds[index - 1] if before else "")):
            kinds[index] = _OTHER
        elif before is not None and lower in _LATIN and before.text.lower() == "in":
            kinds[index - 1] = kinds[index] = _ADJECTIVE
        elif token.tag == "VBZ" and before is not None and kinds[index - 1] == _NOUN and _is_plural(document, index):
            kinds[index] = _NOUN


def _is_reply_mark(document: Document, index: int) -> bool:
    """Whether a colon follows, or the word begins a paragraph that goes on with a capital letter."""
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
    return before is not None and kind_before in (_NOUN, _ADJECTIVE) and before.text.istitle() and token.text.istitle()


# Numbers of tickets, times ("x3 farms"), "w/o".
_NO_TERM = re.compile(r"[A-Za-z]{1,5}\d{5,}\Z|[xX×]\d+\Z|w/o?\Z")
_PENN = {"NN": _NOUN, "NNS": _NOUN, "NNP": _NOUN, "NNPS": _NOUN, "FW": _NOUN, "JJ": _ADJECTIVE, "AFX": _ADJECTIVE,
         "VBN": _PARTICIPLE, "VBD": _PARTICIPLE, "VBG": _GERUND, "CD": _NUMBER}  # fmt: skip
_UNIVERSAL = {"NOUN": _NOUN, "PROPN": _NOUN, "ADJ": _ADJECTIVE, "NUM": _NUMBER}


def _plain_kind(token: Token, stop_words: frozenset[str]) -> str:
    if token.text in ("&", "and"):
        return _AND
    if token.tag == "POS":
        return _POSSESSIVE
    lower = token.text.lower()
    if lower == "of":
        return _OF
    if not is_word(token) or lower in stop_words or _NO_TERM.match(token.text):
        return _OTHER
    return _PENN.get(token.tag) or _UNIVERSAL.get(token.tag) or _OTHER


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
        return _OTHER
    after = kinds[index + 1] if _tag(document, index + 1, index + 1) else ""
    follows = after in (_NOUN, _ADJECTIVE)
    light = token.text.lower() in _light_words().adjectives
    if token.tag != "VBG":
        # Taggers take a participle for a verb in the past: "parallel and distributed computing".
        describes = (
            token.tag == "VBN" or before in _NO_VERB_AFTER or (before == "CC" and kinds[index - 2] == _ADJECTIVE)
        )
        return _PARTICIPLE if follows and not light and before in _DESCRIBES_AFTER and describes else _OTHER
    if follows:
        describes = before in _GERUND_DESCRIBES_AFTER or (not before and _is_heading(document, kinds, index))
        return _PARTICIPLE if not light and describes else _OTHER
    if (
        after in (_PARTICIPLE, _GERUND, _NUMBER)
        or _tag(document, index + 1, index + 1) not in _ENDS_AFTER_GERUND
        or light
    ):
        return _OTHER
    return _GERUND


def _is_heading(document: Document, kinds: list[str], index: int) -> bool:
    """Whether only a few nouns and adjectives follow up to the end of the paragraph: "Sliding mode control"."""
    if index and index not in document.paragraph_starts:
        return False
    for end in range(index + 1, min(len(kinds), index + 6)):
        if end in document.paragraph_starts:
            return True
        if kinds[end] not in (_NOUN, _ADJECTIVE):
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
    if kinds[index - 1] != _NOUN or kinds[index + 1] not in (_NOUN, _ADJECTIVE):
        return False
    before, after = document.tokens[index - 1].text, document.tokens[index + 1].text
    if kinds[index] == _AND:
        capitals = before[:1].isupper() and after[:1].isupper()
        return capitals and (document.tokens[index].text == "&" or _ends_in_office(document, kinds, index + 1))
    if kinds[index] == _POSSESSIVE:
        return before[:1].isupper() and document.tokens[index - 1].tag.startswith("NNP")
    return before.lower() not in _light_words().nouns


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
        if index in document.paragraph_starts or kinds[index] not in (_NOUN, _ADJECTIVE) or not text[:1].isupper():
            return False
        if text.lower() in _OFFICES:
            return True
    return False


def _in_name(document: Document, kinds: list[str], index: int) -> bool:
    """Whether a number belongs to the noun before it: "Apollo 11", "type 2 diabetes", "Web 2.0"."""
    if index == 0 or index in document.paragraph_starts or kinds[index - 1] != _NOUN:
        return False
    token, before = document.tokens[index], document.tokens[index - 1]
    if len(token.text) > 4 or not token.text[0].isdigit() or before.text.lower().strip(".") in _light_words().labels:
        return False
    follows = index + 1 < len(kinds) and index + 1 not in document.paragraph_starts and kinds[index + 1] == _NOUN
    return before.text[:1].isupper() or follows


# --- stretches --------------------------------------------------------------------------------------------------------


def _stretches(document: Document, kinds: str) -> Iterator[_Stretch]:
    """The longest runs of words that can be one phrase, ending in a word that can end one."""
    start = 0
    for index in range(len(kinds) + 1):
        at_end = index == len(kinds)
        ends = at_end or kinds[index] == _OTHER or index in document.paragraph_starts
        if ends or index - start == _LONGEST_STRETCH:
            yield from _trimmed(kinds, start, index)
            start = index + (not at_end and kinds[index] == _OTHER)


def _trimmed(kinds: str, start: int, stop: int) -> Iterator[_Stretch]:
    """The run without words at its ends that no phrase begins or ends with, cut after a gerund and between nouns."""
    while start < stop and kinds[start] not in _STARTS and kinds[start] != _GERUND:
        start += 1
    while start < stop and kinds[stop - 1] not in _ENDS:
        stop -= 1
    cut = next((index + 1 for index in range(start, stop - 1) if kinds[index] == _GERUND), None)
    if cut is not None:
        yield from _trimmed(kinds, start, cut)
        yield from _trimmed(kinds, cut, stop)
    elif start < stop:
        yield _Stretch(start, stop)


class _LightWords(NamedTuple):
    """Words that say little: alone (nouns), before a noun (adjectives), before a number (labels) or behind it (units),
    of times, and of address before a name.
    """

    nouns: frozenset[str]
    adjectives: frozenset[str]
    labels: frozenset[str]
    units: frozenset[str]
    times: frozenset[str]
    addresses: frozenset[str]


@cache
def _light_words() -> _LightWords:
    folder = resources.files(__package__) / "words"
    return _LightWords(
        *(
            frozenset((folder / f"{name}.txt").read_text(encoding="utf-8").split())
            for name in ("light_nouns", "light_adjectives", "label_words", "units", "times", "forms_of_address")
        )
    )
