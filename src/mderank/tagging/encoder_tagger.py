"""Tagging by the bundled encoder: a small network finds the tags from the vectors of its embedding layer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import accumulate
from pathlib import Path

import numpy as np

from mderank.document import Document, Tagset, Token
from mderank.encoding.load import BUNDLED_MODEL, BUNDLED_MODEL_FOLDER
from mderank.encoding.word_piece_vectors import WordPieceVectors
from mderank.tagging.compounds import whole_tag
from mderank.tagging.language import warn_if_not_english
from mderank.tagging.layout_documents import mark_sentence_ends, read_documents
from mderank.tagging.paragraph_texts import ParagraphText
from mderank.tagging.spelling import FEATURES, spelling_features
from mderank.tagging.tag_network import TagNetwork, find_pieces, word_vectors
from mderank.tagging.tokenizer import Word, tokenize
from mderank.text import replace_surrogates
from mderank.util.arrays import Bools, Floats

TAGGER_FILE = "tagger.npz"

_GROUP = 500  # words: paragraphs are computed together up to this number, so that memory is bounded


class EncoderTagger:
    """Tags English texts with Penn tags. It needs neither spaCy nor torch, and does not start the encoder.

    The words are those of our tokenizer. The tags of a text depend on that text alone. Threads may share a tagger.

    Args:
        tags: False finds the words only: only marks that end a sentence get a tag.
        warn: Whether a text that is plainly not English causes a warning, once.

    Attributes:
        tagset: Tagset of the documents.
    """

    tagset: Tagset = "penn"

    def __init__(self, *, tags: bool = True, warn: bool = True) -> None:
        self._tags = tags
        self._warned = not warn

    @property
    def name(self) -> str:
        """Name of the tagger, with the beginning of its weights' SHA-256."""
        return f"{BUNDLED_MODEL} tagger {_network().digest}"

    def without_tags(self) -> EncoderTagger:
        """Return a tagger that assigns no tags.

        Returns:
            The tagger.
        """
        return EncoderTagger(tags=False)

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """Tag texts.

        Args:
            texts: Texts, which are read as documents are asked for.

        Yields:
            One document per text, in order.

        Raises:
            ModelError: If a file of the bundled encoder is missing or damaged.
        """
        for text in texts:
            if not self._warned:
                self._warned = warn_if_not_english(text)
            yield from read_documents(
                [replace_surrogates(text)],
                self._tag_paragraphs if self._tags else self._find_words,
                tagset=self.tagset,
                language="en",
                speakers=self._tags,
            )

    def _find_words(self, paragraphs: Sequence[ParagraphText]) -> Iterator[list[Token]]:
        return mark_sentence_ends(paragraphs, self.tagset)

    def _tag_paragraphs(self, paragraphs: Sequence[ParagraphText]) -> Iterator[list[Token]]:
        """Yield the tokens of the paragraphs of one text."""
        words = [tokenize(paragraph.text) for paragraph in paragraphs]
        for group in _groups(words):
            yield from self._tag_group(paragraphs[group.start : group.stop], words[group.start : group.stop])

    def _tag_group(self, paragraphs: Sequence[ParagraphText], words: Sequence[list[Word]]) -> Iterator[list[Token]]:
        network = _network()
        found = network.find_tags(*network_inputs([paragraph.text for paragraph in paragraphs], words)).tolist()
        row = 0
        for paragraph, some in zip(paragraphs, words, strict=True):
            tokens = []
            for word, index in zip(some, found[row : row + len(some)], strict=True):
                text, tag = paragraph.text[word.start : word.end], network.tags[index]
                if word.kind != "word" or not (text.isascii() and text.isalpha()):
                    tag = whole_tag(text, word.kind, [tag], self.tagset)
                tokens.append(Token(text, tag, *paragraph.original_span(word.start, word.end)))
            yield tokens
            row += len(some) + 1


def _groups(words: Sequence[Sequence[Word]]) -> Iterator[range]:
    """Paragraphs that are computed at once. They depend on the text alone, and so do all results."""
    start = size = 0
    for index, some in enumerate(words):
        size += len(some)
        if size >= _GROUP:
            yield range(start, index + 1)
            start, size = index + 1, 0
    if start < len(words):
        yield range(start, len(words))


def network_inputs(texts: Sequence[str], words: Sequence[Sequence[Word]]) -> tuple[Floats, Bools]:
    """Compute the input of the network that finds tags.

    Args:
        texts: Paragraphs.
        words: The words of each.

    Returns:
        One row for each word: the vectors of its pieces and the features of its spelling. A row of zeros follows each
        paragraph. And which rows are words.
    """
    pieces = _vectors()
    tokenized = pieces.tokenize("\n".join(texts))
    begins = [0, *accumulate(len(text) + 1 for text in texts)]
    real = np.ones(sum(map(len, words)) + len(words), dtype=np.bool_)
    real[np.cumsum([len(some) + 1 for some in words], dtype=np.int64) - 1] = False
    placed = [(begin, word) for begin, some in zip(begins, words, strict=False) for word in some]
    starts, ends = [begin + word.start for begin, word in placed], [begin + word.end for begin, word in placed]
    first, last = find_pieces(tokenized, starts, ends)
    width = 3 * pieces.dimension
    inputs = np.zeros((len(real), width + len(FEATURES)), dtype=np.float32)
    inputs[real, :width] = word_vectors(pieces.rows(tokenized.ids), first, last)
    inputs[real, width:] = np.concatenate(
        [np.zeros((0, len(FEATURES)), dtype=np.float32)]
        + [
            spelling_features([text[word.start : word.end] for word in some], [word.kind for word in some])
            for text, some in zip(texts, words, strict=True)
        ]
    )
    return inputs, real


@cache
def _vectors() -> WordPieceVectors:
    return WordPieceVectors()


@cache
def _network() -> TagNetwork:
    return TagNetwork(Path(BUNDLED_MODEL_FOLDER) / TAGGER_FILE)
