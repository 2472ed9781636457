"""The documents to label: located at once, read one by one when they are looked at."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from mderank.errors import InputError
from mderank.reading import (
    START,
    ReadOptions,
    RecordPosition,
    SourceDocument,
    find_records,
    read_record,
    walk_files,
)
from mderank.reading.base import WHOLE_FILE_FORMATS
from mderank.reading.discovery import file_format


@dataclass(frozen=True)
class DocumentPlace:
    """The position of a document: its file and record.

    Attributes:
        id: The document's id, unique among all.
        file: Its file.
        position: Where it begins in the file.
        error: Why it cannot be read, if that is known already.
    """

    id: str
    file: Path
    position: RecordPosition = START
    error: str | None = None

    def read(self, options: ReadOptions) -> SourceDocument:
        """Read the document.

        Args:
            options: How to read files.

        Returns:
            The document. If it cannot be read, it carries its error.
        """
        if self.error is not None:
            return SourceDocument(self.id, error=InputError(self.error))
        for record in find_records(self.file, options, self.position):
            return read_record(record, options)
        return SourceDocument.failed(self.id, "is no longer in its file: start mderank label again")


def find_documents(paths: Sequence[str], options: ReadOptions, labels: Path) -> list[DocumentPlace]:
    """Locate the documents of files and folders.

    Args:
        paths: Files, folders and patterns.
        options: How to read files.
        labels: The file of labels. It is not taken for a document. The ids of files are their paths from its folder, so
            that they stay the same wherever the command is started.

    Returns:
        The documents. Their ids are unique: a second document with the same id gets a number.

    Raises:
        InputError: A path cannot be read, or there is no document.
    """
    places: list[DocumentPlace] = []
    seen: dict[str, int] = {}
    for each in walk_files(list(dict.fromkeys(paths))):
        if isinstance(each, SourceDocument):
            raise each.error or InputError(f"{each.id} cannot be read")
        if each.resolve() == labels.resolve():
            continue
        for place in _places(each, options, labels.resolve().parent):
            seen[place.id] = seen.get(place.id, 0) + 1
            count = seen[place.id]
            places.append(place if count == 1 else _renamed(place, count))
    if not places:
        raise InputError(f"there is no document in {', '.join(paths)}: name a file or a folder with texts")
    return places


def _renamed(place: DocumentPlace, count: int) -> DocumentPlace:
    return DocumentPlace(f"{place.id} ({count})", place.file, place.position, place.error)


def _places(file: Path, options: ReadOptions, folder: Path) -> Iterator[DocumentPlace]:
    name = _relative(file, folder)
    if (options.format or file_format(file)) in WHOLE_FILE_FORMATS:
        yield DocumentPlace(name, file)
        return
    for record in find_records(file, options):
        shown = name + record.name.removeprefix(str(file))
        if record.failure is not None or record.position is None:
            yield DocumentPlace(shown, file, START, f"{shown}: {record.failure}")
            continue
        source = read_record(record, options)
        failed = None if source.error is None else str(source.error)
        yield DocumentPlace(shown if source.id == record.name else str(source.id), file, record.position, failed)


def _relative(file: Path, folder: Path) -> str:
    try:
        return Path(os.path.relpath(file.resolve(), folder)).as_posix()
    except ValueError:  # on another drive of Windows
        return file.resolve().as_posix()
