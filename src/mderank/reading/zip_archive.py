"""Read members of a zip archive that anybody may have made: few enough, small enough, and none but those asked for."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from struct import error as StructError  # noqa: N812

from mderank.errors import InputError

PIECE = 1 << 16  # bytes that are decompressed at once
_MOST_MEMBERS = 20_000  # zipfile keeps an object of a kilobyte for each
_MEMBER_MARK = b"PK\x01\x02"  # stands before every entry of the archive's directory
_READ_COMPRESSIONS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # LZMA's dictionary alone may take gigabytes
_IS_ENCRYPTED = 1  # a member's flag


class ZipArchive:
    """The members of a zip archive. What is decompressed is counted while it is, since an archive's sizes may lie.

    Args:
        data: the archive.
        max_bytes: number of bytes that all reads together may decompress.
        max_chars: the setting that this limit comes from, for its error.

    Raises:
        InputError: this is not a whole zip archive, or it has too many members.
    """

    def __init__(self, data: bytes, max_bytes: int, max_chars: int) -> None:
        if data.count(_MEMBER_MARK) > _MOST_MEMBERS:
            raise InputError(f"this file has more than {_MOST_MEMBERS:,} parts: divide it")
        try:
            self._archive = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, NotImplementedError, OSError, StructError, ValueError) as error:
            raise InputError(f"this file is damaged, or of another format: {error}") from error
        self._left, self._max_bytes, self._max_chars = max_bytes, max_bytes, max_chars

    def __contains__(self, name: str) -> bool:
        """Return whether the archive has a member of this name."""
        return self._find(name) is not None

    def pieces(self, name: str) -> Iterator[bytes]:
        """Decompress a member.

        Args:
            name: the member's name.

        Yields:
            The member's bytes, piece by piece.

        Raises:
            InputError: the member is missing, encrypted, damaged or too large.
        """
        info = self._find(name)
        if info is None:
            raise InputError(f"its part {name[:100]} is missing: the file is damaged")
        if info.flag_bits & _IS_ENCRYPTED:
            raise InputError("this file is encrypted: save a copy without password")
        if info.compress_type not in _READ_COMPRESSIONS:
            raise InputError(f"its part {name[:100]} is compressed in an unusual way: save the file again")
        try:
            with self._archive.open(info) as stream:
                while piece := stream.read(PIECE):
                    self._left -= len(piece)
                    if self._left < 0:
                        raise self._too_large()
                    yield piece
        except InputError:
            raise
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, StructError, ValueError, RuntimeError) as error:
            raise InputError(f"its part {name[:100]} is damaged: {' '.join(str(error).split())[:200]}") from error

    def read(self, name: str, most: int) -> bytes | None:
        """Return the bytes of a member.

        Args:
            name: the member's name.
            most: number of bytes to read at most.

        Returns:
            All its bytes, or None if there are more.

        Raises:
            InputError: the member is missing, encrypted, damaged or too large.
        """
        held = io.BytesIO()
        for piece in self.pieces(name):
            if held.tell() + len(piece) > most:
                return None
            held.write(piece)
        return held.getvalue()

    def _find(self, name: str) -> zipfile.ZipInfo | None:
        try:
            return self._archive.getinfo(name)
        except (KeyError, ValueError):
            return None

    def _too_large(self) -> InputError:
        return InputError(
            f"the parts of this file have more than {self._max_bytes:,} bytes together, that is "
            f"{self._max_bytes // self._max_chars} per character of --max-document-chars {self._max_chars}: divide it, "
            "or raise the limit"
        )
