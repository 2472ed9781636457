"""Can this encoder do one-pass masking? Asked of its numbers, not of its signature.

MPNet takes ``position_ids`` and a 4-D attention mask and still derives a relative bias from the index in the
sequence; sparse attention and sliding windows set in on long texts only, and then do not go with a dense mask. What
one pass needs of an encoder is that where a token stands is said by its position id alone, and that who sees whom is
said by the mask alone. So it must not matter in which order the tokens are given, as long as ids, positions and mask
go along, and what is not seen must not matter at all.
"""

from __future__ import annotations

import numpy as np

from mderank.encoding.base import Bools, Encoder, Floats, Inputs, Ints

_LENGTH = 24  # tokens of the probe's document
# Tokens of its long document, if the encoder takes as many: more than a sparse pattern or sliding window lets pass.
_LONG = 1024
_HIDDEN = ((3, 4), (4, 9, 10), (17,))  # what its masks hide


def first_position(encoder: Encoder) -> int | None:
    """The position id of the first token: the one for which given positions change nothing. None if there is none."""
    ids = _document(encoder, _LENGTH)
    try:
        plain = encoder.states(Inputs(ids), encoder.spec.layers)
        for first in (0, encoder.spec.pad_id + 1):
            given = encoder.states(Inputs(ids, first + np.arange(_LENGTH)[None]), encoder.spec.layers)
            if _same(plain, given):
                return first
    except (TypeError, ValueError, RuntimeError, IndexError, AttributeError):
        return None  # it does not take positions
    return None


def can_do_one_pass(encoder: Encoder) -> bool:
    """Whether packed masks come out right, given that `first_position` found the positions."""
    spec = encoder.spec
    document = _document(encoder, _LENGTH)
    ids, positions, visible = _packed(encoder, document)
    order = np.random.default_rng(1).permutation(ids.shape[1])
    try:
        plain = encoder.states(Inputs(document), spec.layers)
        packed = encoder.states(Inputs(ids, positions, visible), spec.layers)
        shuffled = encoder.states(
            Inputs(ids[:, order], positions[:, order], visible[:, order][:, :, order]), spec.layers
        )
        # Another word under the first mask: the document changes, that mask's tokens must not.
        unseen = ids.copy()
        unseen[0, list(_HIDDEN[0])] = ids[0, 11]
        blind = visible.copy()
        blind[:, :_LENGTH] = False
        blind[:, np.arange(_LENGTH), np.arange(_LENGTH)] = True
        first = encoder.states(Inputs(ids, positions, blind), spec.layers)
        second = encoder.states(Inputs(unseen, positions, blind), spec.layers)
        long = _document(encoder, min(_LONG, spec.max_length))
        long_plain = encoder.states(Inputs(long), spec.layers)
        long_packed = encoder.states(Inputs(*_packed(encoder, long)), spec.layers)
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


def _document(encoder: Encoder, length: int) -> Ints:
    """``(1, length)`` ordinary words, so that no id is out of the vocabulary or special."""
    pieces = encoder.pieces(
        "The committee will publish seven reports about old harbours, river trade and the price of salt before winter "
        "comes to the northern towns and their markets."
    )
    return np.resize(pieces.ids, length)[None].astype(np.int64)


def _packed(encoder: Encoder, document: Ints) -> tuple[Ints, Ints, Bools]:
    """``document``, and after it what the masks hide of it."""
    spec = encoder.spec
    length = document.shape[1]
    rows = np.asarray([row for hidden in _HIDDEN for row in hidden])
    ids = np.concatenate([document[0], np.full(len(rows), spec.mask_id)])[None]
    positions = (spec.first_position + np.concatenate([np.arange(length), rows]))[None]
    visible = np.zeros((1, ids.shape[1], ids.shape[1]), dtype=np.bool_)
    visible[0, :, :length] = True
    start = length
    for hidden in _HIDDEN:
        end = start + len(hidden)
        visible[0, start:end, list(hidden)] = False
        visible[0, start:end, start:end] = True
        start = end
    return ids, positions, visible


def _same(one: Floats, other: Floats) -> bool:
    """Equal but for rounding in float32, about 1e-6 of the states' size."""
    if one.shape != other.shape or not np.isfinite(one).all():
        return False
    return float(np.abs(one - other).max()) <= 1e-4 * float(np.abs(one).max())
