"""Words for spaCy: our words divided into the parts that its taggers know, and its own words joined at hyphens."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from mderank.document import Tagset, Token
from mderank.tagging.compounds import compound_tag, parts, whole_tag
from mderank.tagging.headlines import lower_headlines
from mderank.tagging.tokenizer import Word, tokenize

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

_HYPHENS = frozenset("-‐‑–")

# The norms that spaCy's own tokenizer gives to parts of contractions, which its taggers know them by.
_NORMS = {"n't": "not", "'ll": "will", "'re": "are", "'ve": "have", "'m": "am"}
_NORMS_BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall"}


class WordsWithParts(NamedTuple):
    """The words of a paragraph, and the parts of these words that spaCy tags.

    Attributes:
        words: The words.
        texts: The text of each word.
        unusual: Words that are not just letters: the index of each, and the number of its parts.
        parts: The parts of all words, in order.
        spaces: Whether white space follows each part.
    """

    words: list[Word]
    texts: list[str]
    unusual: list[tuple[int, int]]
    parts: list[str]
    spaces: list[bool]

    @classmethod
    def from_text(cls, text: str) -> WordsWithParts:
        """Find the words of a paragraph and divide them into parts.

        Args:
            text: The paragraph.

        Returns:
            The words with their parts.
        """
        words = tokenize(text)
        texts = [text[start:end] for start, end, _ in words]
        followed = [word.end < following.start for word, following in pairwise(words)]
        followed.append(False)
        given = cls(words, texts, [], [], [])
        done = 0
        for index, form in enumerate(texts):
            if form.isalpha() and form.isascii() and words[index].kind == "word":
                continue
            own = parts(form, words[index].kind)
            given.unusual.append((index, len(own)))
            given.parts.extend(texts[done:index])
            given.parts.extend(own)
            given.spaces.extend(followed[done:index])
            given.spaces.extend([False] * (len(own) - 1))
            given.spaces.append(followed[index])
            done = index + 1
        given.parts.extend(texts[done:])
        given.spaces.extend(followed[done : len(texts)])
        return given._replace(parts=lower_headlines(given.parts))

    def whole_tags(self, tags: list[str], tagset: Tagset) -> list[str]:
        """Return the tags of the words from the tags of their parts.

        Args:
            tags: The tag of each part.
            tagset: The tagset of the tags.

        Returns:
            The tag of each word.
        """
        whole: list[str] = []
        done = taken = 0
        for index, count in self.unusual:
            first = taken + index - done
            whole += tags[taken:first]
            whole.append(whole_tag(self.texts[index], self.words[index].kind, tags[first : first + count], tagset))
            done, taken = index + 1, first + count
        return whole + tags[taken:]


def make_doc(nlp: Language, given: WordsWithParts) -> Doc:
    """Make a spaCy document of the parts of words.

    Args:
        nlp: The pipeline that will tag it.
        given: The words of a paragraph.

    Returns:
        The document, which is not tagged yet.
    """
    from spacy.tokens import Doc

    doc = Doc(nlp.vocab, words=given.parts, spaces=given.spaces)
    for index, part in enumerate(given.parts):
        if part in _NORMS:
            doc[index].norm_ = _NORMS[part]
            if part == "n't" and index and given.parts[index - 1].lower() in _NORMS_BEFORE_NOT:
                doc[index - 1].norm_ = _NORMS_BEFORE_NOT[given.parts[index - 1].lower()]
    return doc


def join_hyphenated(words: list[Token]) -> Iterator[Token]:
    """Join words at hyphens, as in the Penn Treebank: spaCy splits "graph-based" in three.

    Args:
        words: Words of spaCy's tokenizer.

    Yields:
        The words, hyphenated ones joined.
    """
    index = 0
    while index < len(words):
        last = index
        while (
            last + 2 < len(words)
            and words[last + 1].text in _HYPHENS
            and words[last].end == words[last + 1].start
            and words[last + 1].end == words[last + 2].start
            and words[last].text[-1].isalnum()
            and words[last + 2].text[0].isalnum()
        ):
            last += 2
        if last == index:
            yield words[index]
        else:
            parts = words[index : last + 1]
            yield Token(
                "".join(part.text for part in parts), compound_tag(parts[-1].tag), parts[0].start, parts[-1].end
            )
        index = last + 1
