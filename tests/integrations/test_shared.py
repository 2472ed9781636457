"""Extractors that the parts of a program share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from mderank import OptionError, Options
from mderank.integrations.shared import SharedExtractor, merge_options, shared_extractor
from mderank.methods import FirstPhrases
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


def test_options_from_several_sources():
    assert merge_options(None, top_k=3) == Options(top_k=3)
    assert merge_options({"max-words": 5}, method="yake") == Options(method="yake", max_words=5)
    assert merge_options(Options(exclude=("reef",)), top_k=2) == Options(exclude=("reef",), top_k=2)
    for options in ({"top-k": 3}, Options(top_k=3)):
        with pytest.raises(OptionError, match="options must not hold top_k: that is an argument of its own"):
            merge_options(options, top_k=4)
