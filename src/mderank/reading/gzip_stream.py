"""What is in a gzip file, also in one that is cut off."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any


class Gunzipped(io.RawIOBase):
    """The content of a gzip file; if that is cut off, all that comes before the cut, and then an ``EOFError``.

    Python's own reader, read through a buffer, drops part of what it has when it comes to the cut, and not always the
    same part.
    """

    def __init__(self, file: Path) -> None:
        self._file = gzip.GzipFile(file)

    def readable(self) -> bool:
        """It can be read."""
        return True

    def seekable(self) -> bool:
        """Any place can be gone to; what comes before it is decompressed on the way."""
        return True

    def readinto(self, target: Any) -> int:
        """Read no more than one step of decompression gives: an error then takes nothing with it."""
        data = self._file.read1(len(target))
        target[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place in the content."""
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """The place in the content."""
        return self._file.tell()

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()
