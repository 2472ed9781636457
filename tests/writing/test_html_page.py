"""The page that highlights keyphrases, in a real browser: colours, a phone, contents, paper."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.browser import CONTRAST, chromium

from mderank import FusionRank, InputError, Keyphrase, Keyphrases, LanguageInfo, Span
from mderank.methods import YAKE
from mderank.research.datasets import load_dataset
from mderank.testing import FakeTagger
from mderank.writing import DocumentResult, make_writer

pytestmark = [pytest.mark.browser, pytest.mark.slow]

TEXT = "A storm surge is a rise of the sea. Most storm surges are recorded by the tide gauges of a harbour. " * 12
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
WIDE = {"viewport": {"width": 1280, "height": 900}}

# The listed phrases that have no mark of their own, or whose link leads to no mark of theirs.
UNMARKED = """() => [...document.querySelectorAll("section .list > ol > li")].filter(item => {
    const target = document.getElementById(item.querySelector("a").hash.slice(1))?.closest("mark");
    const number = item.classList[0];
    return !target?.classList.contains(number) || !target.getClientRects().length;
}).map(item => item.textContent)"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser, tmp_path):
    """A function that shows results in a page, which may not ask for anything."""
    contexts = []
    refused: list[str] = []  # such as by the page's policy

    def show(results, *, explain=False, **options):
        file = tmp_path / "page.html"
        with file.open("w", encoding="utf-8") as stream:
            writer = make_writer("html", stream, explain=explain)
            writer.begin()
            for result in results:
                writer.write(result)
            writer.end()
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: refused.append(message.text))
        page.goto(file.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()
    assert refused == []


def shades():
    """A document whose marks have all strengths, with notes, an explanation and a rest that was not read."""
    words = [f"word{number:02}" for number in range(20)]
    text = " ".join(words) + " and the rest, which nobody read"
    phrases = [
        Keyphrase(
            word,
            1 - number / 20,
            0.5,
            (Span(7 * number, 7 * number + 6),),
            (word,),
            contributions={"similarity": 0.5, "position": -0.1},
            features={"mask_effect": 0.1},
            confidence=0.5,
            related=("another word",),
        )
        for number, word in enumerate(words)
    ]
    found = Keyphrases(
        phrases,
        truncated=Span(140, len(text)),
        missing_phrases=("tide",),
        language=LanguageInfo("fr", 0.9, "words of fr", None, ("no tags here",)),
    )
    return DocumentResult("shades", text, found)


def plain(name, text=TEXT, top_k=10):
    return DocumentResult(name, text, YAKE(tagger=FakeTagger()).extract(text, top_k))


def failed(name):
    return DocumentResult(name, "", Keyphrases(error=InputError(f"{name}: it is no text")))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_every_text_can_be_read(visit, scheme, size):
    page = visit([shades(), plain("b"), failed("c")], explain=True, color_scheme=scheme, **size)
    page.locator(".why summary").first.click()
    page.locator(".list > ol > li").first.hover()
    assert "0.12" in page.locator(".list > ol > li").first.evaluate("e => getComputedStyle(e).backgroundColor")
    strengths = page.locator("mark").evaluate_all(
        "all => all.map(e => +getComputedStyle(e).getPropertyValue('--strength'))"
    )
    assert min(strengths) < 0.2
    assert max(strengths) == 0.9
    measured = page.evaluate(CONTRAST, "body *")
    assert len(measured) > 100
    assert [each for each in measured if each[0] < 4.5] == []
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (max(paper) > 128) == (scheme == "light")


@pytest.mark.parametrize("options", [{}, {"explain": True}])
def test_every_listed_phrase_has_its_mark(visit, options):
    """Of documents of all kinds, with every phrase that overlaps another one."""
    extractor = FusionRank(overlap="any")
    documents = list(load_dataset("everyday").documents)[::4]
    results = [
        DocumentResult(each.id, each.text, found)
        for each, found in zip(documents, extractor.extract_many([each.text for each in documents], 25), strict=True)
    ]
    page = visit(results, **options)
    listed = page.locator("section .list > ol > li").count()
    assert listed == sum(len(result.keyphrases) for result in results) > 200
    assert page.evaluate(UNMARKED) == []


def test_on_a_phone_the_list_comes_first_and_stays_beside_the_text(visit):
    long_phrase = "Donaudampfschifffahrtsgesellschaftskapitänswitwe" * 3
    odd = DocumentResult(
        "a/very/long/" * 12,
        long_phrase,
        Keyphrases([Keyphrase(long_phrase, 1.0, 1.0, (Span(0, len(long_phrase)),), (long_phrase,))]),
    )
    page = visit([plain("a"), odd, failed("b" * 90), shades()], explain=True, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    boxes = page.locator("body *").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(b => [b.left, b.right])"
    )
    assert all(left >= 0 and right <= 360 for left, right in boxes if right > left > -500)

    section = page.locator("#d1")
    folded, text = section.locator(".list"), section.locator(".text")
    assert folded.bounding_box()["y"] < text.bounding_box()["y"]
    # A link leads to its mark, and list and mark are both in view.
    section.locator(".list > ol > li > a").nth(2).tap()
    mark = page.locator("mark:target, mark:has(:target)")
    top = folded.bounding_box()
    assert top["y"] == 0
    assert top["height"] <= 0.5 * 740
    assert top["height"] <= mark.bounding_box()["y"] < 740 - 20
    # It folds, and leaves the text the screen.
    section.locator(".list > summary").tap()
    assert folded.bounding_box()["height"] < 60
    assert not section.locator(".list > ol").is_visible()
    section.locator(".list > summary").tap()
    assert section.locator(".list > ol").is_visible()


def test_a_list_that_was_folded_on_a_phone_is_there_on_a_wide_screen(visit):
    page = visit([plain("a")], **PHONE)
    page.locator(".list > summary").tap()
    assert not page.locator(".list li").first.is_visible()
    page.set_viewport_size({"width": 1000, "height": 700})
    assert page.locator(".list li").first.is_visible()
    assert page.locator(".list").bounding_box()["x"] > page.locator(".text").bounding_box()["x"] + 300


def test_contents_of_several_documents(visit):
    page = visit([plain("a"), failed("b"), plain("c <i>")], **WIDE)
    nav = page.get_by_role("navigation", name="Contents: 3 documents")
    assert nav.bounding_box()["y"] < page.locator("section").first.bounding_box()["y"]
    entries = nav.locator("li").all_inner_texts()
    assert entries[0].startswith("a ")
    assert entries[0].count(",") == 2
    assert entries[1:] == ["b could not be read", entries[0].replace("a ", "c <i> ", 1)]
    nav.get_by_role("link", name="c <i>").click()
    assert page.locator("section:target h2").inner_text() == "c <i>"
    assert 0 <= page.locator("#d3 h2").bounding_box()["y"] < 900
    page.locator("#d3 .up").click()
    assert page.evaluate("location.hash") == "#contents"
    assert nav.bounding_box()["y"] >= 0


def test_contents_by_the_keyboard(visit):
    page = visit([plain("a"), plain("b")], **WIDE)
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Contents", exact=True)
    assert skip.evaluate("e => e === document.activeElement")
    assert skip.bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.localName") == "summary"
    page.keyboard.press("Enter")
    assert page.locator("nav li").first.is_hidden()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("location.hash") == "#d2"


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_contents_of_many_documents_are_folded(visit, size):
    one = plain("", TEXT[:200], 3)
    page = visit((DocumentResult(f"{number}.txt", one.text, one.keyphrases) for number in range(1, 301)), **size)
    nav = page.locator("nav")
    assert nav.inner_text() == "Contents: 300 documents"
    assert nav.bounding_box()["height"] < 90
    nav.locator("summary").click()
    assert nav.bounding_box()["height"] < 0.75 * size["viewport"]["height"]
    nav.get_by_text("299.txt").click()  # scrolls the list
    assert page.locator("section:target h2").inner_text() == "299.txt"


def test_one_document_has_no_contents(visit):
    page = visit([plain("a")], **WIDE)
    assert page.locator("nav").count() == 0
    assert page.locator('[href="#contents"]').evaluate_all("all => all.filter(e => e.offsetParent).length") == 0


def test_paper(visit):
    page = visit([plain("a"), shades()], explain=True, color_scheme="dark", viewport={"width": 700, "height": 990})
    page.emulate_media(media="print", color_scheme="dark")
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert min(paper) > 240, "paper is light, whatever the screen is"
    assert page.evaluate("document.documentElement.scrollWidth") <= 700
    folded = page.locator("#d1 .list")
    style = folded.evaluate(
        "e => [getComputedStyle(e).position, getComputedStyle(e).maxHeight, getComputedStyle(e).overflowY]"
    )
    assert style == ["static", "none", "visible"]
    assert folded.bounding_box()["y"] + folded.bounding_box()["height"] <= page.locator("#d1 .text").bounding_box()["y"]
    assert page.locator("mark").first.evaluate("e => getComputedStyle(e).printColorAdjust") == "exact"
    assert page.locator("summary, .up, .skip").evaluate_all("all => all.filter(e => e.offsetParent).length") == 0
    assert page.locator("#d2 .why table").first.is_visible(), "what is folded on the screen is printed"
    assert [each for each in page.evaluate(CONTRAST, "body *") if each[0] < 4.5] == []
    assert page.pdf().startswith(b"%PDF")
