"""Many documents: throughput by processes and engines, memory, what a kill costs, and the cost of a token.

The abstracts are tuning texts (Inspec's training and development parts, WWW), each with its title; the papers are the
validation part of Krapivin, whole. Everything runs as a user would run it, in fresh processes, start included. Ray and
Spark are measured where they are installed (pip install '.[ray,spark]'; Spark needs Java 17).

    python benchmarks/scale.py --json docs/scale_figures.json cost driver      # minutes; docs/scale_cost.py uses it
    python benchmarks/scale.py throughput memory kill                          # an hour
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from common import Figure, abstracts, main, ratio, records

NAMES = ("cost", "driver", "throughput", "memory", "kill")
METHOD = os.environ.get("MDERANK_BENCH_METHOD")  # default: that of the command line
MDERANK = [sys.executable, "-c", "from mderank.cli import main; main()"]


def measure(quick: bool, names: Sequence[str] = NAMES) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            yield from MEASURES[name](Path(folder), quick)


# --- texts ------------------------------------------------------------------------------------------------------------


def some_abstracts(count: int) -> list[str]:
    sets = ("tuning/inspec_train.jsonl", "tuning/inspec_dev.jsonl", "tuning/www.jsonl.gz")
    texts = [text for name in sets for text in abstracts(count, name)]
    return [texts[number % len(texts)] for number in range(count)]


def some_papers(count: int) -> list[str]:
    return [f"{each['title']}\n\n{each['text']}" for each in records("tuning/krapivin_valid200.jsonl.gz")[:count]]


def write(folder: Path, texts: Sequence[str], name: str = "in.jsonl") -> Path:
    file = folder / name
    with file.open("w", encoding="utf-8") as stream:
        stream.writelines(json.dumps({"id": number, "text": text}) + "\n" for number, text in enumerate(texts))
    return file


# --- running ----------------------------------------------------------------------------------------------------------


def method() -> list[str]:
    return ["--method", METHOD] if METHOD else []


def batch(file: Path, out: Path, *options: object) -> list[str]:
    shutil.rmtree(out, ignore_errors=True)
    return [*MDERANK, "batch", str(file), str(out), *method(), "-q", *map(str, options)]


def extract(file: Path, out: Path) -> list[str]:
    """The plain loop: one process, one thread."""
    return [*MDERANK, "extract", str(file), "-f", "jsonl", "-o", str(out), "-q", "--threads", "1", *method()]


def seconds(command: Sequence[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def rows(out: Path) -> bytes:
    return b"".join(part.read_bytes() for part in sorted(out.glob("part-*")))


# --- figures ----------------------------------------------------------------------------------------------------------


def throughput(folder: Path, quick: bool) -> Iterator[Figure]:
    """Two processes against one, and the plain loop against each way to run a batch."""
    texts = some_abstracts(60 if quick else 2000)
    file = write(folder, texts)
    ways: dict[str, Sequence[object]] = {
        "one": ("--processes", 1, "--threads", 1),
        "two": ("--processes", 2, "--threads", 1),
        "threads": ("--processes", 1, "--threads", 2),
    }
    for name, package in (("ray", "ray"), ("spark", "pyspark")):
        if importlib.util.find_spec(package) is None:
            print(f"{name} is not installed: not measured", file=sys.stderr)
        else:
            ways[name] = ("--engine", name, "--processes", 2, "--threads", 1, "--shard-documents", 100)
    loop = [seconds(extract(file, folder / "loop.jsonl"))]  # once each: minutes, start included
    spent: dict[str, list[float]] = {}
    for name, options in ways.items():
        spent[name] = [seconds(batch(file, folder / name, *options))]
        if rows(folder / name) != (folder / "loop.jsonl").read_bytes():
            sys.exit(f"{name}: the output differs")
    two, count, note = spent["two"], len(texts), "same bytes"
    yield ratio("batch, two processes against one", spent["one"], two, count, note=f"one thread each, {note}")
    yield ratio("two processes of one thread against one of two", spent["threads"], two, count, note=note)
    yield ratio("batch of one process against the plain loop", loop, spent["one"], count, note=note)
    for name in ("two", "ray", "spark"):
        if name in spent:
            engine = "local" if name == "two" else name
            what = f"--engine {engine}, two processes, against the plain loop"
            yield ratio(what, loop, spent[name], count, note=note)


def memory(folder: Path, quick: bool) -> Iterator[Figure]:
    """The largest resident set of the parent and of a worker, for 1,000 documents and for 20,000."""
    few, many = (50, 200) if quick else (1000, 20_000)
    peaks = {}
    for count in (few, many):
        # Every document has words that no other has: what is kept of these would show. Beginnings are enough for that.
        texts = [f"{text[:300]} Word{number} thing{number}x." for number, text in enumerate(some_abstracts(count))]
        file = write(folder, texts)
        command = ("--processes", 2, "--threads", 1, "--shard-documents", 100)  # more than one shard in both
        peaks[count] = watched(batch(file, folder / "out", *command))
    for who, (small, large) in zip(("the parent", "a worker"), zip(peaks[few], peaks[many], strict=True), strict=True):
        detail = f"{large:.0f} MB against {small:.0f} MB, peaks of the resident set; abstracts' first 300 characters"
        yield Figure(f"memory of {who}, {many:,} documents against {few:,}", large / small, "×", detail, at_most=1.15)


def watched(command: Sequence[str]) -> tuple[float, float]:
    """Run it; the peaks, in MB, of its own memory and of that of its largest child (Linux only)."""
    peaks = [0.0, 0.0]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            for index, processes in enumerate(([process.pid], children(process.pid))):
                peaks[index] = max([peaks[index], *map(peak, processes)])
            time.sleep(0.2)
    if process.returncode:
        sys.exit(f"{command} ended with {process.returncode}")
    return peaks[0], peaks[1]


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def peak(pid: int) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0.0
    lines = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    return int(lines[0].split()[1]) * 1024 / 1e6 if lines else 0.0


def kill(folder: Path, quick: bool) -> Iterator[Figure]:
    """``kill -9`` of the parent and of workers at 20 random moments."""
    texts, kills, shard = some_abstracts(60 if quick else 2000), 4 if quick else 20, 5 if quick else 25
    file = write(folder, texts)
    command = ("--processes", 2, "--threads", 1, "--shard-documents", shard)
    undisturbed = seconds(batch(file, folder / "calm", *command))
    rng = random.Random(1)
    out = folder / "stormy"
    arguments = batch(file, out, *command)
    moments = sorted(rng.sample(range(1, len(texts) // shard), kills))
    start = time.perf_counter()
    process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
    for number, moment in enumerate(moments):
        while len(list(out.glob("part-*"))) < moment:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 1))
        if number % 2:
            workers = [child for child in children(process.pid) if b"spawn_main" in command_line(child)]
            if workers:
                os.kill(rng.choice(workers), signal.SIGKILL)
        else:
            process.kill()
            process.wait()
            process = subprocess.Popen(arguments, stderr=subprocess.DEVNULL)
    process.wait()
    spent = time.perf_counter() - start
    found = [json.loads(line)["id"] for line in rows(out).splitlines()]
    wrong = len(texts) - len(set(found)) + len(found) - len(set(found))
    calm = folder / "calm"
    files = [file for file in calm.rglob("*") if file.is_file()]
    if any((out / file.relative_to(calm)).read_bytes() != file.read_bytes() for file in files):
        sys.exit("the output is not that of the undisturbed run")
    detail = f"{kills // 2} kills of the parent, {kills // 2} of workers, {len(texts)} documents; all files the same"
    yield Figure("documents lost or there twice after kills", wrong, "documents", detail, at_most=0)
    yield Figure("time with the kills against without", spent / undisturbed, "×", f"{spent:.0f} s, {undisturbed:.0f} s")


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


COST = """
import json, sys, time
from mderank.cli.batch import build_in_worker
from mderank.cli._options import make_options
from mderank.cli import cli
from mderank.encoding import load_encoder
from mderank.reading import Record
from mderank.batch import BatchWorker
context = cli.commands["batch"].make_context("batch", ["in", "out", *sys.argv[2:]])
with context:
    options = make_options({**context.params, "threads": None})
worker = BatchWorker(options, threads=1, build=build_in_worker)
records = [Record("", line.encode(), "jsonl") for line in open(sys.argv[1], encoding="utf-8")]
encoder = load_encoder()
pieces = sum(len(encoder.tokenize(json.loads(record.data)["text"])) for record in records)
worker.rows(records[:2])
start = time.process_time()
made = []
for first in range(0, len(records), 32):
    made += worker.rows(records[first:first + 32])
spent = time.process_time() - start
read, written = (sum(map(len, each)) for each in ([record.data for record in records], map(json.dumps, made)))
print(json.dumps([each / len(records) for each in (spent, pieces, read, written)]))
"""


def cost(folder: Path, quick: bool) -> Iterator[Figure]:
    """Core-seconds of a document and of 1,000 word pieces, on one thread."""
    for what, texts in (("abstract", some_abstracts(20 if quick else 200)), ("paper", some_papers(1 if quick else 10))):
        file = write(folder, texts)
        command = [sys.executable, "-c", COST, str(file), *method()]
        spent, pieces, read, written = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
        detail = f"mean of {len(texts)}, one thread"
        yield Figure(f"processor time, {what}", 1000 * spent, "ms", detail)
        yield Figure(f"processor time, {what}, by 1,000 word pieces", 1e6 * spent / pieces, "ms", detail)
        yield Figure(f"word pieces, {what}", pieces, "pieces", detail)
        yield Figure(f"input, {what}", read, "bytes", detail)
        yield Figure(f"output, {what}", written, "bytes", detail)


DRIVER = """
import json, os, resource, sys, time
from pathlib import Path
from mderank.reading import ReadOptions
from mderank.batch import ShardSize, Local, BatchWorker, extract_folder
from mderank.collection import open_output, build_overview
from mderank.batch.shards import plan_shards
from mderank.testing import fake_extractor
if __name__ == "__main__":
    file = Path(sys.argv[1])
    start = time.process_time()
    documents = sum(shard.documents for shard in plan_shards([file], ReadOptions(), ShardSize()))
    planning = time.process_time() - start
    start = time.process_time()
    extract_folder([str(file)], sys.argv[2], BatchWorker(build=fake_extractor), engine=Local(1, 1))
    rest = time.process_time() - start - planning  # which plans again
    start = time.process_time()
    build_overview(open_output(Path(sys.argv[2])), top_k=100)
    print(json.dumps([planning, rest, time.process_time() - start, documents, file.stat().st_size]))
"""


def driver(folder: Path, quick: bool) -> Iterator[Figure]:
    """What the one process costs that reads, hands out and writes: how many others it can keep busy."""
    file = write(folder, some_abstracts(200 if quick else 4000))
    command = [sys.executable, "-c", DRIVER, str(file), str(folder / "driver")]
    output = subprocess.run(command, check=True, capture_output=True).stdout
    planning, rest, counting, documents, size = json.loads(output)
    detail = f"{documents} abstracts, {size / 1e6:.1f} MB, processor time"
    yield Figure("planning", size / 1e6 / planning, "MB/s", detail)
    yield Figure("driver, a document", 1e6 * rest / documents, "µs", f"{detail}; fake encoder")
    yield Figure("collection", documents / counting, "documents/s", detail)


MEASURES: dict[str, Callable[[Path, bool], Iterator[Figure]]] = {
    "cost": cost,
    "driver": driver,
    "throughput": throughput,
    "memory": memory,
    "kill": kill,
}

if __name__ == "__main__":
    main(measure, __doc__, NAMES)
