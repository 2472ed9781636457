"""The protocol of candidate sources, and their common parts: the test for words, and the occurrences of a phrase."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Protocol, overload, runtime_checkable

from mderank.candidates.stopwords import is_function_word, stop_words_of
from mderank.document import Document, Span, Token
from mderank.keyphrase import LISTED_PHRASES, Candidate, Occurrence


@runtime_checkable
class CandidateSource(Protocol):
    """Interface of a source of candidates: finds the phrases of a document that may be keyphrases."""

    def find(self, document: Document) -> list[Candidate]:
        """Find the candidates of a document.

        Args:
            document: The tagged text.

        Returns:
            The candidates, by first occurrence. A phrase without occurrences is reported as missing.
        """
        ...


class ListedSource(ABC):
    """Base of sources that look for phrases which the user lists.

    `find` returns the phrases that occur only: a document has few phrases of a long list.
    """

    @property
    def is_closed(self) -> bool:
        """Whether all candidates are from the list. Then keyphrases may overlap unless the user says otherwise."""
        return True

    @abstractmethod
    def find(self, document: Document) -> list[Candidate]:
        """Find the listed phrases of a document.

        Args:
            document: The tagged text.

        Returns:
            The phrases that occur, by first occurrence.
        """

    @abstractmethod
    def missing(self, found: Sequence[Candidate]) -> Sequence[str]:
        """Return the phrases that do not occur.

        Args:
            found: The candidates that `find` returned.

        Returns:
            The phrases, as the user lists them.
        """

    def notes(self, document: Document) -> tuple[str, ...]:
        """Return what the reader of the keyphrases should know of how the list fits a document.

        Args:
            document: The tagged text.

        Returns:
            The notes; usually none.
        """
        return ()


class MissingPhrases(Sequence[str]):
    """The phrases of a list without some of them. They are picked out when they are read, because lists are long.

    Args:
        phrases: All phrases.
        found: The indices of those that are left out.
    """

    def __init__(self, phrases: tuple[str, ...], found: frozenset[int]) -> None:
        self._phrases, self._found = phrases, found

    @classmethod
    def of(cls, phrases: tuple[str, ...], found: Iterable[int]) -> Sequence[str]:
        """Return a list of phrases without some of them.

        Args:
            phrases: All phrases.
            found: The indices of those that are left out.

        Returns:
            A tuple where it is short, else an object of this class.
        """
        missing = cls(phrases, frozenset(found))
        return tuple(missing) if len(missing) <= LISTED_PHRASES else missing

    def __len__(self) -> int:
        return len(self._phrases) - len(self._found)

    def __iter__(self) -> Iterator[str]:
        return (phrase for number, phrase in enumerate(self._phrases) if number not in self._found)

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[str]: ...
    def __getitem__(self, index: int | slice) -> str | Sequence[str]:
        return tuple(self)[index]

    def __reduce__(self) -> tuple[type[tuple[str, ...]], tuple[list[str]]]:
        return tuple, (list(self),)

    def __repr__(self) -> str:
        return f"<{len(self):,} phrases>"


_LONGEST_WORD = 100  # characters; what is longer is data, and unknown to encoders of BERT's kind
# Addresses, code and markup that a tokenizer left whole; "C++", "AT&T", "TCP/IP" and "A*" have none of these.
_NO_WORD = re.compile(r"""[<>()\[\]{}"“”„«»=|\\^@:;?!\ufffd]""")


def is_word(token: Token) -> bool:
    """Check whether a token may be part of a phrase: it has a letter or digit, and no character that no word has.

    Args:
        token: The token.

    Returns:
        True if it may be part of a phrase.
    """
    if len(token.text) > _LONGEST_WORD or _NO_WORD.search(token.text):
        return False
    return any(character.isalnum() for character in token.text)


def is_content(words: Sequence[Token]) -> bool:
    """Check whether words can be a phrase: they have a letter, and are not one Latin letter ("x", "n" are variables).

    Args:
        words: The tokens of the phrase.

    Returns:
        True if they can be a phrase.
    """
    if len(words) == 1 and len(words[0].text.strip(".")) == 1 and words[0].text.isascii():
        return False
    return any(character.isalpha() for word in words for character in word.text)


def runs(
    document: Document, extra_stop_words: frozenset[str], allowed_tags: Collection[str] = frozenset()
) -> Iterator[range]:
    """Find the longest runs of words without a stop word, punctuation or a paragraph break in them.

    Args:
        document: The tagged text.
        extra_stop_words: Stop words beside those of the language.
        allowed_tags: Tags that make a stop word of the language count as any other word.

    Yields:
        The indices of the tokens of each run.
    """
    stop_words = stop_words_of(document.language)
    start = 0
    for index, token in enumerate(document.tokens):
        if index in document.paragraph_starts and start < index:
            yield range(start, index)
            start = index
        lower = token.text.lower()
        listed = lower in stop_words or is_function_word(token, document.language)
        stops = lower in extra_stop_words or (listed and token.tag not in allowed_tags)
        if not is_word(token) or stops:
            if start < index:
                yield range(start, index)
            start = index + 1
    if start < len(document.tokens):
        yield range(start, len(document.tokens))


def locate(document: Document, found: Iterable[range]) -> list[Candidate]:
    """Make one candidate of all ranges of tokens that read the same but for case, with all its occurrences.

    Occurrences inside longer phrases count, whatever their tags. Occurrences that overlap an earlier one of the same
    candidate do not count.

    Args:
        document: The tagged text.
        found: The tokens of each match.

    Returns:
        The candidates, by first occurrence.
    """
    words = [token.text.lower() for token in document.tokens]
    counts: dict[tuple[str, ...], int] = {}
    for tokens in found:
        key = tuple(words[tokens.start : tokens.stop])
        counts[key] = counts.get(key, 0) + 1
    places = find_occurrences(document, counts)
    candidates = [Candidate(" ".join(key), places[key], counts[key]) for key in counts]
    return sorted(candidates, key=lambda candidate: (candidate.first, -len(candidate.key)))


def find_occurrences(
    document: Document, keys: Iterable[tuple[str, ...]]
) -> dict[tuple[str, ...], tuple[Occurrence, ...]]:
    """Find all occurrences of phrases, those inside longer phrases too.

    Occurrences that overlap an earlier one of the same phrase do not count.

    Args:
        document: The tagged text.
        keys: Phrases as words in lower case.

    Returns:
        The occurrences of each phrase, in text order.
    """
    words = [token.text.lower() for token in document.tokens]
    places: dict[tuple[str, ...], list[range]] = {key: [] for key in keys}
    tree = _prefix_tree(places)
    unbroken = _unbroken(document)
    for start in range(len(words)):
        node = tree
        for stop in range(start + 1, unbroken[start] + 1):
            following = node.branches.get(words[stop - 1])
            if following is None:
                break
            node = following
            if node.key is not None and (not places[node.key] or places[node.key][-1].stop <= start):
                places[node.key].append(range(start, stop))
    return {key: tuple(_occurrence(document, place) for place in some) for key, some in places.items()}


class _Node:
    """A node of a prefix tree: the phrase that ends here, if one does, and the nodes of the words that follow."""

    __slots__ = ("branches", "key")

    def __init__(self) -> None:
        self.key: tuple[str, ...] | None = None
        self.branches: dict[str, _Node] = {}


def _prefix_tree(keys: Iterable[tuple[str, ...]]) -> _Node:
    """The tree of phrases by their words: what stands at a place is then read once, for phrases of all lengths."""
    root = _Node()
    for key in keys:
        node = root
        for word in key:
            node = node.branches.setdefault(word, _Node())
        node.key = key
    return root


def _unbroken(document: Document) -> list[int]:
    """For each token the index at which the next paragraph begins."""
    ends = [len(document.tokens)] * len(document.tokens)
    following = len(document.tokens)
    for index in range(len(document.tokens) - 1, -1, -1):
        ends[index] = following
        if index in document.paragraph_starts:
            following = index
    return ends


def _occurrence(document: Document, words: range) -> Occurrence:
    return Occurrence(Span(document.tokens[words.start].start, document.tokens[words.stop - 1].end), words)
