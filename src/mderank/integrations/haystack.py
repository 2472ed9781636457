"""A component for Haystack: documents come out with their keyphrases in ``meta["keyphrases"]``.

>>> from haystack import Document
>>> extractor = KeyphraseExtractor(top_k=1)
>>> documents = extractor.run([Document(content="Coral reefs feed fish. Warm water harms coral reefs.")])["documents"]
>>> documents[0].meta
{'keyphrases': ['Coral reefs']}
"""

# No annotations from __future__: Haystack reads the types of `run` as they stand.
import asyncio
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Self

from mderank.errors import InputError, MissingExtraError
from mderank.integrations.metadata import MetadataWriter
from mderank.integrations.settings import merge_options
from mderank.options import Options

try:
    from haystack import Document, component, default_from_dict, default_to_dict
except ImportError as error:
    raise MissingExtraError("mderank.integrations.haystack", "haystack") from error


@component
class KeyphraseExtractor:
    """Put the keyphrases of documents into their ``meta``.

    A document without text, such as an image, gets an empty list. A document that fails gets an empty list and its
    error, and the others are extracted. Ids, other ``meta`` and the documents that came in stay as they are.

    The component holds settings and no model. Components with equal settings share one extractor, which is loaded by
    `warm_up` or by the first `run`.

    Args:
        method: Ranking method; see ``mderank methods``.
        top_k: Number of keyphrases per document; 0 takes all.
        language: Language of all documents, by code or English name; None finds out that of each.
        options: Further options of the extraction: `Options`, or a mapping of its fields.
        details: Whether a keyphrase is a mapping with its score and spans, and not its text only.
        meta_key: Name of the keyphrases in ``meta``. What has this name is replaced.
        error_key: Name in ``meta`` of the error of a document that failed.

    Raises:
        OptionError: If an option is unknown or does not fit.
    """

    def __init__(
        self,
        method: str = "fusion",
        *,
        top_k: int = 10,
        language: str | None = None,
        options: Options | Mapping[str, Any] | None = None,
        details: bool = False,
        meta_key: str = "keyphrases",
        error_key: str = "keyphrases_error",
    ) -> None:
        chosen = merge_options(options, method=method, top_k=top_k, language=language)
        self._writer = MetadataWriter(chosen, details=details, key=meta_key, error_key=error_key)

    def to_dict(self) -> dict[str, Any]:
        """Return the component as plain data, for a pipeline's YAML.

        Returns:
            The settings, for `from_dict`.
        """
        writer = self._writer
        given = writer.options.given().keys() - {"method", "top_k", "language"}
        options = {name: value for name, value in writer.options.to_dict().items() if name in given}
        return default_to_dict(
            self,
            method=writer.options.method,
            top_k=writer.options.top_k,
            language=writer.options.language,
            options=options,
            details=writer.details,
            meta_key=writer.key,
            error_key=writer.error_key,
        )

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Self:
        """Make a component from plain data.

        Args:
            data: What `to_dict` returned.

        Returns:
            The component.

        Raises:
            OptionError: If an option is unknown or does not fit.
        """
        return default_from_dict(cls, data)

    def warm_up(self) -> None:
        """Load what the extraction needs, such as the encoder.

        Raises:
            OptionError: If the method is unknown or does not take an option.
            ModelError: If the encoder cannot be loaded.
        """
        self._writer.load()

    @component.output_types(documents=list[Document])
    def run(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Extract the keyphrases of documents.

        Args:
            documents: The documents.

        Returns:
            Copies of the documents with their keyphrases, in order, as ``documents``.

        Raises:
            InputError: If the documents are not a list of documents.
            OptionError: If the method is unknown or does not take an option.
            ModelError: If the encoder cannot be loaded.
        """
        if not isinstance(documents, list) or not all(isinstance(each, Document) for each in documents):
            raise InputError(f"documents must be a list of haystack.Document, not {_kinds(documents)}")
        metas = self._writer.write((each.content for each in documents), [each.meta for each in documents])
        return {"documents": [replace(each, meta=meta) for each, meta in zip(documents, metas, strict=True)]}

    @component.output_types(documents=list[Document])
    async def run_async(self, documents: list[Document]) -> dict[str, list[Document]]:
        """Extract the keyphrases of documents in a thread, so that the event loop goes on.

        Args:
            documents: The documents.

        Returns:
            As `run` does.

        Raises:
            InputError: If the documents are not a list of documents.
            OptionError: If the method is unknown or does not take an option.
            ModelError: If the encoder cannot be loaded.
        """
        return await asyncio.to_thread(self.run, documents)


def _kinds(documents: object) -> str:
    if not isinstance(documents, list):
        return type(documents).__name__
    return f"a list of {', '.join(sorted({type(each).__name__ for each in documents}))}"
