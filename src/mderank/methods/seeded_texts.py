"""Texts with the seeds of a call: those of one text, of all texts, or of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from dataclasses import replace
from itertools import chain
from typing import Any

from mderank.document import AnyText, GuidedText
from mderank.errors import InputError, OptionError
from mderank.seeds import check_seed_weight, check_seeds

Seeds = Sequence[str] | Iterable[Sequence[str] | None]
"""Seeds of several texts: one list for all of them, or a list (or None) for each."""


def with_seeds(text: AnyText, seeds: Sequence[str] | None, weight: float | None) -> AnyText:
    """Return a text with seeds.

    Args:
        text: The text. The seeds and the weight that it has already take precedence.
        seeds: The seeds; None for the extractor's own.
        weight: How much they count; None for the extractor's own.

    Returns:
        The text; the same object if there is nothing to add.

    Raises:
        OptionError: If the seeds or the weight cannot be used.
    """
    if seeds is None and weight is None:
        return text
    if isinstance(text, GuidedText):
        own = text.seeds if text.seeds is not None else seeds
        return replace(text, seeds=own, weight=weight if text.weight is None else text.weight)
    return GuidedText(text, seeds, weight)


def each_with_seeds(
    texts: Iterable[AnyText], seeds: Seeds | None, weight: float | None
) -> Iterator[AnyText | InputError]:
    """Return texts with their seeds.

    Args:
        texts: The texts, which are read as results are asked for.
        seeds: One list for all texts, or a list or None for each; None for the extractor's own.
        weight: How much they count; None for the extractor's own.

    Returns:
        An iterator over the texts, in order. A text whose own seeds cannot be used is an error.

    Raises:
        OptionError: If seeds for all texts, or the weight, cannot be used, or if there are not as many lists as texts.
    """
    check_seed_weight(weight)
    if seeds is None:
        return _all_with(texts, None, weight)
    if isinstance(seeds, str) or not isinstance(seeds, Iterable):
        check_seeds(seeds)  # raises
    listed: Iterator[Any] = iter(seeds)
    first = next(listed, "")
    if isinstance(first, str):
        return _all_with(texts, check_seeds(chain([first] if first else [], listed)), weight)
    if isinstance(seeds, Sized) and isinstance(texts, Sized) and len(seeds) != len(texts):
        raise OptionError(
            f"seeds has {len(seeds)} lists for {len(texts)} texts: give one list for all, or one for each"
        )
    return _paired(texts, chain([first], listed), weight)


def _all_with(texts: Iterable[Any], seeds: Sequence[str] | None, weight: float | None) -> Iterator[AnyText]:
    return (with_seeds(text, seeds, weight) if isinstance(text, AnyText) else text for text in texts)


def _paired(
    texts: Iterable[Any], seeds: Iterator[Sequence[str] | None], weight: float | None
) -> Iterator[AnyText | InputError]:
    for number, text in enumerate(texts):
        try:
            own = next(seeds)
        except StopIteration:
            raise OptionError(f"seeds has {number} lists, and there are more texts: give one for each") from None
        if not isinstance(text, AnyText):
            yield text  # which is refused in its place
            continue
        try:
            yield with_seeds(text, own, weight)
        except OptionError as error:
            yield InputError(str(error))
