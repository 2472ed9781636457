"""Find the files that paths, folders and patterns stand for."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from mderank.reading.base import InputFormat, SourceDocument

SUFFIXES: dict[str, InputFormat] = {
    ".txt": "text",
    ".text": "text",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".rst": "rst",
    ".rest": "rst",
    ".tex": "tex",
    ".latex": "tex",
    ".pdf": "pdf",
    ".docx": "docx",
    ".docm": "docx",
    ".epub": "epub",
    ".eml": "eml",
    ".mbox": "mbox",
    ".ipynb": "ipynb",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
}
# Beside texts, a table usually describes them, and a JSON file configures something: both are read if they are named.
_ONLY_IF_NAMED: tuple[InputFormat, ...] = ("csv", "json")
# Folders of programs. What they hold is not the user's writing.
_PROGRAM_FOLDERS = frozenset(("node_modules", "__pycache__", "site-packages"))


@dataclass
class FoundFiles:
    """The files that a list of paths stands for.

    Attributes:
        files: files to read, in order.
        skipped: files in folders whose suffix is not a document format, CSV and JSON files, and the folders that are
            not searched: those of programs, virtual environments, hidden folders and links to folders.
        errors: one failed document per path that stands for no file.
    """

    files: list[Path] = field(default_factory=list)
    skipped: list[Path] = field(default_factory=list)
    errors: list[SourceDocument] = field(default_factory=list)


def find_files(paths: Sequence[str]) -> FoundFiles:
    """Find all files that ``paths`` stand for.

    Args:
        paths: files, folders and glob patterns. Folders are searched recursively, in the order of the names. Folders
            in them are left out if they are hidden, a link, a virtual environment, or called ``node_modules``,
            ``__pycache__`` or ``site-packages``. A folder that is itself among the paths is always searched.

    Returns:
        The files to read, the skipped files and folders, and one error per path without files.
    """
    found = FoundFiles()
    for each in walk_files(paths, skip=found.skipped.append):
        if isinstance(each, SourceDocument):
            found.errors.append(each)
        else:
            found.files.append(each)
    return found


def walk_files(
    paths: Sequence[str], *, skip: Callable[[Path], None] = lambda file: None, without: Path | None = None
) -> Iterator[Path | SourceDocument]:
    """Find the files that ``paths`` stand for, one at a time, in the order of `find_files`.

    Args:
        paths: files, folders and glob patterns.
        skip: called with each file and folder in a folder that is not read.
        without: absolute path of a folder that is not searched, such as an output folder.

    Yields:
        A path per file, and a failed document per path that stands for no file.
    """
    for path in paths:
        here = Path(path)
        if stat.S_ISDIR(file_mode(here)):
            yield from _search(here, skip, without)
        elif file_mode(here, follow_symlinks=False) or not glob.has_magic(path):
            yield here
        else:
            matches = [Path(match) for match in sorted(glob.glob(path, recursive=True))]
            matches = [match for match in matches if not stat.S_ISDIR(file_mode(match))]
            yield from matches
            if not matches:
                yield SourceDocument.failed(path, "no file matches this pattern")


def file_format(file: Path) -> InputFormat | None:
    """Return the format that a file's name says, with or without ``.gz``.

    Args:
        file: path of the file; it is not opened.

    Returns:
        The format, or None if the suffix is unknown.
    """
    name = file.name.lower().removesuffix(".gz")
    return SUFFIXES.get(Path(name).suffix)


def file_mode(path: Path, *, follow_symlinks: bool = True) -> int:
    """Return the mode bits of a path, which tell files from folders and pipes.

    Args:
        path: the path.
        follow_symlinks: whether to return those of a link's target.

    Returns:
        The bits; 0 if there is no such file, its name is too long, or its folder may not be read.
    """
    try:
        return path.stat(follow_symlinks=follow_symlinks).st_mode
    except (OSError, ValueError):
        return 0


def is_special_file(path: Path) -> bool:
    """Return whether a path is a named pipe, a socket or a device. Reading one can wait without end.

    Args:
        path: the path.

    Returns:
        True if it exists and is neither a regular file nor a folder.
    """
    mode = file_mode(path)
    return mode != 0 and not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _search(folder: Path, skip: Callable[[Path], None], without: Path | None) -> Iterator[Path | SourceDocument]:
    failures: list[SourceDocument] = []
    anything = False

    def add_failure(error: OSError) -> None:
        name = str(error.filename or folder)
        failures.append(SourceDocument.failed(name, f"cannot be read: {error.strerror}"))

    for current, folders, names in os.walk(folder, onerror=add_failure):
        here = Path(current)
        searched = []
        for name in sorted(folders):
            if _is_left_out(here / name) or (here / name).is_symlink():  # a link may lead back to a folder above
                skip(here / name)
            elif (here / name).resolve() != without:
                searched.append(name)
        folders[:] = searched
        for name in sorted(names):
            if name.startswith("."):
                continue
            if file_format(here / name) in (None, *_ONLY_IF_NAMED):
                skip(here / name)
                continue
            anything = True
            if is_special_file(here / name):
                yield SourceDocument.failed(str(here / name), "this is a pipe, socket or device, not a file: remove it")
            else:
                yield here / name
        anything = anything or bool(failures)
        yield from failures
        failures.clear()
    yield from failures
    if not anything and not failures:
        suffixes = ", ".join(suffix for suffix, kind in SUFFIXES.items() if kind not in _ONLY_IF_NAMED)
        note = "CSV and JSON files are read if they are named, or by a pattern in quotes"
        reason = f"this folder has no file that can be read ({suffixes}, or with .gz; {note})"
        yield SourceDocument.failed(str(folder), reason)


def _is_left_out(folder: Path) -> bool:
    """Return whether a folder in a folder is not searched: a hidden one, one of a program, or a virtual environment."""
    if folder.name.startswith(".") or folder.name in _PROGRAM_FOLDERS:
        return True
    return file_mode(folder / "pyvenv.cfg") != 0
