"""Public distributions to JSON lines: one file a distribution."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from mderank.errors import InputError, OptionError
from mderank.research.datasets.base import LabelledDocument
from mderank.research.datasets.importing import ake, docs_keys, duc2001, inspec, kpg, nus
from mderank.research.datasets.importing.base import Options, Reader, open_files
from mderank.util.files import atomic_write

__all__ = ["KINDS", "Imported", "import_dataset"]

KINDS: dict[str, Reader] = {
    "inspec": inspec.read,
    "duc2001": duc2001.read,
    "nus": nus.read,
    "krapivin": docs_keys.read_krapivin,
    "docs-keys": docs_keys.read,
    "ake": ake.read,
    "kpg": kpg.read,
    "kpg-full": kpg.read_full,
}


@dataclass(frozen=True)
class Imported:
    """What was written."""

    documents: int
    keyphrases: int
    without_text: int
    without_keyphrases: int
    sha256: str  # of the JSON lines, uncompressed


def import_dataset(
    source: str | Path,
    kind: str,
    target: str | Path,
    *,
    references: str | None = None,
    first: int | None = None,
    ids: Collection[str] | None = None,
) -> Imported:
    """Write ``source``, a folder, zip or file of a public distribution, as JSON lines to ``target`` (also ``.gz``).

    ``references`` names ake-datasets' reference file. ``ids`` keeps only those documents, ``first`` only the first
    ones. The file appears when it is whole.
    """
    if kind not in KINDS:
        raise OptionError(f"the kind '{kind}' is unknown: it is one of {', '.join(KINDS)}")
    if references is not None and kind != "ake":
        raise OptionError(f"references (--references) belong to the kind 'ake', not to '{kind}'")
    with open_files(Path(source)) as files:
        documents = list(islice(_chosen(KINDS[kind](files, Options(references)), ids), first))
    if not documents:
        raise InputError(f"{source}: there is no document in it that was asked for")
    _check_ids(documents, Path(source))
    data = "".join(json.dumps(_record(each), ensure_ascii=False) + "\n" for each in documents).encode()
    _write(data, Path(target))
    return Imported(
        documents=len(documents),
        keyphrases=sum(len(each.keyphrases) for each in documents),
        without_text=sum(not each.text for each in documents),
        without_keyphrases=sum(not each.keyphrases for each in documents),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def _chosen(documents: Iterable[LabelledDocument], ids: Collection[str] | None) -> Iterator[LabelledDocument]:
    return (each for each in documents if ids is None or each.id in ids)


def _check_ids(documents: list[LabelledDocument], source: Path) -> None:
    seen: set[str] = set()
    for document in documents:
        if document.id in seen:
            raise InputError(f"{source}: two documents are called '{document.id}': name the folder of one set")
        seen.add(document.id)


def _write(data: bytes, target: Path) -> None:
    try:
        with atomic_write(target) as temporary:
            # Without a time stamp the same set is the same file.
            temporary.write_bytes(gzip.compress(data, mtime=0) if target.suffix == ".gz" else data)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from error


def _record(document: LabelledDocument) -> dict[str, object]:
    return {name: getattr(document, name) for name in ("id", "title", "text", "keyphrases")}
