from __future__ import annotations

from mderank.research.evaluation.tagger_cache import CachingTagger
from mderank.testing import FakeTagger


class Counting(FakeTagger):
    def __init__(self):
        super().__init__()
        self.asked = []

    def tag(self, texts):
        texts = list(texts)
        self.asked += texts
        return super().tag(texts)


def test_a_text_is_tagged_once_until_the_cache_is_cleared():
    tagger = Counting()
    shared = CachingTagger(tagger)
    expected = list(FakeTagger().tag(["a reef", "a bay", "a reef"]))
    assert list(shared.tag(["a reef", "a bay", "a reef"])) == expected
    assert list(shared.tag(["a bay"])) == expected[1:2]
    assert tagger.asked == ["a reef", "a bay"]
    shared.clear()
    assert list(shared.tag(["a bay"])) == expected[1:2]
    assert tagger.asked == ["a reef", "a bay", "a bay"]


def test_the_clock_charges_what_was_saved(monkeypatch):
    now = iter([0.0, 6.0, 100.0, 100.0, 100.0])
    monkeypatch.setattr("time.perf_counter", lambda: next(now))
    shared = CachingTagger(FakeTagger())
    list(shared.tag(["a reef", "a bay"]))  # six seconds for two texts
    list(shared.tag(["a bay"]))
    assert shared.clock() == 103.0
