"""Requests share encoder passes only with equal options; the queue is bounded; cancelled documents are not computed."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import Future, ThreadPoolExecutor

import httpx
import pytest
from tests.serve.conftest import HEAD, PATIENCE, REEFS, Running, until

from mderank import MDERank
from mderank.errors import OptionError
from mderank.serve.batch_queue import BatchQueue, QueueEntry
from mderank.serve.config import ServerConfig
from mderank.serve.metrics import Metrics
from mderank.serve.worker import LocalExtractor
from mderank.tagging import SpacyTagger
from mderank.testing import FakeEncoder, FakeTagger

TEXTS = [f"The old harbour number{n} is near the coral reef{n}. A storm{n} has hit the harbour." for n in range(8)]


def hold(running: Running, pool: ThreadPoolExecutor, text: str = REEFS) -> Future:
    """Hold the encoder up, with one request in it."""
    running.encoder.gate.clear()
    future = pool.submit(running.extract, text)
    until(lambda: running.encoder.waiting == 1)
    return future


def batches(running: Running) -> float:
    return running.service.metrics.registry.get_sample_value("mderank_batch_documents_count", {"queue": "short"})


def documents(running: Running) -> float:
    return running.service.metrics.registry.get_sample_value("mderank_batch_documents_sum", {"queue": "short"})


def dropped(running: Running) -> float:
    return running.service.metrics.registry.get_sample_value("mderank_documents_dropped_total")


@pytest.mark.slow
def test_requests_that_come_together_are_computed_together_with_the_same_results(serve):
    running = serve()
    alone = [running.extract(text).json() for text in TEXTS]
    assert [each["keyphrases"][0] for each in alone]
    with ThreadPoolExecutor(20) as pool:
        held = hold(running, pool)
        together = [pool.submit(running.extract, text, top_k=4 + n % 2) for n, text in enumerate(TEXTS)]
        until(lambda: len(running.service.queues) == len(TEXTS))
        running.encoder.calls.clear()
        running.encoder.gate.set()
        assert held.result().status_code == 200
        for n, (future, answer) in enumerate(zip(together, alone, strict=True)):
            assert future.result().json()["keyphrases"] == answer["keyphrases"][: 4 + n % 2]
    until(
        lambda: batches(running) == len(TEXTS) + 2
    )  # all that waited were one batch, though they asked for different numbers; counted after the answers are sent
    assert documents(running) == 2 * len(TEXTS) + 1
    assert max(running.encoder.calls) > 1, "and shared an encoder pass"


@pytest.mark.parametrize(
    "other",
    [{"method": "yake"}, {"dedupe": "none"}, {"exclude": ["harbour"]}, {"max_words": 7}, {"params": {"position": 0.9}}],
    ids=lambda other: next(iter(other)),
)
def test_requests_with_different_options_do_not_share_a_batch(serve, other):
    running = serve()
    text = "The harbours are near the old harbour. A storm has hit the coral reef, and the harbour."
    alone = [running.extract(text, **options).json()["keyphrases"] for options in ({}, other)]
    assert alone[0] != alone[1]
    until(lambda: batches(running) == 2)  # a batch is counted after its answers are sent
    with ThreadPoolExecutor(20) as pool:
        held = hold(running, pool, TEXTS[0])
        together = []
        for number in range(6):  # their documents wait in turn
            together.append(pool.submit(running.extract, text, **(other if number % 2 else {})))
            until(lambda: len(running.service.queues) == len(together))
        running.encoder.gate.set()
        assert held.result().status_code == 200
        assert [future.result().json()["keyphrases"] for future in together] == alone * 3
    until(lambda: batches(running) == 2 + 3)  # the one that was held, and one batch for each of the two


def test_past_the_bound_clients_are_told_to_come_back(serve):
    running = serve(max_queue_documents=4, max_request_documents=4)
    with ThreadPoolExecutor(20) as pool:
        held = hold(running, pool)
        waiting = [pool.submit(running.extract, text) for text in TEXTS[:4]]
        until(lambda: len(running.service.queues) == 4)
        for _ in range(3):
            refused = running.extract()
            assert running.code(refused, 503) == "busy"
            assert 1 <= int(refused.headers["retry-after"]) <= 30
        assert len(running.service.queues) == 4, "nothing was added"
        assert running.code(running.client.get("/readyz"), 503) == "not_ready"
        assert running.client.get("/healthz").status_code == 200
        running.encoder.gate.set()
        assert [each.result().status_code for each in (held, *waiting)] == [200] * 5
    assert running.extract().status_code == 200
    assert running.client.get("/readyz").status_code == 200


def test_a_batch_is_taken_whole_or_not_at_all(serve):
    running = serve(max_queue_documents=4, max_request_documents=4)
    documents = {"documents": [{"text": text} for text in TEXTS[:3]]}
    with ThreadPoolExecutor(20) as pool:
        hold(running, pool)
        waiting = [pool.submit(running.extract, text) for text in TEXTS[:2]]
        until(lambda: len(running.service.queues) == 2)
        assert running.code(running.client.post("/v1/extract/batch", json=documents), 503) == "busy"
        assert len(running.service.queues) == 2
        running.encoder.gate.set()
        assert [each.result().status_code for each in waiting] == [200, 200]


def test_the_text_that_waits_is_bounded_too(serve):
    running = serve(max_queue_chars=1_000, max_text_chars=1_000)
    with ThreadPoolExecutor(20) as pool:
        hold(running, pool)
        waiting = pool.submit(running.extract, "reef " * 150)
        until(lambda: len(running.service.queues) == 1)
        assert running.code(running.extract("reef " * 150), 503) == "busy"
        running.encoder.gate.set()
        assert waiting.result().status_code == 200


def test_what_could_not_be_answered_in_time_is_not_taken(serve):
    running = serve(timeout_seconds=20.0)
    with ThreadPoolExecutor(20) as pool:
        hold(running, pool)
        waiting = pool.submit(running.extract)
        until(lambda: len(running.service.queues) == 1)
        running.service.queues.short._speeds = {"fusion": 10.0}  # characters a second
        refused = running.extract()
        assert running.code(refused, 503) == "busy"
        assert refused.headers["retry-after"] == "30"
        running.encoder.gate.set()
        assert waiting.result().status_code == 200


def test_a_client_that_goes_away_stops_costing(serve):
    running = serve()
    with ThreadPoolExecutor(20) as pool:
        held = hold(running, pool)
        gone = socket.create_connection(("127.0.0.1", running.port))
        body = b'{"text": "The whale is near the reef."}'
        gone.sendall(HEAD % len(body) + body)
        until(lambda: len(running.service.queues) == 1)
        gone.close()
        until(lambda: len(running.service.queues) == 0)
        assert dropped(running) == 1
        computed = running.service.metrics.registry.get_sample_value("mderank_documents_total")
        running.encoder.gate.set()
        assert held.result().status_code == 200
    until(lambda: running.service.metrics.registry.get_sample_value("mderank_documents_total") == computed + 1)
    lost = {"path": "/v1/extract", "method": "POST", "status": "499"}
    assert running.service.metrics.registry.get_sample_value("mderank_requests_total", lost) == 1


def test_an_answer_that_is_not_ready_in_time(serve):
    running = serve(timeout_seconds=0.2)
    with ThreadPoolExecutor(20) as pool:
        held = hold(running, pool)
        late = running.extract(TEXTS[0])
        assert running.code(late, 504) == "timeout"
        assert len(running.service.queues) == 0, "it is not computed for nobody"
        running.encoder.gate.set()
        assert running.code(held.result(), 504) == "timeout"
    assert running.extract().status_code == 200


def test_a_long_text_does_not_keep_short_ones_waiting(serve):
    running = serve(long_text_chars=1_000)
    with ThreadPoolExecutor(20) as pool:
        long = hold(running, pool, "The old harbour is near the reef. " * 100)
        # The encoder holds the long text's thread up, and the short text's passes by it through another method.
        assert running.extract(method="yake").status_code == 200
        assert not long.done()
        running.encoder.gate.set()
        assert long.result().status_code == 200


def test_costly_options_count(serve):
    running = serve(max_text_chars=1_000)
    assert running.extract("reef " * 100).status_code == 200
    refused = running.extract("reef " * 100, exact=True)
    assert running.code(refused, 413) == "text_too_long"
    assert "20 times" in refused.json()["error"]["message"]


class _Choking(FakeTagger):
    def tag(self, texts):
        for document in super().tag(texts):
            if "poison" in document.text:
                raise RuntimeError("a tagger that chokes")
            yield document


def test_a_document_that_fails_fails_alone(serve, monkeypatch):
    running = serve()
    for cache in running.service._extractors._caches.values():
        cache.tagger = _Choking()
        cache._cache.clear()
    documents = [{"text": REEFS}, {"text": "The poison is near."}, {"text": TEXTS[0]}]
    results = running.client.post("/v1/extract/batch", json={"documents": documents}).json()["results"]
    assert [bool(each["keyphrases"]) for each in results] == [True, False, True]
    assert results[1]["error"] == "extraction failed: RuntimeError"
    assert running.code(running.extract("The poison is near."), 422) == "unreadable"


@pytest.mark.slow
def test_closing_finishes_what_was_taken(serve):
    running = serve()
    with ThreadPoolExecutor(20) as pool:
        held = hold(running, pool)
        waiting = [pool.submit(running.extract, text) for text in TEXTS]
        until(lambda: len(running.service.queues) == len(TEXTS))
        running.server.should_exit = True
        with pytest.raises(httpx.TransportError):  # nobody new is let in
            until(lambda: httpx.get(f"{running.url}/healthz", trust_env=False) is None)
        running.encoder.gate.set()
        assert [each.result(PATIENCE).status_code for each in (held, *waiting)] == [200] * (1 + len(TEXTS))


def test_after_closing_nothing_is_taken(serve):
    running = serve()
    threading.Thread(target=running.service.queues.close).start()
    until(lambda: running.service.queues.short._closing)
    response = running.extract()
    assert running.code(response, 503) == "stopping"
    assert response.headers["retry-after"]


def test_settings_that_cannot_work_are_refused():
    with pytest.raises(OptionError, match="max_text_chars must be above 0"):
        ServerConfig(max_text_chars=0)
    with pytest.raises(OptionError, match="raise max_queue_documents"):
        ServerConfig(max_request_documents=300)
    with pytest.raises(OptionError, match="at least 16 characters"):
        ServerConfig(api_key="short")
    assert "secret" not in repr(ServerConfig(api_key="secret" * 4))


def test_all_clients_may_leave_while_a_batch_waits_for_more(monkeypatch):
    """The thread of the queue lives on, and answers those who come later."""
    queue = BatchQueue("short", ServerConfig(batch_wait_seconds=0.5), Metrics())
    waits, taken = threading.Event(), threading.Event()
    full, take = queue._full, queue._take_batch
    monkeypatch.setattr(queue, "_full", lambda: waits.set() or full())
    monkeypatch.setattr(queue, "_take_batch", lambda: taken.set() or take())
    extractor = LocalExtractor(MDERank(FakeEncoder(), tagger=FakeTagger()))
    gone, stays = (QueueEntry(extractor, REEFS, 5, 40) for _ in range(2))
    queue.start()
    queue.put([gone])
    assert waits.wait(PATIENCE), "the first document is seen, and the batch waits for others"
    assert gone.future.cancel()
    assert taken.wait(PATIENCE)
    queue.put([stays])
    assert stays.future.result(10)
    queue.close()


@pytest.mark.slow
def test_words_that_clients_make_up_are_not_remembered():
    tagger = SpacyTagger()
    extractor = LocalExtractor(MDERank(FakeEncoder(), tagger=tagger))
    words = tagger.nlp.vocab
    known = []
    for n in range(3):
        queue = BatchQueue("short", ServerConfig(), Metrics())
        queue.start()
        entries = [QueueEntry(extractor, f"The zyx{n}q{m} reef is near the vut{n}q{m}.", 5, 40) for m in range(10)]
        queue.put(entries)
        found = [entry.future.result(PATIENCE) for entry in entries]
        assert {f"zyx{n}q3 reef", f"vut{n}q3"} <= {each.text for each in found[3]}
        queue.close()
        known.append((len(words.strings), sum(1 for _ in words)))
    assert known[1:] == known[:1] * 2
