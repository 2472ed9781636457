"""The base class of methods that use an encoder: its pooling, its layer, the end of the text that it sees."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat
from pathlib import Path
from typing import Annotated, ClassVar, Unpack

from mderank.encoding import (
    BUNDLED_MODEL,
    EmbeddingFunction,
    Embeddings,
    Encoder,
    PoolingName,
    Request,
    TextEmbedder,
    TokenizedText,
    embed,
    load_encoder,
)
from mderank.encoding.exact import VariantCache
from mderank.encoding.phrase_cache import PhraseCache
from mderank.encoding.text_embedder import (
    EmbeddingModel,
    EmbeddingRequest,
    describe_refused,
    embed_texts,
    load_embedder,
)
from mderank.errors import ExactFallbackWarning, OptionError
from mderank.keyphrase import LanguageInfo
from mderank.masking import Mask
from mderank.methods.base import BaseExtractor, BaseOptions
from mderank.methods.scores import ScoringInput
from mderank.parameters import Param, check_arguments
from mderank.ranking import SimilarityName
from mderank.util.arrays import Floats

# Every masked variant fills batches of its own, so that texts together are hardly faster, and take minutes.
_EXACT_CHUNK_CHARACTERS = 4_000

MODEL = Param(expects="the name of a model, its folder, or an Encoder", describe_refused=describe_refused)
EMBEDDING_MODEL = Param(
    expects="the name of a model, its folder, an Encoder, a SentenceTransformer, or a function from texts to vectors"
)


class EncoderOptions(BaseOptions, total=False):
    """The options that all methods with an encoder have."""

    pooling: PoolingName | None
    layer: int | None
    similarity: SimilarityName
    exact: bool
    batch_tokens: int | None
    max_tokens: int | None


class EncoderExtractor(BaseExtractor):
    """Base of the methods with an encoder.

    Args:
        model: Name or folder of a model, or an `Encoder`; see `load_encoder`. For methods that compare embeddings only,
            also a model of finished embeddings: a `TextEmbedder`, a function, or a ``SentenceTransformer``.
        pooling: How hidden states become an embedding; None for what suits the encoder.
        layer: Number of the layer; negative numbers count from the last. None for the last.
        similarity: How embeddings are compared: "cosine" or "euclidean".
        exact: Encode every masked variant whole, as in the paper, which takes many times longer.
        batch_tokens: Number of tokens that exact masking computes at once.
        max_tokens: Number of tokens of a text to read, special tokens included; None for all.
        options: Options of `BaseExtractor`.

    Raises:
        ModelError: If the model cannot be loaded.
        OptionError: If an option has the wrong type, is out of range or does not suit the others.
    """

    has_vectors: ClassVar[bool] = True

    @check_arguments
    def __init__(
        self,
        model: Annotated[str | Path | Encoder | TextEmbedder | EmbeddingFunction, EMBEDDING_MODEL] = BUNDLED_MODEL,
        *,
        pooling: PoolingName | None = None,
        layer: int | None = None,
        similarity: SimilarityName = "cosine",
        exact: bool = False,
        batch_tokens: Annotated[int | None, Param(ge=1)] = None,
        max_tokens: Annotated[int | None, Param(ge=3)] = None,
        **options: Unpack[BaseOptions],
    ) -> None:
        super().__init__(**options)
        self.similarity: SimilarityName = similarity
        self.embedder: EmbeddingModel | None = None
        if not isinstance(model, str | Path | Encoder):
            given = {
                "pooling": pooling,
                "layer": layer,
                "exact": exact or None,
                "batch_tokens": batch_tokens,
                "max_tokens": max_tokens,
            }
            self.embedder = _load_embedder(model, given)
            self.exact = False
            return
        self.encoder: Encoder = load_encoder(model) if isinstance(model, str | Path) else model
        self.pooling: PoolingName = pooling or self.encoder.spec.pooling
        self.layer = self._layer(layer)
        self.exact = exact or self._exact_only()
        if batch_tokens is not None and not self.exact:
            raise OptionError("batch_tokens is for the exact form only: add exact=True (--exact), or leave it out")
        self.batch_tokens = batch_tokens
        self.max_tokens = max_tokens
        self.phrase_cache = PhraseCache()  # extractors with the same encoder may share one

    def _layer(self, layer: int | None) -> int:
        layers = self.encoder.spec.layers
        return layers if layer is None else checked_layer(layer, layers, self.encoder.spec.name)

    def _exact_only(self) -> bool:
        """Whether one pass is not to be had, which is said once."""
        if not self.encoder.spec.one_pass:
            warnings.warn(
                f"the encoder '{self.encoder.spec.name}' cannot do one-pass masking (its positions or its attention "
                "do not allow it): every masked variant is encoded whole, which takes many times longer",
                ExactFallbackWarning,
                stacklevel=8,
            )
            return True
        if self.pooling == "cls":
            raise OptionError("pooling='cls' exists in the exact form only: add exact=True (--exact)")
        return False

    def _chunk_characters(self) -> int:
        return _EXACT_CHUNK_CHARACTERS if self.exact else super()._chunk_characters()

    def _visible_end(self, text: str) -> tuple[int, TokenizedText | None]:
        if self.embedder is not None:
            return len(text), None
        tokenized = self.encoder.tokenize(text)
        special = self.encoder.spec.max_length - self.encoder.spec.capacity
        kept = tokenized if self.max_tokens is None else tokenized.upto(max(0, self.max_tokens - special))
        return len(text) if len(kept) == len(tokenized) else int(kept.ends[-1]) if len(kept) else 0, kept

    def _describe_language(self, item: ScoringInput) -> LanguageInfo:
        known = super()._describe_language(item)
        foreign = (self._warn_of_language(item),) if item.candidates and item.document.language != "en" else ()
        warnings = (*known.warnings, *filter(None, foreign))
        name = self.encoder.spec.name if self.embedder is None else self.embedder.name
        return replace(known, encoder=name, warnings=warnings)

    def _warn_of_language(self, item: ScoringInput) -> str:
        """The warning about the encoder on a text that is not English; empty if it is as good as any."""
        if self.embedder is not None or self.encoder.spec.name != BUNDLED_MODEL:
            return ""
        return (
            f"the encoder '{BUNDLED_MODEL}' is for English: name one for this language with --model (model=…), such as "
            "intfloat/multilingual-e5-small"
        )

    def _embed(
        self,
        inputs: Sequence[ScoringInput],
        masks: Sequence[Sequence[Mask]] | None = None,
        phrases: Sequence[Sequence[str]] | None = None,
        focus: float = 0.0,
    ) -> list[Embeddings]:
        """Embed documents, with the masks and the phrases of each.

        Args:
            inputs: The documents.
            masks: The masks of each document.
            phrases: Phrases of each document that are embedded alone.
            focus: How much less windows count that are far from the document's subject; see `embed`.

        Returns:
            The embeddings of each document, in order.
        """
        made = self._compute_embeddings(inputs, masks or repeat(()), phrases or repeat(()), focus)
        return [_with_known_embedding(item, each) for item, each in zip(inputs, made, strict=True)]

    def _embed_documents(self, inputs: Sequence[ScoringInput]) -> list[Floats]:
        """Embed documents alone, also those without candidates."""
        return [each.document for each in self._compute_embeddings(inputs, repeat(()), repeat(()), 0.0, every=True)]

    def _compute_embeddings(
        self,
        inputs: Sequence[ScoringInput],
        masks: Iterable[Sequence[Mask]],
        phrases: Iterable[Sequence[str]],
        focus: float,
        every: bool = False,
    ) -> list[Embeddings]:
        embedded = [every or _is_embedded(item) for item in inputs]
        if self.embedder is not None:
            return embed_texts(self.embedder, [*map(_embedding_request, inputs, phrases, embedded)])
        requests = []
        for item, is_embedded, own_masks, own_phrases in zip(inputs, embedded, masks, phrases, strict=False):
            assert item.tokenized is not None
            # A text without candidates is not encoded: nobody sees its embedding, and 150,000 brackets take a minute.
            read = item.tokenized if is_embedded else item.tokenized.upto(0)
            ends = item.document.sentence_ends() if is_embedded else ()
            tokenized = [self.encoder.tokenize(phrase) for phrase in own_phrases]
            requests.append(Request(read, ends, own_masks, tokenized))
        return embed(
            self.encoder,
            requests,
            pooling=self.pooling,
            layer=self.layer,
            exact=self.exact,
            batch_tokens=self.batch_tokens,
            focus=focus,
            cache=self.encoder if isinstance(self.encoder, VariantCache) else None,
            phrase_cache=self.phrase_cache,
        )


def checked_layer(layer: int, layers: int, name: str) -> int:
    """Return the number of a layer.

    Args:
        layer: Number of the layer; negative numbers count from the last.
        layers: Number of layers of the encoder.
        name: Name of the encoder, for the error.

    Returns:
        The number of the layer, from 0.

    Raises:
        OptionError: If there is no such layer.
    """
    chosen = layers + 1 + layer if layer < 0 else layer
    if not 0 <= chosen <= layers:
        raise OptionError(f"layer {layer} does not exist: '{name}' has 0 to {layers}")
    return chosen


def _load_embedder(model: TextEmbedder | EmbeddingFunction, encoder_options: Mapping[str, object]) -> EmbeddingModel:
    """A model of finished embeddings; options that are about hidden states are refused."""
    given = [name for name, value in encoder_options.items() if value is not None]
    if given:
        raise OptionError(
            f"{', '.join(given)}: a {type(model).__name__} gives finished embeddings, and this is for encoders: leave "
            "it out (max_words limits how much of a text is read)"
        )
    return load_embedder(model)


def _is_embedded(item: ScoringInput) -> bool:
    """Whether a document is to be embedded: not without candidates, since nobody sees it, nor if it was before."""
    return bool(item.candidates) and (item.guide is None or item.guide.embedding is None)


def _with_known_embedding(item: ScoringInput, made: Embeddings) -> Embeddings:
    """The embeddings of a document, with that which came with the text."""
    known = None if item.guide is None else item.guide.embedding
    if known is None or not item.candidates:
        return made
    if len(known) != made.phrases.shape[1]:
        raise OptionError(
            f"the embedding of a text has {len(known)} numbers, and those of the model have {made.phrases.shape[1]}: "
            "compute it with the same model (embed_documents)"
        )
    return replace(made, document=known)


def _embedding_request(item: ScoringInput, phrases: Sequence[str], is_embedded: bool) -> EmbeddingRequest:
    """The parts of a document to embed."""
    phrases = phrases if item.candidates else ()
    if not is_embedded:
        return EmbeddingRequest(None, phrases=phrases)
    document = item.document
    text = document.text if item.truncated is None else document.text[: item.truncated.start]
    words = [(token.start, token.end) for token in document.tokens]
    return EmbeddingRequest(text, words, document.sentence_ends(), phrases)
