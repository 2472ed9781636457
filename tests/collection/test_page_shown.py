"""The page to browse, in a real browser: colours, and a phone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.browser import CONTRAST, chromium

from mderank.collection import build_overview
from mderank.collection.page import collection_page

from .test_overview import row, write  # noqa: F401

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
WIDE = {"viewport": {"width": 1280, "height": 900}}
LONG = "Donaudampfschifffahrtsgesellschaftskapitänswitwe" * 2


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.fixture
def visit(browser, write, tmp_path):  # noqa: F811
    contexts = []

    def show(**options):
        rows = [row(f"folder/{LONG}/{number}", "Coral reef", LONG, f"phrase {number}") for number in range(40)]
        against = write([row(number, "fish", "harbour") for number in range(10)], "there.jsonl")
        file = tmp_path / "page.html"
        file.write_text(collection_page(build_overview(write(rows), against)), encoding="utf-8")
        context = browser.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.goto(file.as_uri())
        return page

    yield show
    for context in contexts:
        context.close()


@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_the_names_of_columns_are_not_divided(visit, size):
    page = visit(**size)
    page.locator("nav ol li a").locator("visible=true").first.click()
    heights = page.locator(".card:target th").evaluate_all("all => all.map(e => e.getBoundingClientRect().height)")
    assert len(heights) == 3
    assert max(heights) < 35, "each has one line"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["wide", "phone"])
def test_every_text_can_be_read(visit, scheme, size):
    page = visit(color_scheme=scheme, **size)
    for step in (None, "nav ol li a", ".card:target td a"):
        if step:
            page.locator(step).locator("visible=true").first.click()
            page.locator("nav li a").locator("visible=true").nth(1).hover()
        measured = page.evaluate(CONTRAST, "body *")
        assert len(measured) > 40
        assert [each for each in measured if each[0] < 4.5] == []


def test_the_width_of_a_phone(visit):
    page = visit(**PHONE)
    for name in ("by documents", "A to Z"):
        page.get_by_label(name, exact=True).check()
        page.locator("nav li a").locator("visible=true").first.tap()
        card = page.locator(".card:target")
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        assert -1 <= card.bounding_box()["y"] < 370, "what was asked for is in view, above the list"
        assert card.bounding_box()["y"] < page.locator("nav").bounding_box()["y"]
    card.locator("td a").first.tap()
    assert page.locator(".card:target h3").inner_text() == "Its keyphrases"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
