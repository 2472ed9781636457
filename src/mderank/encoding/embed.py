"""Embeddings of documents, of their masked variants and of phrases: windows, then encoding, then pooling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from mderank.document import Span
from mderank.encoding import exact as exact_form
from mderank.encoding import one_pass
from mderank.encoding.base import BlockEncoder, Encoder, PoolingName, TokenizedText
from mderank.encoding.exact import VariantCache
from mderank.encoding.one_pass import PackedSequence
from mderank.encoding.phrase_cache import PhraseCache
from mderank.encoding.pooling import Embeddings, Pool, make_pool
from mderank.encoding.windows import windows
from mderank.util.arrays import Ints


@dataclass(frozen=True)
class Request:
    """A text to embed, with its masks and with phrases to embed alone.

    Attributes:
        tokenized: The tokens of the text.
        breaks: Character offsets where a long text may be cut into windows.
        masks: For each mask, the character spans that it hides.
        phrases: The tokens of phrases that are embedded alone.
    """

    tokenized: TokenizedText
    breaks: Sequence[int]
    masks: Sequence[tuple[Span, ...]] = ()
    phrases: Sequence[TokenizedText] = ()


def embed(
    encoder: Encoder,
    requests: Sequence[Request],
    *,
    pooling: PoolingName,
    layer: int,
    exact: bool,
    batch_tokens: int | None = None,
    focus: float = 0.0,
    cache: VariantCache | None = None,
    phrase_cache: PhraseCache | None = None,
) -> list[Embeddings]:
    """Embed documents, measure the change under each of their masks, and embed their phrases.

    Args:
        encoder: The encoder.
        requests: The documents.
        pooling: How hidden states become an embedding.
        layer: Number of the layer.
        exact: Encode every masked variant whole; otherwise all masks of a window are encoded in one pass.
        batch_tokens: Number of tokens that exact masking computes at once; None for what suits the device.
        focus: With mean pooling, how much less windows count that are far from the document's subject; 0 for all
            alike. See `FocusedMeanPool`.
        cache: A cache of masked variants, for exact masking only.
        phrase_cache: A cache of phrases, for this encoder only. It is used where a phrase's states do not depend on
            the phrases beside it: in one pass, with a `BlockEncoder`.

    Returns:
        One result per request, in order.
    """
    dimension = encoder.spec.dimension
    pools = [make_pool(pooling, len(each.masks), dimension, len(each.phrases), focus) for each in requests]
    both = list(zip(pools, requests, strict=True))
    if exact:
        size = exact_form.default_batch_tokens(encoder) if batch_tokens is None else batch_tokens
        for pool, request in both:
            for window, ids, masks in _windows(encoder, request):
                exact_form.encode_masked_variants(encoder, pool, window, ids, masks, layer, size, cache)
            exact_form.encode_phrases(encoder, pool, _phrases(encoder, request), layer, size)
    elif isinstance(encoder, BlockEncoder) and encoder.takes_blocks:
        for pool, request in both:
            one_pass.encode_windows(encoder, _pack_masks(encoder, pool, request), layer)
        phrases = ((pool, *phrase) for pool, request in both for phrase in _phrases(encoder, request))
        one_pass.encode_phrases(encoder, phrases, layer, phrase_cache)
    else:
        one_pass.encode_packed(encoder, (each for pair in both for each in _pack(encoder, *pair)), layer)
    return [pool.finish() for pool in pools]


def _pack(encoder: Encoder, pool: Pool, request: Request) -> Iterator[PackedSequence]:
    """Yield the sequences of one document, then those of its phrases."""
    yield from _pack_masks(encoder, pool, request)
    yield from one_pass.pack_phrases(pool, _phrases(encoder, request))


def _pack_masks(encoder: Encoder, pool: Pool, request: Request) -> Iterator[PackedSequence]:
    for window in _windows(encoder, request):
        yield from one_pass.pack_masks(pool, *window)


def _phrases(encoder: Encoder, request: Request) -> list[tuple[int, Ints]]:
    """Return the token ids of each phrase, truncated to what the encoder can take."""
    spec = encoder.spec
    return [
        (number, spec.add_special_tokens(phrase.ids[: spec.capacity])) for number, phrase in enumerate(request.phrases)
    ]


def _windows(encoder: Encoder, request: Request) -> Iterator[tuple[int, Ints, list[tuple[int, Ints]]]]:
    """Yield the number and the token ids of each window, and the rows that each mask hides in it."""
    spec = encoder.spec
    cuts = windows(request.tokenized, request.breaks, spec.capacity)
    starts = np.asarray([cut.start for cut in cuts], dtype=np.int64)
    first = len(spec.prefix)  # row of a window's first token
    if len(cuts) == 1:
        ids = spec.add_special_tokens(request.tokenized.ids)
        yield 0, ids, [(mask, hidden + first) for mask, hidden in enumerate(_hidden_tokens(request)) if len(hidden)]
        return
    masks: list[list[tuple[int, Ints]]] = [[] for _ in cuts]
    for mask, hidden in enumerate(_hidden_tokens(request)):
        holders = np.searchsorted(starts, hidden, side="right") - 1
        for part in np.split(np.arange(len(hidden)), np.flatnonzero(np.diff(holders)) + 1):
            if len(part):
                holder = holders[part[0]]
                masks[holder].append((mask, hidden[part] - starts[holder] + first))
    for number, cut in enumerate(cuts):
        yield number, spec.add_special_tokens(request.tokenized.part(cut).ids), masks[number]


def _hidden_tokens(request: Request) -> Iterator[Ints]:
    """Yield, for each mask, the indices of the tokens that touch one of its spans, in order."""
    touched = iter(request.tokenized.touching([span for mask in request.masks for span in mask]))
    for mask in request.masks:
        hidden = {token for tokens in islice(touched, len(mask)) for token in tokens}
        yield np.asarray(sorted(hidden), dtype=np.int64)


__all__ = ["Embeddings", "Pool", "Request", "embed"]
