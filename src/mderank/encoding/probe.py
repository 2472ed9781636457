"""Numerical tests of an encoder: whether it can do one-pass masking, where its positions begin, how its cosines lie.

One-pass masking needs an encoder that takes the position of a token from its position id alone, and the tokens that
it attends to from the attention mask alone. The signature of a model does not tell. MPNet takes ``position_ids`` and a
4-D attention mask, and still derives a relative bias from the index in the sequence. Sparse attention and sliding
windows begin on long texts only, and then do not work with a dense mask. So the order of tokens is shuffled together
with positions and mask, which must not matter; and tokens that are not attended to are changed, which must not matter.
"""

from __future__ import annotations

import numpy as np

from mderank.encoding.base import Encoder, EncoderInputs
from mderank.encoding.padding import PlainSequence, pad_sequences
from mderank.util.arrays import Bools, Floats, Ints

_LENGTH = 24  # tokens of the test document
# Tokens of a long test document: more than a sparse pattern or a sliding window covers.
_LONG = 1024
# Words that have nothing in common, and the mean of their cosines above which an encoder is anisotropic. It is 0.85 for
# multilingual-e5-small, 0.20 for all-MiniLM-L6-v2 and 0.21 for all-mpnet-base-v2.
_UNRELATED = ("harbour", "salt", "committee", "violin", "protein", "election", "glacier", "invoice")
_HIGH_COSINE = 0.6
_HIDDEN = ((3, 4), (4, 9, 10), (17,))  # rows that its masks hide


def first_position(encoder: Encoder) -> int | None:
    """Find the position id of the first token: the one for which explicit positions change nothing.

    Args:
        encoder: The encoder to test.

    Returns:
        The position id, or None if the encoder does not take position ids.
    """
    ids = _document(encoder, _LENGTH)
    try:
        plain = encoder.hidden_states(EncoderInputs(ids), encoder.spec.layers)
        for first in (0, encoder.spec.pad_id + 1):
            given = encoder.hidden_states(EncoderInputs(ids, first + np.arange(_LENGTH)[None]), encoder.spec.layers)
            if _same(plain, given):
                return first
    except (TypeError, ValueError, RuntimeError, IndexError, AttributeError):
        return None  # it does not take positions
    return None


def can_do_one_pass(encoder: Encoder) -> bool:
    """Test whether packed masks get the right hidden states.

    Args:
        encoder: The encoder to test; ``spec.first_position`` must be right already (see `first_position`).

    Returns:
        Whether one-pass masking can be used.
    """
    spec = encoder.spec
    document = _document(encoder, _LENGTH)
    ids, positions, visible = _packed(encoder, document)
    order = np.random.default_rng(1).permutation(ids.shape[1])
    try:
        plain = encoder.hidden_states(EncoderInputs(document), spec.layers)
        packed = encoder.hidden_states(EncoderInputs(ids, positions, visible), spec.layers)
        shuffled = encoder.hidden_states(
            EncoderInputs(ids[:, order], positions[:, order], visible[:, order][:, :, order]), spec.layers
        )
        # Another word under the first mask: the document changes, that mask's tokens must not.
        unseen = ids.copy()
        unseen[0, list(_HIDDEN[0])] = ids[0, 11]
        blind = visible.copy()
        blind[:, :_LENGTH] = False
        blind[:, np.arange(_LENGTH), np.arange(_LENGTH)] = True
        first = encoder.hidden_states(EncoderInputs(ids, positions, blind), spec.layers)
        second = encoder.hidden_states(EncoderInputs(unseen, positions, blind), spec.layers)
        long = _document(encoder, min(_LONG, spec.max_length))
        long_plain = encoder.hidden_states(EncoderInputs(long), spec.layers)
        long_packed = encoder.hidden_states(EncoderInputs(*_packed(encoder, long)), spec.layers)
    except (TypeError, ValueError, RuntimeError, IndexError, AttributeError):
        return False
    block = slice(_LENGTH, _LENGTH + len(_HIDDEN[0]))
    return (
        _same(plain[0], packed[0, :_LENGTH])
        and _same(packed[0, order], shuffled[0])
        and _same(first[0, block], second[0, block])
        and not _same(first[0, :_LENGTH], second[0, :_LENGTH])
        and _same(long_plain[0], long_packed[0, : long.shape[1]])
    )


def is_anisotropic(encoder: Encoder) -> bool:
    """Test whether embeddings of unrelated words are nearly alike (Ethayarajh (2019), EMNLP).

    Args:
        encoder: The encoder to test; its embedding is taken for the mean of the hidden states of the last layer.

    Returns:
        Whether the mean cosine of unrelated words is high.
    """
    spec = encoder.spec
    words = []
    for word in _UNRELATED:
        ids = spec.add_special_tokens(encoder.tokenize(word).ids[: spec.capacity])
        words.append(encoder.hidden_states(EncoderInputs(ids[None]), spec.layers)[0].mean(axis=0, dtype=np.float64))
    vectors = np.stack(words)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-30)
    cosines = vectors @ vectors.T
    return float(cosines[np.triu_indices(len(words), 1)].mean()) > _HIGH_COSINE


def _document(encoder: Encoder, length: int) -> Ints:
    """Return ``(1, length)`` ids of ordinary words: none is special or outside the vocabulary."""
    tokenized = encoder.tokenize(
        "The committee will publish seven reports about old harbours, river trade and the price of salt before winter "
        "comes to the northern towns and their markets."
    )
    return np.resize(tokenized.ids, length)[None].astype(np.int64)


def _packed(encoder: Encoder, document: Ints) -> tuple[Ints, Ints, Bools]:
    """Return the token ids, position ids and attention mask of the document with its masks."""
    masks = [(number, np.asarray(hidden)) for number, hidden in enumerate(_HIDDEN)]
    inputs = pad_sequences(encoder.spec, [PlainSequence(document[0], masks)])
    assert inputs.position_ids is not None
    assert inputs.attention_mask is not None
    return inputs.input_ids, inputs.position_ids, inputs.attention_mask


def _same(one: Floats, other: Floats) -> bool:
    """Compare up to rounding in float32, which is about 1e-6 of the size of the states."""
    if one.shape != other.shape or not np.isfinite(one).all():
        return False
    return float(np.abs(one - other).max()) <= 1e-4 * float(np.abs(one).max())
