"""Reading files of word vectors. Which of three forms a file has is found from its beginning.

- GloVe's text: a word and its numbers a line.
- word2vec's text, which is also fastText's ``.vec``: the same, after a line with the numbers of words and dimensions.
- word2vec's binary form: that first line; then, for each word, its bytes, a space and little-endian float32 numbers.
"""

from __future__ import annotations

import gzip
import io
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from mderank.errors import InputError, OptionError
from mderank.util.format import replace_unprintable

Stream = gzip.GzipFile | io.BufferedReader
Row = tuple[bytes, bytes]  # a word, and its numbers in float32

_GZIP, _ZIP = b"\x1f\x8b", b"PK\x03\x04"
_HEADER = re.compile(rb"(\d{1,12})[ \t]+(\d{1,12})\s*")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")  # what binary numbers have, and text has not
_FLOAT = np.dtype("<f4")
_BUFFER = 1 << 20  # bytes
_CHUNK = 1 << 20  # bytes of binary numbers that are looked at together
# Bounds for files of strangers, which may unpack to anything.
MAX_DIMENSION = 100_000
_MAX_WORD = 1 << 16  # bytes of a word
_MAX_NUMBER = 64  # bytes of a number and the space before it
_FORMS = "GloVe's text, word2vec's text and word2vec's binary form are read"


class _Start(NamedTuple):
    """What the beginning of a file tells."""

    words: int | None  # how many there are, where the file says so
    dimension: int
    binary: bool
    lines: Sequence[bytes]  # read already


def read_vectors(file: Path, limit: int | None = None) -> tuple[dict[str, int], npt.NDArray[np.float32]]:
    """Read a file of word vectors. Of a word that occurs twice, the first vector counts.

    Args:
        file: The file, also gzipped.
        limit: Number of vectors to read; None for all.

    Returns:
        The row of each word, and the vectors ``(words, d)``.

    Raises:
        InputError: If the file cannot be read or does not hold word vectors.
        OptionError: If the limit is less than 1.
    """
    if limit is not None and limit < 1:
        raise OptionError(f"the number of word vectors to read must be at least 1, not {limit}")
    try:
        with _opened(file) as stream:
            return _read(file, stream, limit)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{file} is cut off or damaged ({error}): get it again") from error
    except OSError as error:
        raise InputError(f"{file}: cannot be read: {error.strerror or error}") from error


def _opened(file: Path) -> Stream:
    with file.open("rb") as stream:
        magic = stream.read(4)
    if magic == _ZIP:
        raise InputError(f"{file} is a zip archive: unpack it, and name the file of vectors that was in it")
    return gzip.open(file) if magic.startswith(_GZIP) else io.BufferedReader(io.FileIO(file), _BUFFER)


def _read(file: Path, stream: Stream, limit: int | None) -> tuple[dict[str, int], npt.NDArray[np.float32]]:
    start = _start(file, stream)
    rows: dict[str, int] = {}
    numbers = bytearray()  # grows in place: there is no second copy of a large file
    for key, vector in (_binary_rows if start.binary else _text_rows)(file, stream, start):
        word = key.decode("utf-8", "replace")
        if word not in rows:
            rows[word] = len(rows)
            numbers += vector
        if len(rows) == limit:
            break
    matrix = np.frombuffer(numbers, dtype=_FLOAT).reshape(-1, start.dimension)
    _check(file, rows, matrix)
    return rows, matrix


def _start(file: Path, stream: Stream) -> _Start:
    """The first line, and what the next bytes look like."""
    first = stream.readline(_BUFFER)
    header = _HEADER.fullmatch(first)
    if header:
        words, dimension = int(header[1]), int(header[2])
        if words == 0 or dimension == 0:
            raise InputError(f"{file}: line 1: it announces {words} words of {dimension} numbers: nothing to read")
        if dimension > MAX_DIMENSION:
            raise InputError(
                f"{file}: line 1: it announces vectors of {dimension:,} numbers, and {MAX_DIMENSION:,} is the limit: "
                "take another file"
            )
        return _Start(words, dimension, bool(_CONTROL.search(stream.peek(4096)[:4096])), ())
    dimension = len(first.split()) - 1
    if _CONTROL.search(first) or dimension < 1 or _numbers(first.split()[1:]) is None:
        raise InputError(f"{file}: line 1: '{_shorten_line(first)}' is not a word with its numbers: {_FORMS}")
    return _Start(None, dimension, False, (first,))


def _text_rows(file: Path, stream: Stream, start: _Start) -> Iterator[Row]:
    longest = _MAX_WORD + _MAX_NUMBER * start.dimension
    lines: Iterable[bytes] = chain(start.lines, iter(lambda: stream.readline(longest + 1), b""))
    found = 0
    for number, line in enumerate(lines, 1 if start.words is None else 2):
        if len(line) > longest:
            raise InputError(
                f"{file}: line {number}: it has more than {longest:,} bytes: the file is damaged, get it again"
            )
        fields = line.rsplit(None, start.dimension)  # from the right: a few words of GloVe's have spaces in them
        if not fields:
            continue
        numbers = _numbers(fields[1:]) if len(fields) == start.dimension + 1 else None
        if numbers is None:
            raise InputError(
                f"{file}: line {number}: a word and {start.dimension} numbers must stand there, "
                f"and not '{_shorten_line(line)}': the file is damaged, get it again"
            )
        yield fields[0], numbers
        found += 1
    _check_count(file, start, found)


def _binary_rows(file: Path, stream: Stream, start: _Start) -> Iterator[Row]:
    size = start.dimension * _FLOAT.itemsize
    data, at, found = b"", 0, 0
    while True:
        end = data.find(b" ", at)
        if (end < 0 and len(data) - at > _MAX_WORD) or end - at > _MAX_WORD:
            raise InputError(
                f"{file}: word {found + 1} has more than {_MAX_WORD:,} bytes: the file is damaged, get it again"
            )
        if end < 0 or len(data) <= end + size:
            more = stream.read(_CHUNK)
            data, at = data[at:] + more, 0
            if more:
                continue
            if data.strip(b"\n"):
                raise InputError(f"{file} ends within word {found + 1} of {start.words}: it is cut off, get it again")
            _check_count(file, start, found)
            return
        yield data[at:end].lstrip(b"\n"), data[end + 1 : end + 1 + size]
        at, found = end + 1 + size, found + 1


def _numbers(fields: Sequence[bytes]) -> bytes | None:
    try:
        return np.array(fields, dtype=_FLOAT).tobytes()
    except ValueError:
        return None


def _check_count(file: Path, start: _Start, found: int) -> None:
    if start.words not in (None, found):
        raise InputError(f"{file} announces {start.words} words and has {found}: it is damaged, get it again")


def _check(file: Path, rows: dict[str, int], matrix: npt.NDArray[np.float32]) -> None:
    with np.errstate(all="ignore"):
        broken = np.flatnonzero(~np.isfinite(matrix.sum(axis=1)))
    if len(broken):
        word = list(rows)[broken[0]]
        raise InputError(f"{file}: the vector of '{word}' has something in it that is no number: get the file again")


def _shorten_line(line: bytes) -> str:
    """The beginning of a line, as an error shows it."""
    return replace_unprintable(line[:60].decode("utf-8", "replace").strip())
