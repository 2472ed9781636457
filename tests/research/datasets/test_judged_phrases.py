from __future__ import annotations

import pytest

from mderank.research.datasets.judged_phrases import JudgedPhrases


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Storm Surge", "storm surges"),
        ("storm-surge", "storm surge"),
        ("storm\u2013surge", "storm\u2011surge"),
        ("the boiler", "boiler"),
        ("An egg", "eggs"),
        ("Joe's boiler", "Joe\u2019s boilers"),
        ("Joe's boiler", "Joe boiler"),
        ("teachers' meeting", "teacher meeting"),
        ("\ufb01re door", "fire  door"),  # a ligature, and two spaces
        ("party", "parties"),
        ("movie", "movies"),
        ("box", "boxes"),
        ("shoe", "shoes"),
        ("cache", "caches"),
        ("bus", "buses"),
        ("glass", "glasses"),
        ("potato", "potatoes"),
        ("id card", "IDs card"),
    ],
)
def test_forms_of_a_phrase_match(one, other):
    assert one in JudgedPhrases([other])
    assert other in JudgedPhrases(["another", one])
    assert JudgedPhrases(["another", one]).find(other) == one


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("storm surge", "surge"),  # the whole phrase
        ("surge storm", "storm surge"),
        ("plan", "plane"),
        ("plan", "planes"),
        ("glass", "glas"),
        ("the", ""),
        ("repair", "repairing"),  # plurals only
        ("us", "u"),
    ],
)
def test_other_phrases_do_not(one, other):
    assert one not in JudgedPhrases([other])
    assert other not in JudgedPhrases([one])
