"""Processor time of the default method, as a ratio to that of another revision in the same run.

``python benchmarks/against_revision.py cf2c68e``: a worker of this revision and one of the other take turns on the same
blocks of texts, one thread each. Printed are how many times longer the other one takes, as the median over the blocks
with the smallest and the largest, and the processor time of both. Kinds of texts can be named to measure only these.
The environment variable PRECISION sets the precision of this revision.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BLOCK = {"abstracts": 10, "news": 4, "papers": 1}  # news of 512 words, papers of 8,000


def texts() -> dict[str, list[str]]:
    from common import abstracts, news, papers

    return {"abstracts": abstracts(60), "news": news(20), "papers": papers(3)}


def work() -> None:
    """Answer each line, a list of texts, with the processor time that they took. Nothing else of here is imported."""
    from mderank import FusionRank, load_encoder

    chosen = {"precision": os.environ["PRECISION"]} if "PRECISION" in os.environ else {}  # older ones have no choice
    extractor = FusionRank(load_encoder("minilm-l6", threads=1, **chosen))
    extractor.extract("A warm engine starts at once.")
    print("ready", flush=True)
    for line in sys.stdin:
        block = json.loads(line)
        start = time.process_time()
        list(extractor.extract_many(block))
        print(time.process_time() - start, flush=True)


def add_component(source: Path) -> None:
    """Give a revision without ``mderank.integrations`` the module that spaCy, by the installed entry point, loads."""
    folder = source / "src" / "mderank" / "integrations"
    if not folder.is_dir():
        folder.mkdir()
        (folder / "__init__.py").touch()
        (folder / "spacy.py").write_text("def __getattr__(name):\n    return lambda *arguments, **options: None\n")


def worker(source: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(source / "src"), "OMP_NUM_THREADS": "1"}
    if source != ROOT:
        environment.pop("PRECISION", None)
    started = subprocess.Popen(
        [sys.executable, __file__, "--worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


def ask(process: subprocess.Popen[str], block: list[str]) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(block) + "\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def main() -> None:
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(BLOCK):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        subprocess.run(["git", "worktree", "add", "--detach", "--quiet", other, sys.argv[1]], cwd=ROOT, check=True)
        try:
            add_component(other)
            here, there = worker(ROOT), worker(other)
            for kind, some in texts().items():
                if sys.argv[2:] and kind not in sys.argv[2:]:
                    continue
                blocks = [some[start : start + BLOCK[kind]] for start in range(0, len(some), BLOCK[kind])]
                pairs = [(ask(there, block), ask(here, block)) for block in blocks]
                ratios = [old / new for old, new in pairs]
                old, new = (1000 * sum(side) / len(some) for side in zip(*pairs, strict=True))
                print(
                    f"{kind}: {statistics.median(ratios):.2f} × ({min(ratios):.2f} to {max(ratios):.2f}), "
                    f"{old:.0f} against {new:.0f} ms of processor time per document, {len(some)} documents",
                    flush=True,
                )
            here.kill()
            there.kill()
        finally:
            subprocess.run(["git", "worktree", "remove", "--force", other], cwd=ROOT, check=True)


if __name__ == "__main__":
    if sys.argv[1:] == ["--worker"]:
        work()
    else:
        main()
