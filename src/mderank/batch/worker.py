"""The batch worker: documents in, rows out, the model loaded once a process.

`BatchWorker` is what is sent to other processes: it says how to make an extractor, and makes it where it is first used.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from mderank.errors import InputError
from mderank.keyphrase import Keyphrases
from mderank.methods.base import Extractor
from mderank.methods.registry import get_method
from mderank.pipeline import extract_documents
from mderank.reading import ReadOptions, Record, SourceDocument, read_record
from mderank.tagging.spacy import forgetting
from mderank.util.environment import describe_encoder, versions
from mderank.writing import DocumentResult

Row = dict[str, Any]  # what is written of one document


class Make(Protocol):
    """Makes the extractor; it can be pickled. ``threads`` is how many cores one process may use."""

    def __call__(self, threads: int | None) -> Extractor:
        """The extractor."""
        ...


@dataclass(frozen=True)
class ByName:
    """A method by its name (``mderank methods``), with its options."""

    method: str = "fusion"
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, threads: int | None) -> Extractor:
        """The extractor; where its encoder runs on ONNX Runtime, on so many cores."""
        from mderank.encoding import BUNDLED_MODEL, load_encoder
        from mderank.encoding.onnx import is_onnx_folder

        method = get_method(self.method)
        model = self.options.get("model", BUNDLED_MODEL)
        named = isinstance(model, str | Path) and "model" in method.options
        if threads is None or not named or not (model == BUNDLED_MODEL or is_onnx_folder(Path(model))):
            return method.make(**self.options)
        return method.make(**{**self.options, "model": load_encoder(model, threads=threads)})


@dataclass(frozen=True)
class BatchWorker:
    """What is done with every document.

    >>> worker = BatchWorker(ByName("firstphrases"), top_k=1)
    >>> [row] = worker.texts([("a", "Coral reefs feed fish.")])
    >>> row["keyphrases"][0]["text"]
    'Coral reefs'
    """

    make: Make = field(default_factory=ByName)
    top_k: int | None = 10
    reading: ReadOptions = field(default_factory=ReadOptions)
    threads: int | None = None

    @property
    def extractor(self) -> Extractor:
        """The extractor; the first time in a process it is made."""
        return _extractor(pickle.dumps((self.make, self.threads)))

    def rows(self, records: Iterable[Record]) -> list[Row]:
        """A row for every document, in their order."""
        return self._rows(read_record(record, self.reading) for record in records)

    def texts(self, texts: Sequence[tuple[str | int, str]]) -> list[Row]:
        """A row for every ``(id, text)``, in their order."""
        return self._rows(SourceDocument(identity, text) for identity, text in texts)

    def _rows(self, sources: Iterable[SourceDocument]) -> list[Row]:
        extractor = self.extractor
        with forgetting(getattr(extractor, "tagger", None)):
            return [result.as_dict() for result in extract_documents(extractor, sources, self.top_k)]

    def failed(self, record: Record, reason: str) -> Row:
        """The row of a document that is given up. Only its id is read: the rest may be what was wrong."""
        identity = read_record(record, self.reading).id if record.format == "jsonl" else record.name
        error = InputError(f"{identity}: {reason}")
        return DocumentResult(identity, "", Keyphrases(error=error)).as_dict()

    def describe(self) -> dict[str, Any]:
        """All about the extractor that may change a result, beside its options."""
        extractor: Any = self.extractor
        tagger = getattr(extractor, "tagger", None)
        return {
            "encoder": describe_encoder(getattr(extractor, "encoder", None)),
            "resolved": {name: getattr(extractor, name) for name in _RESOLVED if hasattr(extractor, name)},
            "tagger": getattr(tagger, "name", type(tagger).__name__),
            "versions": versions(),
        }


_RESOLVED = ("pooling", "layer", "exact")


@lru_cache(maxsize=2)
def _extractor(pickled: bytes) -> Extractor:
    """By what it is made from, since every task of a cluster brings a copy of its own."""
    make, threads = pickle.loads(pickled)
    made: Extractor = make(threads)
    return made
