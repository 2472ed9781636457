"""The shortest way: keyphrases of a text or a file in one call, and documents from files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mderank.document import AnyText
from mderank.errors import InputError, OptionError
from mderank.options import Options
from mderank.parameters import unknown_name
from mderank.pipeline import extract_documents
from mderank.reading import ReadOptions, SourceDocument, read_file, walk_files
from mderank.shared import shared_extractor

if TYPE_CHECKING:
    from mderank.keyphrase import Keyphrases


def extract(text: AnyText | Path, top_k: int | None = 10, **options: Any) -> Keyphrases:
    """Extract the keyphrases of a text, or of a file.

    The extractor is built at the first call with the same options; seeds may differ. `FusionRank` and other methods, or
    `build_extractor`, make one that is your own.

    >>> import mderank
    >>> mderank.extract("Coral reefs feed fish. Warm water harms coral reefs.", top_k=1).texts
    ['Coral reefs']

    Args:
        text: A text, or the path of a file with one document. A string is always a text.
        top_k: Number of keyphrases; None or 0 returns all.
        **options: Fields of `Options`, such as ``language="de"`` or ``method="yake"``.

    Returns:
        The keyphrases, the best first.

    Raises:
        InputError: If the text or the file cannot be read, or the file has several documents.
        OptionError: If an option is unknown or does not fit.
    """
    if "candidates" in options:
        raise OptionError(
            "extract takes plain values, such as phrases=['storm surge'], not candidates: FusionRank(candidates=…) and "
            "other methods take those"
        )
    chosen = Options.from_dict({**options, "top_k": 0 if top_k is None else top_k})
    extractor = shared_extractor(replace(chosen, seeds=()))
    if not isinstance(text, Path):
        return extractor.extract(text, chosen.top_k or None, seeds=chosen.seeds or None)
    sources = list(islice(read(text), 2))
    if len(sources) != 1:
        found = "several documents" if sources else "no document"
        raise InputError(f"{text}: has {found}; read them with mderank.read")
    if chosen.seeds:
        sources = [each if each.seeds is not None else replace(each, seeds=chosen.seeds) for each in sources]
    (result,) = extract_documents(extractor, sources, chosen.top_k or None)
    if result.keyphrases.error is not None:
        raise result.keyphrases.error
    return result.keyphrases


def read(*paths: str | Path, **options: Any) -> Iterator[SourceDocument]:
    """Read documents from files, in all formats that the command line reads.

    Args:
        *paths: Files, folders and glob patterns.
        **options: Fields of `mderank.reading.ReadOptions`, such as ``text_field="abstract"``.

    Returns:
        An iterator over the documents with id, text and title. One that cannot be read has its ``error``, and the
        others follow.

    Raises:
        OptionError: If a path is not a string or a `Path`, or an option is unknown or does not fit.
    """
    for path in paths:
        if not isinstance(path, str | Path):
            raise OptionError(f"read takes paths, each a str or a Path, not a {type(path).__name__}: read(*paths)")
    known = {each.name: each for each in fields(ReadOptions)}
    for name in options:
        if name not in known:
            raise unknown_name("option", name, known)
    return _read([str(path) for path in paths], ReadOptions(**options))


def _read(paths: list[str], options: ReadOptions) -> Iterator[SourceDocument]:
    for each in walk_files(paths):
        if isinstance(each, SourceDocument):
            yield each
        else:
            yield from read_file(each, options)
