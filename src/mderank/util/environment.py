"""How many processes, of how many threads each, this machine has room for."""

from __future__ import annotations

import os
from pathlib import Path

from mderank.errors import OptionError

# A process with the embedded model and spaCy, at work on a paper of 8,000 words, takes 453 MB (benchmarks/).
MEMORY_A_PROCESS = 600_000_000  # bytes

_CGROUP = Path("/sys/fs/cgroup")


def share(
    processes: int | None = None, threads: int | None = None, *, cores: int | None = None, memory: int | None = None
) -> tuple[int, int]:
    """Processes, and threads of each; what is given stays as it is, the rest is made to fill the cores.

    Tagging runs on one core, so that processes are worth more than threads; memory may allow for fewer.
    """
    for name, value in (("processes", processes), ("threads", threads)):
        if value is not None and value < 1:
            raise OptionError(f"{name} must be at least 1, not {value}")
    cores = cores or available_cores()
    room = max(1, (memory or available_memory() or cores * MEMORY_A_PROCESS) // MEMORY_A_PROCESS)
    if processes is None:
        processes = max(1, min(cores // (threads or 1), room))
    return processes, threads or max(1, cores // processes)


def available_cores(cgroup: Path = _CGROUP) -> int:
    """The cores that this process may use: those it is bound to, or fewer if its container has a quota."""
    bound = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota, _, period = (_read(cgroup / "cpu.max") or "max").partition(" ")
    if quota.isdigit() and period.isdigit():
        return max(1, min(bound, int(quota) // int(period)))
    return bound


def available_memory(cgroup: Path = _CGROUP, meminfo: Path = Path("/proc/meminfo")) -> int | None:
    """The memory that is free to use, in bytes, where the system tells."""
    found = []
    for line in (_read(meminfo) or "").splitlines():
        if line.startswith("MemAvailable:"):
            found.append(int(line.split()[1]) * 1024)
    limit, used = _read(cgroup / "memory.max"), _read(cgroup / "memory.current")
    if limit and used and limit.isdigit() and used.isdigit():
        found.append(max(0, int(limit) - int(used)))
    return min(found, default=None)


def _read(file: Path) -> str | None:
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError:
        return None
