"""The network that finds the tags of words from the vectors of their word pieces and their spelling.

A word is the vectors of its first piece, of its last and of the mean of all, with the features of its spelling. One
layer makes a state of these; some layers then read each word with its two neighbours. What stands between paragraphs is
zero in all layers, so that no paragraph knows of another. ``mderank.research.training.tagger`` trains the network.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mderank.encoding.base import TokenizedText
from mderank.errors import ModelError
from mderank.util.arrays import Bools, Floats, Ints

_SCALE = 18  # of vectors of pieces, whose standard deviation is 1/18 in the bundled encoder
_TINY = 1e-5  # added to variances


def find_pieces(tokenized: TokenizedText, starts: Sequence[int], ends: Sequence[int]) -> tuple[Ints, Ints]:
    """Find the word pieces of words.

    Args:
        tokenized: The pieces of a text.
        starts: Where each word begins in it.
        ends: Where each word ends.

    Returns:
        The first and the last piece of each word ``(n,)``. A word without a piece has its last before its first.
    """
    first = np.searchsorted(tokenized.ends, np.asarray(starts, dtype=np.int64), side="right")
    last = np.searchsorted(tokenized.starts, np.asarray(ends, dtype=np.int64), side="left") - 1
    return first, last


def word_vectors(pieces: Floats, first: Ints, last: Ints) -> Floats:
    """Compute the input of the network from the vectors of word pieces.

    Args:
        pieces: Vectors of pieces ``(m, d)``.
        first: The first piece of each word ``(n,)``.
        last: The last piece of each word ``(n,)``; a word whose last piece is before its first has none.

    Returns:
        For each word the vectors of its first piece, its last piece and the mean of all ``(n, 3 d)``; zeros for words
        without a piece.
    """
    padded = np.zeros((len(pieces) + 1, pieces.shape[1]), dtype=np.float32)  # its last row is no piece's
    np.multiply(pieces, _SCALE, out=padded[:-1])
    count = last - first + 1
    begin = np.where(count > 0, first, len(pieces))
    end = np.where(count > 0, last, len(pieces))
    mean = (padded[begin] + padded[end]) / 2
    long = np.flatnonzero(count > 2)
    if len(long):
        bounds = np.stack([first[long], last[long] + 1], axis=1).ravel()
        mean[long] = np.add.reduceat(padded, bounds)[::2] / count[long, None]
    vectors: Floats = np.concatenate([padded[begin], padded[end], mean], axis=1, dtype=np.float32)
    return vectors


class TagNetwork:
    """A network that finds the tag of every word.

    Args:
        file: The weights: an ``.npz`` file of arrays.

    Attributes:
        tags: The tags.
        digest: First characters of the file's SHA-256.

    Raises:
        ModelError: If the file is missing or damaged.
    """

    def __init__(self, file: Path) -> None:
        try:
            self.digest = hashlib.sha256(file.read_bytes()).hexdigest()[:8]
            with np.load(file, allow_pickle=False) as stored:
                weights = {name: stored[name] for name in stored.files}
            self.tags: tuple[str, ...] = tuple(str(tag) for tag in weights.pop("tags"))
            weights = {name: array.astype(np.float32) for name, array in weights.items()}
            self._word = _Layer(weights, "word")
            depth = sum(name.endswith("_norm_bias") for name in weights) - 1
            self._context = [_Layer(weights, f"context{number}") for number in range(depth)]
            self._out_weight, self._out_bias = weights["tag_weight"], weights["tag_bias"]
        except (OSError, EOFError, KeyError, ValueError, zipfile.BadZipFile) as error:
            raise ModelError(f"{file} has no weights of a tagger ({error!r}): install mderank again") from error

    def find_tags(self, inputs: Floats, real: Bools) -> Ints:
        """Find the tags of words.

        Args:
            inputs: Vectors and features of words ``(n, d)``.
            real: False ``(n,)`` for rows that separate paragraphs.

        Returns:
            Indices of tags ``(n,)``; those of separating rows mean nothing.
        """
        found: Ints = self._scores(inputs, real[:, None]).argmax(axis=1)
        return found

    def _scores(self, inputs: Floats, real: Bools) -> Floats:
        """The scores ``(n, tags)`` of some rows."""
        states = self._word.normed(self._word.activated(inputs)) * real
        for layer in self._context:
            beside = np.zeros((len(states) + 2, states.shape[1]), dtype=np.float32)
            beside[1:-1] = states
            around = np.concatenate([beside[:-2], states, beside[2:]], axis=1)
            states = layer.normed(states + layer.activated(around)) * real
        scores: Floats = states @ self._out_weight + self._out_bias
        return scores


class _Layer:
    """Weights of a layer: linear, cut at zero; then normed to mean 0 and variance 1, scaled and moved."""

    def __init__(self, weights: dict[str, Floats], name: str) -> None:
        self._weight, self._bias = weights[f"{name}_weight"], weights[f"{name}_bias"]
        self._scale, self._shift = weights[f"{name}_norm_weight"], weights[f"{name}_norm_bias"]

    def activated(self, inputs: Floats) -> Floats:
        outputs: Floats = np.maximum(inputs @ self._weight + self._bias, 0)
        return outputs

    def normed(self, states: Floats) -> Floats:
        centred = states - states.mean(axis=1, keepdims=True)
        variance = np.square(centred).mean(axis=1, keepdims=True)
        outputs: Floats = centred / np.sqrt(variance + _TINY) * self._scale + self._shift
        return outputs
