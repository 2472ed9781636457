import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.testing import assert_array_equal

from mderank.encoding.phrase_cache import PhraseCache


def ids(*numbers):
    return np.asarray(numbers, dtype=np.int64)


def test_what_was_put_is_found_for_the_same_layer_and_pooling():
    cache = PhraseCache()
    cache.put(ids(1, 5, 2), 6, "mean", np.ones(3))
    assert_array_equal(cache.get(ids(1, 5, 2), 6, "mean"), np.ones(3))
    assert cache.get(ids(1, 5, 2), 5, "mean") is None
    assert cache.get(ids(1, 5, 2), 6, "max") is None
    assert cache.get(ids(1, 5), 6, "mean") is None


def test_the_phrase_that_was_not_used_for_longest_goes():
    cache = PhraseCache(2)
    cache.put(ids(1), 0, "mean", np.ones(1))
    cache.put(ids(2), 0, "mean", np.ones(1))
    cache.get(ids(1), 0, "mean")
    cache.put(ids(3), 0, "mean", np.ones(1))
    assert len(cache) == 2
    assert cache.get(ids(2), 0, "mean") is None
    assert cache.get(ids(1), 0, "mean") is not None


def test_a_copy_is_empty_and_as_large():
    cache = PhraseCache(1)
    cache.put(ids(1), 0, "mean", np.ones(1))
    copy = pickle.loads(pickle.dumps(cache))
    assert len(copy) == 0
    copy.put(ids(1), 0, "mean", np.ones(1))
    copy.put(ids(2), 0, "mean", np.ones(1))
    assert len(copy) == 1


def test_threads_share_it():
    cache = PhraseCache(50)

    def work(seed):
        for number in np.random.default_rng(seed).integers(0, 100, 500):
            vector = cache.get(ids(number), 0, "mean")
            assert vector is None or vector[0] == number
            cache.put(ids(number), 0, "mean", np.array([float(number)]))

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert len(cache) == 50
