"""Tokens with character offsets, from a tokenizer of Hugging Face ``tokenizers``."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer
from tokenizers.models import Unigram

from mderank.encoding.base import TokenizedText
from mderank.encoding.file_checks import MAX_WORD_CHARS, read_tokenizer_file
from mderank.errors import ModelError
from mderank.text import replace_surrogates

# Tokenizers take memory that grows with the text; a long text is tokenized in parts, cut at white space.
_PART = 100_000  # characters
_UNKNOWN = ("<unk>", "[UNK]")


def load_tokenizer(file: Path) -> Tokenizer:
    """Load a tokenizer without truncation and padding.

    Args:
        file: A ``tokenizer.json``.

    Returns:
        The tokenizer, prepared by `prepare_tokenizer`.

    Raises:
        ModelError: If the file is not a tokenizer of Hugging Face tokenizers, or is refused by its checks.
    """
    data = read_tokenizer_file(file)
    with _tokenizer_errors(f"{file} is not a tokenizer file of Hugging Face tokenizers"):
        return _make_tokenizer(data)


@contextmanager
def _tokenizer_errors(what: str) -> Iterator[None]:
    """Raise a `ModelError` for what tokenizers raises: bare Exception, and a panic of Rust, which is no Exception."""
    try:
        yield
    except BaseException as error:
        if isinstance(error, Exception) or type(error).__name__ == "PanicException":
            raise ModelError(f"{what}: {error}") from error
        raise


@lru_cache(maxsize=2)
def _make_tokenizer(data: bytes) -> Tokenizer:
    """The tokenizer of a file's content, shared by those that use the same: an encoder and the tagger."""
    return prepare_tokenizer(Tokenizer.from_buffer(data))


def prepare_tokenizer(tokenizer: Tokenizer) -> Tokenizer:
    """Switch off truncation and padding, and read "[SEP]" in a text as five characters of text.

    Args:
        tokenizer: The tokenizer, which is changed.

    Returns:
        The same tokenizer.

    Raises:
        ModelError: If it divides words of any length, in time that grows with the square of the length.
    """
    longest = getattr(tokenizer.model, "max_input_chars_per_word", 0)
    if longest > MAX_WORD_CHARS:
        raise ModelError(
            f"the tokenizer is refused: its max_input_chars_per_word is {longest:,}, above {MAX_WORD_CHARS:,}; "
            "set it to 100, as BERT has it"
        )
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.encode_special_tokens = True
    return tokenizer


def tokenize(tokenizer: Tokenizer, text: str) -> TokenizedText:
    """Tokenize a text of any length.

    Args:
        tokenizer: A prepared tokenizer.
        text: The text. Lone surrogates are replaced, so that offsets hold.

    Returns:
        The tokens, without special tokens.

    Raises:
        ModelError: If the tokenizer fails.
    """
    text = replace_surrogates(text)
    ids: list[int] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, part in _parts(text):
        with _tokenizer_errors("the tokenizer of the model cannot divide the text"):
            encoding = tokenizer.encode(part, add_special_tokens=False)
        ids += encoding.ids
        # SentencePiece gives the space before a word to the word's first token.
        starts += [
            start + (first + 1 if last - first > 1 and part[first].isspace() else first)
            for first, last in encoding.offsets
        ]
        ends += [start + last for _, last in encoding.offsets]
    if isinstance(tokenizer.model, Unigram):
        ids = _hide_special_tokens(tokenizer, ids)
    # A byte-level tokenizer may give one character to several tokens, never an earlier character to a later token.
    return TokenizedText(
        np.asarray(ids, dtype=np.int64),
        np.maximum.accumulate(np.asarray(starts, dtype=np.int64)),
        np.maximum.accumulate(np.asarray(ends, dtype=np.int64)),
    )


def _hide_special_tokens(tokenizer: Tokenizer, ids: list[int]) -> list[int]:
    """Replace special tokens by the unknown one: "<mask>" in a text is a word of SentencePiece's vocabulary."""
    special = {token: each.content for token, each in tokenizer.get_added_tokens_decoder().items() if each.special}
    if special.keys().isdisjoint(ids):
        return ids
    unknown = next((token for token, content in special.items() if content in _UNKNOWN), None)
    if unknown is None:
        raise ModelError("the tokenizer of the model reads special tokens in texts, and has no unknown token for them")
    return [unknown if token in special else token for token in ids]


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
    """Find the special tokens that a tokenizer puts around a text.

    Args:
        tokenizer: The tokenizer.

    Returns:
        The ids before a text, and those after it.
    """
    bare = tokenizer.encode("a", add_special_tokens=False).ids
    full = tokenizer.encode("a").ids
    for start in range(len(full) - len(bare) + 1):
        if full[start : start + len(bare)] == bare:
            return tuple(full[:start]), tuple(full[start + len(bare) :])
    return (), ()


def prefix_tokens(tokenizer: Tokenizer, prefix: str) -> tuple[int, ...]:
    """Find the tokens of words that are put before every text.

    They are read before a word, as they will stand: alone, SentencePiece would give the space at their end a token.

    Args:
        tokenizer: A prepared tokenizer.
        prefix: The words, such as "query: "; it may be empty.

    Returns:
        The token ids, without special tokens.
    """
    end = len(prefix.rstrip())
    tokenized = tokenize(tokenizer, prefix + "a")
    return tuple(int(token) for token, last in zip(tokenized.ids, tokenized.ends, strict=True) if last <= end)
