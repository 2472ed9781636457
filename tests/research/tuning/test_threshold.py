from __future__ import annotations

import numpy as np
import pytest

from mderank.research.tuning.threshold import ScoredList, choose_threshold, count_hits, fit_confidence


def test_the_threshold_has_the_best_f1_of_all():
    lists = [ScoredList((3.0, 2.0, 1.0), (True, True, False), 2), ScoredList((2.5, 0.5), (True, False), 1)]
    assert choose_threshold(lists) == 2.0  # three of three labels, nothing else
    draw = np.random.default_rng(0)
    for _ in range(20):
        lists = []
        for _ in range(5):
            scores = sorted(draw.normal(size=6).tolist(), reverse=True)
            lists.append(ScoredList(tuple(scores), tuple((draw.random(6) < 0.4).tolist()), 3))
        pairs = [(score, hit) for each in lists for score, hit in zip(each.scores, each.hits, strict=True)]

        def f1(least, pairs=pairs):
            shown = [hit for score, hit in pairs if score >= least]
            return 2 * sum(shown) / (len(shown) + 15)

        assert f1(choose_threshold(lists)) == pytest.approx(max(f1(score) for score, _ in pairs))


def test_the_best_phrase_is_always_shown():
    assert count_hits(ScoredList((1.0, 0.5), (True, False), 1), 9.0) == (1, 1)
    assert count_hits(ScoredList((), (), 1), 9.0) == (0, 0)


def test_no_list_has_a_threshold_of_nothing():
    assert choose_threshold([]) == 0.0


def test_confidence_is_the_chance_that_made_the_hits():
    draw = np.random.default_rng(0)
    scores = draw.normal(1.0, 2.0, size=20_000)
    hits = draw.random(20_000) < 1 / (1 + np.exp(-(1.5 * scores - 1.0)))
    lists = [ScoredList(tuple(scores.tolist()), tuple(hits.tolist()), 1)]
    found = fit_confidence(lists)
    assert found.slope == pytest.approx(1.5, abs=0.1)
    assert found.level == pytest.approx(-1.0, abs=0.1)


@pytest.mark.parametrize("lists", [[], [ScoredList((1.0,), (True,), 1)], [ScoredList((1.0,) * 200, (True,) * 200, 1)]])
def test_too_little_gives_no_confidence(lists):
    assert fit_confidence(lists) is None
