"""Acronyms that a text introduces itself: "magnetic resonance imaging (MRI)".

Schwartz and Hearst (2003), "A simple algorithm for identifying abbreviation definitions in biomedical text", Pacific
Symposium on Biocomputing.
"""

from __future__ import annotations

from mderank.document import Document, Token

_SHORTEST, _LONGEST = 2, 10  # characters of an acronym
_OPENING, _CLOSING = ("(", "["), (")", "]")


def find_acronyms(document: Document) -> dict[str, str]:
    """Find acronyms that the text puts in brackets behind their long form.

    >>> words = "Magnetic resonance imaging ( MRI ) is slow".split()
    >>> find_acronyms(Document.from_tagged([(word, "NN") for word in words]))
    {'mri': 'Magnetic resonance imaging'}

    Args:
        document: The tagged text.

    Returns:
        The long form of each acronym, by the acronym in lower case.
    """
    tokens = document.tokens
    found: dict[str, str] = {}
    for index in range(1, len(tokens) - 2):
        short = tokens[index + 1]
        if tokens[index].text in _OPENING and tokens[index + 2].text in _CLOSING and _is_acronym(short.text):
            start = _long_form_start(document, short.text, index)
            if start is not None:
                long_form = document.text[tokens[start].start : tokens[index - 1].end]
                found.setdefault(short.text.lower(), " ".join(long_form.split()))
    return found


def _is_acronym(text: str) -> bool:
    capitals = sum(letter.isupper() for letter in text)
    return _SHORTEST <= len(text) <= _LONGEST and text[0].isalnum() and capitals >= 2


def _long_form_start(document: Document, acronym: str, bracket: int) -> int | None:
    """The index of the first word of the long form before the bracket; None if its letters do not fit."""
    letters = [letter for letter in acronym.lower().removesuffix("s") if letter.isalnum()]
    if acronym[-1] in "Ss" and not acronym.endswith("s"):
        letters.append("s")
    first = max(0, bracket - min(len(letters) + 5, 2 * len(letters)))
    tokens = document.tokens
    index, position = bracket - 1, 0
    word = tokens[index].text.lower()
    position = len(word) - 1
    for number in range(len(letters) - 1, -1, -1):
        wanted = letters[number]
        while True:
            if position < 0:
                if index == first or index in document.paragraph_starts or _ends_phrase(tokens[index - 1]):
                    return None
                index -= 1
                word = tokens[index].text.lower()
                position = len(word) - 1
                continue
            # The acronym's first letter must begin a word.
            if word[position] == wanted and (number or position == 0 or not word[position - 1].isalnum()):
                position -= 1
                break
            position -= 1
    long_form = tokens[index:bracket]
    if len(long_form) < 2 and len(long_form[0].text) <= 2 * len(acronym):
        return None
    return index


def _ends_phrase(token: Token) -> bool:
    return not any(character.isalnum() for character in token.text) and token.text not in ("-", "–", "/", "&", "'")
