"""Sent2Vec: texts as the mean of vectors of their words and of pairs of words, learned for that.

Pagliardini et al. (2018), "Unsupervised learning of sentence embeddings using compositional n-gram features", NAACL.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from mderank.errors import ModelError
from mderank.util.arrays import Floats


class Sent2Vec:
    """A Sent2Vec model, which runs on its authors' Python binding.

    Texts are embedded in lower case, because the authors' models are trained on lower case.

    Args:
        file: The ``.bin`` file of the model.

    Raises:
        ModelError: If the binding is missing or the model cannot be loaded.
    """

    def __init__(self, file: str | Path) -> None:
        binding = _binding()
        # The binding ends the whole process where there is no such file.
        if not Path(file).is_file():
            raise ModelError(f"the Sent2Vec model '{file}' is not a file: name the .bin file of a model")
        self.file = Path(file)
        self._model = binding.Sent2vecModel()
        try:
            self._model.load_model(str(file))
        except Exception as error:  # whatever the binding raises
            raise ModelError(f"the Sent2Vec model '{file}' cannot be loaded: {error}") from error

    def __getstate__(self) -> dict[str, Any]:
        """Sent to another process, it loads its model there."""
        return {"file": self.file}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Sent2Vec.__init__(self, state["file"])

    def embed(self, texts: Sequence[str]) -> Floats:
        """Embed texts.

        Args:
            texts: The texts.

        Returns:
            Vectors ``(n, d)``.
        """
        vectors = self._model.embed_sentences([text.lower() for text in texts])
        return np.array(vectors, dtype=np.float64)  # a copy: the binding's own memory goes with its array


def _binding() -> Any:
    """The authors' module, and not another package of that name."""
    try:
        binding = import_module("sent2vec")
    except ImportError:
        binding = None
    if not hasattr(binding, "Sent2vecModel"):
        raise ModelError(
            "Sent2Vec needs its authors' Python binding: pip install git+https://github.com/epfml/sent2vec "
            "(a package that is merely called sent2vec is another one)"
        )
    return binding
