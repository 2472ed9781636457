"""The page in a real browser: every use of it."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from tests.browser import CONTRAST
from tests.helpers import docx, epub, pdf
from tests.serve.conftest import running_server
from tests.serve.page import TEXT, answer, expect, paste, phrases, shown, unfold

from mderank.style import Style

pytestmark = [pytest.mark.browser, pytest.mark.slow]
READ = (
    "h1, h2, p, label, button, summary, mark a, .rank, .score, .chance, .words, th, td, caption, b, .slide span, select"
)


def test_it_opens_with_an_example(visit):
    page = visit()
    assert page.title() == "mderank: what a text is about"
    expect(page.locator("#example")).to_have_value("tides")
    expect(page.locator("#results mark").first).to_be_visible()
    assert len(phrases(page)) == 12


def test_a_text_is_pasted(visit, shared):
    page = visit()
    paste(page)
    assert phrases(page) == [each["text"] for each in answer(shared)]
    expect(page.locator("#example")).to_have_value("")
    expect(page.locator("#count")).to_have_text(f"{len(TEXT)} of 200,000 characters")


def test_a_text_that_is_pasted_while_the_page_loads_is_kept(visit):
    page = visit("#top=3")
    held = []
    page.route("**/v1/methods", lambda route: held.append(route))  # noqa: PLW0108 - it wants a function of Python
    page.reload(wait_until="domcontentloaded")
    page.fill("#text", TEXT)
    while not held:
        page.wait_for_timeout(20)
    page.wait_for_timeout(700)  # longer than the page waits for the end of typing
    held[0].fallback()
    shown(page)
    assert page.locator("#text").input_value() == TEXT
    assert page.locator("#example").input_value() == ""
    assert len(phrases(page)) <= 3, "settings of the link are kept too"
    expect(page.locator("#results .text").first).to_have_text(TEXT, use_inner_text=False)


def test_typing_is_enough(visit):
    page = visit()
    page.fill("#text", "The lazy dog is near.")
    expect(page.locator("#results .text")).to_have_text("The lazy dog is near.")
    page.fill("#text", "")
    expect(page.locator("#results .pane")).to_have_count(0)


def test_phrases_are_highlighted_in_place_by_score(visit, shared):
    page = visit()
    paste(page)
    found = answer(shared)
    best = max(each["score"] for each in found)
    marks = page.locator("#results mark").evaluate_all(
        "all => all.map(m => [Number(m.dataset.start), m.textContent, Number(m.style.getPropertyValue('--strength'))])"
    )
    assert marks
    for start, text, strength in marks:
        covering = [each for each in found if any(a <= start < b for a, b in each["spans"])]
        assert TEXT[start : start + len(text)] == text
        assert strength == pytest.approx(max(0, max(each["score"] for each in covering) / best), abs=0.001)
    covered = {place for start, text, _ in marks for place in range(start, start + len(text))}
    assert covered == {place for each in found for a, b in each["spans"] for place in range(a, b)}
    colors = page.locator("#results mark").evaluate_all(
        "all => all.map(m => [Number(m.style.getPropertyValue('--strength')), getComputedStyle(m).backgroundColor])"
    )
    opacities = [float(re.findall(r"[\d.]+", color)[3]) for _, color in sorted(colors)]
    assert opacities == sorted(opacities)
    assert opacities[-1] - opacities[0] > 0.2


def test_code_points_beyond_the_first_plane_are_marked_where_they_are(visit):
    page = visit()
    paste(page, "🌊🌊 The coral reef 🐟 is old. 𝒜 the coral reef.")
    marks = page.locator("#results mark[data-phrase='coral reef']").all_inner_texts()
    assert marks == ["coral reef", "coral reef"]


def lit(page: Any) -> tuple[set[str], set[str]]:
    return (set(page.locator("li.lit .words").all_inner_texts()), set(page.locator("mark.lit").all_inner_texts()))


def test_hovering_links_text_and_list(visit):
    page = visit()
    paste(page)
    page.locator("li", has_text="harbour").first.locator(".phrase").hover()
    assert lit(page) == ({"harbour"}, {"harbour"})
    page.locator("mark", has_text="storm").first.hover()
    assert lit(page) == ({"storm"}, {"storm"})
    page.locator("h1").hover()
    assert lit(page) == (set(), set())


def test_focus_links_text_and_list(visit):
    page = visit()
    paste(page)
    page.locator("li", has_text="harbour").first.locator(".phrase").focus()
    assert lit(page) == ({"harbour"}, {"harbour"})
    page.locator("mark", has_text="storm").first.locator("a").focus()
    assert lit(page) == ({"storm"}, {"storm"})


def drop(page: Any, name: str, data: bytes) -> None:
    page.evaluate(
        """([name, bytes]) => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([new Uint8Array(bytes)], name));
            for (const kind of ["dragenter", "dragover", "drop"]) {
                document.querySelector("#text").dispatchEvent(
                    new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true }));
            }
        }""",
        [name, list(data)],
    )


@pytest.mark.parametrize(
    ("name", "data", "text", "markdown"),
    [
        ("a.txt", b"The old reef is near.", "The old reef is near.", False),
        ("a.MD", b"# The *old* reef", "# The *old* reef", True),
        ("a.html", b"<p>The <b>old</b> reef<script>alert(1)</script>", "The old reef", False),
        ("a.pdf", pdf("The old reef is near."), "The old reef is near.", False),
        ("a.docx", docx("<w:p><w:r><w:t>The old reef is near.</w:t></w:r></w:p>"), "The old reef is near.", False),
        ("a.epub", epub({"a": "<p>The <b>old</b> reef"}), "The old reef", False),
        ("a.eml", b"Subject: The old reef\nTo: a@b.c\n\nis near.", "Subject: The old reef", False),
        ("a.rst", b"The *old* reef", "The *old* reef", False),
        ("a.tex", rb"The \emph{old} reef", "The old reef", False),
        ("a.ipynb", b'{"cells": [{"cell_type": "markdown", "source": "The *old* reef"}]}', "The *old* reef", False),
    ],
)
def test_a_file_is_dropped(visit, name, data, text, markdown):
    if name.endswith(".pdf"):
        pytest.importorskip("pypdf")
    page = visit()
    drop(page, name, data)
    expect(page.locator("#text")).to_have_value(re.compile(re.escape(text)))
    expect(page.locator("#markdown")).to_be_checked(checked=markdown)
    expect(page.locator("#results .text").first).to_contain_text("reef")  # no more that of the example
    shown(page)
    assert any("reef" in each for each in phrases(page))


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_phrases_are_in_the_prose_of_a_file_until_its_text_is_changed(visit, end):
    page = visit()
    comment = "The \U0001f40b old reef is near.\n\n.. about the big whale\n".replace("\n", end)
    drop(page, "a.rst", comment.encode())
    expect(page.locator("#results .text").first).to_contain_text("whale")
    shown(page)
    assert [each for each in phrases(page) if "whale" in each or "reef" in each] == ["reef"]
    page.locator("#text").press("End")
    page.locator("#text").type(" The harbour")
    expect(page.locator("#results .text").first).to_contain_text("harbour")
    shown(page)
    assert "whale" in phrases(page)


def test_a_file_is_opened(visit, tmp_path):
    page = visit()
    (tmp_path / "note.txt").write_text("The big whale is near.")
    page.set_input_files("#file", tmp_path / "note.txt")
    expect(page.locator("#text")).to_have_value("The big whale is near.")
    expect(page.locator(".words").first).to_have_text("whale")


@pytest.mark.parametrize(
    ("name", "data", "told"),
    [
        ("a.exe", b"MZ", "cannot be read here"),
        ("a.constructor", b"MZ", "cannot be read here"),
        ("a.pdf", b"%PDF-1.4 broken", "cannot be read"),
        ("a.docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "save it as .docx without password"),
    ],
)
def test_a_file_that_cannot_be_read(visit, name, data, told):
    page = visit()
    drop(page, name, data)
    expect(page.get_by_role("alert")).to_contain_text(told)


def test_an_example_is_chosen(visit):
    page = visit()
    page.select_option("#example", "release")
    expect(page.locator("#markdown")).to_be_checked()
    expect(page.locator("#results .text")).to_contain_text("Harbour 4.2")
    shown(page)
    assert not {"https", "HARBOUR_POOL"} & set(phrases(page))


def test_how_many(visit, shared):
    page = visit()
    paste(page)
    page.locator("#top").fill("3")
    expect(page.locator("#top-shown")).to_have_text("3")
    expect(page.locator("ol.list > li")).to_have_count(3)
    assert phrases(page) == [each["text"] for each in answer(shared, top_k=3)]


def test_how_diverse(visit, shared):
    page = visit()
    paste(page)
    page.locator("#diversity").fill("0.9")
    expected = [each["text"] for each in answer(shared, diversity=0.9)]
    assert expected != [each["text"] for each in answer(shared)]
    expect(page.locator(".words")).to_have_text(expected)
    page.select_option("#method", "yake")
    expect(page.locator("#diversity")).to_be_disabled()
    expect(page.locator("#diversity-about")).to_have_text("yake cannot avoid similar phrases.")
    expect(page.locator("h2")).to_have_text("yake")


def test_how_much_overlap(visit, shared):
    page = visit()
    paste(page)
    expect(page.locator("#overlap")).to_have_value("")
    expect(page.locator("#overlap-about")).to_have_text("fusion: little.")
    for overlap in ("none", "any"):
        page.select_option("#overlap", overlap)
        expected = [each["text"] for each in answer(shared, overlap=overlap)]
        expect(page.locator(".words")).to_have_text(expected)
        expect(page.locator("#overlap-about")).to_have_text("")
    page.select_option("#overlap", "")
    page.select_option("#method", "yake")
    expect(page.locator("#overlap-about")).to_have_text("yake: any.")


def test_related_phrases_are_named(visit, shared):
    page = visit("#overlap=none")
    paste(page)
    found = answer(shared, overlap="none")
    expect(page.locator(".words")).to_have_text([each["text"] for each in found])
    number = next(index for index, each in enumerate(found) if each.get("related"))
    unfold(page.locator("ol.list > li").nth(number))
    expect(page.locator("details[open] .related")).to_have_text(", ".join(found[number]["related"]))


def test_another_method(visit, shared):
    page = visit()
    paste(page)
    page.select_option("#method", "textrank")
    expect(page.locator("h2")).to_have_text("textrank")
    assert phrases(page) == [each["text"] for each in answer(shared, method="textrank")]


def test_two_methods_side_by_side(visit, shared):
    page = visit()
    paste(page)
    page.select_option("#compare", "firstphrases")
    expect(page.locator("h2")).to_have_text(["fusion", "firstphrases"])
    for pane, method in enumerate(("fusion", "firstphrases")):
        assert phrases(page, pane) == [each["text"] for each in answer(shared, method=method)]
    boxes = [page.locator(f'[data-pane="{pane}"]').bounding_box() for pane in (0, 1)]
    assert boxes[0]["y"] == boxes[1]["y"]
    assert boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    first = page.locator('[data-pane="0"] li').first
    there = phrases(page, 1).index(phrases(page, 0)[0]) + 1
    expect(first.locator(".other")).to_have_text(f"number {there} of the other")
    first.locator(".phrase").hover()
    assert page.locator("li.lit").count() == 2, "the same phrase in both"
    page.select_option("#compare", "")
    expect(page.locator("h2")).to_have_text(["fusion"])


def test_why_in_numbers(visit, shared):
    page = visit()
    paste(page)
    found = answer(shared)[0]
    item = page.locator("ol.list > li").first
    unfold(item)
    item.locator(".numbers summary").click()
    cells = "rows => rows.map(row => [...row.children].slice(0, 2).map(cell => cell.textContent))"
    rows = dict(item.locator(".numbers tr").evaluate_all(cells))
    assert float(rows["without it"]) == pytest.approx(found["masked_similarity"], rel=1e-4)
    assert float(rows["score"]) == pytest.approx(found["score"], rel=1e-3)
    for name, value in found["contributions"].items():
        assert float(rows[name].replace("−", "-")) == pytest.approx(value, abs=1e-4)
    places = item.locator(".places li b").all_inner_texts()
    assert places == [TEXT[start:end] for start, end in found["spans"]]
    item.locator(".places button").last.click()
    assert page.evaluate("Number(document.activeElement.parentElement.dataset.start)") == found["spans"][-1][0]


def test_copying(visit, shared):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    paste(page)
    found = answer(shared)

    def copied(form: str) -> str:
        page.get_by_role("button", name=form, exact=True).click()
        expect(page.locator("#status")).to_have_text(f"{len(found)} keyphrases were copied as {form}.")
        return page.evaluate("navigator.clipboard.readText()")

    assert copied("text").splitlines() == [each["text"] for each in found]
    assert json.loads(copied("JSON"))["keyphrases"] == found
    header, first, *_ = copied("CSV").splitlines()
    assert header == "rank,keyphrase,score,raw_score,count,spans"
    spans = " ".join(f"{start}:{end}" for start, end in found[0]["spans"])
    assert first == f"1,{found[0]['text']},{found[0]['score']},{found[0]['raw_score']},{len(found[0]['spans'])},{spans}"


def test_csv_without_formulas(visit):
    """The page escapes the same cells as `mderank extract --format csv`."""
    from mderank.writing.csv import escape_cell

    texts = [f"{start}1" for start in ("=", "+", "-", "@", "\t", "'=", "＝", "＋", "－", "＠", "'", "", "a=")]
    script = """async (texts) => {
      const { asCsv } = await import("./page/marks.js");
      return texts.map((text) => asCsv([{ text, score: -1, raw_score: -1, spans: [] }]).split("\\n")[1].split(",")[1]);
    }"""
    assert visit().evaluate(script, texts) == [escape_cell(text) for text in texts]


def test_copying_where_a_page_has_no_clipboard(visit):
    page = visit(permissions=["clipboard-read"])
    page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })")
    page.get_by_role("button", name="CSV").click()
    expect(page.locator("#status")).to_have_text("12 keyphrases were copied as CSV.")


def test_a_link_restores_the_settings(visit):
    page = visit(permissions=["clipboard-read", "clipboard-write"])
    page.select_option("#method", "mderank")
    page.select_option("#compare", "yake")
    page.locator("#top").fill("7")
    page.locator("#diversity").fill("0.3")
    page.select_option("#overlap", "none")
    page.select_option("#example", "bees")
    expect(page.locator('[data-pane="0"] .text')).to_contain_text("beehives")
    shown(page)
    page.get_by_role("button", name="Copy link").click()
    expect(page.locator("#status")).to_contain_text("The link was copied")
    link = page.evaluate("navigator.clipboard.readText()")
    other = visit("#" + link.partition("#")[2])
    for selector, value in (("#method", "mderank"), ("#compare", "yake"), ("#top", "7"), ("#diversity", "0.3"),
                            ("#overlap", "none"), ("#example", "bees")):  # fmt: skip
        expect(other.locator(selector)).to_have_value(value)
    expect(other.locator("h2")).to_have_text(["mderank", "yake"])
    expect(other.locator('[data-pane="0"] li')).to_have_count(7)
    other.evaluate("location.hash = '#method=textrank'")
    expect(other.locator("h2")).to_have_text(["textrank"])


def test_a_link_that_says_nonsense_does_no_harm(visit):
    page = visit("#method=<script>&compare=__proto__&top=1e9&diversity=-5&overlap=much&example=../../etc&x=%ff%zz")
    expect(page.locator("#method")).to_have_value("fusion")
    expect(page.locator("#top")).to_have_value("50")
    expect(page.locator("#diversity")).to_have_value("0")
    expect(page.locator("#overlap")).to_have_value("")


def test_the_keyboard_is_enough(visit):
    page = visit()
    paste(page)
    page.locator("#text").focus()
    page.keyboard.press("Control+Enter")
    shown(page)
    page.keyboard.press("Tab")
    seen = []
    for _ in range(60):
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.className || "
                                  "document.activeElement.textContent"))  # fmt: skip
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.className") == "phrase":
            break
    assert {"markdown", "run", "method", "compare", "top", "diversity", "overlap"} <= set(seen)
    assert page.evaluate("document.activeElement.querySelector('.rank').textContent") == "1"
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.querySelector('.rank').textContent") == "2"
    second = phrases(page)[1]
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.closest('mark') !== null"), "from the list into the text"
    assert second in page.evaluate("document.activeElement.closest('.text').textContent")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.className") == "phrase", "and back"
    page.locator("#top").focus()
    page.keyboard.press("Home")
    expect(page.locator("ol.list > li")).to_have_count(1)
    outline = page.locator("#top").evaluate("e => getComputedStyle(e).outlineStyle")
    assert outline != "none", "focus can be seen"


def test_a_screen_reader_is_told(visit):
    page = visit()
    for role, name in (("textbox", "Text"), ("combobox", "Method"), ("combobox", "Compare with"),
                       ("combobox", "Example"), ("slider", "How many"), ("slider", "How diverse"),
                       ("combobox", "How much overlap"),
                       ("button", "Find keyphrases"), ("checkbox", "Markdown"), ("list", "fusion"),
                       ("heading", "fusion"), ("article", "fusion"), ("main", "")):  # fmt: skip
        expect(page.get_by_role(role, name=name, exact=bool(name)).first).to_be_attached()
    expect(page.get_by_label("open a file")).to_be_attached()
    expect(page.get_by_role("status")).to_have_text(re.compile("^Keyphrases: 12 by fusion"))
    assert page.get_by_role("status").get_attribute("aria-live") == "polite"
    assert page.locator("html").get_attribute("lang") == "en"
    nameless = page.evaluate(
        "[...document.querySelectorAll('button, select, input, textarea, a')]"
        ".filter(e => !e.closest('[hidden]') && !(e.textContent.trim() || e.labels?.length || e.ariaLabel)).length"
    )
    assert nameless == 0
    described = page.locator("mark a").first.get_attribute("aria-describedby")
    expect(page.locator(f"#{described}")).to_contain_text("×")
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_light_and_dark(visit, scheme):
    page = visit(color_scheme=scheme)
    unfold(page.locator("ol.list > li").first)
    page.locator(".numbers summary").first.click()
    page.locator("li .phrase").first.hover()
    low = [each for each in page.evaluate(CONTRAST, READ) if each[0] < 4.5]
    assert low == [], "every text can be read"
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (max(map(int, re.findall(r"\d+", paper)[:3])) > 128) == (scheme == "light")


@pytest.mark.parametrize("fragment", ["", "#compare=yake"])
def test_the_width_of_a_phone(visit, fragment):
    page = visit(fragment, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    unfold(page.locator("ol.list > li").first)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    boxes = page.locator(".pane, textarea, .settings, ol.list, .text").evaluate_all(
        "all => all.map(e => e.getBoundingClientRect()).map(b => [b.left, b.right])"
    )
    assert all(left >= 0 and right <= 360 for left, right in boxes)
    assert page.locator("ol.list").first.bounding_box()["y"] < page.locator(".pane .text").first.bounding_box()["y"]


def test_in_a_low_window_results_are_in_sight(visit):
    page = visit(viewport={"width": 1366, "height": 650})
    for selector in ("#run", "#status", "ol.list .phrase >> nth=0", "#results mark >> nth=0"):
        expect(page.locator(selector)).to_be_in_viewport()
    page.locator("#settings > summary").click()
    text, settings = page.locator("#text").bounding_box(), page.locator("#settings").bounding_box()
    assert text["x"] + text["width"] <= settings["x"], "unfolded, they are beside the text"


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_going_to_a_phrase_moves_the_page_as_the_user_prefers(visit, motion):
    page = visit(reduced_motion=motion)
    paste(page, "The coral reef is old." + " The whale is far away.\n\n" * 200 + "The coral reef is near.")
    number = next(index for index, phrase in enumerate(phrases(page)) if phrase == "coral reef")
    places = page.evaluate(
        """async (number) => {
            const phrase = document.querySelectorAll(".phrase")[number];
            phrase.click();
            phrase.click();
            const places = [scrollY];
            for (let i = 0; i < 300 && places.at(-1) < 2000; i++) {
                await new Promise((done) => requestAnimationFrame(done));
                places.push(scrollY);
            }
            return places;
        }""",
        number,
    )
    assert places[-1] >= 2000
    assert (places[0] >= 2000) == (motion == "reduce")


def test_on_a_phone_the_list_stays_beside_the_text(visit):
    page = visit(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    paste(page, TEXT + "\n\n" + "The whale is far away. " * 80 + "\n\nA lighthouse stands there.")
    page.locator(".text").evaluate("e => e.lastElementChild.scrollIntoView({ block: 'end' })")
    listed = page.locator("ol.list").bounding_box()
    assert abs(listed["y"]) < 1
    assert listed["height"] <= 0.43 * 740
    page.locator(".phrase").first.tap()
    expect(page.locator("mark.lit").first).to_be_in_viewport()
    page.wait_for_function("() => document.querySelector('mark.lit').getBoundingClientRect().top > 0.42 * innerHeight")


@pytest.mark.parametrize("width", [1200, 700], ids=["landscape", "portrait"])
def test_on_paper_there_are_all_results_and_nothing_to_press(visit, width):
    page = visit("#top=50", viewport={"width": width, "height": 400})
    page.emulate_media(media="print")
    listed = page.locator("ol.list")
    assert listed.evaluate("e => e.scrollHeight <= e.clientHeight"), "nothing is cut off"
    assert page.locator("ol.list > li").count() > 12
    for pressed in page.locator("button:visible, select:visible, textarea:visible").all():
        assert pressed.get_attribute("class") == "phrase"
    expect(page.locator("#results .text")).to_be_visible()
    assert page.locator("mark").first.evaluate("e => getComputedStyle(e).printColorAdjust") == "exact"


HOSTILE = (
    "<script>window.hit = 1; alert(1)</script> The <img src=x onerror='window.hit = 1'> coral <b>reef</b> is old. "
    "</textarea><svg onload=alert(1)> javascript:alert(1) <a href='javascript:alert(1)'>harbour</a> {{reef}} ${reef}"
)


def test_text_is_never_markup(visit):
    page = visit("#compare=firstphrases&top=50")
    paste(page, HOSTILE)
    for item in page.locator("ol.list > li").all()[:10]:
        unfold(item)
        item.locator(".numbers summary").click()
    assert page.evaluate("window.hit") is None
    inside = page.locator("#results").evaluate(
        "e => [...e.querySelectorAll('script, img, svg, b')].filter(x => !x.closest('.places, .accepted')).length"
    )
    assert inside == 0
    assert page.locator("#results a").evaluate_all("all => all.every(a => a.getAttribute('href').startsWith('#'))")


def test_the_policy_holds(browser, shared):
    page = browser.new_page()
    page.goto(shared.url)
    page.evaluate(
        """() => {
            const script = document.createElement("script");
            script.textContent = "window.hit = 1";
            document.body.append(script);
            const holder = document.createElement("div");
            holder.innerHTML = "<img src=x onerror='window.hit = 1'>";
            document.body.append(holder);
        }"""
    )
    page.wait_for_timeout(100)
    assert page.evaluate("window.hit") is None
    blocked = page.evaluate("fetch('https://example.org/').then(() => 'sent', () => 'blocked')")
    assert blocked == "blocked"
    page.close()


def test_a_busy_server_is_asked_again(visit):
    page = visit()
    tries = []

    def busy_once(route):
        tries.append(1)
        if len(tries) == 1:
            body = json.dumps({"error": {"code": "busy", "message": "try again", "details": []}})
            route.fulfill(status=503, headers={"Retry-After": "1"}, content_type="application/json", body=body)
        else:
            route.continue_()

    page.route("**/v1/extract", busy_once)
    page.fill("#text", TEXT)
    page.click("#run")
    expect(page.locator("#status")).to_contain_text("busy")
    shown(page)
    assert len(tries) == 2


def test_a_server_that_is_gone_is_told(visit):
    page = visit()
    page.route("**/v1/extract", lambda route: route.abort())
    page.click("#run")
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached.")
    expect(page.get_by_role("status")).to_have_text("Below are the keyphrases from before.")


def test_a_text_that_is_too_long_is_told(visit, serve):
    page = visit(server=serve(max_text_chars=2_000))
    page.fill("#text", "coral reef " * 300)
    page.click("#run")
    expect(page.get_by_role("alert")).to_contain_text("the limit is 2,000")


def test_a_request_that_is_overtaken_is_given_up(visit, serve):
    running = serve()
    page = visit(server=running)
    running.encoder.gate.clear()
    page.fill("#text", "The whale is old.")
    page.click("#run")
    page.wait_for_function("document.querySelector('#results').getAttribute('aria-busy') === 'true'")
    page.fill("#text", TEXT)
    page.click("#run")
    running.encoder.gate.set()
    expect(page.locator("#results .text")).to_have_text(TEXT)
    expect(page.get_by_role("alert")).to_have_text("")


def test_a_key_is_asked_for(visit, serve):
    running = serve(api_key="k" * 24)
    page = visit(server=running, wait=False)
    expect(page.get_by_label("This server asks for an API key")).to_be_focused()
    page.keyboard.type("wrong" * 5)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("the API key is missing or wrong")
    page.get_by_label("This server asks for an API key").fill("k" * 24)
    page.keyboard.press("Enter")
    shown(page)
    assert "kkk" not in page.evaluate("location.href + JSON.stringify({...localStorage, ...sessionStorage})")


def test_a_style_is_chosen(visit, shared):
    expect(visit().locator("#styles")).to_be_hidden()
    styles = [Style("long", {"words": 1.0}, preferences=("longer phrases",), encoder="fake"),
              Style("short", {"words": -1.0}, encoder="fake")]  # fmt: skip
    with running_server(styles=styles) as server:
        page = visit(server=server)
        paste(page)
        general = phrases(page)
        page.get_by_label("Style").select_option("long")
        expect(page.locator("#style-about")).to_have_text("It prefers longer phrases.")
        expect(page.locator(".words")).to_have_text([each["text"] for each in answer(server, style="long")])
        assert phrases(page) != general
        assert "style=long" in page.url
        page.select_option("#compare", "yake")
        expect(page.locator("h2")).to_have_text(["fusion", "yake"])
        page.select_option("#compare", "")
        page.select_option("#method", "yake")
        expect(page.locator("#style")).to_be_disabled()
        expect(page.locator("#style-about")).to_have_text("yake has no styles.")
        shown(page)
