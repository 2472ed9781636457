"""Word pieces with offsets, from a ``tokenizers`` file: the same for every encoder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

from mderank.encoding.base import Pieces
from mderank.errors import ModelError
from mderank.text import replace_surrogates

# Tokenizers take time and memory that grow with the text; long ones go in parts, cut at white space.
_PART = 100_000  # characters


def load_tokenizer(file: Path) -> Tokenizer:
    """The tokenizer in ``file``, with no truncation and no padding: nothing is cut silently."""
    try:
        return prepared(Tokenizer.from_file(str(file)))
    except Exception as error:  # tokenizers raises bare Exception
        raise ModelError(f"{file} is not a tokenizer file of Hugging Face tokenizers: {error}") from error


def prepared(tokenizer: Tokenizer) -> Tokenizer:
    """``tokenizer``, with no truncation and no padding, to which "[SEP]" in a text is five characters of text."""
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def split(tokenizer: Tokenizer, text: str) -> Pieces:
    """The word pieces of ``text`` without special tokens."""
    text = replace_surrogates(text)
    ids: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, part in _parts(text):
        encoding = tokenizer.encode(part, add_special_tokens=False)
        ids += encoding.ids
        starts += [start + first for first, _ in encoding.offsets]
        ends += [start + last for _, last in encoding.offsets]
    # A byte-level tokenizer may give one character to several pieces, never an earlier character to a later piece.
    return Pieces(
        np.asarray(ids, dtype=np.int64),
        np.maximum.accumulate(np.asarray(starts, dtype=np.int64)),
        np.maximum.accumulate(np.asarray(ends, dtype=np.int64)),
    )


def _parts(text: str) -> list[tuple[int, str]]:
    parts = []
    start = 0
    while len(text) - start > _PART:
        cut = text.rfind(" ", start, start + _PART)
        cut = cut if cut > start else start + _PART
        parts.append((start, text[start:cut]))
        start = cut
    parts.append((start, text[start:]))
    return parts


def special_tokens(tokenizer: Tokenizer) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The special tokens that the tokenizer puts before and after a text."""
    bare = tokenizer.encode("a", add_special_tokens=False).ids
    full = tokenizer.encode("a").ids
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return tuple(full[:start]), tuple(full[start + len(bare) :])
    return (), ()
