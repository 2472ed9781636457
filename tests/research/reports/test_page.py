from __future__ import annotations

import json
import re

import pytest
from tests.helpers import HtmlPage

from mderank.research.evaluation.measures import PAPER_MEASURES, Measure
from mderank.research.evaluation.protocols import PROTOCOLS
from mderank.research.reports.page import comparison_page, letter
from mderank.research.reports.run_grid import arrange, find_runs, read_texts
from mderank.research.reports.summary import summarise

PROTOCOLS_USED = (PROTOCOLS["mderank"], PROTOCOLS["macro-stem"])


def parse(page):
    """What a browser would make of it, which needs nothing else."""
    parsed = HtmlPage(page)
    assert parsed.fetched == parsed.links == []
    return parsed


def page_of(folder, texts=None, documents=20, measures=PAPER_MEASURES):
    return comparison_page(summarise(arrange(find_runs([folder])), PROTOCOLS_USED, measures), texts, documents)


def test_the_page_is_whole_and_needs_nothing_else(two_methods):
    shown = page_of(two_methods)
    parsed = parse(shown)
    assert "script" not in parsed.tags
    assert "http" not in shown.replace("http-equiv", "")
    assert "default-src 'none'; style-src 'unsafe-inline'" in shown
    assert len(parsed.ids) == len(set(parsed.ids))
    # By protocol two sets and the cost; then four lengths.
    assert parsed.tags.count("svg") == 2 * 3 + 4
    assert "2 methods on 2 datasets" in parsed.text
    assert "75.00" in parsed.text
    assert shown == page_of(two_methods)


def test_hits_in_the_text(two_methods):
    texts = {"tiny": {"d1": "Tides move. Deep nets see a tide.", "d2": "The moon."}}
    shown = page_of(two_methods, texts)
    parsed = parse(shown)
    # tides is Two's, deep nets both methods', moon One's; their signs stand once.
    assert parsed.marked[1:] == ["Tides", "Deep nets", "tide", "moon"]
    assert re.search(r'<mark class="gold m1">Tides</mark><i class="chip c1 m1" title="Two: rank 1">B</i> move', shown)
    assert '<mark class="gold m1">tide</mark>.' in shown
    assert '<mark class="gold m0 m1">Deep nets</mark>' in shown
    assert "#documents:has(#only1:checked)" in shown


def test_gold_that_nobody_found_is_underlined(make):
    folder = make("One", "tiny", {"d1": (["stone"], ["tide"])})
    assert '<div class="text">A <span class="gold">tide</span>.</div>' in page_of(folder, {"tiny": {"d1": "A tide."}})


def test_how_many_documents(two_methods):
    assert page_of(two_methods, documents=1).count('<details class="document">') == 2
    assert "--data-dir" in page_of(two_methods, documents=1)
    assert 'id="documents"' not in page_of(two_methods, documents=0)


def test_other_measures_and_a_single_method(make, one_documents):
    folder = make("One", "tiny", one_documents, seconds=0.0)
    parsed = parse(page_of(folder, measures=[Measure.parse("R@M")]))
    assert "R@M by dataset" in parsed.text
    assert "against time" not in parsed.text  # there is no time to draw
    assert "1 method on 1 dataset" in parsed.text


def test_no_set_in_common(make, one_documents):
    make("One", "tiny", one_documents)
    parsed = parse(page_of(make("Two", "small", one_documents)))
    assert "There is no AVG" in parsed.text
    assert "tiny: no run of Two." in parsed.text


HOSTILE = "</style></title><script>alert(1)</script><img src=x onerror=alert(1)>\"'&\x00\x1b"


def test_hostile_text_is_shown_not_run(make):
    documents = {HOSTILE: ([HOSTILE, "tide"], [HOSTILE, "tide"])}
    folder = make(HOSTILE, HOSTILE, documents, finished=False, text=HOSTILE)
    make(HOSTILE + "2", HOSTILE, {HOSTILE: (["x"], [HOSTILE])}, failed=[HOSTILE])
    shown = page_of(folder, {HOSTILE: {HOSTILE: HOSTILE + " tide " + HOSTILE}})
    parsed = parse(shown)
    assert not {"script", "img"} & set(parsed.tags)
    assert "<script>alert(1)</script>" in parsed.text
    assert "\x00" not in shown
    assert "\x1b" not in shown


def test_methods_have_signs():
    assert [letter(number) for number in (0, 25, 26)] == ["A", "Z", "27"]


@pytest.fixture
def data_dir(tmp_path):
    folder = tmp_path / "data"
    folder.mkdir()
    lines = [{"id": "d1", "title": "Tides", "text": "Deep [nets].", "keyphrases": ["tide"]}]
    (folder / "tiny.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_texts_as_the_run_read_them(make, data_dir):
    folder = make("One", "tiny", {"d1": ([], ["tide"])})
    assert read_texts(arrange(find_runs([folder])), data_dir) == ({"tiny": {"d1": "Tides Deep  nets ."}}, ())
    whole = make("Two", "tiny", {"d1": ([], ["tide"])}, text="full")
    texts, _ = read_texts(arrange(find_runs([whole / "01"])), data_dir)
    assert texts == {"tiny": {"d1": "Tides\n\nDeep [nets]."}}


def test_texts_that_are_not_there_or_others(make, data_dir):
    make("One", "tiny", {"d1": ([], ["tide"])}, dataset_sha256="0" * 64)
    texts, notes = read_texts(arrange(find_runs([make("One", "../secret", {})])), data_dir)
    assert texts == {}
    assert notes == (
        f"tiny: the file in {data_dir} is not the one that was run, its texts are left out.",
        f"../secret: its texts are not in {data_dir}.",
    )
