"""The labelling page in a real browser: by mouse, by keyboard, after a reload, in two tabs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.browser import CONTRAST, chromium
from tests.labelling.conftest import Labelling, text_of

from mderank.style import load_style

playwright = pytest.importorskip("playwright.sync_api", reason="needs pip install playwright")
expect = playwright.expect
expect.set_options(timeout=20_000)  # milliseconds, for machines that do other things too

pytestmark = [pytest.mark.browser, pytest.mark.slow]
READ = "h1, h2, h3, p, label, button, kbd, dd, mark, .words, .about, li, footer, code, #state"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser, page: Labelling) -> Iterator[Callable[..., Any]]:
    """A function to a tab that has loaded. What it logs as an error, or asks of any other server, fails the test."""
    contexts, wrong = [], []

    def visit(fragment: str = "", server: Labelling = page, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        context.set_default_timeout(15_000)
        contexts.append(context)
        tab = context.new_page()
        tab.on("pageerror", lambda error: wrong.append(str(error)))
        tab.on("dialog", lambda dialog: wrong.append(f"a dialog: {dialog.message}"))
        tab.on("console", lambda said: wrong.append(said.text) if "Content Security Policy" in said.text else None)
        tab.on("request", lambda asked: None if asked.url.startswith(server.url) else wrong.append(asked.url))
        tab.goto(f"{server.url}/{fragment}")
        expect(tab.locator("#of")).to_have_text(re.compile(r"of \d+"))
        return tab

    yield visit
    for context in contexts:
        context.close()
    assert wrong == []


def item(tab: Any, phrase: str) -> Any:
    return tab.locator(f'#phrases li[data-phrase="{phrase}"]')


def saved(tab: Any) -> None:
    expect(tab.locator("#status")).to_have_text(re.compile(r"Saved\.$"))


def select_in_text(tab: Any, words: str) -> None:
    """Select as a mouse does: the browser's own selection, over marks and plain text."""
    tab.evaluate(
        """(words) => {
            const text = document.getElementById("text");
            const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
            const places = [];
            for (let node = walker.nextNode(); node; node = walker.nextNode())
                for (let i = 0; i < node.length; i++) places.push([node, i]);
            const at = text.textContent.indexOf(words);
            const range = document.createRange();
            range.setStart(...places[at]);
            const [node, i] = places[at + words.length - 1];
            range.setEnd(node, i + 1);
            getSelection().removeAllRanges();
            getSelection().addRange(range);
        }""",
        words,
    )


def on(tab: Any) -> str | None:
    """The phrase that has the focus."""
    return tab.evaluate("document.activeElement.closest('[data-phrase]')?.dataset.phrase ?? null")


def test_the_first_document_is_shown_with_its_phrases(visit, page):
    tab = visit()
    expect(tab.locator("#name")).to_have_text("docs/00.txt")
    expect(tab.locator("#progress")).to_have_text("0 of 12 labelled")
    assert tab.locator("#text").inner_text() == text_of(0)
    listed = [each["text"] for each in page.get("documents/0")["phrases"]]
    expect(tab.locator("#phrases .words")).to_have_text(listed)
    marked = set(tab.locator("mark").all_inner_texts())
    assert "coral reef" in marked
    assert page.lines() == {}


def test_ticking_and_crossing_out(visit, page):
    tab = visit()
    item(tab, "coral reef").locator(".tick").click()
    saved(tab)
    expect(item(tab, "coral reef").locator(".tick")).to_have_attribute("aria-pressed", "true")
    assert page.lines()["docs/00.txt"]["keyphrases"] == ["coral reef"]
    item(tab, "storm surge").locator(".cross").click()
    expect(item(tab, "storm surge")).to_have_class("wrong")
    line = page.lines()["docs/00.txt"]
    assert (line["keyphrases"], line["crossed_out"], line["done"]) == (["coral reef"], ["storm surge"], False)
    expect(tab.locator("mark.right").first).to_have_text("coral reef")
    expect(tab.locator("mark.wrong").first).to_have_text("storm surge")
    item(tab, "coral reef").locator(".tick").click()
    expect(item(tab, "coral reef")).to_have_class("open")
    assert page.lines()["docs/00.txt"]["keyphrases"] == []


def test_a_phrase_is_added_by_selecting_it(visit, page):
    tab = visit()
    expect(tab.locator("#add")).to_be_hidden()
    select_in_text(tab, "bay is n")  # half a word
    expect(tab.locator("#add")).to_have_text("Add “bay is n” (a)")
    tab.locator("#add").click()
    saved(tab)
    expect(item(tab, "bay is new").locator(".tick")).to_have_attribute("aria-pressed", "true")
    assert page.lines()["docs/00.txt"]["keyphrases"] == ["bay is new"]
    assert on(tab) == "bay is new"
    expect(tab.locator("#add")).to_be_hidden()


def test_a_phrase_is_selected_with_the_mouse(visit, page):
    tab = visit()
    box = tab.evaluate(
        """() => {
            const walker = document.createTreeWalker(document.getElementById("text"), NodeFilter.SHOW_TEXT);
            for (let node = walker.nextNode(); node; node = walker.nextNode()) {
                const at = node.data.indexOf("Sensor");
                if (at >= 0) {
                    const range = document.createRange();
                    range.setStart(node, at);
                    range.setEnd(node, at + 6);
                    const box = range.getBoundingClientRect();
                    return [box.left, box.top + box.height / 2];
                }
            }
        }"""
    )
    tab.mouse.dblclick(box[0] + 10, box[1])
    tab.keyboard.press("a")
    saved(tab)
    assert page.lines()["docs/00.txt"]["keyphrases"] == ["Sensor"]


def test_code_points_beyond_the_first_plane(visit, page):
    (page.file.parent / "docs" / "05.txt").write_text("🌊🌊 The coral reef 🐟 is old. 𝒜 long wall.", encoding="utf-8")
    tab = visit("#6")
    select_in_text(tab, "long wall")
    tab.keyboard.press("a")
    saved(tab)
    expect(tab.locator("mark.right")).to_have_text("long wall")
    assert page.lines()["docs/05.txt"]["keyphrases"] == ["long wall"]


def test_next_says_that_a_document_is_labelled(visit, page):
    tab = visit()
    item(tab, "coral reef").locator(".tick").click()
    saved(tab)
    tab.get_by_role("button", name="Next").click()
    expect(tab.locator("#name")).to_have_text("docs/01.txt")
    expect(tab.locator("#progress")).to_have_text("1 of 12 labelled")
    assert page.lines()["docs/00.txt"]["done"]
    tab.get_by_role("button", name="Next").click()
    expect(tab.locator("#name")).to_have_text("docs/02.txt")
    expect(tab.locator("#status")).to_have_text("This document is not labelled: no phrase was ticked.")
    assert "docs/01.txt" not in page.lines()
    item(tab, "coral reef").locator(".tick").click()
    saved(tab)
    tab.get_by_role("button", name="Later").click()
    expect(tab.locator("#name")).to_have_text("docs/03.txt")
    assert not page.lines()["docs/02.txt"]["done"]
    tab.get_by_role("button", name="No phrase is right").click()
    expect(tab.locator("#name")).to_have_text("docs/04.txt")
    assert (page.lines()["docs/03.txt"]["done"], page.lines()["docs/03.txt"]["keyphrases"]) == (True, [])
    expect(tab.locator("#progress")).to_have_text("2 of 12 labelled")
    tab.get_by_role("button", name="Previous").click()
    expect(tab.locator("#state")).to_have_text("labelled: no phrase is right")
    tab.get_by_role("spinbutton", name="Document").fill("12")
    tab.keyboard.press("Enter")
    expect(tab.locator("#name")).to_have_text("docs/11.txt")
    tab.get_by_role("button", name="Later").click()
    expect(tab.locator("#status")).to_have_text("This is the last document.")


def test_a_reload_and_a_new_visit_show_what_was_saved(visit, page):
    tab = visit()
    item(tab, "coral reef").locator(".tick").click()
    saved(tab)
    tab.get_by_role("button", name="Next").click()
    expect(tab.locator("#name")).to_have_text("docs/01.txt")
    item(tab, "coral reef").locator(".cross").click()
    saved(tab)
    tab.reload()
    expect(tab.locator("#name")).to_have_text("docs/01.txt")
    expect(item(tab, "coral reef")).to_have_class("wrong")
    again = visit()
    expect(again.locator("#name")).to_have_text("docs/01.txt")
    expect(again.locator("#progress")).to_have_text("1 of 12 labelled")


def test_two_tabs(visit, page):
    one, other = visit("#1"), visit("#1")
    item(one, "coral reef").locator(".tick").click()
    saved(one)
    item(other, "storm surge").locator(".tick").click()
    saved(other)
    assert page.lines()["docs/00.txt"]["keyphrases"] == ["coral reef", "storm surge"]
    expect(item(other, "coral reef")).to_have_class("right")
    one.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(item(one, "storm surge")).to_have_class("right")


def test_keyboard_only(visit, page):
    """From the first document to a saved style, without a mouse."""
    tab = visit()
    press = tab.keyboard.press
    listed = [each["text"].lower() for each in page.get("documents/0")["phrases"]]
    expect(tab.locator("#phrases .tick").first).to_be_focused()
    outline = tab.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none", "focus can be seen"
    for key, place in (("j", 1), ("ArrowDown", 2), ("k", 1), ("ArrowUp", 0), ("k", 0)):
        press(key)
        assert on(tab) == listed[place]
    press("Space")
    expect(item(tab, listed[0])).to_have_class("right")
    press("y")
    expect(item(tab, listed[0])).to_have_class("open")
    press("y")
    expect(item(tab, listed[0])).to_have_class("right")
    press("j")
    press("x")
    expect(item(tab, listed[1])).to_have_class("wrong")
    assert on(tab) == listed[1], "the focus stays where it was"
    press("t")
    expect(tab.locator("#text")).to_be_focused()
    for _ in range(text_of(0).split().index("Sensor")):
        press("ArrowRight")
    press("Shift+ArrowRight")
    expect(tab.locator("#status")).to_have_text("Sensor 0B")
    press("a")
    expect(item(tab, "sensor 0b")).to_have_class("right")
    assert on(tab) == "sensor 0b"
    press("t")
    press("Escape")
    assert on(tab) is not None
    press("Shift+?")
    expect(tab.locator("#keys")).to_be_visible()
    press("Shift+?")
    expect(tab.locator("#keys")).to_be_hidden()
    press("n")
    expect(tab.locator("#name")).to_have_text("docs/01.txt")
    press("p")
    expect(tab.locator("#name")).to_have_text("docs/00.txt")
    press("l")
    expect(tab.locator("#name")).to_have_text("docs/01.txt")
    press("0")
    expect(tab.locator("#name")).to_have_text("docs/02.txt")
    expect(tab.locator("#progress")).to_have_text("2 of 12 labelled")
    lines = page.lines()
    assert {name: line["done"] for name, line in lines.items()} == {"docs/00.txt": True, "docs/01.txt": True}
    assert lines["docs/00.txt"]["keyphrases"] == [page.get("documents/0")["phrases"][0]["text"], "Sensor 0B"]
    reached = []
    for _ in range(30):
        press("Tab")
        reached.append(tab.evaluate("document.activeElement.id"))
    assert {"previous", "number", "none", "later", "next", "help", "text"} <= set(reached)


def test_it_learns_and_the_style_is_saved(visit, page):
    page.label(range(9))
    tab = visit("#10")
    expect(tab.locator("#message")).to_have_text("Learning begins with 10 documents that have a right phrase: 1 to go.")
    expect(tab.locator("#save")).to_be_hidden()
    item(tab, "coral reef").locator(".tick").click()
    saved(tab)
    tab.keyboard.press("n")
    expect(tab.locator("#name")).to_have_text("docs/10.txt")
    expect(tab.locator("#message")).to_have_text(
        re.compile(r"^With 10 documents: about [+−][\d.]+ of 100 at ten phrases")
    )
    expect(tab.locator("#given-list li")).to_have_count(len(page.get("documents/10")["learned"]["phrases"]))
    assert any(text.startswith("coral reef") for text in tab.locator("#given-list li").all_inner_texts())
    tab.get_by_role("button", name="Save this style").click()
    file = page.session.style_file
    expect(tab.locator("#command")).to_have_text(f"mderank extract --style {file} FILE")
    assert load_style(file).learned_from["documents"] == 10
    tab.get_by_role("button", name="Save this style").click()
    tab.get_by_role("button", name="Replace the file").click()
    expect(tab.locator("#status")).to_have_text(f"The style was saved as {file}.")


def test_a_label_that_cannot_be_saved_is_told_and_not_shown(visit, page, monkeypatch):
    from mderank.labelling import label_file

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    tab = visit()
    with monkeypatch.context() as patch:
        patch.setattr(label_file, "atomic_write", full)
        item(tab, "coral reef").locator(".tick").click()
        expect(tab.get_by_role("alert")).to_contain_text("No space left on device")
        expect(item(tab, "coral reef")).to_have_class("open")
    item(tab, "coral reef").locator(".tick").click()
    saved(tab)
    expect(tab.get_by_role("alert")).to_have_text("")


def test_a_server_that_has_gone_is_told(visit, page):
    tab = visit()
    tab.route("**/v1/**", lambda route: route.abort())
    item(tab, "coral reef").locator(".tick").click()
    expect(tab.get_by_role("alert")).to_contain_text("The server cannot be reached: what you click now is not saved.")
    expect(item(tab, "coral reef")).to_have_class("open")


def test_markup_in_a_text_is_text(visit, page):
    hostile = "The <img src=x onerror=alert(1)> reef is <b>old</b>. <script>alert(2)</script> coral reef."
    (page.file.parent / "docs" / "05.txt").write_text(hostile)
    tab = visit("#6")
    expect(tab.locator("#text")).to_have_text(hostile)
    assert tab.locator("#text img, #text script, #text b").count() == 0


def test_a_screen_reader_is_told(visit, page):
    tab = visit()
    for role, name in (("button", "Next"), ("button", "Previous"), ("button", "No phrase is right"),
                       ("button", "Later"),
                       ("spinbutton", "Document"), ("list", "Phrases"), ("navigation", "Documents"),
                       ("button", "cross out coral reef"), ("progressbar", "0 of 12 labelled"),
                       ("heading", "What it has learned from you"), ("article", "docs/00.txt")):  # fmt: skip
        expect(tab.get_by_role(role, name=name).first).to_be_attached()
    expect(tab.get_by_role("button", name="coral reef", pressed=False).first).to_be_attached()
    assert tab.get_by_role("status").get_attribute("aria-live") == "polite"
    nameless = tab.evaluate(
        "[...document.querySelectorAll('button, input')]"
        ".filter(e => !e.closest('[hidden]') && !(e.textContent.trim() || e.labels?.length || e.ariaLabel)).length"
    )
    assert nameless == 0
    ids = tab.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(visit, page, scheme):
    page.label(range(10))
    page.learned()
    page.verdict(10, "coral reef", "right")
    page.verdict(10, "storm surge", "wrong")
    tab = visit("#11", color_scheme=scheme)
    tab.keyboard.press("Shift+?")
    expect(tab.locator("#given-list li").first).to_be_visible()
    select_in_text(tab, "long")
    expect(tab.locator(".desk:not([aria-busy=true])")).to_be_visible()
    tab.evaluate("Promise.all(document.getAnimations().map((each) => each.finished))")  # it fades while it loads
    low = [each for each in tab.evaluate(CONTRAST, READ) if each[0] < 4.5]
    assert low == [], "every text can be read"
    paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(map(int, re.findall(r"\d+", paper)[:3])) > 128) == (scheme == "light")


def test_a_document_begins_with_its_text(visit):
    tab = visit(viewport={"width": 360, "height": 240}, has_touch=True, is_mobile=True)
    expect(tab.locator("#phrases .tick").first).to_be_focused()
    expect(tab.locator("#phrases .tick").first).not_to_be_in_viewport()
    assert tab.evaluate("scrollY") == 0


def test_the_width_of_a_phone(visit, page):
    page.label(range(10))
    page.learned()
    tab = visit("#11", viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    tab.locator("#help").click()
    expect(tab.locator("#given-list li").first).to_be_visible()
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    boxes = tab.locator("button, .text, aside, #keys, input").evaluate_all(
        "all => all.filter(e => e.offsetParent).map(e => e.getBoundingClientRect()).map(b => [b.left, b.right])"
    )
    assert all(left >= 0 and right <= 360 for left, right in boxes)
    item(tab, "coral reef").locator(".tick").tap()
    saved(tab)
