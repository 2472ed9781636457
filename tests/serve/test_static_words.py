"""What the page says of a phrase in words: with the bundled encoder, which estimates a confidence."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from tests.serve.conftest import Running, running_app
from tests.serve.page import expect, paste, unfold

from mderank.encoding import load_encoder
from mderank.serve.app import create_app
from mderank.tagging import load_tagger
from mderank.writing.plain_words import CONFIDENCE_WORDS, PLAIN_MEANINGS

pytestmark = [pytest.mark.browser, pytest.mark.slow]
TIDES = (
    "A storm surge is a rise of the sea. The tide gauges of a harbour record storm surges and tides. "
    "A forecast of the water level adds a surge model to the tide table. People who live at the coast read it, "
    "and most of them leave their houses before the flood comes. The harbour keeps its gates closed meanwhile."
)


@pytest.fixture(scope="module")
def real() -> Iterator[Running]:
    """A server with the bundled encoder."""
    encoder = load_encoder()
    app = create_app(encoder=encoder, make_tagger=load_tagger)
    with running_app(app) as (port, server):
        running = Running(f"http://127.0.0.1:{port}", port, encoder, app.state.service, server)
        yield running
        running.client.close()


def name(confidence: float) -> str:
    return next(words for least, words in CONFIDENCE_WORDS if confidence >= least)


def test_confidence_in_words(visit, real):
    page = visit("#top=50", server=real)
    paste(page, TIDES)
    found = real.extract(TIDES, top_k=50, explain=True).json()["keyphrases"]
    assert len({name(each["confidence"]) for each in found}) > 2, "the text has likely and unlikely phrases"
    expect(page.locator(".chance")).to_have_text([name(each["confidence"]) for each in found])
    first = page.locator("ol.list > li").first
    title = first.locator(".chance").get_attribute("title")
    confidence = found[0]["confidence"]
    shown = "over 99 %" if confidence > 0.99 else f"{round(100 * confidence)} %"
    assert title == f"{shown}: the estimated chance that a reader accepts it"
    assert first.locator(".score").inner_text() == f"{name(confidence)} · {len(found[0]['spans'])}×"
    assert "masking" not in page.locator("#results").inner_text()
    bars = page.locator(".bar").evaluate_all("all => all.map(e => Number(e.style.getPropertyValue('--strength')))")
    best = found[0]["score"]
    assert bars == pytest.approx([max(0, each["score"] / best) for each in found], abs=0.001), (
        "bars tell more than words"
    )


def test_why_in_words(visit, real):
    page = visit(server=real)
    paste(page, TIDES)
    found = real.extract(TIDES, top_k=1, explain=True).json()["keyphrases"][0]
    item = page.locator("ol.list > li").first
    expect(item.locator(".reasons")).to_have_count(0)
    unfold(item)
    words = name(found["confidence"]).capitalize()
    expect(item.locator(".accepted")).to_have_text(
        re.compile(rf"^{words} a keyphrase: of 100 phrases like it, .*\d+\.$")
    )
    rows = item.locator(".reasons tr").evaluate_all(
        "rows => rows.map(row => [...row.children].map(c => c.textContent))"
    )
    order = sorted(found["contributions"], key=lambda term: -abs(found["contributions"][term]))
    assert [row[0].lower()[:20] for row in rows] == [PLAIN_MEANINGS[term][:20] for term in order]
    times = f"How often it occurs ({len(found['spans'])}×)"
    assert times in [row[0] for row in rows]
    assert rows[0][1] == "a lot"
    assert {row[1].removesuffix(", against it") for row in rows} <= {
        "a lot", "some", "a little", "hardly anything", "nothing",
    }  # fmt: skip
    assert not re.search(r"\d\.\d", item.locator(".reasons").inner_text()), "numbers are behind another disclosure"
    expect(item.locator(".numbers td").first).to_be_hidden()
    item.locator(".numbers summary").click()
    expect(item.locator(".numbers")).to_contain_text("confidence")


def test_a_method_without_terms_says_how_it_ranks(visit, real):
    for method, said in (("mderank", "how much the meaning of the text changes without it"), ("yake", "no reasons")):
        page = visit(f"#method={method}", server=real)
        paste(page, TIDES)
        assert page.locator(".chance").count() == 0, "it estimates no confidence"
        unfold(page.locator("ol.list > li").first)
        expect(page.locator("details.why[open] > p").first).to_contain_text(said)


def test_chances_that_are_almost_certain_are_not_called_certain(visit, real):
    page = visit(server=real)
    script = """async (chances) => {
      const { ofHundred, percent } = await import("./page/words.js");
      return chances.map((chance) => [percent(chance), ofHundred(chance)]);
    }"""
    assert page.evaluate(script, [0.9999, 0.984, 0.5, 0.004]) == [
        ["over 99 %", "more than 99"], ["98 %", "about 98"], ["50 %", "about 50"], ["under 1 %", "fewer than 1"],
    ]  # fmt: skip
