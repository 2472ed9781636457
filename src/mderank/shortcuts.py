"""The shortest way: keyphrases of a text or a file in one call, and documents from files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from mderank.document import AnyText
from mderank.errors import InputError
from mderank.factory import build_extractor
from mderank.options import Options
from mderank.pipeline import extract_documents
from mderank.reading import ReadOptions, SourceDocument, read_file, walk_files

if TYPE_CHECKING:
    from mderank.keyphrase import Keyphrases
    from mderank.methods.base import Extractor


def extract(text: AnyText | Path, top_k: int = 10, **options: Any) -> Keyphrases:
    """Extract the keyphrases of a text, or of a file.

    The extractor is built at the first call with the same options; seeds may differ. `FusionRank` and other methods, or
    `build_extractor`, make one that is your own.

    >>> import mderank
    >>> mderank.extract("Coral reefs feed fish. Warm water harms coral reefs.", top_k=1).texts
    ['Coral reefs']

    Args:
        text: A text, or the path of a file with one document. A string is always a text.
        top_k: Number of keyphrases; 0 returns all.
        **options: Fields of `Options`, such as ``language="de"`` or ``method="yake"``.

    Returns:
        The keyphrases, the best first.

    Raises:
        InputError: If the text or the file cannot be read, or the file has several documents.
        OptionError: If an option is unknown or does not fit.
    """
    chosen = Options.from_dict({**options, "top_k": top_k})
    extractor, lock = _extractor(replace(chosen, seeds=()))
    if not isinstance(text, Path):
        with lock:
            return extractor.extract(text, chosen.top_k or None, seeds=chosen.seeds or None)
    sources = list(islice(read(text), 2))
    if len(sources) != 1:
        found = "several documents" if sources else "no document"
        raise InputError(f"{text}: has {found}; read them with mderank.read")
    if chosen.seeds:
        sources = [each if each.seeds is not None else replace(each, seeds=chosen.seeds) for each in sources]
    with lock:
        (result,) = extract_documents(extractor, sources, chosen.top_k or None)
    if result.keyphrases.error is not None:
        raise result.keyphrases.error
    return result.keyphrases


def read(*paths: str | Path, **options: Any) -> Iterator[SourceDocument]:
    """Read documents from files, in all formats that the command line reads.

    Args:
        *paths: Files, folders and glob patterns.
        **options: Fields of `mderank.reading.ReadOptions`, such as ``text_field="abstract"``.

    Yields:
        The documents with id, text and title. One that cannot be read has its ``error``, and the others follow.
    """
    reading = ReadOptions(**options)
    for each in walk_files([str(path) for path in paths]):
        if isinstance(each, SourceDocument):
            yield each
        else:
            yield from read_file(each, reading)


def _extractor(options: Options) -> tuple[Extractor, Lock]:
    """The extractor for these options, kept for the next call; the number of keyphrases does not matter.

    Several threads may call, and taggers are not made for that, hence the lock.
    """
    return _build(json.dumps({**options.to_dict(), "top_k": None}, sort_keys=True))


@lru_cache(maxsize=4)
def _build(options: str) -> tuple[Extractor, Lock]:
    return build_extractor(Options.from_dict(json.loads(options))), Lock()
