"""Killed at random moments, whoever it is: nothing is lost, nothing is there twice, and all bytes are the same."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from threading import Timer

import pytest

from mderank.batch import BatchWorker, Local, ShardSize, extract_folder
from mderank.errors import BatchError
from mderank.testing import fake_extractor

from .conftest import HERE, contents, rows, texts

DOCUMENTS, SHARD, KILLS = 2_000, 20, 20
WORK = BatchWorker(build=fake_extractor)

pytestmark = pytest.mark.slow


def extract(file, out, processes=2, **options):
    engine = Local(processes, 1, batch_documents=5)
    return extract_folder([str(file)], out, WORK, shard_size=ShardSize(SHARD), engine=engine, **options)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """2,000 documents, and what comes of them."""
    from .conftest import write_jsonl

    folder = tmp_path_factory.mktemp("undisturbed")
    file = write_jsonl(folder / "in.jsonl", texts(DOCUMENTS))
    extract(file, folder / "out")
    assert [row["id"] for row in rows(folder / "out")] == list(range(DOCUMENTS))
    return file, contents(folder / "out")


def workers_of(parent: int) -> set[int]:
    """The processes that a process has started, by Linux's files."""
    children = Path(f"/proc/{parent}/task/{parent}/children")
    return set(map(int, children.read_text().split())) if children.exists() else set()


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="this system does not show processes as files")
@pytest.mark.parametrize("seed", [1])
def test_the_parent_is_killed(undisturbed, tmp_path, seed):
    file, expected = undisturbed
    rng = random.Random(seed)
    out = tmp_path / "out"
    command = [sys.executable, HERE / "driver.py", file, out, "2", str(SHARD)]
    # At most moments when so many shards are there, and a little later; some also while it starts.
    targets = sorted(rng.sample(range(1, DOCUMENTS // SHARD - 20), KILLS - 4)) + [None] * 4
    workers: set[int] = set()
    killed = 0
    for target in sorted(targets, key=lambda each: each or rng.uniform(1, 40)):
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            while target is not None and len(list(out.glob("part-*.jsonl"))) < target and process.poll() is None:
                time.sleep(0.005)
            time.sleep(rng.uniform(0, 0.05 if target is not None else 0.5))
            workers |= workers_of(process.pid)
            process.kill()
            killed += process.wait() == -signal.SIGKILL
    assert killed >= KILLS // 2  # a run may be done before we, who share the machine with it, are there to kill it
    done = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"documents={DOCUMENTS}" in done
    assert "resumed=0" not in done
    assert [name for name, data in contents(out).items() if expected[name] != data] == []
    assert contents(out) == expected
    assert len(workers) >= KILLS // 2
    assert not any(Path(f"/proc/{worker}/exe").exists() for worker in workers)


def test_workers_are_killed(undisturbed, tmp_path):
    file, expected = undisturbed
    rng = random.Random(2)
    moments = set(rng.sample(range(2, DOCUMENTS // SHARD), KILLS))
    told, timers = [], []

    def kill_one():
        workers = multiprocessing.active_children()
        if workers:
            os.kill(rng.choice(workers).pid, signal.SIGKILL)

    def advance(documents):
        told.append(documents)
        if len(told) in moments:
            timers.append(Timer(rng.uniform(0, 0.05), kill_one))
            timers[-1].start()

    outcome = extract(file, tmp_path / "out", advance=advance)
    for timer in timers:
        timer.join()
    assert outcome.replaced >= KILLS // 2  # now and then a second hits a process that is dead already
    assert outcome.failed == 0
    assert contents(tmp_path / "out") == expected


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can mount a small disk")
def test_the_disk_is_full(undisturbed, tmp_path):
    file, expected = undisturbed
    size = sum(map(len, expected.values()))
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size // 2}", "tmpfs", disk]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("a small disk cannot be mounted here")
    try:
        with pytest.raises(BatchError, match=r"cannot be written: No space left on device; finished shards are kept"):
            extract(file, disk / "out")
        parts = len(list((disk / "out").glob("part-*.jsonl")))
        assert 10 < parts < DOCUMENTS // SHARD
        assert not list((disk / "out").glob("*.tmp"))
        with pytest.raises(BatchError, match="No space left on device"):  # still full
            extract(file, disk / "out")
        subprocess.run(["mount", "-o", f"remount,size={size * 3}", disk], check=True)
        outcome = extract(file, disk / "out")
        assert outcome.resumed >= (parts - 1) * SHARD
        assert contents(disk / "out") == expected
    finally:
        subprocess.run(["umount", "-l", disk], check=True)
