"""Kinds of words in languages other than English, by universal tags or, without tags, by lists and spelling."""

from __future__ import annotations

from collections.abc import Sequence

from mderank.candidates.base import is_word
from mderank.candidates.stopwords import stop_words_of
from mderank.candidates.word_kinds import ADJECTIVE, AFTER_NOUN, NOUN, NUMBER, OF, OTHER
from mderank.document import Document, Token
from mderank.languages import find_language

# Universal tags, and those of `WordTagger`.
_KINDS = {"NOUN": NOUN, "PROPN": NOUN, "X": NOUN, "ADJ": ADJECTIVE, "NUM": NUMBER, "WORD": NOUN, "LOWER": ADJECTIVE}
_LONGEST_NUMBER = 4  # characters of a number inside a name: "Apollo 11"


def language_kinds(document: Document, extra_stop_words: frozenset[str]) -> str:
    """Find the kind of every token; see `mderank.candidates.word_kinds` for the letters.

    Args:
        document: The text, with universal tags or without tags.
        extra_stop_words: Words that no phrase has inside it, beside those of the language.

    Returns:
        A string with one letter per token.
    """
    language = find_language(document.language)
    links = language.links if language else ()
    stop_words = stop_words_of(document.language) | extra_stop_words
    words = [token.text.lower().replace("’", "'") for token in document.tokens]
    kinds = [_kind(token, word, stop_words) for token, word in zip(document.tokens, words, strict=True)]
    if language is None or language.adjectives != "before":
        _find_adjectives_after_nouns(document, kinds)
    _find_links(document, kinds, words, links)
    for index, kind in enumerate(kinds):
        if kind == NUMBER and not _in_name(document, kinds, index, language is not None and language.capital_nouns):
            kinds[index] = OTHER
    return "".join(kinds)


def _kind(token: Token, word: str, stop_words: frozenset[str]) -> str:
    if not is_word(token) or word in stop_words:
        return OTHER
    if token.text[0].isdigit() and token.tag in ("NUM", "WORD"):
        return NUMBER if token.text.isdigit() else _KINDS[token.tag]
    if len(word) == 1 and word.isascii() and not token.text.isupper():
        return OTHER
    return _KINDS.get(token.tag, OTHER)


def _find_adjectives_after_nouns(document: Document, kinds: list[str]) -> None:
    """Mark adjectives behind a noun, with which a phrase may end: "intelligence artificielle"."""
    for index in range(1, len(kinds)):
        before = kinds[index - 1]
        if kinds[index] == ADJECTIVE and before in (NOUN, AFTER_NOUN) and index not in document.paragraph_starts:
            kinds[index] = AFTER_NOUN


def _find_links(document: Document, kinds: list[str], words: list[str], links: Sequence[tuple[str, ...]]) -> None:
    """Mark the words that join two nouns in one phrase: "base de données", "Journées de l'archéologie"."""
    longest_first = sorted(links, key=len, reverse=True)
    starts = document.paragraph_starts
    index = 1
    while index < len(kinds) - 1:
        if kinds[index - 1] in (NOUN, AFTER_NOUN) and kinds[index] == OTHER:
            for link in longest_first:
                after = index + len(link)
                if (
                    tuple(words[index:after]) == link
                    and after < len(kinds)
                    and kinds[after] in (NOUN, ADJECTIVE)
                    and starts.isdisjoint(range(index, after + 1))
                ):
                    kinds[index:after] = OF * len(link)
                    index = after
                    break
        index += 1


def _in_name(document: Document, kinds: list[str], index: int, capital_nouns: bool) -> bool:
    """Whether a number belongs to the capitalised word before it: "Apollo 11"."""
    if index == 0 or index in document.paragraph_starts or kinds[index - 1] != NOUN or capital_nouns:
        return False
    return document.tokens[index - 1].text[:1].isupper() and len(document.tokens[index].text) <= _LONGEST_NUMBER
