"""Workers die, and no document is lost by it."""

from __future__ import annotations

import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from mderank.batch import BatchWorker
from mderank.batch.worker_pool import WorkerPool, WorkerTask
from mderank.errors import BatchError, ModelError
from mderank.reading import Record
from mderank.testing import fake_extractor

from .conftest import HERE, texts

proc = pytest.mark.skipif(not Path("/proc/self").is_dir(), reason="this system does not show processes as files")


def tasks(some, size=4):
    records = [Record(f"{number}.txt", text.encode()) for number, text in enumerate(some)]
    for start in range(0, len(records), size):
        part = records[start : start + size]
        yield WorkerTask(start, range(start, start + len(part)), part)


def collect(pool, some, size=4):
    """The row of every text, each of which comes once."""
    found = {}
    for task, rows in pool.run(tasks(some, size)):
        assert len(rows) == len(task.positions)
        for position, row in zip(task.positions, rows, strict=True):
            assert position not in found
            found[position] = row
    return [found[position] for position in sorted(found)]


def make(name):
    """A function of `hostile`, as worker processes find it."""
    import hostile

    return BatchWorker(build=getattr(hostile, name))


@functools.cache
def _undisturbed():
    some = tuple(texts(30))
    return BatchWorker(build=fake_extractor).rows(
        Record(f"{number}.txt", text.encode()) for number, text in enumerate(some)
    )


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 3])
def test_rows_are_those_of_a_plain_loop(processes):
    with WorkerPool(BatchWorker(build=fake_extractor), processes) as pool:
        assert collect(pool, texts(30)) == _undisturbed()
        assert pool.describe()["encoder"]["name"] == "fake"
        assert pool.replaced == 0
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_no_more_workers_than_there_is_work_for():
    with WorkerPool(BatchWorker(build=fake_extractor), 50) as pool:
        for _ in pool.run(tasks(texts(5), size=3)):
            assert len(multiprocessing.active_children()) <= 2


@pytest.mark.slow
def test_the_model_is_loaded_once_a_process(tmp_path):
    import hostile

    with WorkerPool(BatchWorker(build=hostile.CountsLoading(tmp_path)), 2) as pool:
        collect(pool, texts(60), size=2)
    assert len({file.name.split("-")[0] for file in tmp_path.iterdir()}) == len(list(tmp_path.iterdir())) <= 2


@pytest.mark.slow
@pytest.mark.parametrize("processes", [1, 2])
def test_a_document_that_crashes_its_worker_is_marked_and_the_rest_goes_on(processes):
    some = texts(30)
    some[13] = "SEGFAULT"
    with WorkerPool(make("hostile"), processes) as pool:
        found = collect(pool, some)
        assert pool.replaced == 3  # the batch, then twice alone
    expected = _undisturbed()
    assert found[13]["error"] == "13.txt: the worker process died of this document (SIGSEGV)"
    assert found[13]["keyphrases"] == []
    assert found[:13] + found[14:] == expected[:13] + expected[14:]


@pytest.mark.slow
def test_several_poisoned_documents_in_one_batch():
    some = texts(30)
    for poisoned in (4, 5, 7, 29):
        some[poisoned] = "SEGFAULT"
    with WorkerPool(make("hostile"), 2) as pool:
        found = collect(pool, some)
    assert [number for number, row in enumerate(found) if row["error"]] == [4, 5, 7, 29]


@pytest.mark.slow
def test_a_document_that_is_killed_again_and_again_is_marked_too():
    some = [*texts(3), "KILL"]
    with WorkerPool(make("hostile"), 1) as pool:
        found = collect(pool, some)
        assert pool.replaced == 5
    assert [row["error"] for row in found] == [None] * 3 + ["3.txt: the worker process died of this document (SIGKILL)"]


@pytest.mark.slow
def test_a_document_that_takes_too_long_is_marked_where_there_is_a_limit():
    some = [*texts(3), "HANG"]
    with WorkerPool(make("hostile"), 2, timeout=1) as pool:
        found = collect(pool, some, size=2)
    message = "3.txt: the worker process died of this document (it took more than 1 seconds)"
    assert [row["error"] for row in found] == [None] * 3 + [message]


def test_an_exception_that_nobody_expected_is_the_document_s_error():
    some = [*texts(5), "BUG"]
    with WorkerPool(make("hostile"), 1) as pool:
        found = collect(pool, some)
        assert pool.replaced == 0
    assert [row["error"] for row in found] == [None] * 5 + ["5.txt: extraction failed: ZeroDivisionError: a bug"]


@pytest.mark.slow
def test_an_error_that_is_no_document_s_fault_is_raised():
    with WorkerPool(make("hostile"), 1) as pool, pytest.raises(ModelError, match="cannot do that"):
        collect(pool, ["MODEL", *texts(5)])
    with WorkerPool(make("cannot_load"), 2) as pool, pytest.raises(ModelError, match="'nowhere' does not exist"):
        collect(pool, texts(5))
    with WorkerPool(make("cannot_load"), 2) as pool, pytest.raises(ModelError, match="'nowhere' does not exist"):
        pool.describe()
    assert not multiprocessing.active_children()


@pytest.mark.slow
def test_workers_that_cannot_even_start(monkeypatch):
    monkeypatch.setattr("mderank.batch.worker_pool.MAX_FAILED_STARTS", 3)
    with (
        WorkerPool(make("dies_at_start"), 2) as pool,
        pytest.raises(BatchError, match=r"exit code 7.*fewer --processes"),
    ):
        collect(pool, texts(5))


@pytest.mark.slow
def test_a_worker_that_dies_with_nothing_to_do_is_replaced():
    with WorkerPool(BatchWorker(build=fake_extractor), 1) as pool:
        before = collect(pool, texts(30))
        (idle,) = multiprocessing.active_children()
        idle.kill()
        idle.join()
        assert collect(pool, texts(30)) == before == _undisturbed()
        assert pool.replaced == 1


@pytest.mark.slow
def test_a_crew_goes_on_after_someone_stopped_listening():
    some = texts(30)
    with WorkerPool(make("hostile"), 2) as pool:
        for _ in pool.run(tasks(["SEGFAULT", *some])):
            break
        pool.describe()
        assert collect(pool, some) == _undisturbed()
        stopped = pool.run(tasks(some))
        next(stopped)
        stopped.close()
        assert collect(pool, some) == _undisturbed()


@pytest.mark.slow
@proc
def test_threads_of_libraries_are_told_how_many(tmp_path, monkeypatch):
    monkeypatch.setenv("MKL_NUM_THREADS", "5")
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    import hostile

    def started_with(threads):
        with WorkerPool(BatchWorker(build=hostile.CountsLoading(tmp_path), threads=threads), 1) as pool:
            pool.describe()
            (child,) = multiprocessing.active_children()
            environment = Path(f"/proc/{child.pid}/environ").read_bytes().decode()
            return dict(entry.partition("=")[::2] for entry in environment.split("\0"))

    assert started_with(3)["OMP_NUM_THREADS"] == "3"
    assert started_with(3)["MKL_NUM_THREADS"] == "5"
    assert "OMP_NUM_THREADS" not in os.environ


@pytest.mark.slow
@proc
def test_workers_end_when_their_parent_is_killed():
    code = (
        "from mderank.batch import BatchWorker; from mderank.batch.worker_pool import WorkerPool\n"
        "import hostile, multiprocessing, sys, time\n"
        "from mderank.reading import Record\n"
        "from mderank.batch.worker_pool import WorkerTask\n"
        "pool = WorkerPool(BatchWorker(build=hostile.hostile), 2)\n"
        "pool.describe()\n"
        "print(*[child.pid for child in multiprocessing.active_children()], flush=True)\n"
        "list(pool.run([WorkerTask(0, [0], [Record('a', b'HANG')])]))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(HERE)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, env=environment) as parent:
        assert parent.stdout is not None
        workers = [int(pid) for pid in parent.stdout.readline().split()]
        assert workers
        parent.send_signal(signal.SIGKILL)
    for _ in range(600):
        if not any(Path(f"/proc/{pid}").exists() for pid in workers):
            return
        time.sleep(0.05)
    pytest.fail("workers outlive their parent")
