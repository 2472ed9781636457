"""Processor time of the default method, as a ratio to that of another revision in the same run.

``python benchmarks/against_revision.py cf2c68e``: a worker of this revision and one of the other take turns on the same
blocks of texts, one thread each, and the median ratio over the blocks is printed with the smallest and the largest.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import ROOT, abstracts, news, papers

BLOCK = {"abstracts": 10, "news, 512 words": 4, "papers, 8,000 words": 1}


def texts() -> dict[str, list[str]]:
    return {"abstracts": abstracts(60), "news, 512 words": news(20), "papers, 8,000 words": papers(3)}


def work() -> None:
    """Answer each line, a kind and the number of a block, with the processor time that the block took."""
    from mderank import FusionRank, load_encoder

    extractor = FusionRank(load_encoder("minilm-l6", threads=1))
    extractor.extract("A warm engine starts at once.")
    kinds = texts()
    print("ready", flush=True)
    for line in sys.stdin:
        kind, number = line.rstrip("\n").split("\t")
        size = BLOCK[kind]
        block = kinds[kind][int(number) * size : (int(number) + 1) * size]
        start = time.process_time()
        list(extractor.extract_many(block))
        print(time.process_time() - start, flush=True)


def worker(source: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": f"{source / 'src'}:{ROOT / 'benchmarks'}", "OMP_NUM_THREADS": "1"}
    started = subprocess.Popen(
        [sys.executable, __file__, "--worker"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert started.stdout is not None
    assert started.stdout.readline() == "ready\n"
    return started


def ask(process: subprocess.Popen[str], kind: str, number: int) -> float:
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{kind}\t{number}\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as folder:
        other = Path(folder) / "other"
        subprocess.run(["git", "worktree", "add", "--detach", "--quiet", other, sys.argv[1]], cwd=ROOT, check=True)
        try:
            here, there = worker(ROOT), worker(other)
            for kind, some in texts().items():
                blocks = range(len(some) // BLOCK[kind])
                pairs = [(ask(here, kind, number), ask(there, kind, number)) for number in blocks]
                ratios = [one / two for one, two in pairs]
                each = 1000 * sum(one for one, _ in pairs) / len(some)
                print(
                    f"{kind}: {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f}), "
                    f"{each:.0f} ms of processor time a document"
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
