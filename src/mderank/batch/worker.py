"""The batch worker: documents in, rows out. The model is loaded once per process.

A `BatchWorker` is sent to other processes. It builds its extractor where it is first used.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

from mderank.errors import InputError
from mderank.factory import build_extractor, with_threads
from mderank.keyphrase import Keyphrases
from mderank.methods.base import Extractor
from mderank.options import Options
from mderank.pipeline import extract_documents
from mderank.reading import OBJECT_FORMATS, ReadOptions, Record, SourceDocument, read_record
from mderank.reading.carried import without_values
from mderank.style import style_file
from mderank.tagging.spacy import spacy_memory_zone
from mderank.util.environment import describe_encoder, versions
from mderank.util.files import file_sha256
from mderank.writing import DocumentResult

Row = dict[str, Any]  # the output of one document


@dataclass(frozen=True)
class BatchWorker:
    """Extracts the keyphrases of documents. It is pickled and sent to processes and machines as it is.

    >>> worker = BatchWorker(Options(method="firstphrases", top_k=1))
    >>> [row] = worker.texts([("a", "Coral reefs feed fish.")])
    >>> row["keyphrases"][0]["text"]
    'Coral reefs'

    Attributes:
        options: options of the extraction.
        reading: how files are read.
        threads: cores per process; None means all.
        build: builds the extractor, in the process that uses it. It must be possible to pickle it.
    """

    options: Options = field(default_factory=Options)
    reading: ReadOptions = field(default_factory=ReadOptions)
    threads: int | None = None
    build: Callable[[Options], Extractor] = build_extractor

    @property
    def extractor(self) -> Extractor:
        """The extractor. It is built when a process first uses it."""
        return _extractor(pickle.dumps((self.build, with_threads(self.options, self.threads))))

    def rows(self, records: Iterable[Record]) -> list[Row]:
        """Extract the keyphrases of records.

        Args:
            records: documents that are not parsed yet.

        Returns:
            One row per document, in order. A document that fails has an error in its row.

        Raises:
            MDERankError: the extractor cannot be loaded.
        """
        return self._rows(read_record(record, self.reading) for record in records)

    def texts(self, texts: Sequence[tuple[str | int, str]]) -> list[Row]:
        """Extract the keyphrases of texts.

        Args:
            texts: pairs of id and text.

        Returns:
            One row per text, in order. A text that fails has an error in its row.

        Raises:
            MDERankError: the extractor cannot be loaded.
        """
        return self._rows(SourceDocument(identity, text) for identity, text in texts)

    def _rows(self, sources: Iterable[SourceDocument]) -> list[Row]:
        extractor = self.extractor
        with spacy_memory_zone(getattr(extractor, "tagger", None)):
            return [result.as_dict() for result in extract_documents(extractor, sources, self.options.top_k or None)]

    def failed(self, record: Record, reason: str) -> Row:
        """Return the row of a document that crashed its worker. Only its record is read; its text may be the cause.

        Args:
            record: the document.
            reason: the cause, for the error.

        Returns:
            A row without keyphrases.
        """
        source = SourceDocument(record.name, carried=without_values(self.reading.carry))
        if record.format in OBJECT_FORMATS:
            source = read_record(record, self.reading)
        error = InputError(f"{source.id}: {reason}")
        return DocumentResult(source.id, "", Keyphrases(error=error), carried=source.carried).as_dict()

    def check_vocabulary(self) -> None:
        """Read the vocabulary, so that one which is damaged or misspelt is known before anything is written.

        Raises:
            MDERankError: the vocabulary cannot be read.
        """
        if self.options.vocabulary is not None:
            from mderank.vocabularies import load_vocabulary

            load_vocabulary(self.options.vocabulary)

    def settings(self) -> dict[str, Any]:
        """Return the settings that may change a result.

        Returns:
            The options, and checksums of the files that they name, as plain data.
        """
        options = {name: value for name, value in self.options.to_dict().items() if name not in _NO_DIFFERENCE}
        style = None if self.options.style is None else str(style_file(self.options.style))
        named = [self.options.frequencies, self.options.vocabulary, style, *self.options.params.values()]
        files = [name for name in named if name and isinstance(name, str) and Path(name).is_file()]
        checksums = {Path(name).name if name == style else name: file_sha256(name) for name in files}
        return {"reading": asdict(self.reading), **options, "files": checksums}

    def describe(self) -> dict[str, Any]:
        """Describe the parts of the extractor that may change a result, besides its options.

        Returns:
            Encoder, resolved settings, tagger and versions, as plain data.

        Raises:
            MDERankError: the extractor cannot be loaded.
        """
        extractor: Any = self.extractor
        tagger = getattr(extractor, "tagger", None)
        return {
            "encoder": describe_encoder(getattr(extractor, "encoder", None)),
            "resolved": {name: getattr(extractor, name) for name in _RESOLVED if hasattr(extractor, name)},
            "tagger": getattr(tagger, "name", type(tagger).__name__),
            "versions": versions(),
        }


# Options that change no result, so that a run may resume with others.
_NO_DIFFERENCE = ("batch_tokens", "threads")
_RESOLVED = ("pooling", "layer", "exact")


@lru_cache(maxsize=2)
def _extractor(pickled: bytes) -> Extractor:
    """Build an extractor once per process. It is found by value, since every task of a cluster brings a copy."""
    build, options = pickle.loads(pickled)
    made: Extractor = build(options)
    return made
