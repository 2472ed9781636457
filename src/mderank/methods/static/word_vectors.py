"""One vector a word, whatever stands around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from mderank.errors import InputError
from mderank.methods.static.vector_files import read_vectors
from mderank.util.arrays import Floats


@dataclass(frozen=True, eq=False)
class WordVectors:
    """Words with a vector each, and texts as the mean of their words' vectors.

    A word is looked up as it stands, and else in lower case. Words without a vector do not count.

    >>> vectors = WordVectors({"coral": 0, "reef": 1}, np.array([[1, 0], [0, 1]], dtype=np.float32))
    >>> vectors.embed(["Coral reef", "unheard reef", "unheard"])
    array([[0.5, 0.5],
           [0. , 1. ],
           [0. , 0. ]])

    Attributes:
        rows: The row of each word.
        matrix: The vectors ``(words, d)``.

    Raises:
        InputError: If a word has no row in the matrix.
    """

    rows: Mapping[str, int]
    matrix: npt.NDArray[np.float32]  # (words, d)

    def __post_init__(self) -> None:
        if self.matrix.ndim != 2 or any(not 0 <= row < len(self.matrix) for row in self.rows.values()):
            raise InputError(f"word vectors need a row for every word, and have {self.matrix.shape} of them")

    @classmethod
    def load(cls, file: str | Path, limit: int | None = None) -> WordVectors:
        """Read a file of word vectors: GloVe's text format, or word2vec's text or binary format, each also gzipped.

        Args:
            file: The file.
            limit: Number of vectors to read from the beginning, where such files have their most frequent words; None
                for all.

        Returns:
            The word vectors.

        Raises:
            InputError: If the file cannot be read or does not hold word vectors.
            OptionError: If the limit is less than 1.
        """
        return cls(*read_vectors(Path(file), limit))

    def __contains__(self, word: str) -> bool:
        return self._row(word) is not None

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed texts as the mean vector of their words.

        Args:
            texts: Texts as words with spaces between them.

        Returns:
            Vectors ``(n, d)``; zeros for a text without a known word.
        """
        means = np.zeros((len(texts), self.matrix.shape[1]))
        for number, text in enumerate(texts):
            known = [row for row in map(self._row, text.split()) if row is not None]
            if known:
                rows, counts = np.unique(known, return_counts=True)  # a long text has few distinct words
                means[number] = counts @ self.matrix[rows].astype(np.float64) / len(known)
        return means

    def _row(self, word: str) -> int | None:
        row = self.rows.get(word)
        return self.rows.get(word.lower()) if row is None else row
