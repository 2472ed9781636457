"""Files that several processes may want at once."""

from __future__ import annotations

from typing import IO, Any


def lock_file(stream: IO[Any]) -> None:
    """Lock an open file for this process. The system releases the lock when the process ends.

    Windows and file systems without locks are not protected.

    Raises:
        BlockingIOError: another process holds the lock.
    """
    try:
        import fcntl
    except ImportError:  # Windows
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:  # a file system without locks
        return
