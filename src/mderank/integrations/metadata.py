"""Keyphrases as metadata of documents, for libraries whose documents are a text with a mapping of metadata.

>>> writer = MetadataWriter(Options(method="firstphrases", top_k=1))
>>> list(writer.write(["Coral reefs feed fish.", None], [{"page": 1}, {}]))
[{'page': 1, 'keyphrases': ['Coral reefs']}, {'keyphrases': []}]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mderank.errors import OptionError
from mderank.keyphrase import Keyphrase
from mderank.options import Options
from mderank.shared import SharedExtractor, shared_extractor


class MetadataWriter:
    """Writes the keyphrases of documents into their metadata.

    Args:
        options: Options of the extraction.
        details: Whether a keyphrase is a mapping with its score and spans, and not its text only.
        key: Name of the keyphrases in the metadata.
        error_key: Name of the error of a document that failed.

    Raises:
        OptionError: If the names are empty or equal.
    """

    def __init__(
        self, options: Options, *, details: bool = False, key: str = "keyphrases", error_key: str = "keyphrases_error"
    ) -> None:
        for name in (key, error_key):
            if not isinstance(name, str) or not name:
                raise OptionError(f"a key of the metadata must be a text that is not empty, not {name!r}")
        if key == error_key:
            raise OptionError(f"keyphrases and errors have the same key {key!r}: choose two")
        self.options = options
        self.details = details
        self.key = key
        self.error_key = error_key

    def load(self) -> SharedExtractor:
        """Load what the extraction needs, such as the encoder, or find that it is loaded.

        Returns:
            The extractor, which all writers with equal options share.

        Raises:
            OptionError: If the method is unknown or does not take an option.
            ModelError: If the encoder cannot be loaded.
        """
        return shared_extractor(self.options)

    def write(self, texts: Iterable[str | None], metadata: Iterable[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
        """Make the metadata of documents with their keyphrases.

        Args:
            texts: The text of each document; None for a document without text, which has no keyphrases.
            metadata: The metadata of each document, which stays as it is.

        Yields:
            The metadata with the keyphrases, in the order of the documents. A document that failed has none, and its
            error.

        Raises:
            OptionError: If the method is unknown or does not take an option.
            ModelError: If the encoder cannot be loaded.
        """
        waiting = list(texts)
        found = self.load().extract_many((text for text in waiting if text is not None), self.options.top_k or None)
        for text, given in zip(waiting, metadata, strict=True):
            keyphrases = [] if text is None else next(found)
            error = getattr(keyphrases, "error", None)
            written = {name: value for name, value in given.items() if name != self.error_key}  # of an earlier run
            written[self.key] = list(map(self._value, keyphrases))
            yield written if error is None else {**written, self.error_key: str(error)}

    def _value(self, keyphrase: Keyphrase) -> str | dict[str, Any]:
        """The keyphrase as plain data. The label of a concept stands for all of its labels."""
        if self.details:
            return keyphrase.as_dict()
        return keyphrase.text if keyphrase.concept is None else keyphrase.concept.label
