from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mderank import OptionError
from mderank.research.evaluation.measures import Judgement, Measure, chosen, redundant

HITS = Judgement((True, False, True, False, True), offered=5, gold=4)


@pytest.mark.parametrize("text", ["F1@5", "P@10", "R@M", "AP@M", "nDCG@15", "redundancy@10", "acceptable@10", "junk@M"])
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
        ("nDCG@M", (1 + 1 / 2 + 1 / math.log2(6)) / (1 + 1 / math.log2(3) + 1 / 2 + 1 / math.log2(5))),
    ],
)
def test_values_worked_out_by_hand(measure, value):
    assert Measure.parse(measure).of(HITS) == pytest.approx(value)


@pytest.mark.parametrize("measure", ["P@5", "R@5", "F1@5", "AP@5", "nDCG@5", "AP@M", "nDCG@M"])
def test_where_nothing_is_to_be_found_nothing_is_right(measure):
    assert Measure.parse(measure).of(Judgement((False, False), offered=2, gold=0)) == 0
    assert Measure.parse(measure).of(Judgement((), offered=0, gold=0)) == 0


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


@pytest.mark.parametrize(
    ("phrases", "count"),
    [
        ([], 0),
        (["storm surge"], 0),
        (["storm surge", "surges"], 2),  # by stems
        (["storm surge", "Storm Surges"], 0),  # the same, not nested
        (["storm surge model", "storm model"], 0),  # not contiguous
        (["surge", "storm surge", "storm surge model", "tide"], 3),
        (["storm-surge model", "surge model"], 2),  # hyphens part words
        (["mode", "model train"], 0),  # whole words only
        (["deep learning", "learning rate", "learning"], 3),  # the first two contain the third
        (["deep learning", "learning rate"], 0),  # an overlap is no nesting
        (["", "tide"], 0),
    ],
)
def test_redundancy_worked_out_by_hand(phrases, count):
    assert redundant(phrases) == count


def test_redundancy_is_of_the_first_k_and_a_mean_over_documents():
    one = Judgement((), 4, 0, phrases=("tide", "moon", "sea", "tide gauge"))
    assert [Measure("redundancy", k).of(one) for k in (3, 4, None)] == [0, 2, 2]
    other = Judgement((), 1, 0, phrases=("moon",))
    for average in ("micro", "macro"):
        assert Measure("redundancy", 10).over([one, other, other], average) == pytest.approx(2 / 3)
    assert (Measure("redundancy", 10).scale, Measure("junk", 10).scale) == (1, 100)


def test_shares_of_the_phrases_shown():
    one = Judgement((True, False, False), 3, 5, (False, True, False))
    other = Judgement((False,), 1, 0, (True,))
    nothing = Judgement((), 0, 2, ())
    documents = [one, other, nothing]
    assert Measure("acceptable", 10).over(documents, "micro") == pytest.approx(1 / 4)
    assert Measure("junk", 10).over(documents, "micro") == pytest.approx(2 / 4)
    assert Measure("junk", 1).over(documents, "micro") == pytest.approx(1 / 2)
    assert Measure("junk", 10).of(nothing) == 0


def test_measures_of_a_kind_of_dataset():
    f1, junk, redundancy = map(Measure.parse, ("F1@5", "junk@10", "redundancy@10"))
    assert chosen([], [f1], judged=False) == (f1,)
    assert chosen([redundancy, junk, f1, f1], [f1], judged=False) == (redundancy, f1)
    assert chosen([redundancy, junk, f1], [junk], judged=True) == (redundancy, junk)
    with pytest.raises(OptionError, match=r"F1@5: judged datasets have the measures redundancy, acceptable, junk"):
        chosen([f1], [junk], judged=True)
    with pytest.raises(
        OptionError, match="acceptable@M, junk@10: datasets with gold keyphrases have the measures P, R,"
    ):
        chosen([Measure("acceptable", None), junk], [f1], judged=False)
