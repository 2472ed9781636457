"""A text with its words, their part-of-speech tags and their character offsets."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from mderank.errors import InputError

Tagset = Literal["penn", "universal"]

SENTENCE_ENDS = ".?!…。！？"


class Span(NamedTuple):
    """A half-open range of code points: ``text[span.start:span.end]``."""

    start: int
    end: int


class Token(NamedTuple):
    """A word or punctuation mark, its tag, and where it stands in the text."""

    text: str
    tag: str
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """A tagged text.

    ``tokens`` holds no white space. ``paragraph_starts`` holds the indices of the tokens that begin a paragraph:
    no phrase runs across one. ``divided`` holds, for words divided at the end of a line, the hyphen and the break,
    which the word leaves out.

    >>> document = Document.from_tagged([("Deep", "JJ"), ("learning", "NN"), ("works", "VBZ"), (".", ".")])
    >>> document.text
    'Deep learning works .'
    >>> document.tokens[1]
    Token(text='learning', tag='NN', start=5, end=13)
    """

    text: str
    tokens: tuple[Token, ...]
    paragraph_starts: frozenset[int] = field(default=frozenset())
    tagset: Tagset = "penn"
    language: str = "en"
    divided: tuple[Span, ...] = ()

    @classmethod
    def from_tagged(
        cls,
        words: Iterable[Sequence[str]],
        text: str | None = None,
        *,
        tagset: Tagset = "penn",
        language: str = "en",
    ) -> Document:
        """A document from ``(word, tag)`` pairs that some other tagger made.

        With ``text`` the words are found in it, in order; without it the text is the words joined by spaces.
        """
        pairs = [(str(word), str(tag)) for word, tag in words]
        if text is None:
            text = " ".join(word for word, _ in pairs)
        tokens = []
        position = 0
        for word, tag in pairs:
            start = text.find(word, position) if word else -1
            if start < 0:
                raise InputError(
                    f"the tagged word {word!r} does not occur in the text after character {position}; "
                    "give words as they stand in the text, in its order"
                )
            position = start + len(word)
            tokens.append(Token(word, tag, start, position))
        return cls(text, tuple(tokens), tagset=tagset, language=language)

    def sentence_ends(self) -> list[int]:
        """The offsets after which a sentence or paragraph ends."""
        ends = {token.end for token in self.tokens if token.tag in (".", "PUNCT") and token.text in SENTENCE_ENDS}
        ends.update(self.tokens[index - 1].end for index in self.paragraph_starts if index > 0)
        return sorted(ends)

    def upto(self, end: int) -> Document:
        """The same text, with only the tokens that end at or before ``end``."""
        if not self.tokens or self.tokens[-1].end <= end:
            return self
        kept = bisect_right(self.tokens, end, key=lambda token: token.end)
        starts = frozenset(index for index in self.paragraph_starts if index < kept)
        return replace(self, tokens=self.tokens[:kept], paragraph_starts=starts)

    def with_breaks(self, original: str) -> Document:
        """The same, with a break wherever something other than white space stands between two words of ``original``.

        ``original`` is the text before characters of it were blanked (control characters, Markdown's marks).
        """
        breaks = {
            index
            for index in range(1, len(self.tokens))
            if self.tokens[index - 1].end < self.tokens[index].start
            and not original[self.tokens[index - 1].end : self.tokens[index].start].isspace()
        }
        if breaks <= self.paragraph_starts:
            return self
        return replace(self, paragraph_starts=self.paragraph_starts | breaks)


def surface(document: Document, span: Span) -> str:
    r"""The phrase at ``span`` as it is shown: runs of white space are one space, divided words are whole.

    >>> surface(Document("a support vector\n machine", ()), Span(2, 25))
    'support vector machine'
    >>> surface(Document("wave fore-\ncasting", (), divided=(Span(9, 11),)), Span(0, 18))
    'wave forecasting'
    """
    pieces = []
    start = span.start
    for index in range(bisect_left(document.divided, (span.start, 0)), len(document.divided)):
        gap = document.divided[index]
        if gap.end > span.end:
            break
        pieces.append(document.text[start : gap.start])
        start = gap.end
    pieces.append(document.text[start : span.end])
    return " ".join("".join(pieces).split())
