"""`SegmenterTagger`: tags Chinese, Japanese, Korean or Thai texts with the library of the language.

The library reads the letters of the language. Words of other scripts, numbers, addresses, marks and emoji are found by
our tokenizer, so that "GPT-4" and URLs stay whole. A library sees a plain letter, digit or full stop in place of every
rare symbol, and a text in parts of bounded length. So no symbol can upset its offsets, and time and memory grow with
the text's length only.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from threading import Lock
from typing import NamedTuple

from mderank.candidates.stopwords import is_function_word, stop_words_of
from mderank.document import SENTENCE_ENDS, Document, Tagset, Token
from mderank.errors import MissingExtraError, OptionError
from mderank.tagging.encoder_tagger import EncoderTagger
from mderank.tagging.layout_documents import read_documents
from mderank.tagging.paragraph_texts import ParagraphText
from mderank.tagging.segmenters.base import LIGHT, Morpheme, Segmenter
from mderank.tagging.tokenizer import Word, tokenize
from mderank.text import SEGMENTED, SEGMENTED_LETTERS, replace_surrogates

LIBRARIES = {"zh": "rjieba", "ja": "sudachipy", "ko": "kiwipiepy", "th": "pythainlp"}  # packages of the extras
_MODULES = {"zh": ("chinese", "Chinese"), "ja": ("japanese", "Japanese"), "ko": ("korean", "Korean"),
            "th": ("thai", "Thai")}  # fmt: skip

_LONGEST_PART = 10_000  # characters that a library is given at once; SudachiPy takes 49,149 bytes
_PART_END = re.compile(r"[。！？!?.、，,\s]")


class SegmenterTagger:
    """Tags Chinese, Japanese, Korean or Thai texts with universal tags. Each language needs the extra of its code.

    Nouns that name nothing, such as "こと" and "것", have the tag of a particle. Threads may share a tagger.

    Args:
        language: ``"zh"``, ``"ja"``, ``"ko"`` or ``"th"``.
        tags: False leaves out the tags of all words but function words and punctuation marks.

    Attributes:
        language: The language code.
        tagset: Tagset of the documents.

    Raises:
        OptionError: If the language is another.
    """

    tagset: Tagset = "universal"

    def __init__(self, language: str, *, tags: bool = True) -> None:
        if language not in SEGMENTED:
            raise OptionError(f"SegmenterTagger is for zh, ja, ko and th, not {language!r}")
        self.language = language
        self._tags = tags

    @property
    def name(self) -> str:
        """Name and version of the library."""
        return _load(self.language).name

    def without_tags(self) -> SegmenterTagger:
        """Return a tagger that tags only function words and punctuation marks.

        Returns:
            The tagger.
        """
        return SegmenterTagger(self.language, tags=False)

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """Tag texts.

        Args:
            texts: Texts, which are read as documents are asked for.

        Yields:
            One document per text, in order.

        Raises:
            MissingExtraError: If the library of the language is not installed.
        """
        segmenter = _load(self.language)
        for text in texts:
            clean = replace_surrogates(text)
            for document in read_documents(
                [clean], partial(self._tag_paragraphs, segmenter, clean), tagset=self.tagset, language=self.language
            ):
                yield self._finish(document)

    def _tag_paragraphs(
        self, segmenter: Segmenter, text: str, paragraphs: Sequence[ParagraphText]
    ) -> Iterator[list[Token]]:
        for paragraph in paragraphs:
            if not _NATIVE_LETTER.search(paragraph.text):
                yield _tag_english(paragraph)
                continue
            view = _view(paragraph, text, join_lines=segmenter.join_lines)
            words = segmenter.mend(_find_words(view.text, segmenter))
            yield [
                Token(_own_text(paragraph.text[start:end]), word.tag, *paragraph.original_span(start, end))
                for word in words
                for start, end in [(view.starts[word.start], view.ends[word.end - 1])]
            ]

    def _finish(self, document: Document) -> Document:
        tokens = document.tokens
        if self.language == "th":
            breaks = {
                index
                for index in range(1, len(tokens))
                if tokens[index - 1].end < tokens[index].start
                and _is_thai(tokens[index - 1].text[-1])
                and _is_thai(tokens[index].text[0])
            }
            document = replace(document, paragraph_starts=document.paragraph_starts | breaks)
        if not self._tags:
            kept = ("PUNCT", "SYM")
            tokens = tuple(
                token if token.tag in kept or is_function_word(token, self.language) else token._replace(tag="")
                for token in tokens
            )
            document = replace(document, tokens=tokens)
        return document


def _is_thai(letter: str) -> bool:
    return "\u0e00" <= letter <= "\u0e7f"


_loaded: dict[str, Segmenter] = {}
_loading = Lock()


def _load(language: str) -> Segmenter:
    """Return the segmenter of a language, which is loaded once per process."""
    with _loading:
        if language not in _loaded:
            module, title = _MODULES[language]
            try:
                _loaded[language] = import_module(f"mderank.tagging.segmenters.{module}").load()
            except ImportError as error:
                raise MissingExtraError(f"finding the words of {title} text", language) from error
        return _loaded[language]


class _View(NamedTuple):
    """A paragraph as a library reads it: a plain character for each, composed, lines joined.

    Attributes:
        text: What the library reads.
        starts: For each character the offset in the paragraph at which it begins.
        ends: For each character the offset at which it ends.
    """

    text: str
    starts: Sequence[int]
    ends: Sequence[int]


# Syllables and kana in parts, as some systems write file names and copied text.
_IN_PARTS = "[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\u3041-\u30ff][\u3099\u309a]"
_WIDE = "\u3005-\u3007\u3041-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9f"
_CHANGED = re.compile(rf"(?P<parts>{_IN_PARTS})|(?<=[{_WIDE}])(?P<white>[ ]+)(?=[{_WIDE}])")
_LINE_BREAKS = frozenset("\n\r\u2028\u2029\x85\x0b\x0c")


def _view(paragraph: ParagraphText, text: str, *, join_lines: bool) -> _View:
    content = paragraph.text
    pieces: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    done = 0
    for match in _CHANGED.finditer(content):
        start, end = match.span()
        if match["white"]:
            original = paragraph.original_span(start, end)
            if not join_lines or _LINE_BREAKS.isdisjoint(text[original.start : original.end]):
                continue
            changed = ""
        else:
            changed = unicodedata.normalize("NFC", match[0])
            if len(changed) != 1:
                continue
        pieces += (content[done:start], changed)
        starts += range(done, start)
        ends += range(done + 1, start + 1)
        if changed:
            starts.append(start)
            ends.append(end)
        done = end
    if not done:
        return _View(content, range(len(content)), range(1, len(content) + 1))
    pieces.append(content[done:])
    starts += range(done, len(content))
    ends += range(done + 1, len(content) + 1)
    return _View("".join(pieces), starts, ends)


def _own_text(text: str) -> str:
    """The text of a word, without a line break inside it."""
    return "".join(text.split()) if " " in text else text


_STRETCH = re.compile(f"(?P<native>[{SEGMENTED_LETTERS}]+)|(?P<other>[^{SEGMENTED_LETTERS}]+)")
_NATIVE_LETTER = re.compile(f"[{SEGMENTED_LETTERS}]")
_RARE = re.compile(rf"[^\x20-\x7e{SEGMENTED_LETTERS}\u3001\u3002\u300c-\u300f\u3000\uff01\uff0c\uff1f\u30fb]")


def _plain(match: re.Match[str]) -> str:
    character = match[0]
    category = unicodedata.category(character)[0]
    return {"L": "x", "N": "1", "Z": " ", "C": " "}.get(category, ".")


def _find_words(text: str, segmenter: Segmenter) -> list[Morpheme]:
    """Find the units of a paragraph: those of the library in its letters, our words elsewhere."""
    units = _segment(_RARE.sub(_plain, text), segmenter)
    unit = next(units, None)
    words: list[Morpheme] = []
    for stretch in _STRETCH.finditer(text):
        start, end = stretch.span()
        if stretch["other"]:
            words += (_foreign(text[word.start : word.end], word) for word in tokenize(text, start, end))
            continue
        at = start
        while at < end:
            while unit is not None and unit.end <= at:
                unit = next(units, None)
            if unit is None or unit.start >= end:
                words.append(Morpheme(text[at:end], "X", at, end))
                break
            if unit.start > at:
                words.append(Morpheme(text[at : unit.start], "X", at, unit.start))
            first, last = max(at, unit.start), min(end, unit.end)
            words.append(Morpheme(text[first:last], unit.tag, first, last, unit.fine))
            at = last
    return words


def _segment(text: str, segmenter: Segmenter) -> Iterator[Morpheme]:
    """The library's units, which is given parts of bounded length, cut after a mark where there is one."""
    start = 0
    while start < len(text):
        end = min(len(text), start + _LONGEST_PART)
        if end < len(text):
            marks = _PART_END.finditer(text, start + _LONGEST_PART // 2, end)
            end = max((mark.end() for mark in marks), default=end)
        for unit in segmenter.segment(text[start:end]):
            yield unit._replace(start=start + unit.start, end=start + unit.end)
        start = end


_PENN = {
    "CC": "CCONJ", "DT": "DET", "EX": "PRON", "IN": "ADP", "MD": "AUX", "PDT": "DET", "POS": "PART", "PRP": "PRON",
    "PRP$": "PRON", "RP": "PART", "TO": "PART", "WDT": "PRON", "WP": "PRON", "WP$": "PRON", "WRB": "SCONJ",
    "CD": "NUM", "NN": "NOUN", "NNS": "NOUN", "NNP": "PROPN", "NNPS": "PROPN", "FW": "NOUN", "UH": "INTJ",
}  # fmt: skip
_PENN_FAMILIES = {"J": "ADJ", "V": "VERB", "R": "ADV"}


def _tag_english(paragraph: ParagraphText) -> list[Token]:
    """Tag a paragraph without a letter of the language, such as an abstract in English, with the bundled tagger."""
    tokens = next(iter(EncoderTagger()._tag_paragraphs([paragraph])))
    return [token._replace(tag=_universal(token)) for token in tokens]


def _universal(token: Token) -> str:
    if not any(letter.isalnum() for letter in token.text):
        return _mark_tag(token.text)
    return _PENN.get(token.tag) or _PENN_FAMILIES.get(token.tag[:1], "X")


def _mark_tag(text: str) -> str:
    return "PUNCT" if text in SENTENCE_ENDS or unicodedata.category(text[0]).startswith("P") else "SYM"


def _foreign(text: str, word: Word) -> Morpheme:
    """A word, number or mark that our tokenizer found."""
    if word.kind == "mark":
        tag = _mark_tag(text)
    elif word.kind == "number":
        tag = "NUM"
    elif word.kind == "address":
        tag = "X"
    elif text.lower() in stop_words_of("en") and not (len(text) > 1 and text.isupper()):
        tag = LIGHT
    else:
        tag = "PROPN" if any(letter.isupper() or letter.isdigit() for letter in text) else "NOUN"
    return Morpheme(text, tag, word.start, word.end, word.kind)
