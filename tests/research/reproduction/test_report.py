from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from html.parser import HTMLParser

import pytest

from mderank.research.reproduction.config import Limits, Model, Setup
from mderank.research.reproduction.paper import SETS, printed
from mderank.research.reproduction.plan import Job, Plan, make_plan
from mderank.research.reproduction.report import as_csv, as_latex, as_markdown, build, claims_as_csv, page
from mderank.research.reproduction.report.build import Done
from mderank.research.reproduction.results import Results
from mderank.research.reproduction.shelf import Kept
from mderank.research.reproduction.tables import PARTS, choose


@pytest.fixture
def report(setup, run):
    """The main table with two rows, one of them on some of the documents only."""
    runs = {setup.embedrank(each): run(8) for each in SETS}
    runs |= {setup.mderank(each, "exact"): run(3, 10, of=20) for each in SETS}
    done = [Done(wanted.command(), 20, 20, 0.5) for wanted in runs]
    return build(setup, choose(["main", "case"]), Results(runs, {}), done, ["a <note> & more"])


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
    found = {(row["block"], row["row"], row["here"], row["column"]): row for row in rows if row["table"] == "table3"}
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
    (row,) = [row for row in rows if row["contrast"] == "MDERank − EmbedRank, six datasets" and row["form"] == "exact"]
    # On the ten documents that both have: 3 right against 8.
    assert (row["difference"], row["documents"], row["verdict"]) == ("-50.00", "60", "does not hold")
    (row,) = [row for row in rows if row["contrast"] == "KPEBERT ab − BERT, six datasets" and row["form"] == "exact"]
    assert (row["difference"], row["p_holm"], row["verdict"]) == ("", "", "not run")


def test_new_claims_and_reasons_are_in_all_formats(full, run):
    runs = {full.sifrank("duc2001"): run(50, 60), full.mderank("duc2001", "exact"): run(10, 60)}
    runs |= {
        full.mderank(each, "exact", model=full.kpe[sampling]): run(10, 60) for each in SETS for sampling in ("ab", "re")
    }
    report = build(full, choose(["main"]), Results(runs, {}))
    says, why = "SIFRank is ahead of MDERank(BERT) on DUC2001", "the same predictions for every document"
    text = as_markdown(report)
    assert f"| {says} | Table 3 | holds | not run |" in text
    assert f"- **holds**: {says} (Table 3)." in text
    assert "  - SIFRank − MDERank, DUC2001: F1@15 +66.67 (" in text
    assert re.search(rf"KPEBERT ab − KPEBERT re, six datasets: .*: undecided \(.*{why}.*\)", text)
    assert f'<th scope="row">{says}<span class="here">Table 3</span></th><td><span class="verdict yes">' in page(report)
    rows = [row for row in csv.DictReader(io.StringIO(claims_as_csv(report))) if row["form"] == "exact"]
    (row,) = [row for row in rows if row["claim"] == says]
    assert (row["table"], row["verdict"], row["documents"], row["reason"]) == ("table3", "holds", "60", "")
    (row,) = [row for row in rows if row["claim"] == "Absolute and relative sampling are comparable"]
    assert (row["verdict"], row["low"], row["high"]) == ("undecided", "0.00", "0.00")
    ranks = [row for row in rows if row["claim"].startswith("MDERank(KPEBERT) has the best average rank")]
    assert {row["quantity"] for row in ranks} == {"places in AvgRank by F1@15"}
    for written in (text, page(report), claims_as_csv(report), as_latex(report)):
        assert why in written
        assert "Mask Subset" not in written  # of a table that was not chosen


def test_every_rank_that_differs_from_print_is_in_the_note_of_every_format(setup):
    report = build(setup, choose(["main"]), Results({}, {}))
    for written in (as_markdown(report), page(report), as_latex(report)):
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


class Reader(HTMLParser):
    """What is in a page: open tags, ids, links, and whatever it would fetch."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.fetched, self.tags = [], [], [], [], set()

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.tags.add(tag)
        self.ids += [values["id"]] if "id" in values else []
        self.links += [values["href"]] if "href" in values else []
        self.fetched += [values[name] for name in ("src", "srcset", "data", "action") if name in values]
        if tag != "meta":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


def test_the_page_is_whole_needs_nothing_else_and_escapes(report):
    text = page(report)
    reader = Reader()
    reader.feed(text)
    assert reader.open == []
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


def test_the_same_results_give_the_same_bytes(setup, run):
    runs = {setup.embedrank(each): run(8) for each in SETS}
    runs |= {setup.mderank(each, "one pass"): run(3) for each in SETS}

    def written():
        report = build(setup, PARTS, Results(runs, {}))
        return [write(report) for write in (as_markdown, as_csv, as_latex, page, claims_as_csv)]

    assert written() == written()


def test_everything_can_be_written_without_any_run(full):
    report = build(full, PARTS, Results({}, {}))
    assert all(finding.verdict == "not run" for findings in report.findings.values() for finding in findings)
    paper = printed("masking", "Mask Once", 5)[0]
    for write in (as_markdown, as_csv, as_latex, page):
        assert f"{paper:.2f}" in write(report)
    claims_as_csv(report)


def test_only_claims_of_the_chosen_tables_are_tested(setup):
    report = build(setup, choose(["table5"]), Results({}, {}))
    assert {finding.claim.part for findings in report.findings.values() for finding in findings} == {"table5"}
    assert "What the paper says" not in as_markdown(build(setup, choose(["table2"]), Results({}, {})))


def test_what_stands_for_what_is_said(full):
    said = dict(build(full, (), Results({}, {})).stands_for)
    assert said["BigBird"] == "bigbird (12 layers, max pooling, cannot do one pass)"
    assert said["KPEBERT with θ = yake"].startswith("ab (12")
    limited = Setup(Model("mpnet", 12, False, "mean"), limit=Limits(15, {"inspec": 100}), exact_limit=Limits(3))
    said = dict(build(limited, (), Results({}, {})).stands_for)
    assert said["BERT"].endswith("form: exact")
    assert said["the six sets"] == (
        "the first 15 documents of each set, 100 of inspec; in the exact form the first 3 documents of each set"
    )


def test_a_plan_counts_every_run_once_and_does_the_quick_ones_first(setup, tmp_path):
    parts = choose(["table5", "table10"])
    needed = dict.fromkeys(wanted for part in parts for wanted in part.needs(setup))
    kept = Kept(tmp_path, {}, 100, 1.0)
    jobs = {wanted: Job(wanted, 20, 20, seconds=60.0) for wanted in needed}
    there, broken = setup.embedrank("nus"), setup.embedrank("inspec")
    jobs[there] = Job(there, 20, 20, kept)
    jobs[broken] = Job(broken, problem="the set inspec is not there")
    plan = Plan(setup, parts, jobs)
    # 9 for table 5 and 36 for table 10, which share three.
    assert len(jobs) == 42
    to_do = plan.to_do()
    assert len(to_do) == 40
    assert [job.wanted.exact for job in to_do] == sorted(job.wanted.exact for job in to_do)
    lines = list(plan.lines(commands=True))
    assert lines[0] == "table5   Document length  9 runs, 1 there, 8 to do, about 8 min 0 s"
    assert (
        lines[1] == "table10  Similarity       36 runs, 1 there, 32 to do (2 more for tables above), about 32 min 0 s"
    )
    assert "cannot be run (1): the set inspec is not there" in lines
    assert lines[-1] == "42 runs: 1 are there, 40 to do; about 40 min 0 s"
    assert sum("mderank evaluate" in line for line in lines) == 40
    done = Plan(setup, parts, {wanted: Job(wanted, 20, 20, kept) for wanted in needed})
    assert list(done.lines())[-1] == "42 runs: 42 are there, 0 to do; nothing to run"


def test_what_exact_runs_have_in_common_is_counted_once(setup):
    (part,) = choose(["masking"])
    plan = make_plan(setup, [part], (Job(wanted, 20, 20, seconds=60.0) for wanted in part.needs(setup)))
    times = {
        (job.wanted.option("--masking"), job.wanted.exact): job.seconds
        for job in plan.to_do()
        if job.wanted.dataset == "nus"
    }
    assert times[None, True] == 60.0
    assert times["subset", True] < times[None, True]
    assert times["subset", False] == times[None, False] == 60.0  # one pass shares nothing
    similarity = choose(["similarity"])[0].needs(setup)
    jobs = make_plan(setup, [], (Job(wanted, 20, 20, seconds=60.0) for wanted in similarity)).to_do()
    euclidean = [job.seconds for job in jobs if job.wanted.exact and job.wanted.option("--similarity")]
    assert euclidean == [3.0] * 6
