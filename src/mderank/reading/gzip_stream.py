"""A gzip file as a stream, including gzip files that are cut off."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import IO, Any


class GzipStream(io.RawIOBase):
    """The decompressed content of a gzip file.

    If the file is cut off, all content before the cut is read, and then ``EOFError`` is raised. Python's own reader,
    read through a buffer, drops part of that content, and not always the same part.

    Args:
        file: the gzip file, or its content as a binary stream.

    Raises:
        OSError: the file cannot be opened.
    """

    def __init__(self, file: Path | IO[bytes]) -> None:
        self._file = gzip.GzipFile(file) if isinstance(file, Path) else gzip.GzipFile(fileobj=file)

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True. Seeking decompresses everything before the new position."""
        return True

    def readinto(self, target: Any) -> int:
        """Read at most what one decompression step returns, so that an error loses no content."""
        data = self._file.read1(len(target))
        target[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position in the decompressed content."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the position in the decompressed content."""
        return self._file.tell()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()
