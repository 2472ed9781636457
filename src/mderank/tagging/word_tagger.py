"""Words of a language for which there is no tagger: our words, divided at elisions.

Their tags say only what lists and spelling tell: STOP for stop words, NUM for numbers, PUNCT for marks that end a
sentence, VERB for verbs that an ending or a pronoun behind a hyphen ("disse-me") tells, LOWER for words in lower case
where nouns have capitals, and WORD for all others that may be nouns.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from mderank.document import SENTENCE_ENDS, Document, Tagset, Token
from mderank.languages import Language, get_language, stop_words
from mderank.languages.verb_endings import is_verb_form
from mderank.tagging.layout_documents import read_documents
from mderank.tagging.paragraph_texts import ParagraphText
from mderank.tagging.tokenizer import Word, WordKind, tokenize
from mderank.text import replace_surrogates

_APOSTROPHES = "'’ʼ"
_FEWEST = 0.1  # share of words with, and without, a capital in a text whose capitals tell nouns


class WordTagger:
    """Finds the words of texts in any language that is written with spaces, without tagging them.

    Threads may share a tagger.

    Args:
        language: The language, by code or English name.

    Attributes:
        language: The language.
        tagset: Tagset of the documents.

    Raises:
        OptionError: If the language is unknown.

    >>> document = next(WordTagger("fr").tag(["L'analyse d'images médicales."]))
    >>> [token.text for token in document.tokens]
    ["L'", 'analyse', "d'", 'images', 'médicales', '.']
    """

    tagset: Tagset = "words"

    def __init__(self, language: str) -> None:
        self.language: Language = get_language(language)
        self._stop_words = stop_words(self.language.code)
        pronouns = self.language.enclitics
        self._with_pronoun = re.compile(rf"\w{pronouns}\Z") if pronouns else None

    @property
    def name(self) -> str:
        """Name of the tagger."""
        return f"words of {self.language.code}, without tags"

    def without_tags(self) -> WordTagger:
        """Return a tagger that assigns no tags: this one.

        Returns:
            The tagger.
        """
        return self

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """Find the words of texts.

        Args:
            texts: Texts, which are read as documents are asked for.

        Yields:
            One document per text, in order.
        """
        for text in texts:
            yield from read_documents(
                [replace_surrogates(text)],
                self._find_words,
                tagset=self.tagset,
                language=self.language.code,
                speakers=False,
            )

    def _find_words(self, paragraphs: Sequence[ParagraphText]) -> Iterator[list[Token]]:
        found = [[*self._divide(paragraph.text)] for paragraph in paragraphs]
        texts = (
            paragraph.text[start:end]
            for paragraph, words in zip(paragraphs, found, strict=True)
            for start, end, _ in words
        )
        by_capitals = self.language.capital_nouns and _has_both_cases(texts)
        for paragraph, words in zip(paragraphs, found, strict=True):
            yield [
                Token(text, self._tag(text, kind, by_capitals), *paragraph.original_span(start, end))
                for start, end, kind in words
                for text in (paragraph.text[start:end],)
            ]

    def _tag(self, text: str, kind: WordKind, by_capitals: bool) -> str:
        if kind != "word":
            return "PUNCT" if text in SENTENCE_ENDS else "NUM" if kind == "number" else ""
        lower = text.lower().replace("’", "'")
        if lower in self._stop_words:
            return "STOP"
        if self._is_verb(text, lower):
            return "VERB"
        return "LOWER" if by_capitals and text.islower() else "WORD"

    def _is_verb(self, text: str, lower: str) -> bool:
        with_pronoun = self._with_pronoun is not None and self._with_pronoun.search(lower) is not None
        return with_pronoun or (text.islower() and is_verb_form(lower, self.language.code))

    def _divide(self, text: str) -> Iterator[tuple[int, int, WordKind]]:
        for word in tokenize(text):
            for start, end in self._parts(text, word):
                yield start, end, word.kind

    def _parts(self, text: str, word: Word) -> Iterator[tuple[int, int]]:
        """Divide a word behind its elided article or pronoun: "l'eau", "dell'arte"."""
        start = word.start
        if word.kind == "word" and self.language.elisions:
            while (mark := _first_apostrophe(text, start, word.end)) is not None:
                if f"{text[start:mark].lower()}'" not in self.language.elisions:
                    break
                yield start, mark + 1
                start = mark + 1
        if start < word.end:
            yield start, word.end


def _first_apostrophe(text: str, start: int, end: int) -> int | None:
    """The offset of the first apostrophe of a word that has a letter behind it."""
    return next((index for index in range(start, end - 1) if text[index] in _APOSTROPHES), None)


def _has_both_cases(words: Iterable[str]) -> bool:
    """Whether capitals tell something: neither nearly all words are in lower case, nor nearly all in capitals."""
    first = [word[0] for word in words if word[0].isalpha()]
    lower = sum(map(str.islower, first))
    return _FEWEST * len(first) < lower < (1 - _FEWEST) * len(first)
