"""Divide texts into chunks that are tagged and encoded together.

A chunk is enough to fill the encoder's batches, and little enough that its results come soon. A long text fills the
batches alone, so it never waits for others, and no other waits for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

CHUNK_TEXTS = 64
CHUNK_CHARACTERS = 64_000  # 64 abstracts
LONG_TEXT = 8_000  # characters; `benchmarks/chunks.py` measures what texts of this length lose alone

_Text = TypeVar("_Text")


def divide(
    texts: Iterable[_Text], length: Callable[[_Text], int], characters: int = CHUNK_CHARACTERS
) -> Iterator[list[_Text]]:
    """Divide texts into chunks, by their number and their length.

    >>> lengths = [2_000, 2_000, 2_000, 9_000, 2_000]
    >>> list(divide(lengths, lambda length: length, characters=4_000))
    [[2000, 2000], [2000], [9000], [2000]]

    Args:
        texts: Texts, which are read as chunks are asked for.
        length: Returns the number of characters of a text.
        characters: Number of characters that end a chunk.

    Yields:
        The chunks, in order.
    """
    chunk: list[_Text] = []
    size = 0
    for text in texts:
        characters_here = length(text)
        if characters_here >= LONG_TEXT:
            if chunk:
                yield chunk
            yield [text]
            chunk, size = [], 0
            continue
        chunk.append(text)
        size += characters_here
        if len(chunk) >= CHUNK_TEXTS or size >= characters:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
