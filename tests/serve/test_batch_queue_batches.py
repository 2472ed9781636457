"""Which documents share a batch, which are refused, and what becomes of them: queues without a server around them."""

from __future__ import annotations

import asyncio
import threading

import pytest

from mderank import MDERank
from mderank.errors import InputError
from mderank.serve import batch_queue
from mderank.serve.batch_queue import BatchQueue, BatchQueues, QueueEntry, extract_queued
from mderank.serve.config import ServerConfig
from mderank.serve.errors import ApiError
from mderank.serve.metrics import Metrics
from mderank.serve.worker import LocalExtractor
from mderank.testing import FakeEncoder, FakeTagger

PATIENCE = 10.0  # seconds after which a test that hangs is given up


class Clock:
    """Stands still but for what extractors take."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(batch_queue.time, "perf_counter", clock)
    return clock


class Recording:
    """An extractor whose keyphrases are the text and how many were asked for; it notes the texts of its batches."""

    tagger = None

    def __init__(self, clock: Clock | None = None, seconds: float = 0.0, fails: Exception | None = None):
        self.batches = []
        self.clock, self.seconds, self.fails = clock, seconds, fails

    def extract_together(self, texts):
        return LocalExtractor(self).extract_together(texts)

    def send_ahead(self, texts):
        return False

    def score(self, texts):
        self.batches.append(list(texts))
        if self.clock is not None:
            self.clock.now += self.seconds
        if self.fails is not None and any(text.startswith("bad") for text in texts):
            raise self.fails
        return [(text, "scores") for text in texts]

    def rank(self, text, scores, top):
        assert scores == "scores"
        return [text, top]


def queue(metrics: Metrics | None = None, **config) -> BatchQueue:
    limits = {"max_queue_documents": 64, "max_request_documents": 1, "max_text_chars": 1, "batch_wait_seconds": 0.0}
    return BatchQueue("short", ServerConfig(**limits | config), metrics or Metrics())


def entries(extractor, *sizes: int, text: str = "text", **options) -> list[QueueEntry]:
    return [QueueEntry(extractor, f"{text} {number}", 5, size, **options) for number, size in enumerate(sizes)]


def finish(some: BatchQueue) -> None:
    """Compute all that waits; every future then has its result."""
    some.start()
    some.close()


def sizes_of_batches(some: BatchQueue, extractor: Recording, *sizes: int) -> list[list[int]]:
    """The sizes of entries, as they were computed together."""
    waiting = entries(extractor, *sizes)
    size = {entry.text: entry.size for entry in waiting}
    extractor.batches.clear()
    some.put(waiting)
    finish(some)
    assert [entry.future.result(0) for entry in waiting] == [[entry.text, 5] for entry in waiting]
    return [[size[text] for text in batch] for batch in extractor.batches]


def sample(metrics: Metrics, name: str, **labels: str) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def test_a_batch_has_at_most_so_many_documents():
    assert sizes_of_batches(queue(batch_documents=2), Recording(), 1, 2, 3, 4, 5) == [[1, 2], [3, 4], [5]]


def test_a_batch_has_at_most_so_many_characters_unless_it_is_one_document():
    made = sizes_of_batches(queue(batch_chars=100), Recording(), 60, 40, 1, 100, 150, 10)
    assert made == [[60, 40], [1], [100], [150], [10]]


@pytest.mark.parametrize(
    ("characters", "seconds", "sizes", "expected"),
    [
        # Besides its text a document costs 300 characters: 8,000 in two seconds, and in a batch of two seconds.
        (7_700, 2.0, (5_000, 3_000, 1), [[5_000, 3_000], [1]]),
        (7_700, 2.0, (5_000, 3_001, 1), [[5_000], [3_001, 1]]),
        (7_700, 1.0, (10_000, 6_000, 1), [[10_000, 6_000], [1]]),
        # However slow the machine is, 4,000 characters.
        (700, 1.0, (3_000, 1_000, 1), [[3_000, 1_000], [1]]),
        (700, 1.0, (3_000, 1_001, 1), [[3_000], [1_001, 1]]),
        # However fast it is, 40,000.
        (7_700, 0.01, (30_000, 10_000, 1), [[30_000, 10_000], [1]]),
    ],
)
def test_a_batch_is_as_long_as_the_machine_is_fast(clock, characters, seconds, sizes, expected):
    some, extractor = queue(batch_chars=40_000, batch_seconds=2.0), Recording(clock, seconds)
    some.measure_speed(extractor, ["x" * characters])
    extractor.seconds = (sizes[0] + 600) / (characters + 300) * seconds  # it stays about as fast
    assert sizes_of_batches(some, extractor, *sizes) == expected


def test_documents_with_other_options_wait_for_a_batch_of_their_own():
    one, other = Recording(), Recording()
    first, second = entries(one, 1, 1, 1, text="one"), entries(other, 1, 1, text="other")
    some = queue(batch_documents=3)
    some.put([first[0], second[0], first[1], second[1], first[2]])
    finish(some)
    assert one.batches == [["one 0", "one 1", "one 2"]]
    assert other.batches == [["other 0", "other 1"]]


def test_every_document_gets_as_many_phrases_as_its_request_asks_for():
    extractor = Recording()
    waiting = [QueueEntry(extractor, "red", 3, 1), QueueEntry(extractor, "blue", 7, 1)]
    some = queue()
    some.put(waiting)
    finish(some)
    assert [entry.future.result(0) for entry in waiting] == [["red", 3], ["blue", 7]]


@pytest.mark.parametrize("limit", [{"batch_documents": 2}, {"batch_chars": 20}])
def test_a_full_batch_does_not_wait_for_more(limit):
    extractor = Recording()
    some = queue(batch_wait_seconds=3_600.0, **limit)
    some.start()
    one, other = entries(extractor, 10, 10)
    some.put([one])
    some.put([other])
    assert [entry.future.result(PATIENCE) for entry in (one, other)] == [["text 0", 5], ["text 1", 5]]
    assert extractor.batches == [["text 0", "text 1"]]
    some.close()


def refused(some: BatchQueue, *waiting: QueueEntry) -> ApiError:
    before = len(some)
    with pytest.raises(ApiError) as caught:
        some.put(waiting)
    assert len(some) == before, "all are taken, or none"
    return caught.value


def test_the_number_of_waiting_documents_is_bounded():
    metrics = Metrics()
    some = queue(metrics, max_queue_documents=4)
    some.put(entries(Recording(), 1, 1))
    error = refused(some, *entries(Recording(), 1, 1, 1))
    assert (error.code, error.message) == ("busy", "2 documents are waiting: try again")
    assert sample(metrics, "mderank_refused_total") == 1
    some.put(entries(Recording(), 1, 1))
    assert len(some) == 4
    assert refused(some, *entries(Recording(), 1)).code == "busy"
    assert sample(metrics, "mderank_refused_total") == 2


def test_the_characters_that_wait_are_bounded():
    some = queue(max_queue_chars=100)
    waiting = entries(Recording(), 40, 30)
    some.put(waiting)
    assert refused(some, *entries(Recording(), 20, 11)).code == "busy"
    some.put(entries(Recording(), 20, 10))
    waiting[0].future.cancel()
    assert refused(some, *entries(Recording(), 41)).code == "busy"
    some.put(entries(Recording(), 40))


def test_computed_documents_make_room():
    some = queue(max_queue_chars=100, batch_documents=1)
    some.start()
    for _ in range(3):
        waiting = entries(Recording(), 60, 40)
        some.put(waiting)
        assert [entry.future.result(PATIENCE)[0] for entry in waiting] == ["text 0", "text 1"]
    some.close()


def test_a_document_that_would_wait_for_half_of_the_timeout_is_refused():
    # Until it is measured the speed is 20,000 characters per second, of which a document costs 300 besides its own.
    some = queue(timeout_seconds=2.0)
    some.put(entries(Recording(), 10_000, 9_400))
    some.put(entries(Recording(), 1))  # after a second
    error = refused(some, *entries(Recording(), 1))
    assert error.code == "busy"
    assert error.headers["Retry-After"] == "2"  # 1.015 seconds, rounded up


def test_nobody_is_told_to_wait_for_more_than_half_a_minute():
    some = queue(timeout_seconds=60.0)
    some.put(entries(Recording(), 800_000))
    assert refused(some, *entries(Recording(), 1)).headers["Retry-After"] == "30"


def test_a_text_that_nobody_waits_for_says_nothing_about_the_speed():
    """It is given up at once. As a speed that would lift the limits of all later texts."""
    some, extractor = queue(), Recording()
    extractor.extract_together = lambda texts: [ApiError("timeout", "late") for _ in texts]
    some.put(entries(extractor, 700, method="yake"))
    finish(some)
    assert not some._best
    assert not some._speeds


def test_names_of_methods_are_not_kept():
    """Clients can make them up; the extractor refuses them only when it is asked."""
    some, refusing = queue(), Recording(fails=InputError("no such method"))
    waiting = [entries(refusing, 1, text="bad", method=f"method {number}")[0] for number in range(5)]
    for entry in waiting:
        some.put([entry])
    waiting[0].future.cancel()
    finish(some)
    assert not some._costs
    assert not some._speeds
    assert not some._best


class SentAhead(Recording):
    """An extractor that computes by itself what it is sent; it notes what happens in which order."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.sent, self.events = [], []

    def send_ahead(self, texts):
        if not any(each is texts for each in self.sent):
            self.sent.append(texts)
            self.events.append(("sent", len(texts)))
        return True

    def extract_together(self, texts):
        assert self.sent.pop(0) is texts
        self.events.append(("asked", len(texts)))
        return super().extract_together(texts)


def test_the_next_whole_batch_is_sent_before_the_results_of_the_one_before():
    extractor = SentAhead()
    assert sizes_of_batches(queue(batch_documents=2), extractor, 1, 2, 3, 4, 5) == [[1, 2], [3, 4], [5]]
    assert extractor.events == [("sent", 2), ("sent", 2), ("asked", 2), ("asked", 2), ("sent", 1), ("asked", 1)]


def test_a_batch_that_was_sent_ahead_says_nothing_about_the_best_speed(clock):
    """It may have been begun before the time was taken."""
    some, extractor = queue(batch_documents=1), SentAhead(clock, seconds=7.0)
    compute = extractor.extract_together

    def first_slowly(texts):
        found = compute(texts)
        extractor.seconds = 2.0
        return found

    extractor.extract_together = first_slowly
    some.put(entries(extractor, 700, 700, method="yake"))
    finish(some)
    assert some._best == {"yake": 1_000 / 7.0}
    assert some._speeds["yake"] == pytest.approx(0.8 * 1_000 / 7.0 + 0.2 * 500.0)


def test_the_speed_is_measured_again_with_every_batch(clock):
    # 1,000 characters per second are measured; a batch of 4,000 in half a second makes 0.8 x 1,000 + 0.2 x 8,000 of it.
    extractor = Recording(clock, 1.0)
    some = queue()
    some.measure_speed(extractor, ["x" * 700])
    extractor.seconds = 0.5
    assert sizes_of_batches(some, extractor, 3_700) == [[3_700]]
    assert some._speeds == {"": pytest.approx(2_400)}


def test_a_queue_that_is_closed_takes_nothing_and_has_finished_what_it_had():
    some, waiting = queue(batch_documents=1), entries(Recording(), 1, 1, 1)
    some.put(waiting)
    finish(some)
    assert all(entry.future.done() for entry in waiting)
    error = refused(some, *entries(Recording(), 1))
    assert (error.code, error.headers["Retry-After"]) == ("stopping", "5")
    assert "try again" in error.message


def test_the_thread_of_a_queue_has_its_name_and_does_not_keep_a_process_alive():
    threads = []

    class Noting(Recording):
        def score(self, texts):
            threads.append(threading.current_thread())
            return super().score(texts)

    some = queue()
    some.put(entries(Noting(), 1))
    finish(some)
    assert [(thread.name, thread.daemon) for thread in threads] == [("mderank-short", True)]


def test_a_queue_that_never_started_can_be_closed():
    queue().close()


def test_a_document_that_nobody_waits_for_is_not_computed():
    metrics, extractor = Metrics(), Recording()
    some, waiting = queue(metrics), entries(extractor, 1, 1, 1)
    some.put(waiting)
    waiting[1].future.cancel()
    assert len(some) == 2
    assert sample(metrics, "mderank_documents_dropped_total") == 1
    finish(some)
    assert extractor.batches == [["text 0", "text 2"]]
    assert sample(metrics, "mderank_documents_dropped_total") == 1, "those that were computed are not dropped"


def test_a_document_that_fails_fails_alone(caplog):
    for failure, logged, message in (
        (InputError("a page of nothing"), [], "a page of nothing"),
        (ZeroDivisionError("in the tagger"), ["a document failed"], "extraction failed: ZeroDivisionError"),
    ):
        extractor = Recording(fails=failure)
        good, bad = entries(extractor, 1), entries(extractor, 1, text="bad")
        some = queue()
        some.put([*good, *bad])
        finish(some)
        assert good[0].future.result(0) == ["text 0", 5]
        assert type(bad[0].future.exception(0)) is InputError
        assert str(bad[0].future.exception(0)) == message
        assert [record.message for record in caplog.records] == logged
    assert caplog.records[0].exc_info[1] is failure, "the log says what the client is not told"


def test_every_client_gets_an_answer_whatever_failed(caplog):
    stopping, good = Recording(fails=SystemExit()), Recording()
    lost, found = entries(stopping, 1, 1, text="bad"), entries(good, 1)
    some = queue()
    some.put([*lost, *found])
    finish(some)
    for entry in lost:
        assert str(entry.future.exception(0)) == "SystemExit in a batch"
    assert [record.message for record in caplog.records] == ["a batch failed"]
    assert found[0].future.result(0) == ["text 0", 5]


def test_markdown_is_read_without_its_marks():
    extractor = LocalExtractor(MDERank(FakeEncoder(), tagger=FakeTagger()))
    text = "The [old harbour](http://port.example/sediment) is near the **reef** | bay."
    plain, marked = QueueEntry(extractor, text, 10, 1), QueueEntry(extractor, text, 10, 1, markdown=True)
    some = queue()
    some.put([plain, marked])
    finish(some)
    assert any("sediment" in each.text for each in plain.future.result(0))
    found = {each.text: each.spans for each in marked.future.result(0)}
    assert set(found) == {"old harbour", "reef", "bay"}
    assert found["reef"] == ((text.index("reef"), text.index("reef") + 4),)


def test_what_was_computed_is_counted(clock):
    metrics, extractor = Metrics(), Recording(clock, 2.0)
    some = queue(metrics, batch_documents=2)
    some.put([QueueEntry(extractor, "red", 5, 1_000), QueueEntry(extractor, "amber", 5, 1), *entries(extractor, 1)])
    finish(some)
    assert sample(metrics, "mderank_documents_total") == 3
    assert sample(metrics, "mderank_characters_total") == len("red" + "amber" + "text 0")
    assert sample(metrics, "mderank_batch_documents_sum", queue="short") == 3
    assert sample(metrics, "mderank_batch_documents_count", queue="short") == 2
    assert sample(metrics, "mderank_batch_seconds_sum", queue="short") == 4


def test_long_texts_have_a_queue_of_their_own():
    metrics = Metrics()
    both = BatchQueues(ServerConfig(long_text_chars=100), metrics)
    assert both.queue_for(100) is both.short
    assert both.queue_for(101) is both.long
    extractor = Recording()
    both.short.put(entries(extractor, 1, 1))
    both.long.put(entries(extractor, 1))
    assert len(both) == 3
    both.start()
    both.close()
    assert len(both) == 0
    for name, count in (("short", 2), ("long", 1)):
        assert sample(metrics, "mderank_batch_documents_sum", queue=name) == count
    for each in (both.short, both.long):
        assert refused(each, *entries(extractor, 1)).code == "stopping"


def extracted(some: BatchQueue, waiting: list[QueueEntry], timeout: float = PATIENCE) -> list:
    return asyncio.run(extract_queued(some, waiting, timeout))


def test_results_of_a_request_are_in_its_order_and_errors_of_documents_are_among_them():
    extractor = Recording(fails=InputError("a page of nothing"))
    some = queue(batch_documents=1)
    some.start()
    one, error, other = extracted(
        some, [*entries(extractor, 1, text="red"), *entries(extractor, 1, text="bad"), *entries(extractor, 1)]
    )
    some.close()
    assert (one, other) == (["red 0", 5], ["text 0", 5])
    assert isinstance(error, InputError)


def test_a_failure_of_the_server_is_not_a_result():
    some = queue()
    some.start()
    with pytest.raises(RuntimeError, match="SystemExit in a batch"):
        extracted(some, entries(Recording(fails=SystemExit()), 1, text="bad"))
    some.close()


def test_an_answer_that_is_late_is_given_up_and_not_computed():
    metrics, extractor = Metrics(), Recording()
    some = queue(metrics)  # it has not been started: nothing is ready in time
    with pytest.raises(ApiError, match=r"not ready within 0\.01 seconds: send less text") as caught:
        extracted(some, entries(extractor, 1, 1), timeout=0.01)
    assert caught.value.code == "timeout"
    assert len(some) == 0
    assert sample(metrics, "mderank_documents_dropped_total") == 2
    finish(some)
    assert extractor.batches == []
