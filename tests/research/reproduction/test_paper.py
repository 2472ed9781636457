"""The paper's numbers as they were typed in: do they agree with each other as far as they do in print?"""

from __future__ import annotations

from statistics import fmean, pstdev

import pytest

from mderank.research.reports.summary import mean_ranks
from mderank.research.reproduction.claim_tests import MARGIN
from mderank.research.reproduction.config import SAMPLINGS
from mderank.research.reproduction.paper import KS, LONG, SETS, SHORT, data, printed, slips
from mderank.research.reproduction.tables import PARTS

SIX_SETS = [(table, row) for table in ("main", "theta", "masking", "similarity") for row in data()[table]]


@pytest.mark.parametrize(("table", "row"), SIX_SETS)
def test_every_average_is_that_of_its_row(table, row):
    for k in KS:
        numbers = printed(table, row, k)
        # Cells are rounded to 0.01, and so is their mean.
        assert numbers[6] == pytest.approx(fmean(numbers[:6]), abs=0.0051)


def test_all_rows_are_there_and_have_all_their_numbers():
    assert SETS == ("inspec", "semeval2017", "semeval2010", "duc2001", "krapivin", "nus")
    assert [len(data()[table]) for table in ("main", "theta", "masking", "similarity")] == [11, 2, 4, 4]
    assert {len(printed("main", row, k)) for row in data()["main"] for k in KS} == {9}
    assert set(data()["datasets"]) == set(SETS)
    assert {len(printed("phrase_length", row, each)) for row in data()["phrase_length"] for each in SETS} == {4}
    for table in ("document_length", "long_documents"):
        assert {len(numbers) for row in data()[table].values() for numbers in row.values()} == {3}


def ranks_in_order(columns):
    """Ranks where of two equal values the first is the better."""
    by_set = [[sum((-other, n) <= (-value, m) for n, other in enumerate(column)) for m, value in enumerate(column)]
              for column in columns]  # fmt: skip
    return [(fmean(ranks), pstdev(ranks)) for ranks in zip(*by_set, strict=True)]


@pytest.mark.parametrize("k", KS)
def test_ranks_follow_from_the_cells_if_of_equal_ones_the_first_is_better(k):
    rows = list(data()["main"])
    columns = [[printed("main", row, k)[place] for row in rows] for place in range(6)]
    for row, (mean, spread) in zip(rows, ranks_in_order(columns), strict=True):
        assert printed("main", row, k)[7:] == pytest.approx((mean, spread), abs=0.0051)


def test_the_note_has_every_rank_that_does_not_follow_where_ties_share_the_mean():
    rows = list(data()["main"])
    (note,) = [slip for slip in slips("main") if "AvgRank" in slip]
    differing = []
    for k in KS:
        columns = [[printed("main", row, k)[place] for row in rows] for place in range(6)]
        (part,) = [sentence for sentence in note.split(". ") if sentence.startswith(f"At {k}: ")]
        for row, (mean, _) in zip(rows, mean_ranks(columns), strict=True):
            paper = printed("main", row, k)[7]
            differs = abs(paper - mean) > 0.0051
            assert (f"{row} {paper:.2f}, not {mean:.2f}" in part) == differs, (row, k)
            differing += [(row, k)] if differs else []
    assert differing == [
        ("MDERank(BERT)", 5),
        ("MDERank(KPEBERT ab)", 5),
        ("MultipartiteRank", 10),
        ("YAKE", 10),
        ("MDERank(BERT)", 15),
        ("MDERank(KPEBERT ab)", 15),
    ]
    assert note.startswith("Six values")
    assert note.count(", not ") == len(differing)


def test_what_stands_in_several_tables_is_the_same():
    main = {row: {k: printed("main", row, k) for k in KS} for row in data()["main"]}
    for k in KS:
        assert printed("theta", "YAKE", k) == main["MDERank(KPEBERT ab)"][k][:7]
        assert printed("masking", "Mask All", k) == main["MDERank(BERT)"][k][:7]
        assert printed("similarity", "EmbedRank(Cos)", k) == main["EmbedRank(BERT)"][k][:7]
    for row in ("EmbedRank(BERT)", "MDERank(BERT)"):
        nus, duc, krapivin = (
            tuple(main[row][k][SETS.index(each)] for k in KS) for each in ("nus", "duc2001", "krapivin")
        )
        assert printed("document_length", row, 512) == nus == printed("long_documents", row, "nus-512")
        assert printed("long_documents", row, "krapivin-512") == krapivin
        assert printed("layers", row, "max", 12) == duc


def test_known_slips_are_kept_and_noted():
    main = {k: printed("main", "MDERank(BERT)", k) for k in KS}
    cosine = {k: printed("similarity", "MDERank(Cos)", k) for k in KS}
    differing = [(k, SETS[n]) for k in KS for n in range(6) if main[k][n] != cosine[k][n]]
    assert differing == [(5, "nus"), (10, "nus"), (15, "semeval2010"), (15, "nus")]
    assert main[10][6] - printed("main", "SIFRank(ELMo)", 10)[6] == pytest.approx(1.45)  # the introduction: 2.18
    assert main[5][6] - printed("main", "SIFRank(ELMo)", 5)[6] == pytest.approx(1.69)
    layers = data()["layers"]["MDERank(BERT)"]
    steps = [six - three for each in layers.values() for three, six in zip(each["3"], each["6"], strict=True)]
    assert [sum(step < 0 for step in steps), sum(step == 0 for step in steps)] == [3, 1]
    words = data()["document_length"]["MDERank(BERT)"]
    assert [b - a for a, b in zip(words["128"], words["256"], strict=True)] == pytest.approx([1.59, -0.05, -0.03])
    assert {part.alias for part in PARTS if slips(part.alias.replace("-", "_"))} == {
        "main", "document-length", "layers", "similarity",
    }  # fmt: skip


def test_what_is_said_in_the_text_follows_from_the_tables():
    one_word_last = printed("one_word_last", "MDERank(BERT)")
    inspec = [printed("main", "MDERank(BERT)", k)[0] for k in KS]
    assert [a - b for a, b in zip(one_word_last, inspec, strict=True)] == pytest.approx([3.54, 4.34, 3.29])
    gains = [printed("main", "MDERank(BERT)", k)[6] - printed("main", "EmbedRank(BERT)", k)[6] for k in KS]
    assert gains == pytest.approx([4.44, 3.58, 2.95])


def f1_at_15(row, *datasets):
    """The mean over datasets of a row of Table 3, as printed."""
    return fmean(printed("main", row, 15)[SETS.index(each)] for each in datasets or SETS)


def test_claims_are_those_of_the_printed_tables():
    ab, re, bert = "MDERank(KPEBERT ab)", "MDERank(KPEBERT re)", "MDERank(BERT)"
    sifrank, embedrank = "SIFRank(ELMo)", "EmbedRank(BERT)"
    assert printed("main", ab, 15)[6] - printed("main", sifrank, 15)[6] == pytest.approx(3.53)
    assert f1_at_15(ab, *LONG) - f1_at_15(sifrank, *LONG) > 3.53
    assert f1_at_15(sifrank, "duc2001") > f1_at_15(bert, "duc2001")
    assert f1_at_15(embedrank, "inspec") > f1_at_15(bert, "inspec")
    assert f1_at_15(re, "nus") > f1_at_15(ab, "nus")
    assert all(f1_at_15(ab, each) > f1_at_15(re, each) for each in ("inspec", "semeval2017"))
    assert f1_at_15("YAKE", *LONG) > f1_at_15("TextRank", *LONG)
    assert f1_at_15("YAKE", *SHORT) < f1_at_15("TextRank", *SHORT)
    assert f1_at_15("YAKE") < f1_at_15("TextRank")
    textrank, yake = (dict(zip(SETS, printed("theta", each, 15), strict=False)) for each in ("TextRank", "YAKE"))
    assert textrank["inspec"] > yake["inspec"]
    assert abs(textrank["semeval2017"] - yake["semeval2017"]) < MARGIN
    ranks = {row: printed("main", row, 15)[7] for row in data()["main"]}
    baselines = [rank for row, rank in ranks.items() if not row.startswith("MDERank")]
    assert ranks[ab] < ranks[bert] < min(baselines)
    every = printed("masking", "Mask All", 15)
    for other in ("Mask Once", "Mask Highest", "Mask Subset"):
        assert printed("masking", other, 15)[6] < every[6]
        assert all(printed("masking", other, 15)[SETS.index(each)] < every[SETS.index(each)] for each in LONG)
    pooled = data()["layers"]
    lost = {row: pooled[row]["mean"]["12"][2] - pooled[row]["max"]["12"][2] for row in (embedrank, bert)}
    assert lost[embedrank] > lost[bert] > 0


def test_where_the_printed_tables_are_beyond_the_margin_it_is_noted():
    gaps = [
        f1_at_15("SIFRank(ELMo)", "duc2001") - f1_at_15(f"MDERank(KPEBERT {each})", "duc2001") for each in SAMPLINGS
    ]
    assert gaps == pytest.approx([1.68, 1.54])
    assert any("1.68 (absolute sampling) and 1.54 (relative sampling)" in slip for slip in slips("main"))
    stable = data()["layers"]["EmbedRank(BERT)"]["max"]
    assert stable["12"][2] - stable["3"][2] == pytest.approx(1.31)
    assert any("gains 1.31 at 15" in slip for slip in slips("layers"))
    krapivin = SETS.index("krapivin")
    lower = [printed("main", "TextRank", k)[krapivin] - printed("main", "YAKE", k)[krapivin] for k in (10, 15)]
    assert lower == pytest.approx([0.08, 0.83])
    assert any("0.08 lower at 10 and 0.83 lower at 15" in slip for slip in slips("main"))
