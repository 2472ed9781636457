"""The machine and the software that results are computed with: cores, memory, versions, an encoder's weights."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mderank._version import __version__
from mderank.errors import OptionError
from mderank.util.files import cached_file_sha256

# A process with the bundled model and spaCy, at work on a paper of 8,000 words, takes 453 MB (benchmarks/).
MEMORY_PER_PROCESS = 600_000_000  # bytes

# The packages that can change an extraction's result, beside those of an encoder of its own (torch, transformers).
PACKAGES = ("numpy", "onnxruntime", "tokenizers", "spacy", "snowballstemmer")

_CGROUP = Path("/sys/fs/cgroup")


# --- versions ---------------------------------------------------------------------------------------------------------


def package_version(package: str) -> str | None:
    """Return the version of an installed package.

    Args:
        package: Name of the distribution.

    Returns:
        The version, or None if the package is not installed.
    """
    import importlib.metadata  # slow to import

    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str | None]:
    """Return the versions of mderank, Python and some packages.

    Args:
        packages: Names of the packages.

    Returns:
        The versions by name, mderank and Python first; None where a package is not installed.
    """
    return {
        "mderank": __version__,
        "python": platform.python_version(),
        **{package: package_version(package) for package in packages},
    }


# --- encoders ---------------------------------------------------------------------------------------------------------


def describe_encoder(encoder: Any) -> dict[str, str | None] | None:
    """Describe the encoder of a run so that another run can be compared with it.

    Args:
        encoder: An encoder, or None for a method without one.

    Returns:
        The encoder's name and the checksum of its weights (``name``, ``sha256``), or None without an encoder. Also
        its ``precision`` if that is not float32, because scores differ between precisions.
    """
    if encoder is None:
        return None
    precision = getattr(encoder, "precision", "float32")
    described = {"name": encoder.spec.name, "sha256": encoder_sha256(encoder)}
    return described if precision == "float32" else {**described, "precision": precision}


def encoder_sha256(encoder: Any) -> str | None:
    """Compute the checksum of an encoder's weights.

    Args:
        encoder: An encoder. Its weights are in its ``folder``, or in the folder that is its name.

    Returns:
        The SHA-256 checksum of all its weights' files, or None if it was not loaded from a folder.
    """
    folder = Path(getattr(encoder, "folder", encoder.spec.name))
    if not folder.is_dir():
        return None
    digest = hashlib.sha256()
    for file in sorted(file for suffix in ("onnx", "safetensors", "hdf5") for file in folder.glob(f"*.{suffix}")):
        digest.update(bytes.fromhex(cached_file_sha256(file)))
    return digest.hexdigest()


# --- cores and memory -------------------------------------------------------------------------------------------------


def split_cores(
    processes: int | None = None, threads: int | None = None, *, cores: int | None = None, memory: int | None = None
) -> tuple[int, int]:
    """Choose the number of processes, and of threads per process, so that they fill the cores.

    Tagging runs on one core, so that processes are worth more than threads. Memory may allow for fewer processes.

    Args:
        processes: Number of processes, if the user has chosen it.
        threads: Threads per process, if the user has chosen them.
        cores: Number of cores; by default those of this machine.
        memory: Free memory in bytes; by default that of this machine.

    Returns:
        The number of processes and the number of threads per process.

    Raises:
        OptionError: ``processes`` or ``threads`` is below 1.
    """
    for name, value in (("processes", processes), ("threads", threads)):
        if value is not None and value < 1:
            raise OptionError(f"{name} must be at least 1, not {value}")
    cores = cores or available_cores()
    room = max(1, (memory or available_memory() or cores * MEMORY_PER_PROCESS) // MEMORY_PER_PROCESS)
    if processes is None:
        processes = max(1, min(cores // (threads or 1), room))
    return processes, threads or max(1, cores // processes)


def bound_cores() -> int:
    """Return the number of cores that this process is bound to, which is all cores unless someone bound it."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_cores(cgroup: Path = _CGROUP) -> int:
    """Return the number of cores that this process may use: those it is bound to, or fewer with a container's quota."""
    bound = bound_cores()
    quota, _, period = (_read(cgroup / "cpu.max") or "max").partition(" ")
    if quota.isdigit() and period.isdigit():
        return max(1, min(bound, int(quota) // int(period)))
    return bound


def available_memory(cgroup: Path = _CGROUP, meminfo: Path = Path("/proc/meminfo")) -> int | None:
    """Return the free memory in bytes, or None where the system does not report it."""
    found = []
    for line in (_read(meminfo) or "").splitlines():
        if line.startswith("MemAvailable:"):
            found.append(int(line.split()[1]) * 1024)
    limit, used = _read(cgroup / "memory.max"), _read(cgroup / "memory.current")
    if limit and used and limit.isdigit() and used.isdigit():
        found.append(max(0, int(limit) - int(used)))
    return min(found, default=None)


def peak_memory() -> int | None:
    """Return the largest amount of memory that this process has held, in megabytes, or None on Windows."""
    try:
        import resource
    except ImportError:  # Windows
        return None
    unit = 1 if sys.platform == "darwin" else 1024
    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6)


def _read(file: Path) -> str | None:
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:
        return None
