"""Read the files of public distributions from folders and zips, and write datasets as JSON lines.

Downloaded files are not trusted. Nothing is unpacked to disk, names that lead out of an archive are refused, and file
sizes are limited.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mderank.errors import InputError
from mderank.research.datasets.base import LabelledDocument
from mderank.util.files import atomic_write
from mderank.util.format import json_text

# The largest of the known distributions has 25 MB in one file, and 700 MB in 12,000.
MAX_BYTES = 256_000_000
MAX_BYTES_TOGETHER = 2_000_000_000
MAX_FILES = 200_000


@dataclass(frozen=True)
class SourceFiles:
    """The files of a distribution.

    Attributes:
        root: The folder, zip or file they are in.
        names: Their paths below ``root``, in natural order.
        read: Returns the bytes of a file by its name.

    """

    root: str
    names: tuple[str, ...]
    read: Callable[[str], bytes]

    def text(self, name: str) -> str:
        """Return a file's text, read as UTF-8, or as Latin-1 where it is not UTF-8: old distributions mix them."""
        data = self.read(name)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return data.decode("latin-1")

    def with_suffix(self, *suffixes: str) -> list[str]:
        """Return the names that end in one of ``suffixes``, in lower or upper case."""
        return [name for name in self.names if name.lower().endswith(suffixes)]

    def locate(self, name: str) -> str:
        """Return the path by which an error names a file."""
        return self.root if name == Path(self.root).name else f"{self.root}/{name}"


@dataclass(frozen=True)
class ImportSummary:
    """The numbers of an import.

    Attributes:
        documents: Number of documents.
        keyphrases: Number of gold keyphrases.
        without_text: Number of documents without text.
        without_keyphrases: Number of documents without gold keyphrases.
        sha256: Checksum of the JSON lines, uncompressed.

    """

    documents: int
    keyphrases: int
    without_text: int
    without_keyphrases: int
    sha256: str


def write_dataset(documents: Sequence[LabelledDocument], target: Path) -> ImportSummary:
    """Write documents as JSON lines. The file appears once it is complete.

    Args:
        documents: The documents.
        target: The file to write; compressed if its name ends in ``.gz``.

    Returns:
        Counts and the checksum.

    Raises:
        InputError: If the file cannot be written.

    """
    data = "".join(json_text(_record(each)) + "\n" for each in documents).encode()
    try:
        with atomic_write(target) as temporary:
            # Without a time stamp the same dataset is the same file.
            temporary.write_bytes(gzip.compress(data, mtime=0) if target.suffix == ".gz" else data)
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror or error}") from error
    return ImportSummary(
        documents=len(documents),
        keyphrases=sum(len(each.keyphrases) for each in documents),
        without_text=sum(not each.text for each in documents),
        without_keyphrases=sum(not each.keyphrases for each in documents),
        sha256=hashlib.sha256(data).hexdigest(),
    )


def _record(document: LabelledDocument) -> dict[str, object]:
    return {name: getattr(document, name) for name in ("id", "title", "text", "keyphrases")}


@contextlib.contextmanager
def open_files(source: Path) -> Iterator[SourceFiles]:
    """Open a distribution.

    Args:
        source: A folder, a zip, or a single file.

    Yields:
        Its files.

    Raises:
        InputError: If ``source`` does not exist, is damaged, or leads out of the archive.

    """
    if source.is_dir():
        yield SourceFiles(str(source), _walk(source), lambda name: _read_file(source / name))
    elif not source.is_file():
        raise InputError(f"{source}: there is no such file or folder")
    elif zipfile.is_zipfile(source):
        try:
            with zipfile.ZipFile(source) as archive:
                yield SourceFiles(
                    str(source), _members(archive, source), lambda name: _read_member(archive, source, name)
                )
        except zipfile.BadZipFile as error:
            raise InputError(f"{source} is not a whole zip file ({error}): get it again") from error
    elif source.suffix.lower() == ".zip":
        raise InputError(f"{source} is not a whole zip file: get it again")
    else:
        yield SourceFiles(str(source), (source.name,), lambda _: _read_file(source))


def natural_sort_key(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """Return a key that sorts digits as numbers. Different names have different keys.

    >>> sorted(["C-10", "C-9", "B-1"], key=natural_sort_key)
    ['B-1', 'C-9', 'C-10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    numbers = {part: part.lstrip("0") for part in parts if part[0] in "0123456789"}
    # A longer number is the larger one; as an int, one of thousands of digits would be an error.
    return tuple((0, len(numbers[part]), numbers[part]) if part in numbers else (1, 0, part) for part in parts), name


def file_stem(name: str) -> str:
    """Return the id that a file's name gives: C-1 for ``docsutf8/C-1.txt``."""
    base = PurePosixPath(name).name
    return base.rpartition(".")[0] or base


def join_lines(text: str) -> str:
    r"""Return the paragraphs of a text, one per line. A blank line ends a paragraph, a single line break does not.

    >>> join_lines("  One\n\ttwo. \n\nThree.\n")
    'One two.\nThree.'
    """
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n[ \t\r]*\n", text))
    return "\n".join(part for part in paragraphs if part)


def parse_phrase_lines(text: str) -> tuple[str, ...]:
    """Return the phrases of a label file, one per line. A count after a tab is dropped."""
    phrases = (" ".join(line.split("\t")[0].split()) for line in text.splitlines())
    return tuple(phrase for phrase in phrases if phrase)


def _walk(folder: Path) -> tuple[str, ...]:
    names = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        names += [(Path(place) / name).relative_to(folder).as_posix() for name in files if not name.startswith(".")]
        _check_count(len(names), folder)
    return tuple(sorted(names, key=natural_sort_key))


def _members(archive: zipfile.ZipFile, source: Path) -> tuple[str, ...]:
    names = []
    for member in archive.infolist():
        path = PurePosixPath(member.filename)
        if path.is_absolute() or ".." in path.parts or "\\" in member.filename:
            raise InputError(
                f"{source}: the archive has a file that leads out of it, {member.filename!r}: do not use it"
            )
        if member.is_dir() or path.parts[0] == "__MACOSX" or path.name.startswith("."):
            continue
        names.append(member.filename)
    _check_count(len(names), source)
    # zipfile reads no more of a member than its stated size, so that the stated sizes can be added up.
    if sum(member.file_size for member in archive.infolist()) > MAX_BYTES_TOGETHER:
        raise InputError(f"{source} has more than {MAX_BYTES_TOGETHER // 10**9} GB in it: no dataset is that large")
    return tuple(sorted(names, key=natural_sort_key))


def _check_count(count: int, source: Path) -> None:
    if count > MAX_FILES:
        raise InputError(f"{source} has more than {MAX_FILES} files: name the folder of one dataset")


def _read_file(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return _limited(stream.read(MAX_BYTES + 1), file)
    except OSError as error:
        raise InputError(f"{file} cannot be read: {error.strerror or error}") from error


def _read_member(archive: zipfile.ZipFile, source: Path, name: str) -> bytes:
    try:
        with archive.open(name) as stream:
            return _limited(stream.read(MAX_BYTES + 1), source / name)
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(f"{source}: {name} in it is broken ({error}): get the archive again") from error
    except (RuntimeError, NotImplementedError) as error:
        raise InputError(f"{source}: {name} in it cannot be read ({error}): pack it anew, without password") from error


def _limited(data: bytes, name: Path) -> bytes:
    if len(data) > MAX_BYTES:
        raise InputError(f"{name} has more than {MAX_BYTES // 1_000_000} MB: no document or label file is that large")
    return data
