"""A text with its words, their part-of-speech tags and their character offsets."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from mderank.errors import InputError
from mderank.seeds import check_seed_weight, check_seeds
from mderank.text import collapse_whitespace, join_lines

if TYPE_CHECKING:
    from mderank.util.arrays import Floats

Tagset = Literal["penn", "universal", "words"]

SENTENCE_ENDS = ".?!…。！？؟۔।"


class Span(NamedTuple):
    """A half-open range of characters: ``text[span.start:span.end]``.

    Attributes:
        start: Offset of the first character, in code points.
        end: Offset after the last character.
    """

    start: int
    end: int


class Token(NamedTuple):
    """A word or punctuation mark of a document.

    Attributes:
        text: The word.
        tag: Its part-of-speech tag.
        start: Offset of its first character.
        end: Offset after its last character.
    """

    text: str
    tag: str
    start: int
    end: int


@dataclass(frozen=True)
class Document:
    """A tagged text.

    Attributes:
        text: The text.
        tokens: Its words and punctuation marks, without white space.
        paragraph_starts: Indices of the tokens that begin a paragraph; no phrase runs across one.
        tagset: The tagset of the tags: Penn Treebank, Universal Dependencies, or "words"
            for words without tags; see `WordTagger`.
        language: Language code.
        divided: For each word divided at the end of a line, the span of the hyphen and the line break.
        certainty: How certain the language is, from 0 to 1, if it was detected; None if it was named.
        tagger: Name of the tagger.
        warnings: What the user should know about how the text was read.

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
    certainty: float | None = None
    tagger: str = ""
    warnings: tuple[str, ...] = ()

    @classmethod
    def from_tagged(
        cls,
        words: Iterable[Sequence[str]],
        text: str | None = None,
        *,
        tagset: Tagset = "penn",
        language: str = "en",
    ) -> Document:
        """Make a document from words that another tagger tagged.

        Args:
            words: ``(word, tag)`` pairs.
            text: The text that the words are in, in order; without it, the words joined by spaces.
            tagset: The tagset of the tags.
            language: Language code.

        Returns:
            The document.

        Raises:
            InputError: If a word does not occur in the text.
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
                    f"the tagged word {word[:40]!r} does not occur in the text after character {position}; "
                    "give words as they stand in the text, in its order"
                )
            position = start + len(word)
            tokens.append(Token(word, tag, start, position))
        return cls(text, tuple(tokens), tagset=tagset, language=language)

    def surface_form(self, span: Span) -> str:
        r"""Return the text of a phrase: runs of white space are one space, words divided at a line end are joined.

        >>> Document("a support vector\n machine", ()).surface_form(Span(2, 25))
        'support vector machine'
        >>> Document("wave fore-\ncasting", (), divided=(Span(9, 11),)).surface_form(Span(0, 18))
        'wave forecasting'

        Args:
            span: Character offsets of the phrase.

        Returns:
            The text of the phrase.
        """
        parts = []
        start = span.start
        for index in range(bisect_left(self.divided, (span.start, 0)), len(self.divided)):
            gap = self.divided[index]
            if gap.end > span.end:
                break
            parts.append(self.text[start : gap.start])
            start = gap.end
        parts.append(self.text[start : span.end])
        return collapse_whitespace(join_lines("".join(parts), self.language))

    def sentence_ends(self) -> list[int]:
        """Return where sentences and paragraphs end.

        Returns:
            The character offsets after the last token of each, in order.
        """
        ends = {token.end for token in self.tokens if token.tag in (".", "PUNCT") and token.text in SENTENCE_ENDS}
        ends.update(self.tokens[index - 1].end for index in self.paragraph_starts if index > 0)
        return sorted(ends)

    def upto(self, end: int) -> Document:
        """Return the document without the tokens that end after an offset. The text stays whole.

        Args:
            end: Character offset.

        Returns:
            The shortened document; the same object if no token ends after the offset.
        """
        if not self.tokens or self.tokens[-1].end <= end:
            return self
        kept = bisect_right(self.tokens, end, key=lambda token: token.end)
        starts = frozenset(index for index in self.paragraph_starts if index < kept)
        return replace(self, tokens=self.tokens[:kept], paragraph_starts=starts)

    def with_breaks(self, original: str) -> Document:
        """Return the document with a paragraph break wherever blanked characters separate two words.

        Args:
            original: The text before characters were blanked (control characters, Markdown's marks).

        Returns:
            The document with the breaks; the same object if there is no new one.
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


@dataclass(frozen=True)
class MarkedUpText:
    """A text of which more is known than its characters: where its markup is, or its language.

    Attributes:
        text: The text with its markup.
        prose: The text with every character of its markup replaced by a space, so that offsets hold; None for a text
            without markup.
        language: Language code; None where the language is to be found out.
    """

    text: str
    prose: str | None = None
    language: str | None = None

    @property
    def readable(self) -> str:
        """The text without markup, as a tagger reads it."""
        return self.text if self.prose is None else self.prose


@dataclass(frozen=True)
class GuidedText:
    """A text with what a call adds to it: seed phrases, which pull its ranking towards a topic, or its embedding.

    Attributes:
        text: The text.
        seeds: The phrases, none of them for a ranking without seeds; None for the extractor's own.
        weight: How much the seeds count, from 0 to 1; None for the extractor's own.
        embedding: The embedding ``(d,)`` of the text, if it was computed before.

    Raises:
        InputError: If the text is not a text.
        OptionError: If a seed is blank or too long, if there are too many, or if the weight is out of range.
    """

    text: str | MarkedUpText | Document
    seeds: Sequence[str] | None = None
    weight: float | None = None
    embedding: Floats | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not isinstance(self.text, str | MarkedUpText | Document):
            raise InputError(
                f"a text with seeds must be a str, a MarkedUpText or a Document, not {type(self.text).__name__}"
            )
        if self.seeds is not None:
            object.__setattr__(self, "seeds", check_seeds(self.seeds))
        check_seed_weight(self.weight)


AnyText = str | MarkedUpText | Document | GuidedText
"""The texts that an extractor takes: plain, with markup or a known language, tagged, or with seeds."""
