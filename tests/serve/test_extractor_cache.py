"""Extractors that are kept: clients choose their options, and not how much memory they take."""

from __future__ import annotations

from mderank.options import Options
from mderank.serve.extractor_cache import CAPACITY, ExtractorCache
from mderank.testing import FakeEncoder, FakeTagger


def test_extractors_share_the_phrases_that_they_remember():
    cache = ExtractorCache(FakeEncoder(), FakeTagger())
    one, other = cache.get(Options()), cache.get(Options(method="embedrank", min_score=0.1))
    assert one is not other
    assert one.phrase_cache is other.phrase_cache


def test_those_that_were_used_last_are_kept():
    cache = ExtractorCache(FakeEncoder(), FakeTagger())
    first = cache.get(Options(method="yake"))
    for number in range(CAPACITY - 1):
        cache.get(Options(method="yake", min_score=float(number)))
    assert cache.get(Options(method="yake")) is first
    cache.get(Options(method="yake", min_score=-1.0))
    assert cache.get(Options(method="yake")) is first
    assert len(cache._cache) == CAPACITY
