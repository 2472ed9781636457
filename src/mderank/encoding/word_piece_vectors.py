"""Vectors of word pieces: rows of the bundled encoder's embedding layer, read without starting the encoder."""

from __future__ import annotations

import mmap
from pathlib import Path

import numpy as np

from mderank.encoding.base import TokenizedText
from mderank.encoding.load import BUNDLED_MODEL_FOLDER
from mderank.encoding.onnx import GRAPH_FILE, TOKENIZER_FILE, read_spec
from mderank.encoding.onnx_graph import tensors
from mderank.encoding.tokenizer import load_tokenizer, tokenize
from mderank.errors import ModelError
from mderank.util.arrays import Floats, Ints

# The table is stored in int8, with one factor for each row.
_TABLE, _FACTORS = (f"module.embeddings.word_embeddings.weight_{part}" for part in ("int8", "scale"))


class WordPieceVectors:
    """The word pieces of a text, and the vector that the embedding layer of an encoder has for each of them.

    The file is mapped into memory: only the rows that are asked for are read.

    Args:
        folder: Folder of the encoder; its embeddings must be stored in int8, as ``mderank export`` stores them.

    Attributes:
        dimension: Length of a vector.

    Raises:
        ModelError: If a file is missing, or has no such embeddings.
    """

    def __init__(self, folder: Path = BUNDLED_MODEL_FOLDER) -> None:
        self.dimension = read_spec(folder).dimension
        self._tokenizer = load_tokenizer(folder / TOKENIZER_FILE)
        file = folder / GRAPH_FILE
        try:
            with file.open("rb") as opened:
                mapped = memoryview(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
            found = tensors(mapped, (_TABLE, _FACTORS))
            self._table = np.frombuffer(found[_TABLE], dtype=np.int8).reshape(-1, self.dimension)
            self._factors = np.frombuffer(found[_FACTORS], dtype=np.float32)
            if len(self._table) != len(self._factors):
                raise ValueError(f"{len(self._table)} rows and {len(self._factors)} factors")
        except (OSError, ValueError, KeyError) as error:
            raise ModelError(f"{file} has no embeddings of word pieces in int8 ({error!r})") from error

    def tokenize(self, text: str) -> TokenizedText:
        """Return all word pieces of a text.

        Args:
            text: Any text.

        Returns:
            The pieces with their character offsets.
        """
        return tokenize(self._tokenizer, text)

    def rows(self, ids: Ints) -> Floats:
        """Return the vectors of word pieces.

        Args:
            ids: Numbers of pieces ``(n,)``.

        Returns:
            Their vectors ``(n, d)`` in float32.
        """
        vectors: Floats = self._table[ids] * self._factors[ids, None]
        return vectors
