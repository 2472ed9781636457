"""Extraction on one machine: documents that were read from files to results that can be written."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from mderank.document import AnyText, Document, GuidedText, MarkedUpText
from mderank.errors import InputError
from mderank.keyphrase import Keyphrases
from mderank.methods.base import Extractor
from mderank.reading import SourceDocument
from mderank.writing import DocumentResult


def extract_documents(
    extractor: Extractor, sources: Iterable[SourceDocument], top_k: int | None
) -> Iterator[DocumentResult]:
    """Extract the keyphrases of documents that were read from files.

    Args:
        extractor: The method.
        sources: Documents, which are read as results are asked for. Some may carry an error.
        top_k: Number of keyphrases per document; None returns all.

    Yields:
        The result of each document, in order; a document that failed carries its error.
    """
    waiting: deque[SourceDocument] = deque()

    def texts() -> Iterator[AnyText]:
        for source in sources:
            waiting.append(source)
            if source.error is None:
                yield _text(source)

    for found in extractor.extract_many(texts(), top_k):
        while waiting[0].error is not None:
            yield _failed(waiting.popleft())
        source = waiting.popleft()
        yield DocumentResult(source.id, source.text, _named(found, source), source.extracted, source.carried)
    yield from map(_failed, waiting)


def _text(source: SourceDocument) -> AnyText:
    """Return the text that the extractor is given."""
    text = _unguided_text(source)
    return text if source.seeds is None else GuidedText(text, source.seeds)


def _unguided_text(source: SourceDocument) -> str | MarkedUpText | Document:
    """Return the text without the seeds of its record."""
    if source.tagged is not None:
        return source.tagged
    if source.prose is None and source.language is None:
        return source.text
    return MarkedUpText(source.text, source.prose, source.language)


def _named(found: Keyphrases, source: SourceDocument) -> Keyphrases:
    """Put the name of the document before its error."""
    return found if found.error is None else Keyphrases(error=InputError(f"{source.id}: {found.error}"))


def _failed(source: SourceDocument) -> DocumentResult:
    return DocumentResult(source.id, source.text, Keyphrases(error=source.error), carried=source.carried)
