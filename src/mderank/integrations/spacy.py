"""A component for spaCy: ``nlp.add_pipe("mderank")`` gives every ``Doc`` its keyphrases, as spans of it.

>>> import spacy
>>> nlp = spacy.blank("en")
>>> component = nlp.add_pipe("mderank", config={"top_k": 2})
>>> doc = nlp("Coral reefs feed fish. Warm water harms coral reefs.")
>>> [(each.text, [span.start for span in each.spans]) for each in doc._.keyphrases]
[('Coral reefs', [0, 8]), ('Warm water', [5])]

Behind a tagger the component takes that one's tags; without any, as here, mderank's own
taggers read the text, in the language of the pipeline.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from itertools import islice
from typing import Any

from mderank.document import Document, MarkedUpText, Tagset, Token
from mderank.errors import MissingExtraError
from mderank.factory import build_extractor
from mderank.keyphrase import ConceptLabel, Keyphrases
from mderank.methods.base import Extractor
from mderank.options import Options
from mderank.tagging.paragraphs import paragraphs
from mderank.tagging.spacy_words import join_hyphenated
from mderank.text import replace_surrogates

try:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.tokens import Span as DocSpan
except ImportError as error:
    raise MissingExtraError("mderank.integrations.spacy", "spacy") from error

KEY = "mderank"  # of doc.user_data, and of doc.spans


@dataclass(frozen=True)
class DocKeyphrase:
    """A keyphrase of a ``Doc``: as `mderank.Keyphrase`, but its occurrences are spans of the ``Doc``."""

    text: str
    score: float
    confidence: float | None
    spans: tuple[DocSpan, ...]
    related: tuple[str, ...] = ()
    key: str = ""
    concept: ConceptLabel | None = None


class KeyphraseComponent:
    """Finds the keyphrases of documents, several at a time in ``nlp.pipe``."""

    def __init__(self, nlp: Language, extractor: Extractor, top_k: int | None) -> None:
        self.extractor = extractor
        self.top_k = top_k
        self._lang = nlp.lang or ""
        self._tagset: Tagset = "penn" if nlp.lang == "en" else "universal"

    def __call__(self, doc: Doc) -> Doc:
        """The same document, with its keyphrases."""
        return next(self.pipe([doc]))

    def pipe(self, stream: Iterable[Doc], batch_size: int = 64) -> Iterator[Doc]:
        """The same documents, with their keyphrases."""
        waiting = iter(stream)
        while docs := list(islice(waiting, batch_size)):
            found = self.extractor.extract_many((self._read(doc) for doc in docs), self.top_k)
            for doc, keyphrases in zip(docs, found, strict=True):
                if keyphrases.error is not None:
                    raise keyphrases.error
                yield _with(doc, keyphrases)

    def _read(self, doc: Doc) -> MarkedUpText | Document:
        """The document with the pipeline's own tags; its text, for our taggers, if it has none."""
        if not doc.has_annotation("TAG" if self._tagset == "penn" else "POS"):
            known = self._lang if self._lang and self._lang != "xx" else None
            return MarkedUpText(str(doc.text), language=known)
        tag = "tag_" if self._tagset == "penn" else "pos_"
        words = [
            Token(word.text, getattr(word, tag), word.idx, word.idx + len(word)) for word in doc if not word.is_space
        ]
        tokens = tuple(join_hyphenated(words))
        return Document(
            replace_surrogates(doc.text), tokens, _starts(doc.text, tokens), self._tagset, self._lang
        ).with_breaks(doc.text)


def _starts(text: str, tokens: Sequence[Token]) -> frozenset[int]:
    """The tokens that begin a paragraph."""
    starts = set()
    index = 0
    for paragraph in paragraphs(replace_surrogates(text)):
        while index < len(tokens) and tokens[index].start < paragraph.start:
            index += 1
        if index < len(tokens) and tokens[index].start < paragraph.end:
            starts.add(index)
    return frozenset(starts)


def _with(doc: Doc, found: Keyphrases) -> Doc:
    """Plain data in the document, so that it can be sent to other processes and to disk; spans are made of it."""
    doc.user_data[KEY] = [
        {
            "text": each.text,
            "key": each.key,
            "score": each.score,
            "confidence": each.confidence,
            "spans": [list(span) for span in each.spans],
            "related": list(each.related),
            "concept": None if each.concept is None else each.concept.as_dict(),
        }
        for each in found
    ]
    doc.spans[KEY] = [span for each in _keyphrases(doc) for span in each.spans]
    return doc


def _keyphrases(doc: Doc) -> list[DocKeyphrase]:
    return [
        DocKeyphrase(
            each["text"],
            each["score"],
            each["confidence"],
            tuple(_spans(doc, each["spans"])),
            tuple(each.get("related", ())),  # a document that was saved before there were any has none
            each.get("key", ""),
            ConceptLabel(**each["concept"]) if each.get("concept") else None,
        )
        for each in doc.user_data.get(KEY, ())
    ]


def _spans(doc: Doc, places: Iterable[tuple[int, int]]) -> Iterator[DocSpan]:
    for start, end in places:
        # A word that spaCy divides otherwise is taken whole.
        span = doc.char_span(start, end, label="KEYPHRASE", alignment_mode="expand")
        if span is not None:
            yield span


def default_config(options: type[Options] = Options) -> dict[str, Any]:
    """The default ``config`` of ``nlp.add_pipe("mderank")``: the fields of `Options`."""
    return options().to_dict()


def make_factory(options: type[Options] = Options) -> Callable[..., KeyphraseComponent]:
    """A factory of spaCy whose arguments are the fields of ``options``.

    Args:
        options: the list of options.

    Returns:
        A function for ``Language.factory``.
    """

    def make(nlp: Language, name: str, **config: Any) -> KeyphraseComponent:
        chosen = options.from_dict(config)
        if not Doc.has_extension("keyphrases"):
            Doc.set_extension("keyphrases", getter=_keyphrases)
        return KeyphraseComponent(nlp, build_extractor(chosen), chosen.top_k or None)

    # spaCy reads the names of the settings from the signature.
    positional = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in ("nlp", "name")]
    named = [Parameter(name, Parameter.KEYWORD_ONLY, annotation=Any) for name in options.parameters()]
    make.__signature__ = Signature([*positional, *named])  # type: ignore[attr-defined]
    return make


make_component = Language.factory(
    "mderank", assigns=["doc._.keyphrases", "doc.spans"], default_config=default_config()
)(make_factory())
