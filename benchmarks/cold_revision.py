"""Cold start of the command line, as a ratio to that of another revision in the same run.

``python benchmarks/cold_revision.py cf2c68e``: fresh processes of ``mderank extract examples/tides.txt`` take turns, of
this revision and of the other. The median ratios of processor time and of wall time are printed, with the smallest and
the largest. Both run in this environment; files are in the disk cache, and modules are compiled, as pip leaves them.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import ROOT

ROUNDS = 9

START = (
    sys.executable,
    "-c",
    "import sys; from mderank.cli import main; sys.argv[0] = 'mderank'; main()",
    "extract",
    str(ROOT / "examples" / "tides.txt"),
)


def run(source: Path, compiled: Path) -> tuple[float, float]:
    """The processor time and the wall time of one process, in seconds."""
    environment = {**os.environ, "PYTHONPATH": str(source / "src"), "PYTHONPYCACHEPREFIX": str(compiled)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(START, check=True, env=environment, stdout=subprocess.DEVNULL)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def show(kind: str, here: list[float], there: list[float]) -> None:
    ratios = [one / two for one, two in zip(here, there, strict=True)]
    print(
        f"cold start, {kind}: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}), "
        f"{statistics.median(here):.2f} s, before {statistics.median(there):.2f} s"
    )


def _add_component(source: Path) -> None:
    """SpaCy loads every component that is installed, and an older revision may have this one elsewhere."""
    file = source / "src" / "mderank" / "integrations" / "spacy.py"
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        (file.parent / "__init__.py").touch()
        file.write_text("def make_component(nlp, name):\n    raise NotImplementedError\n")


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        subprocess.run(["git", "worktree", "add", "--detach", "--quiet", other, sys.argv[1]], cwd=ROOT, check=True)
        _add_component(other)
        try:
            compiled = Path(folder) / "compiled"
            for source in (ROOT, other):
                run(source, compiled)
            pairs = [(run(ROOT, compiled), run(other, compiled)) for _ in range(ROUNDS)]
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", other], cwd=ROOT, check=True)
    for index, kind in enumerate(("processor time", "wall time")):
        show(kind, [here[index] for here, _ in pairs], [there[index] for _, there in pairs])


if __name__ == "__main__":
    main()
