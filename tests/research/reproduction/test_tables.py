"""Cells, worked out by hand from planted runs."""

from __future__ import annotations

import pytest

from mderank.research.datasets import Dataset, LabelledDocument
from mderank.research.reproduction.cells import Listing, Measured, Results
from mderank.research.reproduction.paper import SETS, printed
from mderank.research.reproduction.tables import PARTS, choose_parts


def cells(grid, name, here=None, block=0):
    """The cells of a row: pairs of the paper's number and ours."""
    rows = [row for row in grid.blocks[block].rows if row.name == name and (here is None or here in row.measured_with)]
    assert len(rows) == 1, [(row.name, row.measured_with) for row in grid.blocks[block].rows]
    return [(cell.paper, None if cell.ours is None else round(cell.ours.number, 2)) for cell in rows[0].cells]


def measured(part, config, runs, datasets=None):
    (chosen,) = choose_parts([part])
    return chosen.measure(config, Results(runs, datasets or {}))


@pytest.mark.slow
def test_without_runs_all_cells_have_the_papers_number_only(full, config):
    for made in (full, config):
        for part in PARTS:
            for table in part.measure(made, Results({}, {})):
                if isinstance(table, Listing):
                    assert all(len(row.paper) == 5 and row.ours == () for row in table.rows)
                else:
                    assert table.columns
                    assert all(len(row.cells) == len(table.columns) for row in table.rows)
                    assert all(
                        cell.ours is None and cell.difference is None for row in table.rows for cell in row.cells
                    )
            part.draw(part.measure(made, Results({}, {})))  # nothing to draw is no error


@pytest.mark.slow
def test_every_number_of_the_paper_is_in_a_cell(full):
    shown = {}
    for part in PARTS:
        tables = part.measure(full, Results({}, {}))
        shown[part.alias] = [cell.paper for table in tables if not isinstance(table, Listing) for row in table.rows
                             for cell in row.cells if cell.paper is not None]  # fmt: skip
    # Rows of MDERank are there in two forms; everything else once.
    assert len(shown["datasets"]) == 18
    assert len(shown["main"]) == 3 * 9 * (8 + 2 * 3) + 2 * 3
    assert len(shown["phrase-length"]) == 6 * 4 * 3
    assert len(shown["document-length"]) == 3 * 3 * 3
    assert len(shown["layers"]) == 6 * 3 * 3 + 3 * 2
    assert len(shown["long-documents"]) == 3 * (2 + 4 + 2 * 2 + 4) + 3
    assert len(shown["theta"]) == 3 * 7 * 2 * 2
    assert len(shown["masking"]) == 3 * 7 * 4 * 2
    assert len(shown["similarity"]) == 3 * 7 * (2 + 4)
    assert shown["diversity"] == []


def test_needs(config, full):
    counts = {part.alias: len(part.needs(full)) for part in PARTS}
    # Six sets: five graph methods, Sent2Vec, SIFRank, EmbedRank, and MDERank with three encoders in two forms.
    assert counts["main"] == 6 * (5 + 3 + 3 * 2)
    assert counts["masking"] == 6 * 4 * 2
    assert counts["datasets"] == 0
    for part in PARTS:
        needs = part.needs(config)
        assert len(set(needs)) == len(needs)
    # What tables share is asked for in the same words.
    (main, similarity) = choose_parts(["main", "similarity"])
    assert len(set(main.needs(config)) & set(similarity.needs(config))) == 6 * 3


def test_rows_that_cannot_be_run_say_what_they_would_take(config, full):
    missing = [(part.alias, *row) for part in PARTS for row in part.missing(config)]
    assert ("main", "MDERank(KPEBERT ab)", "give a trained encoder (--kpe ab=DIR)") in missing
    assert ("long-documents", "MDERank(BigBird)", "give an encoder for long texts (--long-encoder)") in missing
    assert len(missing) == 7
    assert [row for part in PARTS for row in part.missing(full)] == []


def test_main_cells_and_averages(config, run):
    # A document that is all right has 5 of 15 at 5: P = 1, R = 1/3; micro F1 over 20 documents, r of them right, is
    # 2 · 5r / (100 + 300).
    runs = {config.embedrank(each): run(8) for each in SETS}
    grid, _ = measured("main", config, runs)
    row = cells(grid, "EmbedRank(BERT)")
    assert row[0] == (28.92, 20.0)
    assert row[6] == (12.56, 20.0)
    assert grid.blocks[0].rows[7].cells[0].difference == pytest.approx(-8.92)
    # At 15 all are found: F1 is the share of right documents.
    assert cells(grid, "EmbedRank(BERT)", block=2)[0] == (39.77, 40.0)
    assert cells(grid, "TextRank")[0] == (21.58, None)


def test_an_average_without_one_of_its_sets_is_none(config, run):
    runs = {config.embedrank(each): run(8) for each in SETS[:5]}
    grid, _ = measured("main", config, runs)
    row = cells(grid, "EmbedRank(BERT)")
    assert [ours for _, ours in row] == [20.0] * 5 + [None] * 4


def test_ranks_are_among_the_rows_that_were_run_and_in_one_form(config, run):
    runs = {}
    for each in SETS:
        runs[config.baseline(each, "textrank")] = run(4)
        runs[config.embedrank(each)] = run(8)
        runs[config.mderank(each, "exact")] = run(10)
        runs[config.mderank(each, "one pass")] = run(6)
    grid, _ = measured("main", config, runs)
    ranks = {(row.name, row.measured_with): row.cells[7].ours for row in grid.blocks[0].rows if row.cells[7].ours}
    assert {name: value.number for name, value in ranks.items()} == {
        ("TextRank", "as in its own paper"): 3.0,
        ("EmbedRank(BERT)", "minilm-l6"): 1.0,  # beside one pass
        ("MDERank(BERT)", "minilm-l6, exact"): 1.0,
        ("MDERank(BERT)", "minilm-l6, one pass"): 2.0,
    }
    assert cells(grid, "TextRank")[7:] == [(9.33, 3.0), (1.6, 0.0)]


def test_ranks_are_on_the_documents_that_all_have(config, run):
    runs = {}
    for each in SETS:
        # On all 20 documents EmbedRank has 30 % right; on the first 4, which is all that the exact run has, 100 %.
        runs[config.embedrank(each)] = run(6, 20)
        runs[config.mderank(each, "exact")] = run(3, 4, of=20)
    grid, _ = measured("main", config, runs)
    assert cells(grid, "MDERank(BERT)", "exact")[7] == (3.33, 2.0)
    assert cells(grid, "MDERank(BERT)", "exact", block=2)[0] == (36.17, 75.0)
    assert grid.blocks[0].rows[8].cells[0].ours.partial


def test_one_word_candidates_last(config, outcome):
    gold = ["deep net", "storm surge"]
    found = outcome(["tide", "sea", "wind", "water", "ship", "deep net", "storm surge"], gold)
    runs = {config.mderank("inspec", "one pass"): Measured((found,), 1)}
    main, moved = measured("main", config, runs)
    assert cells(main, "MDERank(BERT)", "one pass")[0][1] == 0.0
    # Both right among the first five: 2 · 2 / (5 + 2).
    assert cells(moved, "MDERank(BERT)", "one pass")[0] == (29.71, 57.14)


def test_recall_by_phrase_length(config, outcome):
    found = outcome(["tides", "storm surge"], ["tide", "sea", "storm surges", "a b c d"])
    (grid,) = measured("phrase-length", config, {config.embedrank("nus"): Measured((found,), 1)})
    nus = SETS.index("nus")
    assert cells(grid, "EmbedRank(BERT)", block=nus) == [(5.12, 50.0), (9.53, 100.0), (16.17, 0.0), (2.84, 0.0)]


def test_layers_are_those_that_stand_for_the_papers(config, run):
    runs = {
        config.embedrank("duc2001", layer=2): run(8),
        config.embedrank("duc2001", pooling="max"): run(4),
    }
    grid, _ = measured("layers", config, runs)
    assert [block.name for block in grid.blocks][:2] == ["AvgPooling, layer 3 of 12", "AvgPooling, layer 6 of 12"]
    assert grid.blocks[0].rows[0].measured_with == "minilm-l6, layer 2 of 6"
    assert cells(grid, "EmbedRank(BERT)", block=0) == [(16.19, 20.0), (21.21, 32.0), (22.12, 40.0)]
    assert cells(grid, "EmbedRank(BERT)", block=5)[2] == (13.58, 20.0)


def test_the_lowest_layer_beside_mderank(config, run):
    runs = {config.embedrank(each, layer=2): run(8) for each in SETS}
    runs |= {config.mderank(each, "one pass"): run(10) for each in SETS}
    _, grid = measured("layers", config, runs)
    row = cells(grid, "EmbedRank(BERT), AvgPooling, layer 3", block=2)
    assert row[0] == (None, 40.0)
    assert row[-2:] == [(-1.6, None), (-1.6, -10.0)]


def test_longer_documents(full, config, run):
    (part,) = choose_parts(["long-documents"])
    commands = {spec.command() for spec in part.needs(full)}
    # BigBird sees 2000 words at once, the usual encoder reads them in windows.
    big = "mderank evaluate --dataset nus --method mderank --model bigbird --exact --max-words 2000 --max-tokens 4096"
    assert big in commands
    assert "mderank evaluate --dataset nus --method mderank --model bigbird --exact" in commands
    windows = "--max-words 1000000 --max-tokens 1000000"
    assert f"mderank evaluate --dataset nus --method mderank --model bert-base-uncased {windows}" in commands
    assert not any("1000000" in each and "--exact" in each for each in commands)
    spec = config.mderank("nus", "one pass", max_words=2000, max_tokens=1_000_000)
    grid, _ = part.measure(config, Results({spec: run(8)}, {}))
    assert cells(grid, "MDERank(BERT)", "one pass")[:3] == [(15.24, None), (None, 20.0), (None, None)]


def test_counts_of_the_sets():
    document = LabelledDocument("1", "", "one two three four", ("two", "three four", "five"))
    datasets = {"nus": Dataset("nus", None, (document,), "")}
    (grid,) = measured("datasets", None, {}, datasets)
    assert cells(grid, "NUS") == [(11.66, 3.0), (2.07, 1.33), (7702.0, 4.0)]
    assert cells(grid, "Inspec")[0] == (9.82, None)


def test_coverage(config):
    text = "tide " + "x " * 600 + "storm surge"
    documents = (LabelledDocument("1", "", text, ("tides", "storm surges")), LabelledDocument("2", "", "a", ("a",)))
    _, grid = measured("long-documents", config, {}, {"nus": Dataset("nus", None, documents, "")})
    shares = cells(grid, "NUS")
    # Half of the first document's, and all of the second's; from 1000 words on all.
    assert [ours for _, ours in shares] == [75.0, 75.0, 75.0, *[100.0] * 5]
    assert [paper for paper, _ in shares] == [None, None, None, None, 50.0, None, None, None]


def test_diversity_and_that_of_gold(config, outcome):
    found = outcome(["storm surge", "storm"], ["sea", "tide"])
    (grid,) = measured("diversity", config, {config.embedrank("nus"): Measured((found,), 1)})
    nus = SETS.index("nus")
    assert cells(grid, "EmbedRank(BERT)")[nus] == (None, 66.67)
    assert cells(grid, "gold keyphrases")[nus] == (None, 100.0)


def test_the_example(config, outcome):
    (part,) = choose_parts(["case"])
    predictions = ["Interestingness", "Bayesian network", "a", "b", "c", "d"]
    found = outcome(predictions, ["bayesian networks", "frequent itemset"], "117")
    (listing,) = part.measure(
        config, Results({config.mderank("nus", "exact", document="117"): Measured((found,), 1)}, {})
    )
    sifrank, exact, one_pass = listing.rows
    assert exact.ours == (
        ("interestingness", False),
        ("bayesian network", True),
        ("a", False),
        ("b", False),
        ("c", False),
    )
    assert [phrase for phrase, right in exact.paper if right] == ["interestingness", "frequent itemsets"]
    assert (sifrank.ours, one_pass.ours) == ((), ())


def test_every_row_of_the_main_table_is_drawn(config, run):
    (part,) = choose_parts(["main"])
    tables = part.measure(config, Results({config.embedrank(each): run(8) for each in SETS}, {}))
    plots = part.draw(tables)
    assert [plot.caption for plot in plots] == [*tables[0].columns[:7]]
    assert plots[0].svg.count("<title>") == 12
    paper = printed("main", "EmbedRank(BERT)", 10)[0]
    assert f"EmbedRank(BERT): {paper:.2f} → 32.00" in plots[0].svg
