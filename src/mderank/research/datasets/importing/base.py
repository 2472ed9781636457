"""What an importer is given: files, whether they lie in a folder or in a zip. And the order that documents come in.

What was downloaded is not trusted: nothing is unpacked to disk, names that lead out of an archive are refused, and no
file may be larger than any document or label file can be.
"""

from __future__ import annotations

import contextlib
import os
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from mderank.errors import InputError
from mderank.research.datasets.base import LabelledDocument

# The largest of the known distributions has 25 MB in one file, and 700 MB in 12,000.
MAX_BYTES = 256_000_000
MAX_BYTES_TOGETHER = 2_000_000_000
MAX_FILES = 200_000


@dataclass(frozen=True)
class Options:
    """What only some kinds take."""

    references: str | None = None


@dataclass(frozen=True)
class Files:
    """Files under one root, by their paths from it, in natural order."""

    root: str
    names: tuple[str, ...]
    read: Callable[[str], bytes]

    def text(self, name: str) -> str:
        """A file's text: UTF-8, or Latin-1 where it is not (old distributions mix them)."""
        data = self.read(name)
        try:
            return data.decode("utf-8-sig")
        except UnicodeDecodeError:
            return data.decode("latin-1")

    def ending(self, *suffixes: str) -> list[str]:
        """The names that end so, in any case."""
        return [name for name in self.names if name.lower().endswith(suffixes)]

    def place(self, name: str) -> str:
        """How an error names a file."""
        return self.root if name == Path(self.root).name else f"{self.root}/{name}"


Reader = Callable[[Files, Options], Iterator[LabelledDocument]]


@contextlib.contextmanager
def open_files(source: Path) -> Iterator[Files]:
    """The files of a folder or a zip; any other file is the only one."""
    if source.is_dir():
        yield Files(str(source), _walk(source), lambda name: _read_file(source / name))
    elif not source.is_file():
        raise InputError(f"{source}: there is no such file or folder")
    elif zipfile.is_zipfile(source):
        try:
            with zipfile.ZipFile(source) as archive:
                yield Files(str(source), _members(archive, source), lambda name: _read_member(archive, source, name))
        except zipfile.BadZipFile as error:
            raise InputError(f"{source} is not a whole zip file ({error}): get it again") from error
    elif source.suffix.lower() == ".zip":
        raise InputError(f"{source} is not a whole zip file: get it again")
    else:
        yield Files(str(source), (source.name,), lambda _: _read_file(source))


def natural(name: str) -> tuple[tuple[tuple[int, int, str], ...], str]:
    """A key that sorts by numbers where there are numbers, and gives different names different places.

    >>> sorted(["C-10", "C-9", "B-1"], key=natural)
    ['B-1', 'C-9', 'C-10']
    """
    parts = re.findall(r"[0-9]+|[^0-9]+", name)
    return tuple((0, int(part), "") if part[0] in "0123456789" else (1, 0, part) for part in parts), name


def stem(name: str) -> str:
    """The id that a file's name gives: ``docsutf8/C-1.txt`` is C-1."""
    base = PurePosixPath(name).name
    return base.rpartition(".")[0] or base


def running_text(text: str) -> str:
    r"""Paragraphs, a line each: a blank line ends one, a single line break does not.

    >>> running_text("  One\n\ttwo. \n\nThree.\n")
    'One two.\nThree.'
    """
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n[ \t\r]*\n", text))
    return "\n".join(part for part in paragraphs if part)


def lines_of(text: str) -> tuple[str, ...]:
    """A label file's phrases, one a line; what follows a tab is a count."""
    phrases = (" ".join(line.split("\t")[0].split()) for line in text.splitlines())
    return tuple(phrase for phrase in phrases if phrase)


def _walk(folder: Path) -> tuple[str, ...]:
    names = []
    for place, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        names += [(Path(place) / name).relative_to(folder).as_posix() for name in files if not name.startswith(".")]
        _check_count(len(names), folder)
    return tuple(sorted(names, key=natural))


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
    # No more is read of a member than the size that is stated for it, so that the statements can be added up.
    if sum(member.file_size for member in archive.infolist()) > MAX_BYTES_TOGETHER:
        raise InputError(f"{source} has more than {MAX_BYTES_TOGETHER // 10**9} GB in it: no set is that large")
    return tuple(sorted(names, key=natural))


def _check_count(count: int, source: Path) -> None:
    if count > MAX_FILES:
        raise InputError(f"{source} has more than {MAX_FILES} files: name the folder of one set")


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
