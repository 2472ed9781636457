"""All n-grams, for languages and texts that no tagger fits."""

from __future__ import annotations

from dataclasses import dataclass, field

from mderank.candidates.base import is_content, locate, runs
from mderank.document import Document
from mderank.errors import OptionError
from mderank.keyphrase import Candidate


@dataclass(frozen=True)
class NGrams:
    """All n-grams without a stop word, punctuation or a paragraph break in them.

    >>> from mderank import Document
    >>> document = Document.from_tagged([("big", "JJ"), ("data", "NNS"), ("is", "VBZ"), ("big", "JJ")])
    >>> [candidate.key for candidate in NGrams(1, 2).find(document)]
    ['big data', 'big', 'data']

    Attributes:
        shortest: Minimum number of words.
        longest: Maximum number of words.
        stop_words: Stop words beside those of the language.

    Raises:
        OptionError: If the numbers of words make no range.
    """

    shortest: int = 1
    longest: int = 3
    stop_words: frozenset[str] = field(default=frozenset())

    def __post_init__(self) -> None:
        if not 1 <= self.shortest <= self.longest:
            raise OptionError(f"n-grams need 1 <= shortest <= longest, not {self.shortest} and {self.longest}")
        object.__setattr__(self, "stop_words", frozenset(word.lower() for word in self.stop_words))

    def find(self, document: Document) -> list[Candidate]:
        """Find the n-grams of a document.

        Args:
            document: The tagged text.

        Returns:
            The n-grams with all their occurrences, by first occurrence.
        """
        return locate(
            document,
            (
                range(start, start + length)
                for run in runs(document, self.stop_words)
                for length in range(self.shortest, self.longest + 1)
                for start in range(run.start, run.stop - length + 1)
                if is_content(document.tokens[start : start + length])
            ),
        )
