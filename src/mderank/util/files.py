"""Files that are checked, locked, or replaced as a whole."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any

from mderank.errors import InputError, MDERankError
from mderank.util.format import json_text

TEMPORARY_SUFFIX = ".tmp"

Differences = dict[str, tuple[Any, Any]]


# --- files of strangers -----------------------------------------------------------------------------------------------


def read_limited(file: Path, limit: int) -> bytes:
    """Read a regular file that has at most ``limit`` bytes.

    Args:
        file: Path of the file.
        limit: Maximum number of bytes.

    Returns:
        The content.

    Raises:
        OSError: The file cannot be read.
        ValueError: It has more bytes, or is a device, a pipe or a socket.
    """
    if file.exists() and not file.is_file():
        raise ValueError("it is not a regular file")
    with file.open("rb") as stream:
        data = stream.read(limit + 1)
    if len(data) > limit:
        raise ValueError(f"it has more than {limit:,} bytes, which is the limit for a file of its kind")
    return data


def read_json_object(file: Path, limit: int) -> dict[str, Any]:
    """Read a JSON object from a file that has at most ``limit`` bytes.

    Args:
        file: Path of the file.
        limit: Maximum number of bytes.

    Returns:
        The object.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is too large, or not a JSON object in UTF-8.
    """
    try:
        content = json.loads(read_limited(file, limit).decode("utf-8"))
    except RecursionError as error:
        raise ValueError("its JSON is nested too deeply") from error
    if not isinstance(content, dict):
        raise ValueError("it is not a JSON object")
    return content


# --- checksums --------------------------------------------------------------------------------------------------------


def file_sha256(file: str | Path) -> str:
    """Compute the SHA-256 checksum of a file.

    Args:
        file: Path of the file.

    Returns:
        The checksum as 64 hexadecimal digits.

    Raises:
        OSError: The file cannot be read.
    """
    with Path(file).open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def cached_file_sha256(file: str | Path) -> str:
    """Compute the SHA-256 checksum of a file once per process, for large files that several runs name.

    A file is read again if its size or its time of change differs.

    Args:
        file: Path of the file.

    Returns:
        The checksum as 64 hexadecimal digits.

    Raises:
        OSError: The file cannot be read.
    """
    file = Path(file).resolve()
    status = file.stat()
    return _cached_sha256(file, status.st_mtime_ns, status.st_size)


@cache
def _cached_sha256(file: Path, changed: int, size: int) -> str:
    return file_sha256(file)


# --- locks ------------------------------------------------------------------------------------------------------------


def open_locked(file: Path) -> IO[bytes]:
    """Open a file for appending and lock it for this process, until the file is closed or the process ends.

    Windows and file systems without locks are not protected.

    Args:
        file: Path of the file; it is created if it does not exist.

    Returns:
        The open file, a context manager.

    Raises:
        BlockingIOError: Another process holds the lock.
        OSError: The file cannot be opened.
    """
    stream = file.open("ab")
    try:
        _lock(stream)
    except BaseException:
        stream.close()
        raise
    return stream


def _lock(stream: IO[bytes]) -> None:
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


# --- files and folders that appear when they are complete -------------------------------------------------------------


@contextmanager
def atomic_write(file: Path, *, sync: bool = False) -> Iterator[Path]:
    """Write a file that appears under its name only when it is complete.

    The temporary file is in the same folder. If the body raises, it is removed, and an older file stays as it was.

    Args:
        file: Path of the file; an existing file is replaced.
        sync: Whether to wait until the file and its name are on disk.

    Yields:
        The path of the temporary file. The body writes and closes it.

    Raises:
        OSError: The file cannot be written.
    """
    temporary = _temporary_path(file)
    try:
        yield temporary
        if sync:
            _sync(temporary, os.O_RDWR)
        temporary.replace(file)
        if sync:
            with suppress(OSError):  # not every system can do it for a folder
                _sync(file.parent, os.O_RDONLY)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def _sync(path: Path, flags: int) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def atomic_folder(folder: Path, *, keep_existing: bool = False) -> Iterator[Path]:
    """Write a folder that appears under its name only when it is complete.

    Args:
        folder: Path of the folder. Parent folders are created.
        keep_existing: What to do if the folder exists in the end: keep it, or replace it.

    Yields:
        The path of an empty temporary folder beside it, for the body to fill.

    Raises:
        OSError: The folder cannot be written.
    """
    temporary, old = _temporary_path(folder), _temporary_path(folder)
    try:
        temporary.mkdir(parents=True)
        yield temporary
        if folder.exists() and not keep_existing:
            folder.rename(old)
        try:
            temporary.rename(folder)
        except OSError:
            if not (keep_existing and folder.is_dir()):
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
        shutil.rmtree(old, ignore_errors=True)


def _temporary_path(path: Path) -> Path:
    """Return an unused path beside ``path``, so that two writers of the same file do not meet."""
    return path.with_name(f".{path.name}.{os.urandom(4).hex()}{TEMPORARY_SUFFIX}")


def remove_temporary(folder: Path) -> None:
    """Remove temporary files and folders that a killed process left in a folder.

    Args:
        folder: Path of the folder. The caller holds its lock; it may not exist.
    """
    for path in folder.glob(f".*{TEMPORARY_SUFFIX}"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


# --- settings of a run ------------------------------------------------------------------------------------------------


def find_differences(before: Mapping[str, Any], now: Mapping[str, Any]) -> Differences:
    """Compare two sets of settings, name by name, nested ones too.

    Args:
        before: The recorded settings.
        now: The settings that are asked for.

    Returns:
        Both values of each setting that differs, by its name; nested names are joined by dots. A setting that one
        side lacks is None there.

    >>> find_differences({"mode": "exact", "versions": {"numpy": "2"}}, {"mode": "exact", "versions": {"numpy": "3"}})
    {'versions.numpy': ('2', '3')}
    """
    found: Differences = {}
    for name in sorted({*before, *now}):
        one, other = before.get(name), now.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            found |= {f"{name}.{inner}": values for inner, values in find_differences(one, other).items()}
        elif one != other:
            found[name] = (one, other)
    return found


def format_differences(differences: Differences) -> str:
    """Write differences of settings for an error message.

    Args:
        differences: The result of `find_differences`.

    Returns:
        One line.

    >>> format_differences({"versions.numpy": ("2", "3")})
    "versions.numpy: '2', now '3'"
    """
    return "; ".join(f"{name}: {before!r}, now {now!r}" for name, (before, now) in differences.items())


def check_settings(
    folder: Path,
    differences: Differences,
    error: Callable[[str], MDERankError] = InputError,
    *,
    remedy: str = "choose another folder, or remove this one",
) -> None:
    """Refuse to resume a run whose recorded settings differ from those that are asked for.

    Args:
        folder: The run's folder.
        differences: The differences, from `find_differences`.
        error: Class of the error.
        remedy: What to do then.

    Raises:
        MDERankError: There are differences. It is of the class ``error``.
    """
    if differences:
        raise error(f"{folder} was started with other settings ({format_differences(differences)}): {remedy}")


def claim_settings(
    file: Path,
    settings: Mapping[str, Any],
    compare: Callable[[Mapping[str, Any], Mapping[str, Any]], Differences] = find_differences,
) -> None:
    """Write the settings of a run to a JSON file, or check that the file holds the same settings.

    Args:
        file: Path of the file, in the run's folder.
        settings: The settings, plain data.
        compare: Function that returns the differences between recorded settings and ``settings``.

    Raises:
        InputError: The file holds other settings, or cannot be read.
        OSError: The file cannot be written.
    """
    if file.is_file():
        check_settings(file.parent, compare(read_settings(file), settings))
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(file) as temporary:
        text = json_text(settings, 2, sort_keys=True) + "\n"
        temporary.write_text(text, encoding="utf-8", newline="\n")


def read_settings(file: Path) -> dict[str, Any]:
    """Read a JSON object from a file of a run's folder.

    Args:
        file: Path of the file.

    Returns:
        The object.

    Raises:
        InputError: The file cannot be read, or does not hold a JSON object.
    """
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise ValueError("it is not a JSON object")
    except (OSError, ValueError) as error:
        raise InputError(f"{file} cannot be read ({error}): remove {file.parent} and run again") from error
    return data
