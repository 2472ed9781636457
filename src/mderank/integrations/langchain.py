"""A document transformer for LangChain: documents come out with their keyphrases in ``metadata["keyphrases"]``.

>>> from langchain_core.documents import Document
>>> transformer = KeyphraseTransformer(top_k=1)
>>> documents = transformer.transform_documents([Document("Coral reefs feed fish. Warm water harms coral reefs.")])
>>> documents[0].metadata
{'keyphrases': ['Coral reefs']}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mderank.errors import InputError, MissingExtraError, OptionError
from mderank.integrations.metadata import MetadataWriter
from mderank.integrations.settings import merge_options
from mderank.options import Options

try:
    from langchain_core.documents import BaseDocumentTransformer, Document
except ImportError as error:
    raise MissingExtraError("mderank.integrations.langchain", "langchain") from error


class KeyphraseTransformer(BaseDocumentTransformer):
    """Put the keyphrases of documents into their ``metadata``.

    A document without text gets an empty list. A document that fails gets an empty list and its error, and the others
    are extracted. Ids, other ``metadata`` and the documents that came in stay as they are.

    ``atransform_documents`` does the same in a thread.

    The transformer holds settings and no model. Transformers with equal settings share one extractor, which is loaded
    at the first call.

    Args:
        method: Ranking method; see ``mderank methods``.
        top_k: Number of keyphrases per document; 0 takes all.
        language: Language of all documents, by code or English name; None finds out that of each.
        options: Further options of the extraction: `Options`, or a mapping of its fields.
        details: Whether a keyphrase is a mapping with its score and spans, and not its text only.
        metadata_key: Name of the keyphrases in ``metadata``. What has this name is replaced.
        error_key: Name in ``metadata`` of the error of a document that failed.

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
        metadata_key: str = "keyphrases",
        error_key: str = "keyphrases_error",
    ) -> None:
        chosen = merge_options(options, method=method, top_k=top_k, language=language)
        self._writer = MetadataWriter(chosen, details=details, key=metadata_key, error_key=error_key)

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """Extract the keyphrases of documents.

        Args:
            documents: The documents.
            **kwargs: LangChain's interface has them; there are none.

        Returns:
            Copies of the documents with their keyphrases, in order.

        Raises:
            InputError: If the documents are not several documents.
            OptionError: If an option is given here, or the method does not take an option.
            ModelError: If the encoder cannot be loaded.
        """
        if kwargs:
            raise OptionError(f"unknown argument {', '.join(kwargs)}: give options to KeyphraseTransformer itself")
        if not isinstance(documents, Iterable):
            raise InputError(f"documents must be a list of langchain_core's Document, not {type(documents).__name__}")
        given = list(documents)
        wrong = {type(each).__name__ for each in given if not isinstance(each, Document)}
        if wrong:
            raise InputError(f"documents must be a list of langchain_core's Document, but it holds {', '.join(wrong)}")
        metadata = self._writer.write((each.page_content for each in given), [each.metadata for each in given])
        return [each.model_copy(update={"metadata": written}) for each, written in zip(given, metadata, strict=True)]
