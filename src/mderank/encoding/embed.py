"""Documents and masks to embeddings: windows, then one pass or the exact form, then pooling."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from mderank.document import Span
from mderank.encoding import exact as exact_form
from mderank.encoding import one_pass as packing
from mderank.encoding.base import Encoder, Ints, Pieces, PoolingName
from mderank.encoding.pooling import Embeddings, Pool, make_pool
from mderank.encoding.windows import windows


@dataclass(frozen=True)
class Request:
    """A text in pieces, where it may be cut into windows, the spans that each mask hides, phrases to embed besides."""

    pieces: Pieces
    breaks: Sequence[int]
    masks: Sequence[tuple[Span, ...]] = ()
    phrases: Sequence[Pieces] = ()


def embed(
    encoder: Encoder,
    requests: Sequence[Request],
    *,
    pooling: PoolingName,
    layer: int,
    exact: bool,
    batch_tokens: int | None = None,
    focus: float = 0.0,
) -> list[Embeddings]:
    """The embedding of every document, its change under each of its masks, and the embeddings of its phrases.

    ``batch_tokens`` is how many tokens the exact form computes at once (``None``: what suits the encoder's device).
    ``focus`` makes windows count less that are not on the subject of the first one, with mean pooling (0: all alike).
    """
    dimension = encoder.spec.dimension
    pools = [make_pool(pooling, len(each.masks), dimension, len(each.phrases), focus) for each in requests]
    if exact:
        size = exact_form.default_batch_tokens(encoder) if batch_tokens is None else batch_tokens
        for pool, request in zip(pools, requests, strict=True):
            for window, ids, masks in _windows(encoder, request):
                exact_form.run(encoder, pool, window, ids, masks, layer, size)
            exact_form.run_phrases(encoder, pool, _phrases(encoder, request), layer, size)
    else:
        work = (item for pool, request in zip(pools, requests, strict=True) for item in _packed(encoder, pool, request))
        packing.run(encoder, work, layer)
    return [pool.finish() for pool in pools]


def _packed(encoder: Encoder, pool: Pool, request: Request) -> Iterator[packing.Pass]:
    """The sequences of one document, and those of its phrases."""
    for window in _windows(encoder, request):
        yield from packing.passes(pool, *window)
    yield from packing.phrase_passes(pool, _phrases(encoder, request))


def _phrases(encoder: Encoder, request: Request) -> list[tuple[int, Ints]]:
    """The tokens of each phrase, as much of it as the encoder can take."""
    spec = encoder.spec
    return [
        (number, np.concatenate([spec.prefix, pieces.ids[: spec.capacity], spec.suffix]).astype(np.int64))
        for number, pieces in enumerate(request.phrases)
    ]


def _windows(encoder: Encoder, request: Request) -> Iterator[tuple[int, Ints, list[tuple[int, Ints]]]]:
    """Each window's tokens, and the rows that each mask hides in it."""
    spec = encoder.spec
    cuts = windows(request.pieces, request.breaks, spec.capacity)
    starts = np.asarray([cut.start for cut in cuts], dtype=np.int64)
    masks: list[list[tuple[int, Ints]]] = [[] for _ in cuts]
    for mask, pieces in enumerate(_hidden_pieces(request)):
        holders = np.searchsorted(starts, pieces, side="right") - 1
        for part in np.split(np.arange(len(pieces)), np.flatnonzero(np.diff(holders)) + 1):
            if len(part):
                holder = holders[part[0]]
                masks[holder].append((mask, pieces[part] - starts[holder] + len(spec.prefix)))
    for number, cut in enumerate(cuts):
        text = request.pieces.ids[cut.start : cut.stop]
        yield number, np.concatenate([spec.prefix, text, spec.suffix]).astype(np.int64), masks[number]


def _hidden_pieces(request: Request) -> Iterator[Ints]:
    """For each mask the pieces that touch one of its spans, in order."""
    places = iter(request.pieces.touching([span for mask in request.masks for span in mask]))
    for mask in request.masks:
        touched = {piece for place in islice(places, len(mask)) for piece in place}
        yield np.asarray(sorted(touched), dtype=np.int64)


__all__ = ["Embeddings", "Pool", "Request", "embed"]
