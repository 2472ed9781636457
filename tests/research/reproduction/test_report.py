from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess

import pytest
from tests.helpers import HtmlPage

from mderank.research.reproduction.cells import Results
from mderank.research.reproduction.config import EncoderInfo, Limits, ReproductionConfig
from mderank.research.reproduction.page import reproduction_page
from mderank.research.reproduction.paper import SETS, printed
from mderank.research.reproduction.report import RunRecord, build_report
from mderank.research.reproduction.tables import PARTS, choose_parts
from mderank.research.reproduction.writers import as_csv, as_latex, as_markdown, claims_as_csv


@pytest.fixture
def report(config, run):
    """The main table with two rows, one of them on some of the documents only."""
    runs = {config.embedrank(each): run(8) for each in SETS}
    runs |= {config.mderank(each, "exact"): run(3, 10, of=20) for each in SETS}
    done = [RunRecord(spec.command(), 20, 20, 0.5) for spec in runs]
    return build_report(config, choose_parts(["main", "case"]), Results(runs, {}), done, ["a <note> & more"])


def test_markdown_has_three_numbers_in_a_cell_and_nothing_for_what_was_not_run(report):
    text = as_markdown(report)
    (row,) = [line for line in text.splitlines() if line.startswith("| EmbedRank(BERT) | minilm")][:1]
    assert "28.92 → 20.00 (−8.92)" in row
    (row,) = [line for line in text.splitlines() if line.startswith("| TextRank")][:1]
    assert [cell.strip() for cell in row.split("|")[3:5]] == ["21.58 →", "16.43 →"]
    exact = next(line for line in text.splitlines() if line.startswith("| MDERank(BERT) | minilm-l6, exact | 26.17"))
    assert r"26.17 → 15.00\* (−11.17)" in exact
    assert "| MDERank is ahead of EmbedRank on average | Table 3 |" in text
    assert "Table 3 it is 21.99 - 20.54 = 1.45" in text
    assert "mderank evaluate --dataset nus --method embedrank" in text
    assert "| BERT | minilm-l6 (6 layers, mean pooling)" in text


def test_csv_has_a_row_a_cell(report):
    rows = list(csv.DictReader(io.StringIO(as_csv(report))))
    found = {
        (row["block"], row["row"], row["measured_with"], row["column"]): row for row in rows if row["table"] == "table3"
    }
    cell = found["F1@5", "EmbedRank(BERT)", "minilm-l6", "Inspec"]
    assert (cell["paper"], cell["ours"], cell["difference"], cell["documents"], cell["of"]) == (
        "28.92", "20.00", "-8.92", "20", "20",
    )  # fmt: skip
    empty = found["F1@5", "TextRank", "as in its own paper", "AVG"]
    assert (empty["paper"], empty["ours"], empty["difference"], empty["documents"]) == ("10.72", "", "", "")
    assert found["F1@15", "MDERank(BERT)", "minilm-l6, exact", "NUS"]["documents"] == "10"
    listed = [row for row in rows if row["table"] == "table1" and row["row"] == "SIFRank(ELMo)"]
    assert [row["column"] for row in listed] == ["1", "2", "3", "4", "5"]
    assert listed[0]["paper"] == "notation database attributes"


def test_claims_as_csv(report):
    rows = list(csv.DictReader(io.StringIO(claims_as_csv(report))))
    (row,) = [row for row in rows if row["contrast"] == "MDERank − EmbedRank, six datasets" and row["mode"] == "exact"]
    # On the ten documents that both have: 3 right against 8.
    assert (row["difference"], row["documents"], row["verdict"]) == ("-50.00", "60", "does not hold")
    (row,) = [row for row in rows if row["contrast"] == "KPEBERT ab − BERT, six datasets" and row["mode"] == "exact"]
    assert (row["difference"], row["p_holm"], row["verdict"]) == ("", "", "not run")


@pytest.mark.slow
def test_new_claims_and_reasons_are_in_all_formats(full, run):
    runs = {full.sifrank("duc2001"): run(50, 60), full.mderank("duc2001", "exact"): run(10, 60)}
    runs |= {
        full.mderank(each, "exact", encoder=full.kpe[sampling]): run(10, 60)
        for each in SETS
        for sampling in ("ab", "re")
    }
    report = build_report(full, choose_parts(["main"]), Results(runs, {}))
    says, why = "SIFRank is ahead of MDERank(BERT) on DUC2001", "the same predictions for every document"
    text = as_markdown(report)
    assert f"| {says} | Table 3 | holds | not run |" in text
    assert f"- **holds**: {says} (Table 3)." in text
    assert "  - SIFRank − MDERank, DUC2001: F1@15 +66.67 (" in text
    assert re.search(rf"KPEBERT ab − KPEBERT re, six datasets: .*: undecided \(.*{why}.*\)", text)
    assert (
        f'<th scope="row">{says}<span class="here">Table 3</span></th><td><span class="verdict yes">'
        in reproduction_page(report)
    )
    rows = [row for row in csv.DictReader(io.StringIO(claims_as_csv(report))) if row["mode"] == "exact"]
    (row,) = [row for row in rows if row["claim"] == says]
    assert (row["table"], row["verdict"], row["documents"], row["reason"]) == ("table3", "holds", "60", "")
    (row,) = [row for row in rows if row["claim"] == "Absolute and relative sampling are comparable"]
    assert (row["verdict"], row["low"], row["high"]) == ("undecided", "0.00", "0.00")
    ranks = [row for row in rows if row["claim"].startswith("MDERank(KPEBERT) has the best average rank")]
    assert {row["quantity"] for row in ranks} == {"places in AvgRank by F1@15"}
    for written in (text, reproduction_page(report), claims_as_csv(report), as_latex(report)):
        assert why in written
        assert "Mask Subset" not in written  # of a table that was not chosen


def test_every_rank_that_differs_from_print_is_in_the_note_of_every_format(config):
    report = build_report(config, choose_parts(["main"]), Results({}, {}))
    for written in (as_markdown(report), reproduction_page(report), as_latex(report)):
        for each in ("MDERank(BERT) 3.33, not 3.42", "MDERank(KPEBERT ab) 2.67, not 2.58",
                     "MultipartiteRank 7.17, not 7.25", "YAKE 9.17, not 9.08", "MDERank(BERT) 4.00, not 4.08",
                     "MDERank(KPEBERT ab) 2.00, not 1.92"):  # fmt: skip
            assert each in written


def test_latex_is_balanced_and_has_three_lines_a_row(report):
    text = as_latex(report)
    assert text.count(r"\begin{table*}") == text.count(r"\end{table*}") == 5  # table 1, three blocks, Inspec
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")
    lines = text.splitlines()
    place = next(n for n, line in enumerate(lines) if line.startswith("EmbedRank(BERT) & 28.92"))
    assert lines[place + 1].startswith("~~minilm-l6 & 20.00")
    assert lines[place + 2].startswith("~~difference & $-$8.92")
    assert "→" not in text.replace("%", "")
    assert all(line.startswith("%") or "−" not in line for line in lines)


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex with booktabs and adjustbox")
def test_latex_compiles_and_no_table_is_wider_than_the_page(report, tmp_path):
    document = rf"\documentclass{{article}}\usepackage{{booktabs, adjustbox}}\begin{{document}}{as_latex(report)}"
    (tmp_path / "all.tex").write_text(document + r"\end{document}", encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "all.tex"]
    done = subprocess.run(command, check=False, cwd=tmp_path, capture_output=True, text=True, errors="replace")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull \\hbox" not in done.stdout
    assert (tmp_path / "all.pdf").is_file()


def test_the_page_is_whole_needs_nothing_else_and_escapes(report):
    text = reproduction_page(report)
    reader = HtmlPage(text)
    assert len(set(reader.ids)) == len(reader.ids)
    assert {link.removeprefix("#") for link in reader.links} <= set(reader.ids)
    assert all(link.startswith("#") for link in reader.links)
    assert reader.fetched == []
    assert "script" not in reader.tags
    assert not re.search(r"url\(|@import|https?://", text)
    assert "default-src 'none'" in text
    assert "a &lt;note&gt; &amp; more" in text
    ours = '<span class="o" title="20 of 20 documents">20.00</span>'
    assert f'<span class="p">28.92</span>{ours}<span class="down">−8.92</span>' in text
    assert '<span class="p">21.58</span><span class="o"></span><span class="same"></span>' in text
    assert '<span class="verdict no">does not hold</span>' in text
    # AvgRank: more is not better, and has no colour.
    assert re.search(
        r'<span class="p">6.83</span><span class="o"[^>]*>1.00</span><span class="same">−5.83</span>', text
    )


@pytest.mark.slow
def test_the_same_results_give_the_same_bytes(config, run):
    runs = {config.embedrank(each): run(8) for each in SETS}
    runs |= {config.mderank(each, "one pass"): run(3) for each in SETS}

    def written():
        report = build_report(config, PARTS, Results(runs, {}))
        return [write(report) for write in (as_markdown, as_csv, as_latex, reproduction_page, claims_as_csv)]

    assert written() == written()


def test_everything_can_be_written_without_any_run(full):
    report = build_report(full, PARTS, Results({}, {}))
    assert all(finding.verdict == "not run" for findings in report.findings.values() for finding in findings)
    paper = printed("masking", "Mask Once", 5)[0]
    for write in (as_markdown, as_csv, as_latex, reproduction_page):
        assert f"{paper:.2f}" in write(report)
    claims_as_csv(report)


def test_only_claims_of_the_chosen_tables_are_tested(config):
    report = build_report(config, choose_parts(["table5"]), Results({}, {}))
    assert {finding.claim.part for findings in report.findings.values() for finding in findings} == {"table5"}
    assert "What the paper says" not in as_markdown(build_report(config, choose_parts(["table2"]), Results({}, {})))


def test_what_stands_for_what_is_said(full):
    said = dict(build_report(full, (), Results({}, {})).substitutions)
    assert said["BigBird"] == "bigbird (12 layers, max pooling, cannot do one pass)"
    assert said["KPEBERT with θ = yake"].startswith("ab (12")
    limited = ReproductionConfig(
        EncoderInfo("mpnet", 12, False, "mean"), limit=Limits(15, {"inspec": 100}), exact_limit=Limits(3)
    )
    said = dict(build_report(limited, (), Results({}, {})).substitutions)
    assert said["BERT"].endswith("mode: exact")
    assert said["the six datasets"] == (
        "the first 15 documents of each dataset, 100 of inspec; in exact mode the first 3 documents of each dataset"
    )
