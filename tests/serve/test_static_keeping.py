"""What the page keeps: the user's text and settings, when an address changes or a server is gone."""

from __future__ import annotations

import pytest
from tests.serve.page import TEXT, expect, paste, shown

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_skipping_to_the_keyphrases_keeps_text_and_settings(visit):
    page = visit()
    paste(page)
    page.select_option("#method", "yake")
    expect(page.locator("h2")).to_have_text("yake")
    address = page.url
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#results")).to_be_focused()
    page.wait_for_timeout(200)
    assert page.locator("#text").input_value() == TEXT
    assert page.locator("#method").input_value() == "yake"
    assert page.url == address


def test_a_link_replaces_the_users_text_only_by_an_example_that_it_names(visit):
    page = visit()
    paste(page)
    page.evaluate("location.hash = '#method=textrank'")
    expect(page.locator("h2")).to_have_text("textrank")
    shown(page)
    assert page.locator("#text").input_value() == TEXT
    page.evaluate("location.hash = '#example=bees'")
    expect(page.locator("#results .text")).to_contain_text("beehives")
    page.evaluate("location.hash = '#example=tides'")
    expect(page.locator("#results .text")).to_contain_text("storm surge")


def test_a_page_whose_server_was_gone_loads_when_it_is_back(visit):
    page = visit()
    page.route("**/v1/methods", lambda route: route.abort())
    page.reload()
    expect(page.get_by_role("alert")).to_contain_text("The server cannot be reached.")
    page.fill("#text", TEXT)
    page.unroute("**/v1/methods")
    page.get_by_role("button", name="Find keyphrases").click()
    shown(page)
    expect(page.locator("#results .text")).to_have_text(TEXT, use_inner_text=False)
    expect(page.get_by_role("alert")).to_have_text("")


def test_a_page_without_a_text_asks_for_one(visit):
    page = visit()
    page.fill("#text", "  ")
    page.get_by_role("button", name="Find keyphrases").click()
    expect(page.get_by_role("status")).to_have_text("There is no text yet: paste one, or open a file.")
    expect(page.locator("#results .pane")).to_have_count(0)


@pytest.mark.parametrize("field", ["text", "phrases", "seeds"])
def test_ctrl_enter_finds_keyphrases_from_every_field_of_lines(visit, field):
    page = visit()
    paste(page)
    with page.expect_request("**/v1/extract"):
        page.locator(f"#{field}").press("Control+Enter")
    shown(page)


def test_text_from_right_to_left_keeps_to_itself(visit):
    page = visit()
    paste(page, "ذهب الولد. المدن الساحلية جميلة. المدن الساحلية كبيرة.")
    page.locator(".why > summary").first.click()
    snippet = page.locator(".places bdi").first
    assert snippet.evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert snippet.locator("b").inner_text() == page.locator(".words").first.inner_text()
    assert page.locator("#results .text").get_attribute("dir") == "auto"
