"""Texts with embeddings that were computed before: that of one text, or a row of a matrix for each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import replace
from typing import Any

import numpy as np

from mderank.document import AnyText, GuidedText
from mderank.errors import InputError, OptionError
from mderank.util.arrays import Floats

Vector = Floats | Sequence[float]
"""An embedding: a row of numbers."""


def check_embedding(vector: Any, name: str = "embedding") -> Floats:
    """Check the embedding of a text.

    Args:
        vector: A row of numbers.
        name: What it is called in an error.

    Returns:
        The embedding ``(d,)`` in float64.

    Raises:
        OptionError: If it is no row of finite numbers.
    """
    if hasattr(vector, "detach"):  # a tensor of torch, which may be on another device
        vector = vector.detach().cpu().float().numpy()
    try:
        row = np.asarray(vector)
    except ValueError as error:
        raise OptionError(f"{name} must be a row of numbers: {error}") from error
    if row.ndim != 1 or not len(row) or row.dtype.kind not in "fiu":
        found = f"an array {row.shape} of {row.dtype}" if row.ndim else type(vector).__name__
        raise OptionError(f"{name} must be a row of numbers, one per dimension of the model, not {found}")
    if not np.isfinite(row).all():
        raise OptionError(f"{name} has numbers that are not finite (NaN or infinity): compute it again")
    return row.astype(np.float64)


def with_embedding(text: AnyText, embedding: Vector | None, name: str = "embedding") -> AnyText:
    """Return a text with its embedding.

    Args:
        text: The text.
        embedding: Its embedding; None if the model is to compute it.
        name: What the embedding is called in an error.

    Returns:
        The text; the same object if there is nothing to add.

    Raises:
        OptionError: If the embedding cannot be used.
    """
    if embedding is None or not isinstance(text, AnyText):
        return text
    row = check_embedding(embedding, name)
    return replace(text, embedding=row) if isinstance(text, GuidedText) else GuidedText(text, embedding=row)


def each_with_embedding(texts: Iterable[AnyText], embeddings: Any) -> Iterator[AnyText | InputError]:
    """Return texts with their embeddings.

    Args:
        texts: The texts, which are read as results are asked for.
        embeddings: An embedding, or None, for each: the rows of a matrix, or an iterable.

    Returns:
        An iterator over the texts, in order. A text whose own embedding cannot be used is an error.

    Raises:
        OptionError: If there are not as many embeddings as texts, or if they are no matrix of numbers.
    """
    if isinstance(embeddings, str | bytes) or not isinstance(embeddings, Iterable):
        raise OptionError(f"embeddings must be a matrix with a row for each text, not {type(embeddings).__name__}")
    shape = getattr(embeddings, "shape", None)
    if shape is not None and len(shape) != 2:
        raise OptionError(f"embeddings must be a matrix with a row for each text, not an array {tuple(shape)}")
    if isinstance(embeddings, Sized) and isinstance(texts, Sized) and len(embeddings) != len(texts):
        raise OptionError(f"embeddings has {len(embeddings)} rows for {len(texts)} texts: give one for each")
    return _paired(texts, iter(embeddings))


def _paired(texts: Iterable[AnyText], embeddings: Iterator[Vector | None]) -> Iterator[AnyText | InputError]:
    number = -1
    for number, text in enumerate(texts):
        try:
            own = next(embeddings)
        except StopIteration:
            raise OptionError(f"embeddings has {number} rows, and there are more texts: give one for each") from None
        try:
            yield with_embedding(text, own, f"row {number} of embeddings")
        except OptionError as error:
            yield InputError(str(error))
    if next(embeddings, embeddings) is not embeddings:
        raise OptionError(f"embeddings has more rows than the {number + 1} texts: the two may not belong together")
