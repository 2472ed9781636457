from __future__ import annotations

import pytest

from mderank.reproduction.claims import DIVERSITY, ONE_WORD_RECALL, WORDS, Claim, Contrast, examine
from mderank.reproduction.paper import SETS
from mderank.reproduction.results import Measured, Results
from mderank.reproduction.said import claims
from mderank.reproduction.tables import PARTS
from mderank.reproduction.wanted import Wanted

ONE, OTHER = Wanted("nus", "mderank"), Wanted("nus", "embedrank")


def found(contrast, first, second):
    (finding,) = examine([Claim("it is so", "table3", (contrast,))], Results({ONE: first, OTHER: second}, {}))
    return finding


@pytest.mark.parametrize(
    ("first", "second", "verdict"), [(30, 10, "holds"), (10, 30, "does not hold"), (11, 10, "undecided")]
)
def test_more(run, first, second, verdict):
    finding = found(Contrast("one − other", (ONE,), (OTHER,)), run(first, 60), run(second, 60))
    assert finding.verdict == verdict
    (tested,) = finding.tested
    assert tested.documents == 60
    assert tested.comparison.difference == pytest.approx((first - second) / 60)


@pytest.mark.parametrize(
    ("first", "second", "documents", "verdict"),
    [
        (100, 100, 200, "holds"),
        (101, 100, 2000, "holds"),  # 0.05 points apart
        (150, 50, 200, "does not hold"),
        (11, 10, 20, "undecided"),  # 5 points apart, but on few documents
    ],
)
def test_alike(run, first, second, documents, verdict):
    contrast = Contrast("one − other", (ONE,), (OTHER,), alike=True)
    finding = found(contrast, run(first, documents), run(second, documents))
    assert finding.verdict == verdict
    assert finding.tested[0].p is None


def test_what_was_not_run(run):
    contrast = Contrast("one − other", (ONE,), (OTHER,))
    missing = Contrast("one − nothing", (ONE,), ())
    results = Results({ONE: run(30, 60), OTHER: run(10, 60)}, {})
    neither, partly = examine([Claim("a", "t", (missing,)), Claim("b", "t", (contrast, missing))], results)
    assert neither.verdict == "not run"
    # One half holds, the other is unknown.
    assert [each.verdict for each in partly.tested] == ["holds", "not run"]
    assert partly.verdict == "undecided"
    refuted = Contrast("other − one", (OTHER,), (ONE,))
    (wrong,) = examine([Claim("c", "t", (refuted, missing))], results)
    assert wrong.verdict == "does not hold"


def test_p_values_are_corrected_over_all_claims(run):
    results = Results({ONE: run(18, 60), OTHER: run(10, 60)}, {})
    contrast = Contrast("one − other", (ONE,), (OTHER,))
    (alone,) = examine([Claim("a", "t", (contrast,))], results)
    again = Contrast("the same, said twice", (ONE,), (OTHER,))
    one, other = examine([Claim("a", "t", (contrast,)), Claim("b", "t", (again,))], results)
    assert one.tested[0].p == pytest.approx(2 * alone.tested[0].p)
    assert other.tested[0].p == one.tested[0].p


def test_only_shared_documents_count(run):
    finding = found(Contrast("one − other", (ONE,), (OTHER,)), run(60, 100), run(10, 20, of=100))
    assert finding.tested[0].documents == 20


def test_several_sets_weigh_the_same(run):
    wanted = [(Wanted(name, "mderank"), Wanted(name, "embedrank")) for name in ("nus", "inspec")]
    first, second = zip(*wanted, strict=True)
    runs = {first[0]: run(10, 10), second[0]: run(5, 10), first[1]: run(10, 100), second[1]: run(10, 100)}
    (finding,) = examine([Claim("a", "t", (Contrast("x", first, second),))], Results(runs, {}))
    assert finding.tested[0].comparison.difference == pytest.approx(0.25)  # (50 + 0) / 2 points, not 5 of 110


def test_phrase_lengths_recall_and_diversity(outcome):
    long = outcome(["storm surge model", "tide gauge"], ["sea", "tides", "tide gauge"])
    short = outcome(["tide", "tide gauge"], ["sea", "tides", "tide gauge"])

    def difference(quantity):
        finding = found(Contrast("x", (ONE,), (OTHER,), quantity), Measured((long,), 1), Measured((short,), 1))
        return finding.tested[0].comparison.difference

    assert difference(WORDS) == pytest.approx(2.5 - 1.5)
    assert difference(ONE_WORD_RECALL) == pytest.approx(0.0 - 0.5)
    assert difference(DIVERSITY) == pytest.approx(1 - 2 / 3)


def test_moving_one_word_candidates_is_compared_with_leaving_them(setup, outcome):
    gold = ["deep net"]
    outcomes = tuple(outcome([*(f"word{n}" for n in range(15)), "deep net"], gold, str(number)) for number in range(30))
    results = Results({setup.mderank("inspec", "one pass"): Measured(outcomes, 30)}, {})
    (finding,) = [each for each in examine(claims(setup, "one pass"), results) if "one word" in each.claim.says]
    assert finding.verdict == "holds"


@pytest.mark.parametrize("form", ["exact", "one pass"])
def test_claims_rest_on_runs_of_the_tables(full, setup, form):
    names = {part.name for part in PARTS}
    for made in (full, setup):
        needed = {wanted for part in PARTS for wanted in part.needs(made)}
        for claim in claims(made, form):
            assert claim.part in names
            for contrast in claim.contrasts:
                assert {*contrast.first, *contrast.second} <= needed, contrast.says
    # With everything at hand there is something to compare everywhere.
    assert all(each.first and each.second for claim in claims(full, form) for each in claim.contrasts)
    assert len({claim.says for claim in claims(full, form)}) == len(claims(full, form))


def test_a_planted_result_is_what_the_paper_says(setup, run):
    runs = {}
    for each in SETS:
        runs[setup.embedrank(each)] = run(10, 60)
        runs[setup.sifrank(each)] = run(12, 60)
        runs[setup.mderank(each, "one pass")] = run(40, 60)
        runs[setup.mderank(each, "exact")] = run(40, 60)
    verdicts = {each.claim.says: each.verdict for each in examine(claims(setup, "one pass"), Results(runs, {}))}
    assert verdicts["MDERank is ahead of EmbedRank on average"] == "holds"
    assert verdicts["MDERank is ahead of EmbedRank on long documents"] == "holds"
    assert verdicts["MDERank is ahead of SIFRank on average"] == "holds"
    assert verdicts["One pass is as good as the exact form on average, at 15 phrases"] == "holds"
    assert verdicts["KPEBERT is ahead of BERT"] == "not run"


def test_no_difference_at_all_is_undecided(run):
    assert found(Contrast("x", (ONE,), (OTHER,)), run(10), run(10)).verdict == "undecided"
