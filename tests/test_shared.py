"""Extractors that the parts of a program share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

from mderank import Options
from mderank.methods import FirstPhrases
from mderank.shared import SharedExtractor, shared_extractor
from mderank.testing import FakeTagger


def test_equal_options_share_an_extractor():
    options = Options(method="firstphrases", top_k=3)
    assert shared_extractor(options) is shared_extractor(Options(method="firstphrases", top_k=5))
    assert shared_extractor(options) is not shared_extractor(Options(method="firstphrases", dedupe="none"))


def test_one_thread_at_a_time():
    inside, go_on = Event(), Event()

    class Slow(FirstPhrases):
        running = 0
        most = 0

        def extract_many(self, texts, top_k=10, **seeds):
            type(self).running += 1
            type(self).most = max(self.most, self.running)
            inside.set()
            assert go_on.wait(60)
            yield from super().extract_many(texts, top_k, **seeds)
            type(self).running -= 1

    shared = SharedExtractor(Slow(tagger=FakeTagger()))
    with ThreadPoolExecutor(2) as threads:
        waiting = [threads.submit(shared.extract_many, ["tide"], 1) for _ in range(2)]
        assert inside.wait(60)
        go_on.set()
        assert [next(found.result()).texts for found in waiting] == [["tide"], ["tide"]]
    assert Slow.most == 1
