"""MDERank: the stages, top to bottom.

Zhang et al. (2022), "MDERank: A masked document embedding rank approach for unsupervised keyphrase extraction",
Findings of ACL. A phrase matters if the document's embedding changes when the phrase is masked.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mderank.candidate import Candidate
from mderank.candidates import CandidateSource, NounPhrases
from mderank.document import Document, Span, surface
from mderank.encoding import EMBEDDED, POOLINGS, Embeddings, Encoder, Pieces, PoolingName, Request, embed, load_encoder
from mderank.errors import ExactFallbackWarning, InputError, MDERankError, OptionError
from mderank.keyphrase import Keyphrase, Keyphrases
from mderank.masking import All, Mask, Masking
from mderank.ranking import DEDUPES, MMR, SIMILARITIES, Dedupe, SimilarityName, compare, rank
from mderank.ranking.dedupe import forms, merge, stemmed
from mderank.tagging import SpacyTagger, Tagger

# Texts that are tagged and encoded together: enough to fill the encoder's batches, little enough to hold in memory.
_CHUNK_TEXTS = 64
_CHUNK_CHARACTERS = 400_000

_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class _Reading:
    """A document as far as the encoder sees it."""

    document: Document
    pieces: Pieces
    unseen: Span | None


@dataclass(frozen=True)
class _Scored:
    """What masking did, candidate by candidate."""

    scores: npt.NDArray[np.floating]  # (m,)
    similarities: npt.NDArray[np.floating]  # (m,)
    vectors: npt.NDArray[np.floating]  # (m, d) the change of the document's embedding
    masked: list[bool]  # whether it hid anything at all


class MDERank:
    """Ranks the phrases of a text by how much masking them changes the text's embedding.

    >>> extractor = MDERank()
    >>> keyphrases = extractor.extract("Masked language models fill gaps in a text. Language models learn from gaps.")
    >>> keyphrases[0].text, keyphrases[0].spans
    ('language models', (Span(start=7, end=22), Span(start=44, end=59)))

    ``model`` is a name, a folder or an `Encoder` (see `load_encoder`); ``tagger`` a spaCy pipeline's name or a
    `Tagger`. What is a candidate, what it hides, and how results differ from each other are small objects:
    ``candidates=NGrams(1, 3)``, ``masking=Subset()``, ``diversity=MMR(0.7)``. ``pooling`` and ``layer`` default to
    what suits the encoder and to its last layer. ``exact=True`` encodes every masked variant whole, as in the paper:
    many times slower. ``max_words`` and ``max_pieces`` read only the beginning of a text; what was not read is in the
    result. ``exclude`` are phrases never to return, in any case or form.
    """

    def __init__(
        self,
        model: str | Path | Encoder = EMBEDDED,
        *,
        tagger: str | Tagger | None = None,
        candidates: CandidateSource | None = None,
        masking: Masking | None = None,
        pooling: PoolingName | None = None,
        layer: int | None = None,
        similarity: SimilarityName = "cosine",
        exact: bool = False,
        dedupe: Dedupe = "stem",
        diversity: MMR | None = None,
        min_score: float | None = None,
        max_words: int | None = None,
        max_pieces: int | None = None,
        exclude: Iterable[str] = (),
    ) -> None:
        _one_of("pooling", pooling, (None, *POOLINGS))
        _one_of("similarity", similarity, SIMILARITIES)
        _one_of("dedupe", dedupe, DEDUPES)
        for option, value, least in (("max_words", max_words, 1), ("max_pieces", max_pieces, 3)):
            if value is not None and value < least:
                raise OptionError(f"{option} must be at least {least}, not {value}")
        if isinstance(exclude, str):
            raise OptionError("exclude takes several phrases, not one string: exclude=['one phrase']")
        self.encoder: Encoder = load_encoder(model) if isinstance(model, str | Path) else model
        self.tagger: Tagger = SpacyTagger(tagger) if tagger is None or isinstance(tagger, str) else tagger
        self.candidates: CandidateSource = candidates or NounPhrases()
        self.masking: Masking = masking or All()
        self.pooling: PoolingName = pooling or self.encoder.spec.pooling
        self.layer = self._layer(layer)
        self.similarity: SimilarityName = similarity
        self.exact = exact or self._exact_only()
        self.dedupe: Dedupe = dedupe
        self.diversity = diversity
        self.min_score = min_score
        self.max_words = max_words
        self.max_pieces = max_pieces
        self.exclude = frozenset(" ".join(phrase.lower().split()) for phrase in exclude)

    def _layer(self, layer: int | None) -> int:
        layers = self.encoder.spec.layers
        if layer is None:
            return layers
        chosen = layers + 1 + layer if layer < 0 else layer
        if not 0 <= chosen <= layers:
            raise OptionError(f"layer {layer} does not exist: '{self.encoder.spec.name}' has 0 to {layers}")
        return chosen

    def _exact_only(self) -> bool:
        """Whether one pass is not to be had, which is said once."""
        if not self.encoder.spec.one_pass:
            warnings.warn(
                f"the encoder '{self.encoder.spec.name}' cannot do one-pass masking (its positions or its attention "
                "do not allow it): every masked variant is encoded whole, which takes many times longer",
                ExactFallbackWarning,
                stacklevel=3,
            )
            return True
        if self.pooling == "cls":
            raise OptionError("pooling='cls' exists in the exact form only: add exact=True (--exact)")
        return False

    def extract(self, text: str | Document, top_k: int | None = 10) -> Keyphrases:
        """The ``top_k`` best keyphrases of one text, best first (all of them for ``None``)."""
        return self._extract([_checked(text)], _checked_top_k(top_k))[0]

    def extract_many(self, texts: Iterable[str | Document], top_k: int | None = 10) -> Iterator[Keyphrases]:
        """The keyphrases of every text, in order, read and given as they are asked for.

        A text that fails carries its error in ``Keyphrases.error`` and the rest goes on.

        >>> [len(keyphrases) for keyphrases in MDERank().extract_many(["A red fox ran.", "", "A lazy dog slept."])]
        [1, 0, 1]
        """
        _checked_top_k(top_k)
        return (keyphrases for chunk in _chunks(texts) for keyphrases in self._extract_chunk(chunk, top_k))

    def _extract_chunk(self, texts: Sequence[str | Document], top_k: int | None) -> Iterable[Keyphrases]:
        try:
            return self._extract([_checked(text) for text in texts], top_k)
        except Exception:  # one of them failed: find out which, and give the others their due
            return (self._guarded(text, top_k) for text in texts)

    def _guarded(self, text: str | Document, top_k: int | None) -> Keyphrases:
        try:
            return self.extract(text, top_k)
        except MDERankError as error:
            return Keyphrases(error=error)
        except Exception as error:  # whatever a tagger or an encoder raises
            return Keyphrases(error=InputError(f"extraction failed: {type(error).__name__}: {error}"))

    def _extract(self, texts: Sequence[str | Document], top_k: int | None) -> list[Keyphrases]:
        """The whole story."""
        readings = self._read(texts)
        found = [self.candidates.find(reading.document) for reading in readings]
        candidates = [self._wanted(reading.document, some) for reading, some in zip(readings, found, strict=True)]
        masks = [self.masking.masks(reading.document, some) for reading, some in zip(readings, candidates, strict=True)]
        embeddings = embed(
            self.encoder,
            [_request(reading, some) for reading, some in zip(readings, masks, strict=True)],
            pooling=self.pooling,
            layer=self.layer,
            exact=self.exact,
        )
        results = []
        for reading, some, hidden, all_found, vectors in zip(
            readings, candidates, masks, found, embeddings, strict=True
        ):
            scored = _score(hidden, vectors, self.similarity)
            keyphrases = self._rank(reading.document, some, scored, top_k)
            missing = tuple(each.key for each in all_found if not each.occurrences)
            results.append(Keyphrases(keyphrases, unseen=reading.unseen, missing=missing))
        return results

    def _read(self, texts: Sequence[str | Document]) -> list[_Reading]:
        """Tag the texts, and settle how far each of them is read."""
        limits = [_end_of_words(_text(text), self.max_words) for text in texts]
        tagged = self.tagger.tag(
            text[:limit] for text, limit in zip(texts, limits, strict=True) if not isinstance(text, Document)
        )
        special = self.encoder.spec.max_length - self.encoder.spec.capacity
        readings = []
        for text, limit in zip(texts, limits, strict=True):
            document = text.upto(limit) if isinstance(text, Document) else next(tagged)
            pieces = self.encoder.pieces(document.text[:limit])
            kept = pieces if self.max_pieces is None else pieces.upto(max(0, self.max_pieces - special))
            end = limit if len(kept) == len(pieces) else int(kept.ends[-1]) if len(kept) else 0
            unseen = Span(end, len(_text(text))) if _text(text)[end:].strip() else None
            readings.append(_Reading(document.upto(end), kept, unseen))
        return readings

    def _wanted(self, document: Document, found: list[Candidate]) -> list[Candidate]:
        """The candidates that occur and are not excluded."""
        excluded = {stemmed(phrase, document.language) for phrase in self.exclude}
        return [each for each in found if each.occurrences and _stem(document, each) not in excluded]

    def _rank(
        self, document: Document, candidates: list[Candidate], scored: _Scored, top_k: int | None
    ) -> list[Keyphrase]:
        """Sort, merge variants, diversify."""
        order = rank(scored.scores.tolist(), [each.first for each in candidates], scored.masked)
        entries = [
            entry
            for entry in merge(document, candidates, order, self.dedupe)
            if self.min_score is None or scored.scores[entry[0]] >= self.min_score
        ]
        if self.diversity is not None:
            index = [best for best, _ in entries]
            taken = self.diversity.order(scored.scores[index], scored.vectors[index], top_k)
            entries = [entries[each] for each in taken]
        return [_keyphrase(document, scored, best, spans) for best, spans in entries[:top_k]]


def _stem(document: Document, candidate: Candidate) -> str:
    return stemmed(surface(document.text, candidate.occurrences[0].span), document.language)


def _keyphrase(document: Document, scored: _Scored, best: int, spans: tuple[Span, ...]) -> Keyphrase:
    variants = forms(document, spans)
    return Keyphrase(variants[0], float(scored.scores[best]), float(scored.similarities[best]), spans, variants)


def _request(reading: _Reading, masks: list[list[Mask]]) -> Request:
    return Request(reading.pieces, reading.document.sentence_ends(), [mask for some in masks for mask in some])


def _score(masks: list[list[Mask]], embeddings: Embeddings, similarity: SimilarityName) -> _Scored:
    """For each candidate what the strongest of its masks did; a candidate without any changed nothing."""
    similarities, scores = compare(embeddings.document, embeddings.changes, similarity)
    unchanged, _ = compare(embeddings.document, np.zeros((1, len(embeddings.document))), similarity)
    strongest = []
    start = 0
    for some in masks:
        strongest.append(start + int(np.argmax(scores[start : start + len(some)])) if some else len(scores))
        start += len(some)
    return _Scored(
        np.append(scores, 0.0)[strongest],
        np.append(similarities, unchanged)[strongest],
        np.vstack([embeddings.changes, np.zeros((1, embeddings.changes.shape[1]))])[strongest],
        [bool(some) for some in masks],
    )


def _chunks(texts: Iterable[str | Document]) -> Iterator[list[str | Document]]:
    chunk: list[str | Document] = []
    size = 0
    for text in texts:
        chunk.append(text)
        size += len(_text(text)) if isinstance(text, str | Document) else 0
        if len(chunk) >= _CHUNK_TEXTS or size >= _CHUNK_CHARACTERS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _end_of_words(text: str, count: int | None) -> int:
    """The offset after the first ``count`` words between white space."""
    if count is None:
        return len(text)
    for number, word in enumerate(_WORD.finditer(text), start=1):
        if number == count:
            return word.end()
    return len(text)


def _text(text: str | Document) -> str:
    return text.text if isinstance(text, Document) else text


def _checked(text: str | Document) -> str | Document:
    if not isinstance(text, str | Document):
        raise InputError(f"a text must be a str or a Document, not {type(text).__name__}")
    return text


def _checked_top_k(top_k: int | None) -> int | None:
    if top_k is not None and top_k < 0:
        raise OptionError(f"top_k must not be negative, and is {top_k}")
    return top_k


def _one_of(option: str, value: object, valid: Sequence[object]) -> None:
    if value not in valid:
        raise OptionError(f"{option}={value!r} is unknown: it is one of {', '.join(map(str, valid))}")
