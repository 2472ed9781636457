"""Peak memory of the default method on a paper of 8,000 words, of this revision and of another.

``python benchmarks/memory_revision.py cf2c68e``: the largest resident set of a fresh process that loads the default
method and extracts from one paper, in megabytes, for each of three papers. Both run with MDERANK_LIGHT_PYTHON, a python
that has what the base installs of both need, and no torch.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from cold_revision import _add_component
from common import ROOT, light_python, papers

PROGRAM = """
import pathlib, re, sys
from mderank import FusionRank
FusionRank().extract(sys.stdin.buffer.read().decode())
print(re.search(r"VmHWM:\\s+(\\d+) kB", pathlib.Path("/proc/self/status").read_text())[1])
"""


def peak(source: Path, text: str) -> float:
    environment = {**os.environ, "PYTHONPATH": str(source / "src")}
    command = [light_python(), "-c", PROGRAM]
    printed = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True, env=environment).stdout
    return int(printed) * 1024 / 1e6


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        subprocess.run(["git", "worktree", "add", "--detach", "--quiet", other, sys.argv[1]], cwd=ROOT, check=True)
        _add_component(other)
        try:
            for text in papers(3):
                print(f"{peak(ROOT, text):.0f} MB, before {peak(other, text):.0f} MB", flush=True)
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", other], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
