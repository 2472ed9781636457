"""Texts to documents: the layout is read, paragraphs are tagged, and words find their places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from mderank.document import SENTENCE_ENDS, Document, Tagset, Token
from mderank.tagging.layout import read_layout
from mderank.tagging.paragraph_texts import ParagraphText, paragraph_texts
from mderank.tagging.tokenizer import tokenize

TagParagraphs = Callable[[Sequence[ParagraphText]], Iterable[list[Token]]]

_SPEAKER = "SPEAKER"  # tag of a word that names a speaker
_OFTEN = 3  # times that a speaker is named in the text, from which on the text may be about them


def read_documents(
    texts: Sequence[str],
    tag_paragraphs: TagParagraphs,
    *,
    tagset: Tagset,
    language: str,
    layout: bool = True,
    divide_runs: bool = False,
    speakers: bool = True,
) -> Iterator[Document]:
    """Read the layout of texts, have their paragraphs tagged, and make documents of the words.

    Args:
        texts: The texts, without lone surrogates.
        tag_paragraphs: Called once with the paragraphs of all texts; gives the tokens of each.
        tagset: Tagset of the tags.
        language: Language code.
        layout: Whether the layout is read. Otherwise texts are cut at empty lines only, and nothing is blanked.
        divide_runs: Without a layout, whether long runs without white space are divided; see `paragraph_texts`.
        speakers: Whether words that name a speaker lose the tag of a noun, where the layout tells who speaks.

    Yields:
        One document per text, in order.
    """
    layouts = [read_layout(text) if layout else None for text in texts]
    paragraphs = [
        paragraph
        for index, (text, read) in enumerate(zip(texts, layouts, strict=True))
        for paragraph in paragraph_texts(index, text, read, divide_runs=divide_runs)
    ]
    tokens: list[list[Token]] = [[] for _ in texts]
    starts: list[set[int]] = [set() for _ in texts]
    for paragraph, words in zip(paragraphs, tag_paragraphs(paragraphs), strict=True):
        if words:
            starts[paragraph.text_number].add(len(tokens[paragraph.text_number]))
            tokens[paragraph.text_number].extend(words)
    for text, read, words, breaks in zip(texts, layouts, tokens, starts, strict=True):
        if read is None:
            yield Document(text, tuple(words), frozenset(breaks), tagset, language).with_breaks(text)
        else:
            blanked = read.blanked
            tagged = tuple(_without_speakers(words, read.speakers) if speakers else words)
            yield Document(blanked, tagged, frozenset(breaks), tagset, language, read.divided).with_breaks(blanked)


def mark_sentence_ends(paragraphs: Iterable[ParagraphText], tagset: Tagset) -> Iterator[list[Token]]:
    """Find our words without tagging them: only marks that end a sentence get a tag.

    Args:
        paragraphs: The paragraphs.
        tagset: Tagset of that tag.

    Yields:
        The tokens of each paragraph.
    """
    end = "PUNCT" if tagset == "universal" else "."
    for paragraph in paragraphs:
        yield [
            Token(text, end if text in SENTENCE_ENDS else "", *paragraph.original_span(word.start, word.end))
            for word in tokenize(paragraph.text)
            for text in (paragraph.text[word.start : word.end],)
        ]


def _without_speakers(words: Sequence[Token], speakers: frozenset[str]) -> Iterable[Token]:
    """Take the noun's tag from words that name a speaker of a chat or transcript, unless they recur.

    A speaker who is addressed is not what a text is about; one whom others speak of may be.
    """
    if not speakers:
        return words
    counts = Counter(name for word in words if (name := word.text.casefold()) in speakers)
    seldom = {name for name, count in counts.items() if count < _OFTEN}
    return [word._replace(tag=_SPEAKER) if word.text.casefold() in seldom else word for word in words]
