"""The process that extracts: what happens to the others when a text ends it or takes too long."""

from __future__ import annotations

import gc
import io
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from tests.serve.conftest import HEAD, PATIENCE, running_app, until

from mderank.errors import InputError, OptionError
from mderank.options import Options
from mderank.serve.app import create_app
from mderank.serve.config import ServerConfig
from mderank.serve.errors import ApiError
from mderank.serve.extractor_cache import ExtractorCache
from mderank.serve.extractors import WorkerProcesses
from mderank.serve.worker import QueuedText, RemoteExtractor, WorkerError, WorkerProcess, _answer_messages
from mderank.testing import FakeEncoder, FakeTagger

httpx = pytest.importorskip("httpx")
FAKE = (sys.executable, str(Path(__file__).with_name("fake_worker.py")))

pytestmark = pytest.mark.slow


@pytest.fixture
def worker() -> Iterator[WorkerProcess]:
    worker = WorkerProcess(Options(), FAKE, grace_seconds=0.5)
    assert worker.start() == "fake"
    assert worker.methods() == {"fusion": "little"}
    yield worker
    worker.close()


def extract(worker: WorkerProcess, *texts: str, seconds: float = PATIENCE) -> list:
    return worker.extract(Options(), [QueuedText(text, 5, deadline=time.monotonic() + seconds) for text in texts])


def words(results: list) -> list[str]:
    return [found[0].text.split()[0] for found in results]


def process_id(results: list) -> int:
    (number,) = {int(found[0].text.split()[1]) for found in results}
    return number


def test_texts_are_computed_in_another_process(worker):
    results = extract(worker, "red", "blue")
    assert words(results) == ["red", "blue"]
    assert process_id(results) == process_id(extract(worker, "green")), "the same one again"
    assert worker.replaced == 0


def test_a_text_that_ends_the_process_ends_it_alone(worker):
    before = process_id(extract(worker, "red"))
    red, bad, blue = extract(worker, "red", "die", "blue")
    assert words([red, blue]) == ["red", "blue"]
    assert isinstance(bad, InputError)
    assert "ended the process" in str(bad)
    assert process_id(extract(worker, "green")) != before


def test_a_text_that_takes_too_long_is_stopped_and_the_others_are_not(worker):
    texts = [QueuedText("red", 5, deadline=time.monotonic() + PATIENCE),
             QueuedText("hang", 5, deadline=time.monotonic() + 1.0),
             QueuedText("blue", 5, deadline=time.monotonic() + PATIENCE)]  # fmt: skip
    red, late, blue = worker.extract(Options(), texts)
    assert words([red, blue]) == ["red", "blue"]
    assert isinstance(late, ApiError)
    assert late.code == "timeout"


def test_a_slow_machine_is_given_more_time():
    worker = WorkerProcess(Options(), FAKE, grace_seconds=5.0, clock=lambda: 100.0)
    near, far = QueuedText("red", 5, deadline=103.0, seconds=0.2), QueuedText("blue", 5, deadline=160.0, seconds=0.1)
    assert worker._longest([near]) == 3.0 + 5.0
    assert worker._longest([near, far]) == 5.0, "little is expected"
    slow = replace(far, seconds=2.0)
    assert worker._longest([near, slow]) == pytest.approx(22.0), "ten times what is expected"
    assert worker._longest([near, replace(far, seconds=20.0)]) == 60.0 + 5.0, "until nobody waits"


def test_a_text_that_nobody_waits_for_is_not_computed(worker):
    before = process_id(extract(worker, "red"))
    (late,) = extract(worker, "hang", seconds=0.0)
    assert late.code == "timeout"
    assert process_id(extract(worker, "blue")) == before


def batch(*texts: str, seconds: float = PATIENCE) -> list[QueuedText]:
    return [QueuedText(text, 5, deadline=time.monotonic() + seconds) for text in texts]


LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells how much a pipe holds")


@LINUX
def test_the_next_texts_are_sent_before_results_are_asked_for(worker):
    first, second, third = batch("red", "blue"), batch("green"), batch("white", "black")
    assert worker.send_ahead(Options(), first)
    assert worker.send_ahead(Options(), second)
    assert words(worker.extract(Options(), first)) == ["red", "blue"]
    assert worker.send_ahead(Options(), second), "it is not sent twice"
    assert worker.send_ahead(Options(), third)
    assert words(worker.extract(Options(), second)) == ["green"]
    assert words(worker.extract(Options(), third)) == ["white", "black"]
    assert words(extract(worker, "last")) == ["last"]
    assert worker.replaced == 0


@LINUX
@pytest.mark.parametrize(("bad", "kind"), [("die", InputError), ("hang", ApiError)])
def test_texts_that_were_sent_to_a_process_that_ended_are_sent_again(worker, bad, kind):
    first, second = batch("red", bad, seconds=2.0), batch("green", "white")
    assert worker.send_ahead(Options(), first)
    assert worker.send_ahead(Options(), second) or bad == "die"  # it may have died by now
    red, wrong = worker.extract(Options(), first)
    assert words([red]) == ["red"]
    assert isinstance(wrong, kind)
    assert words(worker.extract(Options(), second)) == ["green", "white"]


@LINUX
def test_nothing_is_sent_ahead_to_a_process_that_has_died(worker):
    first, second = batch("red", "die"), batch("green", "white")
    assert worker.send_ahead(Options(), first)
    worker._process.wait(PATIENCE)
    assert not worker.send_ahead(Options(), second)
    red, wrong = worker.extract(Options(), first)
    assert words([red]) == ["red"]
    assert isinstance(wrong, InputError)
    assert words(worker.extract(Options(), second)) == ["green", "white"]


@LINUX
def test_refused_options_do_not_give_their_error_to_the_next_texts(worker):
    first, second = batch("refuse"), batch("green")
    assert worker.send_ahead(Options(), first)
    assert worker.send_ahead(Options(), second)
    (refused,) = worker.extract(Options(), first)
    assert isinstance(refused, OptionError)
    assert words(worker.extract(Options(), second)) == ["green"]


@LINUX
def test_results_that_nobody_asks_for_are_nobodys(worker):
    assert worker.send_ahead(Options(), batch("red"))
    assert words(extract(worker, "green")) == ["green"]


@LINUX
def test_no_more_is_sent_ahead_than_the_pipe_holds(worker):
    """The process would read it only after it has written its results, for which it may have to wait for us."""
    assert worker.send_ahead(Options(), batch("hang" * 10_000))
    large = batch("a" * 400_000)
    assert not worker.send_ahead(Options(), large)


def test_nothing_is_sent_ahead_to_a_process_that_is_not_ready_or_for_nobody(worker):
    assert not WorkerProcess(Options(), FAKE).send_ahead(Options(), batch("red"))
    assert not worker.send_ahead(Options(), batch("red", seconds=0.0))


def test_options_that_are_refused_are_the_error_of_every_text(worker):
    results = extract(worker, "red", "refuse")
    assert [str(each) for each in results] == ["no such option"] * 2
    assert all(isinstance(each, OptionError) for each in results)
    assert worker.replaced == 0


def test_a_process_that_was_killed_while_it_waited_is_replaced(worker):
    worker._process.kill()
    worker._process.wait(PATIENCE)
    assert words(extract(worker, "red")) == ["red"]


def test_a_process_that_cannot_start():
    worker = WorkerProcess(Options(), (sys.executable, "-c", "raise SystemExit(3)"))
    with pytest.raises(WorkerError):
        worker.start()
    worker.close()


def test_after_the_end_nothing_is_started():
    worker = WorkerProcess(Options(), FAKE)
    worker.close()
    (found,) = extract(worker, "red")
    assert isinstance(found, InputError)
    assert worker._process is None


def test_the_process_ends_when_the_server_is_gone():
    command = [sys.executable, "-m", "mderank.serve.worker"]
    done = subprocess.run(command, input=b"", capture_output=True, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def answers_of_the_process(*requests: tuple) -> list:
    """What the process answers to requests, in this process."""
    messages, answers = io.BytesIO(), io.BytesIO()
    for each in ((Options(), ()), *requests):
        pickle.dump(each, messages)
    messages.seek(0)
    before = gc.get_threshold()
    try:
        with pytest.raises(EOFError):
            _answer_messages(messages, answers)
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)
    answers.seek(0)
    found = []
    while answers.tell() < len(answers.getvalue()):
        found.append(pickle.load(answers))
    return found[2:]  # after the encoder's name and the methods


def test_no_options_end_the_process(monkeypatch):
    """A client that names a method which does not work here would otherwise stop the others' work."""
    get = ExtractorCache.get

    def fails(cache, options):
        if options.top_k == 7:
            raise RuntimeError("a fault of ours")
        return get(cache, options)

    monkeypatch.setattr(ExtractorCache, "get", fails)
    texts = [("Coral reefs protect the coast.", 5, False, None, None, None, None)]
    without_attention, fault, fine = answers_of_the_process(
        (Options(method="attentionrank"), texts),
        (Options(top_k=7), texts),
        (Options(method="yake"), texts),
    )
    assert isinstance(without_attention, OptionError)
    assert str(without_attention).startswith("the method 'attentionrank' does not work on this server: ")
    assert isinstance(fault, InputError)
    assert str(fault) == "extraction failed: RuntimeError"
    assert fine[0]


def test_extractors_with_the_same_options_are_equal(worker):
    processes = WorkerProcesses(Options(), partial(WorkerProcess, command=FAKE))
    one, other = processes.get("short", Options(top_k=3)), processes.get("short", Options(top_k=7))
    assert one == other
    assert one != processes.get("short", Options(method="yake"))
    assert one != processes.get("long", Options())
    assert isinstance(one, RemoteExtractor)


@pytest.fixture
def server() -> Iterator[tuple]:
    app = create_app(None, ServerConfig(timeout_seconds=3.0), encoder=FakeEncoder(), make_tagger=FakeTagger)
    service = app.state.service
    service._extractors = WorkerProcesses(Options(), partial(WorkerProcess, command=FAKE, grace_seconds=0.5))
    with (
        running_app(app) as (port, _),
        httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=PATIENCE, trust_env=False) as client,
    ):
        yield client, service, port


def test_a_text_that_hangs_is_stopped_and_the_server_answers_meanwhile(server):
    import socket

    client, service, port = server
    body = b'{"text": "hang"}'
    with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE) as connection:
        connection.sendall(HEAD % len(body) + body)
        until(lambda: service.metrics.registry.get_sample_value("mderank_requests_active") == 1)
        until(lambda: len(service.queues) == 0)  # it is being computed
        assert client.get("/healthz").status_code == 200
        assert client.get("/readyz").status_code == 200
        assert client.get("/").status_code == 200
        assert connection.recv(100).startswith(b"HTTP/1.1 504 ")
    worker = service._extractors.workers["short"]
    until(lambda: worker.replaced == 1)
    assert client.post("/v1/extract", json={"text": "red"}).json()["keyphrases"][0]["text"].startswith("red ")


def test_a_text_that_ends_its_process_is_an_error_of_the_text(server):
    client, _, _ = server
    documents = [{"text": "red"}, {"text": "die"}, {"text": "blue"}]
    found = client.post("/v1/extract/batch", json={"documents": documents}).json()["results"]
    assert [bool(each["keyphrases"]) for each in found] == [True, False, True]
    response = client.post("/v1/extract", json={"text": "die"})
    assert (response.status_code, response.json()["error"]["code"]) == (422, "unreadable")


def test_options_that_are_refused_refuse_the_request(server):
    client, _, _ = server
    documents = [{"text": "red"}, {"text": "refuse"}]
    response = client.post("/v1/extract/batch", json={"documents": documents})
    assert (response.status_code, response.json()["error"]["code"]) == (422, "invalid_options")


def test_the_default_server_extracts_in_a_process_of_its_own():
    app = create_app()
    with running_app(app) as (port, _):
        text = "Coral reefs protect the coast from storms. Warm water bleaches coral."
        answer = httpx.post(f"http://127.0.0.1:{port}/v1/extract", json={"text": text, "top_k": 1}, timeout=PATIENCE)
        assert [each["text"] for each in answer.json()["keyphrases"]] == ["Coral reefs"]
        workers = app.state.service._extractors.workers
        assert workers["short"]._process.poll() is None
        assert workers["long"]._process is None, "it starts with the first long text"
        process = workers["short"]._process
    assert process.poll() is not None
