"""Documents that were read to what is written of them, those that could not be read among them."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator

from mderank.document import Document
from mderank.errors import InputError, MDERankError
from mderank.keyphrase import Keyphrases
from mderank.methods.base import Extractor
from mderank.reading import SourceDocument
from mderank.tagging import SpacyTagger, Tagger
from mderank.writing import DocumentResult


def extract_documents(
    extractor: Extractor, sources: Iterable[SourceDocument], top_k: int | None, tagger: Tagger | None = None
) -> Iterator[DocumentResult]:
    """A result for every source, in their order, one at a time.

    ``tagger`` reads what is prose of a text with markup; without it, the extractor's own.
    """
    reader = tagger or getattr(extractor, "tagger", None) or SpacyTagger()
    waiting: deque[SourceDocument] = deque()

    def texts() -> Iterator[str | Document]:
        for source in sources:
            text = _text(source, reader)
            if isinstance(text, MDERankError):
                waiting.append(SourceDocument(source.id, source.text, error=text))
            else:
                waiting.append(source)
                yield text

    for found in extractor.extract_many(texts(), top_k):
        while waiting[0].error is not None:
            yield _failed(waiting.popleft())
        source = waiting.popleft()
        yield DocumentResult(source.id, source.text, _named(found, source), source.extracted)
    yield from map(_failed, waiting)


def _text(source: SourceDocument, tagger: Tagger) -> str | Document | MDERankError:
    """What an extractor is given, or why there is nothing to give."""
    if source.error is not None:
        return source.error
    if source.tagged is not None:
        return source.tagged
    if source.prose is None:
        return source.text
    try:
        (document,) = tagger.tag([source.prose])
    except MDERankError:
        raise
    except Exception as error:  # whatever a tagger raises: this text's fault, and not the others'
        return InputError(f"{source.id}: tagging failed: {type(error).__name__}: {error}")
    return document.with_breaks(source.text)


def _named(found: Keyphrases, source: SourceDocument) -> Keyphrases:
    """An error says whose it is."""
    return found if found.error is None else Keyphrases(error=InputError(f"{source.id}: {found.error}"))


def _failed(source: SourceDocument) -> DocumentResult:
    return DocumentResult(source.id, source.text, Keyphrases(error=source.error))
