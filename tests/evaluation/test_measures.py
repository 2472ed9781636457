from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank import OptionError
from mderank.evaluation.measures import Judgement, Measure

HITS = Judgement((True, False, True, False, True), offered=5, gold=4)


@pytest.mark.parametrize("text", ["F1@5", "P@10", "R@M", "AP@M", "nDCG@15"])
def test_measures_parse_and_print(text):
    assert str(Measure.parse(text)) == text


@pytest.mark.parametrize("text", ["F1", "F2@5", "F1@0", "F1@-1", "f1@5", "F1@x", ""])
def test_unknown_measures_are_refused(text):
    with pytest.raises(OptionError, match="F1@5"):
        Measure.parse(text)


@pytest.mark.parametrize(
    ("measure", "value"),
    [
        ("P@1", 1.0),
        ("P@3", 2 / 3),
        ("P@10", 3 / 5),
        ("R@3", 2 / 4),
        ("R@M", 3 / 4),
        ("F1@3", 2 * (2 / 3) * (2 / 4) / (2 / 3 + 2 / 4)),
        ("F1@M", 2 * (3 / 5) * (3 / 4) / (3 / 5 + 3 / 4)),
        ("AP@M", (1 / 1 + 2 / 3 + 3 / 5) / 4),
        ("AP@3", (1 / 1 + 2 / 3) / 3),
        ("nDCG@3", (1 + 1 / 2) / (1 + 1 / math.log2(3) + 1 / 2)),
    ],
)
def test_values_worked_out_by_hand(measure, value):
    assert Measure.parse(measure).of(HITS) == pytest.approx(value)


def test_micro_is_of_sums_and_macro_the_mean():
    other = Judgement((False, False), offered=2, gold=1)
    f1 = Measure.parse("F1@5")
    assert f1.over([HITS, other], "micro") == pytest.approx(2 * 3 / (7 + 5))
    assert f1.over([HITS, other], "macro") == pytest.approx((2 * 3 / 9 + 0) / 2)
    assert f1.over([], "micro") == 0


judgements = st.lists(
    st.builds(
        lambda hits, more, missed: Judgement(tuple(hits), len(hits) + more, sum(hits) + missed),
        st.lists(st.booleans(), max_size=20),
        st.integers(0, 5),
        st.integers(0, 5),
    ),
    min_size=1,
    max_size=8,
)


@given(judgements, st.sampled_from([1, 3, 5, 10, None]))
def test_a_naive_computation_agrees(documents, k):
    def precision(j):
        predicted = j.offered if k is None else min(k, j.offered)
        return sum(j.hits[:k]) / predicted if predicted else 0

    def recall(j):
        return sum(j.hits[:k]) / j.gold if j.gold else 0

    def f1(p, r):
        return 2 * p * r / (p + r) if p + r else 0

    n = len(documents)
    assert Measure("P", k).over(documents, "macro") == pytest.approx(sum(map(precision, documents)) / n)
    assert Measure("R", k).over(documents, "macro") == pytest.approx(sum(map(recall, documents)) / n)
    assert Measure("F1", k).over(documents, "macro") == pytest.approx(
        sum(f1(precision(j), recall(j)) for j in documents) / n
    )
    hits = sum(sum(j.hits[:k]) for j in documents)
    predicted = sum(j.offered if k is None else min(k, j.offered) for j in documents)
    gold = sum(j.gold for j in documents)
    p, r = hits / predicted if predicted else 0, hits / gold if gold else 0
    assert Measure("F1", k).over(documents, "micro") == pytest.approx(f1(p, r))


@given(judgements.filter(lambda documents: all(j.gold and j.hits for j in documents)))
def test_ir_measures_agrees(documents):
    ir_measures = pytest.importorskip("ir_measures", reason="ir-measures is not installed")
    # Every document is a query, every prediction a result; what was not found is relevant and never retrieved.
    qrels, run = [], []
    for number, j in enumerate(documents):
        for rank, hit in enumerate(j.hits):
            run.append(ir_measures.ScoredDoc(str(number), f"p{rank:02}", 1 / (1 + rank)))
            qrels.append(ir_measures.Qrel(str(number), f"p{rank:02}", int(hit)))
        for missed in range(j.gold - sum(j.hits)):
            qrels.append(ir_measures.Qrel(str(number), f"missed{missed}", 1))
    pairs = {"nDCG@5": "nDCG@5", "R@5": "R@5", "AP@M": "AP"}
    theirs = ir_measures.calc_aggregate([ir_measures.parse_measure(name) for name in pairs.values()], qrels, run)
    for ours, name in pairs.items():
        value = theirs[ir_measures.parse_measure(name)]
        assert Measure.parse(ours).over(documents, "macro") == pytest.approx(value)
